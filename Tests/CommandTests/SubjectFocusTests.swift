// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalMedia
import Foundation
import Testing

/// `focal render --subject` and `--matte`.
@Suite struct SubjectFocusTests {
  private static let size = Dimensions(width: 192, height: 144)

  private static func isInside(_ x: Int, _ y: Int, _ shift: Int) -> Bool {
    let (u, v) = (x - 90 - shift, y - 70)
    return u * u + v * v < 1600
  }

  /// A bright disc with a fine pattern before a dark wall, a coarse map whose disc leaks over its edge by six pixels, one
  /// and a half cells, and the disc's mask.
  private static func write(
    _ name: String, shift: Int = 0, in folder: Folder
  ) throws {
    for name in ["in", "maps", "masks"] { folder.make(name) }
    var (codes, near, mask): ([UInt8], [UInt8], [UInt8]) = ([], [], [])
    for y in 0..<size.height {
      for x in 0..<size.width {
        let isDisc = isInside(x, y, shift)
        let stripe = (x / 2 + y / 2) % 2 == 0
        codes += isDisc ? [220, stripe ? 190 : 110, 60, 255] : [30, stripe ? 70 : 30, 70, 255]
        mask.append(isDisc ? 255 : 0)
      }
    }
    let cells = Dimensions(width: size.width / 4, height: size.height / 4)
    for y in 0..<cells.height {
      for x in 0..<cells.width {
        let (u, v) = (4 * x + 2 - 90 - shift, 4 * y + 2 - 70)
        near.append(u * u + v * v < 46 * 46 ? 200 : 60)
      }
    }
    try PictureWriter.write(
      PixelBuffer(dimensions: size, format: .rgba8, values: codes), to: folder.file("in/\(name)"))
    try PictureWriter.write(
      PixelBuffer(dimensions: cells, format: .gray8, values: near), to: folder.file("maps/\(name)"))
    try PictureWriter.write(
      PixelBuffer(dimensions: size, format: .gray8, values: mask), to: folder.file("masks/\(name)"))
  }

  private static func picture(_ path: String) async throws -> [Float] {
    let light = try await FrameReader.open(path).frame(number: 0).pixelBuffer.linearRGBA()
    return light.withUnsafeBytes { bytes in
      (0..<light.height).flatMap { y in
        (0..<4 * light.width).map {
          bytes.load(fromByteOffset: y * light.planes[0].bytesPerRow + 4 * $0, as: Float.self)
        }
      }
    }
  }

  /// How much of the stripes is left at the places of a kind: 1 of the sharp picture.
  private static func contrast(
    _ path: String, of source: String, shift: Int = 0, _ isMeant: (Double) -> Bool
  ) async throws -> Float {
    let (made, sharp) = (try await picture(path), try await picture(source))
    var (left, all): (Float, Float) = (0, 0)
    for y in 2..<size.height - 2 {
      for x in 2..<size.width - 2 {
        let (u, v) = (Double(x - 90 - shift), Double(y - 70))
        guard isMeant((u * u + v * v).squareRoot()) else { continue }
        let (here, there) = (4 * (y * size.width + x) + 1, 4 * (y * size.width + x + 2) + 1)
        left += abs(made[here] - made[there])
        all += abs(sharp[here] - sharp[there])
      }
    }
    return left / all
  }

  /// The disc is as sharp as it was. Where the map leaks, the wall beside it is blurred by a mask that is given; one that
  /// is found by the same map may leak as far.
  @Test(
    arguments: [(["--subject", "0.47,0.48"], 1), (["--matte", "masks/0000.png"], 0.2)]
      as [([String], Float)])
  func holdsASubject(_ arguments: [String], most: Float) async throws {
    let folder = Folder()
    try Self.write("0000.png", in: folder)
    let render = ["render", "in/0000.png", "--disparity", "maps/0000.png", "--f-number", "1.4"]
    try await works(render + ["--focus-at", "0.47,0.48", "-o", "leaks.png"], in: folder)
    try await works(render + arguments + ["-o", "held.png"], in: folder)
    let source = folder.file("in/0000.png")
    let inside = try await Self.contrast(folder.file("held.png"), of: source) { $0 < 37 }
    #expect(inside > 0.97, "\(inside)")
    let leaked = try await Self.contrast(folder.file("leaks.png"), of: source) {
      (42.0..<45).contains($0)
    }
    let beside = try await Self.contrast(folder.file("held.png"), of: source) {
      (42.0..<45).contains($0)
    }
    #expect(leaked > 0.5 && beside <= most * leaked, "\(beside) \(leaked)")
  }

