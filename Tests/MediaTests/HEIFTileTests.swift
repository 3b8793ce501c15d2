// SPDX-License-Identifier: Apache-2.0

import FocalCore
import MovieKit
import Testing

@testable import FocalMedia

/// Pictures in tiles that are read a row of tiles at a time.
@Suite struct HEIFTileTests {
  private static let size = Dimensions(width: 300, height: 281)

  /// A grid of 3 x 3 tiles.
  private func file(
    _ kind: StillKind, _ format: PixelFormat, hasAlpha: Bool, in folder: ScratchFolder
  ) throws -> [UInt8] {
    let tags = ColorTags(primaries: .displayP3, transfer: .srgb, matrix: .bt709)
    let buffer = try Scene.smooth(Self.size.width, Self.size.height, format, tags: tags)
    if hasAlpha {
      let row = buffer.planes[0].bytesPerRow
      let bytesPerPixel = buffer.planes[0].bytesPerElement
      buffer.withUnsafeMutableBytes { bytes in
        for y in 0..<buffer.height {
          for x in 0..<buffer.width {
            let alpha = Float(x + y) / Float(buffer.width + buffer.height)
            let place = y * row + bytesPerPixel * x
            if format == .rgba8 {
              bytes[place + 3] = UInt8(255 * alpha)
            } else {
              bytes.storeBytes(of: alpha, toByteOffset: place + 12, as: Float.self)
            }
          }
        }
      }
    }
    var metadata = PictureMetadata()
    metadata.exif = PhotographMaterial.exif(
      orientation: 1, width: Self.size.width, height: Self.size.height)
    let picture = StillPicture(buffer: buffer, metadata: metadata, quality: 90, path: "a")
    let output = try OutputFile(
      path: folder.file("a"), overwrite: true, registry: folder.temporaryFiles)
    let sink = try HEIFRowSink(
      picture, kind, RowLayout(picture), output, largestPicture: 1000, largestTile: 128)
    try sink.write(buffer)
    try sink.finish()
    try output.publish()
    return folder.read("a")
  }

