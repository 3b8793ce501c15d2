// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalMedia
import Foundation
import Testing

/// Light that was made of a camera's codes says in OpenEXR which colours it has.
@Suite struct CameraLightTests {
  /// The eight numbers of a file's attribute; none where there is none.
  private static func chromaticities(_ bytes: [UInt8]) -> [Float] {
    let name = Array("chromaticities\0chromaticities\0".utf8)
    let last = min(bytes.count, 4096) - name.count - 36
    guard last > 0, let place = (0..<last).first(where: { bytes[$0...].starts(with: name) })
    else { return [] }
    let start = place + name.count + 4
    return (0..<8).map { index in
      let parts = bytes[(start + 4 * index)..<(start + 4 * index + 4)]
      return Float(bitPattern: parts.reversed().reduce(0) { $0 << 8 | UInt32($1) })
    }
  }

  /// Light that was made of a curve is named by the curve where its highlights are refused.
  @Test func highlightsOfACurve() async throws {
    let folder = Folder()
    try Material.still(in: folder)
    let refused = try await Program.focal(
      [
        "render", "in.png", "--disparity", "map.png", "--log", "slog3", "--highlights", "2", "-o",
        "out.png",
      ], in: folder)
    expectOneLine(refused, naming: ["in.png is light of S-Log3", "--highlights"])
  }

  /// The primaries of the makers' papers, all with the white of D65.
  @Test(
    arguments: [
      ("logc3", "ARRI Wide Gamut 3", [0.6840, 0.3130, 0.2210, 0.8480, 0.0861, -0.1020]),
      ("slog3", "S-Gamut3.Cine", [0.766, 0.275, 0.225, 0.800, 0.089, -0.087]),
      ("vlog", "V-Gamut", [0.730, 0.280, 0.165, 0.840, 0.100, -0.030]),
      ("apple-log", "BT.2020", [0.708, 0.292, 0.170, 0.797, 0.131, 0.046]),
    ] as [(String, String, [Float])])
  func gamuts(_ curve: String, _ gamut: String, _ primaries: [Float]) async throws {
    let folder = Folder()
    try FilmFormatTests.clip(CodedPixels(.yuv422, bitDepth: 10), in: folder)
    let wanted = primaries + [0.3127, 0.3290]
    let rendered = try await works(
      FilmFormatTests.render + ["--log", curve, "-o", "%d.exr"], in: folder)
    #expect(Self.chromaticities(folder.read("0.exr")) == wanted)
    #expect(rendered.errors.contains("%d.exr says that its light is of \(gamut)"))
    try await works(
      ["import", "clip.mov", "--disparity", "maps/%04d.png", "--log", curve, "-o", "movie.mov"],
      in: folder)
    try await works(["export", "movie.mov", "-o", "e%d.exr"], in: folder)
    #expect(Self.chromaticities(folder.read("e1.exr")) == wanted)
    try await works(["thumbnail", "movie.mov", "--at", "0", "-o", "t.exr"], in: folder)
    #expect(Self.chromaticities(folder.read("t.exr")) == wanted)
    let bare = try await works(["export", "movie.mov", "-o", "e%d.pfm"], in: folder)
    #expect(bare.errors.contains("e%d.pfm does not say that its light is of \(gamut)"))
    // Codes are no light.
    let codes = try await works(["export", "movie.mov", "-o", "e%d.tif"], in: folder)
    #expect(!codes.errors.contains("light"), "\(codes.errors)")
  }

  /// Numbered pictures of a camera's codes, too, and gray stays gray in light of other primaries.
  @Test func numberedPictures() async throws {
    let folder = Folder()
    let gray = try PixelBuffer(dimensions: Material.size, format: .rgbaFloat, tags: .sRGB)
    gray.withUnsafeMutableBytes { bytes in
      let values = bytes.bindMemory(to: Float.self)
      for index in values.indices { values[index] = index % 4 == 3 ? 1 : 0.45 }
    }
    for number in 0..<2 {
      try PictureWriter.write(gray, to: folder.file("in\(number).png"))
    }
    try Material.numberedMaps(2, in: folder)
    try await works(
      [
        "render", "in%d.png", "--disparity", "maps/%04d.png", "--f-number", "inf", "--log",
        "logc4", "-o", "%d.exr",
      ], in: folder)
    #expect(Self.chromaticities(folder.read("1.exr")).first == 0.7347)
    // Read again, it is light of BT.709.
    let light = try await Material.frames(folder.file("1.exr"))
    #expect(light.properties.tags.primaries == .bt709)
    let values = try #require(light.frames.first).pixelBuffer.codes().withUnsafeBytes {
      Array($0.bindMemory(to: Float.self).prefix(3))
    }
    // The matrix is of single precision.
    #expect(abs(values[0] - values[1]) < 1e-4 && abs(values[2] - values[1]) < 1e-4, "\(values)")
  }
}
