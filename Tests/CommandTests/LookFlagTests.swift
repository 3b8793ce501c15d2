// SPDX-License-Identifier: Apache-2.0

import FocalCinematic
import FocalCore
import FocalMedia
import FocalScript
import Foundation
import MovieKit
import Testing

/// What the options of the lens mean in the look of a movie.
@Suite struct LookFlagTests {
  /// The look of a movie of one frame that is imported with options.
  private static func look(
    _ options: [String], _ name: String, in folder: Folder
  ) async throws -> Look {
    try await works(
      ["import", "clip.mp4", "--disparity", "maps/%04d.png", "--focus", "0.5", "-o", name]
        + options, in: folder)
    let movie = try await MovieScript(asset: Asset(path: folder.file(name)))
    return try #require(try movie.recording()).look
  }

  private static func material(in folder: Folder) throws {
    try Material.clip("clip.mp4", in: folder, times: Material.steady(1))
    try Material.numberedMaps(1, in: folder)
  }

  @Test func everyFlagIsItsValue() async throws {
    let folder = Folder()
    try Self.material(in: folder)
    let look = try await Self.look(
      [
        "--blur-scale", "0.4", "--blades", "5", "--blade-rotation", "20", "--blade-roundness",
        "0.3", "--squeeze", "1.33", "--near-strength", "0.5", "--far-strength", "1.2",
        "--profile", "-0.5", "--fringes", "0.2", "--cat-eye", "0.6", "--barn-doors", "0.1",
        "--swirl", "0.35", "--highlights", "2", "--highlight-threshold", "0.8", "--map-edges",
        "sharp", "--log", "slog3",
      ], "look.mov", in: folder)
    #expect(look.blurScale == 0.4)
    #expect(look.apertureBlades == 5)
    // 20 degrees.
    let rotation = try #require(look.apertureRotation)
    #expect(abs(rotation - 0.349_065_85) < 1e-6)
    #expect(look.apertureRoundness == 0.3)
    #expect(look.apertureSqueeze == 1.33)
    #expect(look.nearStrength == 0.5)
    #expect(look.farStrength == 1.2)
    #expect(look.bokehProfile == -0.5)
    #expect(look.colorFringes == 0.2)
    #expect(look.catEye == 0.6)
    #expect(look.barnDoors == 0.1)
    #expect(look.swirl == 0.35)
    #expect(look.highlights == 2)
    #expect(look.highlightThreshold == 0.8)
    #expect(look.mapEdges == "sharp")
    #expect(look.logCurve == "slog3")
    // Blades take an image's place.
    #expect(look.apertureImage == "none")
  }

  // MARK: - Pictures of an aperture

  /// The parts of an opening, in cells of 16 pixels.
  private enum Part {
    case dark, white, red, green

    /// Neither symmetric nor like any of its turns.
    init(column: Int, row: Int) {
      switch (column, row) {
      case (1...2, 1...2): self = .white
      case (1...2, 3...5): self = .red
      case (1...4, 6...8): self = .green
      default: self = .dark
      }
    }
  }

  private static let size = Dimensions(width: 96, height: 160)

  /// An opening of 96 by 160 pixels: more rows than are read at once.
  ///
  /// - Parameter color: the code of a part.
  private static func opening(
    isTurned: Bool = false, _ color: (Part) -> SIMD4<UInt8>
  ) throws -> PixelBuffer {
    let stored = isTurned ? Dimensions(width: size.height, height: size.width) : size
    let picture = try PixelBuffer(dimensions: stored, format: .rgba8, tags: .sRGB)
    picture.withUnsafeMutableBytes { bytes in
      for y in 0..<stored.height {
        for x in 0..<stored.width {
          // A quarter turn clockwise brings the left column to the top.
          let shown = isTurned ? (x: stored.height - 1 - y, y: x) : (x: x, y: y)
          let part = Part(column: shown.x / 16, row: shown.y / 16)
          bytes.storeBytes(
            of: color(part), toByteOffset: y * picture.planes[0].bytesPerRow + 4 * x,
            as: SIMD4<UInt8>.self)
        }
      }
    }
    return picture
  }

  /// As bright as the part's colour is: 0.2126 and 0.7152 of white.
  private static func gray(_ part: Part) -> SIMD4<UInt8> {
    switch part {
    case .dark: SIMD4(0, 0, 0, 255)
    case .white: SIMD4(255, 255, 255, 255)
    case .red: SIMD4(127, 127, 127, 255)
    case .green: SIMD4(220, 220, 220, 255)
    }
  }

  private static func colored(_ part: Part) -> SIMD4<UInt8> {
    switch part {
    case .dark: SIMD4(0, 0, 0, 255)
    case .white: SIMD4(255, 255, 255, 255)
    case .red: SIMD4(255, 0, 0, 255)
    case .green: SIMD4(0, 255, 0, 255)
    }
  }

  /// What surrounds the opening is white, and transparent.
  private static func cutOut(_ part: Part) -> SIMD4<UInt8> {
    part == .dark ? SIMD4(255, 255, 255, 0) : gray(part)
  }

  /// An opening is what its picture shows: as it is shown, by its luminance, as far as it is not transparent.
  @Test func apertureIsAsItsPictureIsShown() async throws {
    let folder = Folder()
    try Self.material(in: folder)
    try PictureWriter.write(Self.opening(Self.gray), to: folder.file("gray.png"))
    try PictureWriter.write(Self.opening(Self.colored), to: folder.file("colored.png"))
    try PictureWriter.write(Self.opening(Self.cutOut), to: folder.file("cut.png"))
    try PictureWriter.write(
      Self.opening(isTurned: true, Self.gray), to: folder.file("turned.jpg"), quality: 100)
    folder.write(turnedJPEG(folder.read("turned.jpg"), to: 6), to: "turned.jpg")
    var tables: [[UInt8]] = []
    for name in ["gray.png", "colored.png", "cut.png", "turned.jpg"] {
      let look = try await Self.look(["--aperture-image", name], name + ".mov", in: folder)
      #expect(look.apertureBlades == 0, "\(name)")
      let text = try #require(look.apertureImage)
      tables.append([UInt8](try #require(Data(base64Encoded: text))))
    }
    for (index, table) in tables.enumerated() {
      try #require(table.count == 4096)
      // In a row each of the white, the dim and the wide part.
      let codes = [4 * 64 + 25, 26 * 64 + 25, 44 * 64 + 25, 44 * 64 + 42].map { Int(table[$0]) }
      for (code, expected) in zip(codes, [255, 54, 182, 182]) {
        #expect(abs(code - expected) <= 3, "table \(index): \(codes)")
      }
      // Nothing beside the narrow parts.
      #expect(table[4 * 64 + 42] == 0 && table[26 * 64 + 42] == 0 && table[0] == 0)
      let differences = zip(table, tables[0]).map { abs(Int($0) - Int($1)) }
      // Codes of eight bits of one luminance, and a JPEG's.
      #expect((differences.max() ?? 255) <= 4, "table \(index)")
    }
  }
}
