// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalMedia
import Foundation
import MovieKit
import Testing

/// Photographs of high dynamic range through the program.
@Suite struct GainMapCommandTests {
  private static let size = Dimensions(width: 160, height: 120)
  private static let stops = 2.5

  /// Smooth lamps, 0 to 1.
  private static func lamp(_ x: Double, _ y: Double) -> Double {
    let places = [(0.25, 0.3), (0.3, 0.7), (0.7, 0.4), (0.8, 0.75)]
    return places.map { place in
      let (dx, dy) = ((x - place.0) * 4 / 3, y - place.1)
      return exp(-(dx * dx + dy * dy) / (2 * 0.06 * 0.06))
    }.max()!
  }

  private static func fill(
    _ buffer: PixelBuffer, _ value: (_ x: Double, _ y: Double) -> Double
  ) {
    let channels = buffer.planes[0].bytesPerElement
    buffer.withUnsafeMutableBytes { bytes in
      for y in 0..<size.height {
        for x in 0..<size.width {
          let code =
            255
            * value(
              (Double(x) + 0.5) / Double(size.width), (Double(y) + 0.5) / Double(size.height))
          let place = y * buffer.planes[0].bytesPerRow + channels * x
          for channel in 0..<channels {
            bytes[place + channel] = channel == 3 ? 255 : UInt8(code.rounded())
          }
        }
      }
    }
  }

  /// `in.jpg` with lamps in its gain map, and `map.png`: near at the left.
  private static func photograph(
    _ layout: GainMapPhotograph.Layout = .xmp, in folder: Folder
  ) throws {
    let base = try PixelBuffer(dimensions: size, format: .rgba8, tags: .sRGB)
    fill(base) { 0.25 + 0.6 * lamp($0, $1) }
    let codes = try PixelBuffer(dimensions: size, format: .gray8, tags: .linearBT709)
    fill(codes, lamp)
    let map = try PixelBuffer(dimensions: size, format: .gray8, tags: .linearBT709)
    fill(map) { x, _ in x < 0.5 ? 0.8 : 0.2 }
    try PictureWriter.write(base, to: folder.file("base.jpg"), quality: 100)
    try PictureWriter.write(codes, to: folder.file("codes.jpg"), quality: 100)
    try PictureWriter.write(map, to: folder.file("map.png"))
    folder.write(
      GainMapPhotograph.file(
        folder.read("base.jpg"), map: folder.read("codes.jpg"), stops: stops, layout),
      to: "in.jpg")
  }

  /// The light of high dynamic range that a JPEG holds.
  private static func light(_ name: String, in folder: Folder) async throws -> PixelBuffer {
    let asset = Asset(path: folder.file(name))
    let base = try #require(try await FrameReader(asset).next()).pixelBuffer.linearRGBA()
    return try #require(try await GainMap.load(from: asset)).light(of: base)
  }

  private static func floats(_ buffer: PixelBuffer) -> [Float] {
    buffer.withUnsafeBytes { bytes in
      (0..<buffer.height).flatMap { y in
        (0..<(4 * buffer.width)).map {
          bytes.load(fromByteOffset: y * buffer.planes[0].bytesPerRow + 4 * $0, as: Float.self)
        }
      }
    }
  }

  private static func error(_ some: PixelBuffer, _ others: PixelBuffer) -> Double {
    let pairs = zip(floats(some), floats(others))
    let sum = pairs.reduce(0.0) { $0 + Double(abs($1.0 - $1.1) / ($1.1 + 0.05)) }
    return sum / Double(4 * size.count)
  }