  /// A photograph that is given as a mask is told, and a mask is not.
  @Test func tellsColorsOfMasks() async throws {
    let folder = Folder()
    try Self.write("0000.png", in: folder)
    let render = ["render", "in/0000.png", "--disparity", "maps/0000.png", "--force"]
    for (mask, isTold) in [("in/0000.png", true), ("masks/0000.png", false)] {
      let made = try await works(render + ["--matte", mask, "-o", "out.png"], in: folder)
      #expect(made.errors.contains("the mask \(mask) has colours") == isTold, "\(made.errors)")
    }
  }

  @Test func holdsASubjectThroughAClip() async throws {
    let folder = Folder()
    for number in 0..<3 { try Self.write("000\(number).png", shift: 6 * number, in: folder) }
    let render = ["render", "in/%04d.png", "--disparity", "maps/%04d.png", "--f-number", "1.4"]
    for arguments in [["--subject", "0.47,0.48"], ["--matte", "masks/%04d.png"]] {
      try await works(render + arguments + ["--force", "-o", "out/%04d.png"], in: folder)
      for number in 0..<3 {
        let inside = try await Self.contrast(
          folder.file("out/000\(number).png"), of: folder.file("in/000\(number).png"),
          shift: 6 * number
        ) { $0 < 36 }
        #expect(inside > 0.95, "\(arguments) \(number): \(inside)")
      }
    }
  }

  /// Behind a cut nothing is at the point: focus stays, and a line says so.
  @Test func tellsCuts() async throws {
    let folder = Folder()
    for number in 0..<4 { try Self.write("000\(number).png", in: folder) }
    for number in 2..<4 {
      let codes = (0..<Self.size.count).flatMap { place -> [UInt8] in
        let isDisc = Self.isInside(place % Self.size.width, place / Self.size.width, 0)
        return isDisc ? [20, 60, 20, 255] : [200, 190, 180, 255]
      }
      try PictureWriter.write(
        PixelBuffer(dimensions: Self.size, format: .rgba8, values: codes),
        to: folder.file("in/000\(number).png"), overwrite: true)
    }
    let made = try await works(
      [
        "render", "in/%04d.png", "--disparity", "maps/%04d.png", "--f-number", "1.4", "--subject",
        "0.47,0.48", "-o", "out/%04d.png",
      ], in: folder)
    #expect(made.errors.contains("a cut at frame 2: the subject at 0.47,0.48"), "\(made.errors)")
    #expect(folder.names(in: "out").count == 4)
  }

