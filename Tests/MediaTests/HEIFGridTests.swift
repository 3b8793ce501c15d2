// SPDX-License-Identifier: Apache-2.0

import FocalCore
import Testing

@testable import FocalMedia

/// HEIC and AVIF pictures that are too large for one coded picture.
@Suite struct HEIFGridTests {
  private static let sizes = [
    Dimensions(width: 300, height: 200), Dimensions(width: 129, height: 67),
    Dimensions(width: 64, height: 256),
  ]

  private func write(
    _ picture: StillPicture, _ kind: StillKind, to name: String, in folder: ScratchFolder,
    largestPicture: Int
  ) throws {
    let file = try OutputFile(
      path: folder.file(name), overwrite: false, registry: folder.temporaryFiles)
    let sink = try HEIFRowSink(
      picture, kind, RowLayout(picture), file, largestPicture: largestPicture, largestTile: 128)
    // Portions that end within tiles.
    for first in stride(from: 0, to: picture.buffer.height, by: 50) {
      let rows = first..<min(first + 50, picture.buffer.height)
      try sink.write(picture.buffer.part(columns: 0..<picture.buffer.width, rows: rows))
    }
    try sink.finish()
    try file.publish()
  }

  /// Every other block of 40 columns shines through, the more the lower.
  private func makeTranslucent(_ picture: PixelBuffer) {
    let row = picture.planes[0].bytesPerRow
    picture.withUnsafeMutableBytes { bytes in
      for y in 0..<picture.height {
        for x in 0..<picture.width where x / 40 % 2 == 0 {
          let alpha = Float(y) / Float(picture.height)
          if picture.format == .rgba8 {
            bytes[y * row + 4 * x + 3] = UInt8(255 * alpha)
          } else {
            bytes.storeBytes(of: alpha, toByteOffset: y * row + 16 * x + 12, as: Float.self)
          }
        }
      }
    }
  }

  @Test(arguments: [StillKind.heic, .avif], sizes)
  func tiles(_ kind: StillKind, _ size: Dimensions) async throws {
    for (format, hasAlpha) in [
      (PixelFormat.rgba8, false), (.rgbaFloat, false), (.rgba8, true), (.rgbaFloat, true),
    ] {
      let folder = ScratchFolder()
      var metadata = PictureMetadata()
      metadata.exif = PhotographMaterial.exif(
        orientation: 1, width: size.width, height: size.height)
      metadata.xmp = Array(
        PhotographMaterial.xmp("xmlns:dc=\"http://purl.org/dc/elements/1.1/\" dc:rights=\"mine\"")
          .utf8)
      let tags = ColorTags(primaries: .displayP3, transfer: .srgb, matrix: .bt709)
      let buffer = try Scene.smooth(size.width, size.height, format, tags: tags)
      if hasAlpha { makeTranslucent(buffer) }
      let picture = StillPicture(buffer: buffer, metadata: metadata, quality: 95, path: "a")
      try write(picture, kind, to: "grid", in: folder, largestPicture: 1000)
      try write(picture, kind, to: "one", in: folder, largestPicture: .max)
      let grid = try await FrameReader.open(folder.file("grid"))
      let one = try await FrameReader.open(folder.file("one"))
      #expect(grid.properties.dimensions == size)
      #expect(grid.properties.tags == one.properties.tags)
      #expect(grid.properties.bitDepth == one.properties.bitDepth)
      #expect(grid.properties.pictureMetadata == one.properties.pictureMetadata)
      #expect(grid.properties.pictureMetadata.exif != nil)
      let bytes = String(decoding: folder.read("grid"), as: Unicode.ASCII.self)
      let isGrid = bytes.contains("dimg") && bytes.contains("grid")
      #expect(isGrid)
      #expect(bytes.contains("auxl") == hasAlpha)
      let frames = (try #require(try await grid.next()), try #require(try await one.next()))
      let pairs = try zip(
        frames.0.pixelBuffer.linearRGBA().values(Float.self),
        frames.1.pixelBuffer.linearRGBA().values(Float.self))
      // Both are coded with loss.
      let most = pairs.map { abs($0 - $1) }.max()!
      #expect(most < 0.06, "\(most)")
      let alphas = zip(
        try frames.0.pixelBuffer.linearRGBA().values(Float.self),
        try buffer.linearRGBA().values(Float.self)
      ).enumerated().filter { $0.offset % 4 == 3 }.map { abs($0.element.0 - $0.element.1) }
      let mostOfAlpha = alphas.max()!
      #expect(mostOfAlpha < 0.06, "\(mostOfAlpha)")
    }
  }

  /// Tiles cover the picture, and none lies outside of it.
  @Test func division() {
    for size in [
      Dimensions(width: 16384, height: 12288), Dimensions(width: 2049, height: 1),
      Dimensions(width: 8193, height: 6144), Dimensions(width: 30000, height: 4097),
    ] {
      let grid = HEIFGrid(size, largestTile: 2048)
      #expect(grid.tile.width % 64 == 0 && grid.tile.height % 64 == 0)
      #expect(grid.tile.width <= 2048 && grid.tile.height <= 2048)
      #expect((0..<grid.tile.width).contains(grid.columns * grid.tile.width - size.width))
      #expect((0..<grid.tile.height).contains(grid.rows * grid.tile.height - size.height))
    }
  }
}