  /// The photograph's light is that of its light rendered: lamps out of focus are as bright.
  @Test(arguments: GainMapPhotograph.Layout.allCases)
  func light(_ layout: GainMapPhotograph.Layout) async throws {
    let folder = Folder()
    try Self.photograph(layout, in: folder)
    try PictureWriter.write(
      try await Self.light("in.jpg", in: folder), to: folder.file("light.exr"))
    let common = ["--disparity", "map.png", "--focus", "0.8", "--f-number", "1.4"]
    let outcome = try await works(
      ["render", "in.jpg", "-o", "out.jpg", "--picture-quality", "100"] + common, in: folder)
    #expect(!outcome.errors.contains("gain map"), "\(outcome.errors)")
    try await works(["render", "light.exr", "-o", "out.exr"] + common, in: folder)
    let expected = try await FrameReader.open(folder.file("out.exr")).next()
    let truth = try #require(expected).pixelBuffer.linearRGBA()
    let found = try await Self.light("out.jpg", in: folder)
    // Codes of the base are .02 of its light apart, those of the map .007, and both are rounded: .0016 was
    // found, and .059 for the base alone.
    let difference = Self.error(found, truth)
    #expect(difference < 0.005, "\(difference)")
    let base = try #require(try await FrameReader.open(folder.file("out.jpg")).next())
    #expect(try Self.error(base.pixelBuffer.linearRGBA(), truth) > 0.04)
  }

  /// A turned photograph's map stands upright with it, through pipes, too, and in strips.
  @Test func turnedAndPiped() async throws {
    let folder = Folder()
    try Self.photograph(in: folder)
    folder.write(turnedJPEG(folder.read("in.jpg"), to: 6), to: "turned.jpg")
    let options = ["--disparity", "map.png", "--disparity-fit", "stretch", "--focus", "0.8"]
    try await works(["render", "turned.jpg", "-o", "out.jpg"] + options, in: folder)
    let found = try await Self.light("out.jpg", in: folder)
    #expect(found.dimensions == Self.size.transposed)
    let line = (["focal", "render", "-", "-o", "-", "--format", "jpeg"] + options)
      .joined(separator: " ")
    let outcome = try await Program.shell("\(line) <turned.jpg >piped.jpg", in: folder)
    #expect(outcome.code == 0, "\(outcome.errors)")
    #expect(folder.read("piped.jpg") == folder.read("out.jpg"))
  }

  /// More pixels than are rendered in floats are averaged, which is said.
  @Test func largeMaps() async throws {
    let folder = Folder()
    try Self.photograph(in: folder)
    let codes = try PixelBuffer(
      dimensions: Dimensions(width: 3200, height: 2600), format: .gray8, tags: .linearBT709)
    codes.withUnsafeMutableBytes { bytes in
      for index in bytes.indices { bytes[index] = UInt8(index % 3200 / 13) }
    }
    try PictureWriter.write(codes, to: folder.file("large.jpg"))
    folder.write(
      GainMapPhotograph.file(
        folder.read("base.jpg"), map: folder.read("large.jpg"), stops: Self.stops, .xmp),
      to: "in.jpg")
    let outcome = try await works(
      ["render", "in.jpg", "--disparity", "map.png", "-o", "out.jpg"], in: folder)
    #expect(
      outcome.errors.contains("the gain map of in.jpg has 3200x2600 pixels and is averaged to"),
      "\(outcome.errors)")
  }

  /// Files that hold none, and maps that say nothing, are noted.
  @Test func losses() async throws {
    let folder = Folder()
    try Self.photograph(in: folder)
    for name in ["out.png", "out.heic"] {
      let outcome = try await works(
        ["render", "in.jpg", "--disparity", "map.png", "-o", name], in: folder)
      #expect(
        outcome.errors.contains("\(name) does not keep the photograph's gain map: .jpg keeps"),
        "\(outcome.errors)")
    }
    // Each of numbered pictures would need a map of its own.
    let numbered = try await works(
      ["render", "in.jpg", "--disparity", "map.png", "-o", "out%02d.jpg"], in: folder)
    #expect(
      numbered.errors.contains("out%02d.jpg does not keep the photograph's gain map"),
      "\(numbered.errors)")
    let bytes = folder.read("in.jpg")
    let text = Array("hdrgm:GainMapMax".utf8)
    let place = try #require(
      (0..<(bytes.count - text.count)).first { bytes[$0...].starts(with: text) })
    var unsaid = bytes
    unsaid[place + 6] = UInt8(ascii: "X")
    folder.write(unsaid, to: "unsaid.jpg")
    let outcome = try await works(
      ["render", "unsaid.jpg", "--disparity", "map.png", "-o", "unsaid-out.jpg"], in: folder)
    #expect(outcome.errors.contains("the gain map of unsaid.jpg is left out"), "\(outcome.errors)")
  }
}