  @Test func refusesWhatCannotBe() async throws {
    let folder = Folder()
    try Self.write("0000.png", in: folder)
    try Self.write("0001.png", in: folder)
    try PictureWriter.write(
      PixelBuffer(
        dimensions: Self.size, format: .gray8,
        values: [UInt8](repeating: 0, count: Self.size.count)), to: folder.file("empty.png"))
    try PictureWriter.write(
      PixelBuffer(
        dimensions: Dimensions(width: 30, height: 90), format: .gray8,
        values: [UInt8](repeating: 255, count: 2700)), to: folder.file("other.png"))
    try PictureWriter.write(
      PixelBuffer(
        dimensions: Self.size, format: .gray8,
        values: [UInt8](repeating: 90, count: Self.size.count)), to: folder.file("flat.png"))
    let render = ["render", "in/0000.png", "--disparity", "maps/0000.png", "-o", "out.png"]
    for (map, point) in [("flat.png", "0.47,0.48"), ("maps/0000.png", "0.05,0.1")] {
      try await refuses(
        ["render", "in/0000.png", "--disparity", map, "--subject", point, "-o", "out.png"],
        in: folder, naming: ["no subject was found at \(point)"])
    }
    let cases: [([String], Int32, String)] = [
      (["--subject", "0.5,0.5", "--focus", "0.4"], 64, "without --focus"),
      (["--subject", "0.5,0.5", "--matte", "masks/0000.png"], 64, "not both"),
      (["--subject", "2,0.5"], 64, "0 to 1"), (["--matte", "empty.png"], 1, "shows no subject"),
      (["--matte", "nowhere.png"], 1, "nowhere.png"),
      (["--matte", "other.png"], 1, "shapes differ"), (["--matte", "-"], 1, "is a pipe"),
    ]
    for (arguments, code, words) in cases {
      try await refuses(render + arguments, in: folder, code: code, naming: [words])
    }
    let clip = ["render", "in/%04d.png", "--disparity", "maps/%04d.png", "-o", "out/%04d.png"]
    try await refuses(
      clip + ["--subject", "0.5,0.5", "--resume"], in: folder, code: 64, naming: ["--resume"])
    try await refuses(
      clip + ["--matte", "masks/0000.png"], in: folder, naming: ["masks/0000.png"])
    #expect(!FileManager.default.fileExists(atPath: folder.file("out.png")))
  }

  /// A cut-out is a mask by its alpha, whatever its colours are.
  @Test func takesTheAlphaOfACutOut() async throws {
    let folder = Folder()
    try Self.write("0000.png", in: folder)
    var codes: [UInt8] = []
    for y in 0..<Self.size.height {
      for x in 0..<Self.size.width {
        codes += [255, 255, 255, Self.isInside(x, y, 0) ? 255 : 0]
      }
    }
    try PictureWriter.write(
      PixelBuffer(dimensions: Self.size, format: .rgba8, values: codes),
      to: folder.file("cut.png"))
    let render = ["render", "in/0000.png", "--disparity", "maps/0000.png", "--f-number", "1.4"]
    for (mask, output) in [("masks/0000.png", "gray.png"), ("cut.png", "alpha.png")] {
      try await works(render + ["--matte", mask, "-o", output], in: folder)
    }
    let isSame = folder.read("gray.png") == folder.read("alpha.png")
    #expect(isSame)
  }

  /// A mask of another shape that covers the same view.
  @Test func stretchesAMask() async throws {
    let folder = Folder()
    try Self.write("0000.png", in: folder)
    let square = Dimensions(width: 72, height: 72)
    let mask = (0..<square.count).map { place -> UInt8 in
      let (u, v) = (place % 72 * 8 / 3 - 90, place / 72 * 2 - 70)
      return u * u + v * v < 1600 ? 255 : 0
    }
    try PictureWriter.write(
      PixelBuffer(dimensions: square, format: .gray8, values: mask), to: folder.file("square.png"))
    let render = [
      "render", "in/0000.png", "--disparity", "maps/0000.png", "--matte", "square.png", "-o",
      "out.png",
    ]
    try await refuses(
      render, in: folder, naming: ["square.png", "give a mask", "--disparity-fit stretch"])
    try await works(render + ["--disparity-fit", "stretch"], in: folder)
  }

  /// A map of another shape that covers the same view.
  @Test func stretchesAMap() async throws {
    let folder = Folder()
    try Self.write("0000.png", in: folder)
    let square = Dimensions(width: 36, height: 36)
    let near = (0..<square.count).map { place -> UInt8 in
      let (u, v) = (place % 36 * 16 / 3 - 90, place / 36 * 4 - 70)
      return u * u + v * v < 1600 ? 200 : 60
    }
    try PictureWriter.write(
      PixelBuffer(dimensions: square, format: .gray8, values: near), to: folder.file("square.png"))
    let render = [
      "render", "in/0000.png", "--disparity", "square.png", "--subject", "0.47,0.49", "-o",
      "out.png",
    ]
    try await refuses(render, in: folder, naming: ["--disparity-fit stretch"])
    try await works(render + ["--disparity-fit", "stretch"], in: folder)
  }
}