  /// Strips hold what the whole picture does, in any order; the file is the same however often it is made.
  @Test(arguments: [StillKind.heic, .avif], [PixelFormat.rgba8, .rgbaFloat])
  func strips(_ kind: StillKind, _ format: PixelFormat) async throws {
    for hasAlpha in [false, true] {
      let folder = ScratchFolder()
      let bytes = try file(kind, format, hasAlpha: hasAlpha, in: folder)
      let again = try file(kind, format, hasAlpha: hasAlpha, in: folder)
      #expect(bytes == again)
      let tiles = try #require(HEIFTiles(bytes))
      #expect(tiles.dimensions == Self.size && tiles.columns == 3)
      let whole = try await FrameReader.open(folder.file("a"))
      let picture = try #require(try await whole.next()).pixelBuffer
      let reader = try #require(
        try PictureStripReader.open(
          folder.file("a"), leastPixelCount: 0, leastTiledPixelCount: 0, options: ReadOptions()))
      #expect(reader.properties.dimensions == whole.properties.dimensions)
      #expect(reader.properties.pictureMetadata == whole.properties.pictureMetadata)
      #expect(reader.properties.tags == whole.properties.tags)
      #expect(reader.properties.bitDepth == whole.properties.bitDepth)
      #expect(reader.mayHaveAlpha == hasAlpha)
      // The second lies before the first, others begin and end within tiles.
      for rows in [200..<281, 0..<10, 60..<140, 100..<281] {
        let strip = try reader.strip(rows)
        let part = picture.part(columns: 0..<picture.width, rows: rows)
        let isSame =
          try strip.linearRGBA().values(Float.self) == part.linearRGBA().values(Float.self)
        #expect(isSame, "\(rows)")
      }
    }
  }

  /// Tiles are divided by alpha where the file says that they were multiplied by it, strips and whole pictures alike.
  @Test(arguments: [PixelFormat.rgba8, .rgbaFloat])
  func premultipliedTiles(_ format: PixelFormat) async throws {
    let folder = ScratchFolder()
    let bytes = try file(.heic, format, hasAlpha: true, in: folder)
    let plain = try #require(try await frames(folder.file("a")).first).pixelBuffer
    // The picture, its nine tiles, its alpha.
    folder.write(
      try ChangedHEIF.adding(reference: "prem", from: 1, to: 11, in: bytes), to: "b")
    let divided = try #require(try await frames(folder.file("b")).first).pixelBuffer
    let isOther = divided.packedBytes() != plain.packedBytes()
    #expect(isOther)
    let reader = try #require(
      try PictureStripReader.open(
        folder.file("b"), leastPixelCount: 0, leastTiledPixelCount: 0, options: ReadOptions()))
    let strip = try reader.strip(0..<Self.size.height)
    let isSame = strip.packedBytes() == divided.packedBytes()
    #expect(isSame)
  }

  /// The size that memory is decided by is that of the largest picture that is decoded, whatever is shown of it.
  @Test func decodedSizes() throws {
    let folder = ScratchFolder()
    let bytes = try file(.heic, .rgba8, hasAlpha: true, in: folder)
    func size(_ bytes: [UInt8]) throws -> Dimensions {
      let items = try HEIFItems(bytes)
      return items.decodedSize(of: items.primary, shown: Dimensions(width: 8, height: 8))
    }
    #expect(try size(bytes) == Self.size)
    // The tiles' size comes first.
    let large = try ChangedHEIF.resizing(bytes, to: 4000, 3000)
    #expect(try size(large) == Dimensions(width: 4000, height: 3000))
    let boundless = try ChangedHEIF.resizing(bytes, to: 0xFFFF_FFFF, 0xFFFF_FFFF)
    #expect(try size(boundless).claimedCount == .max)
    // A tile that is made of the picture that it is a part of.
    let endless = try ChangedHEIF.adding(reference: "dimg", from: 2, to: 1, in: bytes)
    #expect(try size(endless) == Self.size)
  }

  /// Files of one picture and other files are read whole.
  @Test func othersHaveNoTiles() throws {
    // libheif makes a grid of one tile of sizes that are no multiple of 64.
    let buffer = try Scene.smooth(64, 64, .rgba8, tags: .sRGB)
    for kind in [StillKind.heic, .avif, .png] {
      let bytes = try StillEncoder.file(
        of: buffer, kind: kind, metadata: PictureMetadata(), quality: nil, path: "a")
      let isWhole = HEIFTiles(bytes) == nil
      #expect(isWhole, "\(kind)")
    }
    #expect(HEIFTiles([]) == nil)
  }

  /// Damaged descriptions are no tiles, or tiles of other bytes, or an error, and never the end of the program.
  @Test func damagedFiles() throws {
    let folder = ScratchFolder()
    let bytes = try file(.heic, .rgba8, hasAlpha: true, in: folder)
    let start = try #require(bytes.firstRange(of: Array("mdat".utf8))).lowerBound
    var random = Seeded(11)
    func number(below count: Int) -> Int { Int(random.next() % UInt64(count)) }
    var understood = 0
    for _ in 0..<2000 {
      var changed = bytes
      for _ in 0...number(below: 4) {
        changed[number(below: start)] = UInt8(number(below: 256))
      }
      if number(below: 10) == 0 {
        changed.removeLast(number(below: changed.count))
      }
      guard let tiles = HEIFTiles(changed) else { continue }
      understood += 1
      for index in 0..<min(tiles.columns, 9) { _ = try? tiles.file(index) }
    }
    #expect(understood > 100)
  }

  /// A file that ends too soon is an error of one line.
  @Test func cutFiles() async throws {
    let folder = ScratchFolder()
    let bytes = try file(.heic, .rgba8, hasAlpha: false, in: folder)
    for share in [0.3, 0.6, 0.95] {
      folder.write(Array(bytes.prefix(Int(Double(bytes.count) * share))), to: "cut.heic")
      do throws(CinematicError) {
        let reader = try await FrameReader.open(folder.file("cut.heic"))
        _ = try await reader.next()
        Issue.record("\(share) of a file was read")
      } catch {
        #expect(!error.message.contains("\n") && error.message.contains("cut.heic"), "\(error)")
      }
    }
  }

  /// HEIC pictures are tiles from 2 megapixels on, encoded at the same time; alpha likewise.
  @Test(arguments: [false, true]) func largerPicturesAreTiles(_ hasAlpha: Bool) async throws {
    let folder = ScratchFolder()
    let size = Dimensions(width: 2112, height: 1024)
    let buffer = try Scene.smooth(size.width, size.height, .rgba8, tags: .sRGB)
    if hasAlpha {
      buffer.withUnsafeMutableBytes { bytes in
        for x in 0..<size.width { bytes[4 * x + 3] = UInt8(x % 256) }
      }
    }
    let path = folder.file("a.heic")
    try PictureWriter.write(
      buffer, to: path, quality: 20, temporaryFiles: folder.temporaryFiles)
    let tiles = try #require(HEIFTiles(folder.read("a.heic")))
    #expect(tiles.dimensions == size && tiles.columns == 3)
    let auxiliary = folder.read("a.heic").firstRange(of: Array("auxl".utf8))
    #expect((auxiliary != nil) == hasAlpha)
    #expect(try await FrameReader.open(path).properties.dimensions == size)
  }
}
