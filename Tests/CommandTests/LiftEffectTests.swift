// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalMedia
import Foundation
import Testing

/// What the looks, accents and backgrounds of `focal lift` look like.
@Suite struct LiftEffectTests {
  /// A pixel's codes of sRGB, 0 to 255, and its alpha, 0 to 1.
  private static func codes(_ x: Int, _ y: Int, of light: PixelBuffer) -> SIMD4<Float> {
    let pixel = LiftOptionTests.pixel(x, y, of: light)
    var codes = pixel
    for channel in 0..<3 {
      let value = pixel[channel]
      let shown = value > 0.003_130_8 ? 1.055 * pow(value, 1 / 2.4) - 0.055 : 12.92 * value
      codes[channel] = 255 * shown
    }
    return codes
  }

  /// Dithering takes a code to the one beside it.
  private static func isNear(_ codes: SIMD4<Float>, _ red: Float, _ green: Float, _ blue: Float)
    -> Bool
  {
    abs(codes.x - red) <= 1 && abs(codes.y - green) <= 1 && abs(codes.z - blue) <= 1
  }

  private static func lifted(
    _ options: [String], in folder: Folder
  ) async throws -> PixelBuffer {
    try await works(
      ["lift", "in.png", "--disparity", "map.png", "--force", "-o", "out.png"] + options,
      in: folder)
    return try await LiftOptionTests.light(folder.file("out.png"))
  }

  /// A colour behind the subject, as it is and in every look. The subject stays.
  @Test(
    arguments: [
      ([], [192, 128, 64]),
      // Its luma of BT.709 is .2702 of white.
      (["--look", "mono"], [141.9, 141.9, 141.9]),
      // A quarter of the light, .5271, .2159 and .0513 of white.
      (["--look", "highlight"], [101.6, 65.7, 29.8]),
      // The squares of fifths: .64, .16 and .04 of white.
      (["--look", "posterize"], [209.3, 111.3, 56.3]),
    ] as [([String], [Float])])
  func looks(_ options: [String], _ expected: [Float]) async throws {
    let folder = Folder()
    try LiftOptionTests.write("in.png", "map.png", in: folder)
    let light = try await Self.lifted(["--background", "#c08040"] + options, in: folder)
    let corner = Self.codes(2, 2, of: light)
    #expect(Self.isNear(corner, expected[0], expected[1], expected[2]), "\(corner)")
    let middle = Self.codes(90, 70, of: light)
    #expect(Self.isNear(middle, 220, 120, 60), "\(middle)")
  }

  /// The picture's own background is behind the subject where a look is all that is asked for.
  @Test func looksOfThePicturesOwnBackground() async throws {
    let folder = Folder()
    try LiftOptionTests.write("in.png", "map.png", in: folder)
    // The wall is 30, 40 and 70: .0130, .0212 and .0612 of white, and its luma .0224.
    for (look, expected) in [
      ("mono", [41.2, 41.2, 41.2]), ("highlight", [10.7, 16.3, 33.1]),
      ("posterize", [56.3, 56.3, 56.3]),
    ] as [(String, [Float])] {
      let light = try await Self.lifted(["--look", look], in: folder)
      let corner = Self.codes(2, 2, of: light)
      #expect(Self.isNear(corner, expected[0], expected[1], expected[2]), "\(look): \(corner)")
    }
  }

  @Test func coloursBehindTheSubject() async throws {
    let folder = Folder()
    try LiftOptionTests.write("in.png", "map.png", in: folder)
    for (color, expected) in [("#00ff00", [0, 255, 0]), ("#102030", [16, 32, 48])]
      as [(String, [Float])]
    {
      let light = try await Self.lifted(["--background", color], in: folder)
      let corner = Self.codes(2, 2, of: light)
      #expect(Self.isNear(corner, expected[0], expected[1], expected[2]), "\(color): \(corner)")
      #expect(corner.w == 1)
    }
  }

  /// A shadow is black and soft, and lies to the right and below; an outline is white, and lies all around.
  @Test func accents() async throws {
    let folder = Folder()
    try LiftOptionTests.write("in.png", "map.png", in: folder)
    // The disc's columns of the row 70 are 51 to 129.
    let shadow = try await Self.lifted(["--accent", "shadow"], in: folder)
    let (left, right) = (
      LiftOptionTests.pixel(47, 70, of: shadow), LiftOptionTests.pixel(131, 70, of: shadow)
    )
    #expect(right.x == 0 && right.y == 0 && right.z == 0, "\(right)")
    #expect(right.w > 0.2 && right.w < 0.6, "\(right)")
    #expect(left.w < 0.05, "\(left)")
    #expect(LiftOptionTests.pixel(2, 2, of: shadow).w == 0)
    let outline = try await Self.lifted(["--accent", "outline"], in: folder)
    for x in [50, 130] {
      let line = Self.codes(x, 70, of: outline)
      #expect(Self.isNear(line, 255, 255, 255) && line.w > 0.98, "\(x): \(line)")
    }
    // A hundredth of the longer side: two pixels.
    for x in [46, 134] { #expect(LiftOptionTests.pixel(x, 70, of: outline).w == 0, "\(x)") }
  }

  /// Stripes of eight pixels behind the subject: sharp without a blur, softer with the usual one, and gone with one of a
  /// tenth of the picture.
  @Test func sizesOfTheBlur() async throws {
    let folder = Folder()
    try LiftOptionTests.write("in.png", "map.png", in: folder)
    let size = Dimensions(width: 192, height: 144)
    let stripes = try PixelBuffer(
      dimensions: size, format: .gray8,
      values: (0..<size.count).map { UInt8($0 % size.width / 8 % 2 == 0 ? 20 : 220) })
    try PictureWriter.write(stripes, to: folder.file("stripes.png"))
    for (option, difference) in [
      (["--bokeh-size", "0"], 198...202), (["--bokeh-size", "0.01"], 85...115),
      (["--bokeh"], 40...55), (["--bokeh-size", "0.03"], 40...55),
      (["--bokeh-size", "0.1"], -8...8),
    ] as [([String], ClosedRange<Float>)] {
      let light = try await Self.lifted(["--background", "stripes.png"] + option, in: folder)
      // The first columns of a dark stripe and of the bright one behind it, where a blur begins.
      let (dark, bright) = (Self.codes(48, 10, of: light), Self.codes(56, 10, of: light))
      #expect(difference.contains(bright.x - dark.x), "\(option): \(dark.x) \(bright.x)")
    }
  }
}
