// SPDX-License-Identifier: Apache-2.0

import CHEIF
import FocalCore
import FocalMedia
import Testing

/// Photographs with a map in them, in every layout that phones use.
@Suite struct PortraitTests {
  private typealias Material = PhotographMaterial
  private static let mapSize = Dimensions(width: 32, height: 24)

  /// The layouts, and how a code becomes a disparity of 0 to 1 in each.
  enum Layout: String, CaseIterable, Sendable, CustomTestStringConvertible {
    case apple, xmpInverse, xmpLinear, container, heic
    var testDescription: String { rawValue }

    func disparity(_ code: Float) -> Float {
      switch self {
      case .apple, .heic: return code
      case .xmpInverse, .container: return 1 - code
      case .xmpLinear:
        let depth = 0.5 + code * (4 - 0.5)
        return (1 / depth - 0.25) / (2 - 0.25)
      }
    }
  }

  /// A ramp of codes from left to right.
  private func map() throws -> PixelBuffer {
    let map = try PixelBuffer(dimensions: Self.mapSize, format: .gray8, tags: .linearBT709)
    Scene.fill(map) { _, _, x, _ in x }
    return map
  }

  private func portrait(_ layout: Layout, in folder: ScratchFolder) throws -> [UInt8] {
    func file(_ picture: PixelBuffer, _ name: String) throws -> [UInt8] {
      try PictureWriter.write(
        picture, to: folder.file(name), quality: 100, temporaryFiles: folder.temporaryFiles)
      return folder.read(name)
    }
    let picture = try Scene.smooth(64, 48, .rgba8, tags: .sRGB)
    let map = try map()
    if layout == .heic { return try PortraitHEIC.file(picture, map: map) }
    let jpeg = try file(picture, "plain.jpg")
    let png = try file(map, "map.png")
    switch layout {
    case .apple:
      let gray = try file(map, "map.jpg")
      return Material.applePortrait(
        jpeg,
        others: [
          ("urn:com:apple:photo:2020:aux:hdrgainmap", gray),
          ("urn:com:apple:photo:2018:aux:portraiteffectsmatte", gray), ("disparity", gray),
        ])
    case .xmpInverse:
      return Material.depthInXMP(jpeg, map: png, format: "RangeInverse", near: 0.5, far: 4)
    case .xmpLinear:
      return Material.depthInXMP(jpeg, map: png, format: "RangeLinear", near: 0.5, far: 4)
    case .container: return Material.depthInContainer(jpeg, map: png, near: 0.5, far: 4)
    case .heic: return []
    }
  }

  @Test(arguments: Layout.allCases) func embeddedMaps(_ layout: Layout) async throws {
    let folder = ScratchFolder()
    folder.write(try portrait(layout, in: folder), to: "portrait")
    let picture = try await FrameReader.open(folder.file("portrait")).properties
    #expect(picture.dimensions == Dimensions(width: 64, height: 48))
    #expect(picture.pictureMetadata.companions.contains(.disparity))
    if layout == .apple {
      #expect(picture.pictureMetadata.companions == [.disparity, .matte, .gainMap])
    }
    let reader = try await FrameReader.open(
      folder.file("portrait"), options: ReadOptions(content: .disparity(.unit)))
    let map = try #require(try await reader.next()).pixelBuffer
    #expect(map.dimensions == Self.mapSize)
    let codes = try self.map().packedBytes()
    // JPEG and HEVC round codes by a few.
    let allowed: Float = layout == .apple || layout == .heic ? 4.0 / 255 : 2e-5
    for (value, code) in zip(map.values(Float.self), codes) {
      #expect(abs(value - layout.disparity(Float(code) / 255)) <= allowed)
    }
    // A range that is stated is that of the map in the file, too.
    let metric = try await FrameReader.open(
      folder.file("portrait"),
      options: ReadOptions(content: .disparity(DisparityScale(low: 0.5, high: 4.5))))
    let values = try #require(try await metric.next()).pixelBuffer.values(Float.self)
    for (value, unit) in zip(values, map.values(Float.self)) {
      #expect(abs(value - (0.5 + 4 * unit)) < 1e-5)
    }
  }

  /// The map lies as the picture does, whose orientation is in its EXIF.
  @Test func turnedPortrait() async throws {
    let folder = ScratchFolder()
    let exif = Material.exif(orientation: 6, width: 64, height: 48)
    let portrait = try portrait(.xmpInverse, in: folder)
    folder.write(Material.adding([Material.exifSegment(exif)], to: portrait), to: "a.jpg")
    let picture = try await FrameReader.open(folder.file("a.jpg"))
    let maps = try await FrameReader.open(
      folder.file("a.jpg"), options: ReadOptions(content: .disparity(.unit)))
    #expect(picture.properties.preferredTransform == .clockwise90)
    #expect(maps.properties.preferredTransform == .clockwise90)
  }

  /// Whichever part is cut off or overwritten, there is an error or a map, and never a crash.
  @Test(arguments: Layout.allCases) func damagedPortraits(_ layout: Layout) async throws {
    let folder = ScratchFolder()
    let whole = try portrait(layout, in: folder)
    var random = Seeded(7)
    for round in 0..<60 {
      var bytes = whole
      if round % 3 == 0 {
        bytes = Array(bytes.prefix(Int(random.next() % UInt64(whole.count))))
      } else {
        for _ in 0..<4 {
          // Most changes where files say what they hold: at the front.
          let end = UInt64(round % 3 == 1 ? min(whole.count, 1200) : whole.count)
          bytes[Int(random.next() % end)] = UInt8(truncatingIfNeeded: random.next())
        }
      }
      folder.write(bytes, to: "damaged")
      for content in [ReadOptions.Content.picture, .disparity(.unit)] {
        _ = await failure { () async throws(CinematicError) in
          let reader = try await FrameReader.open(
            folder.file("damaged"), options: ReadOptions(content: content))
          _ = try await reader.next()
        }
      }
    }
  }
}

/// A HEIC of two pictures of which the second is the first one's map. libheif writes both but cannot
/// relate them; the boxes that do are put in here.
enum PortraitHEIC {
  private typealias Material = PhotographMaterial

  /// - Parameters:
  ///   - type: what the map calls itself.
  ///   - exif: of the picture.
  static func file(
    _ picture: PixelBuffer, map: PixelBuffer, type: String = "urn:mpeg:hevc:2015:auxid:2",
    exif: [UInt8]? = nil
  ) throws -> [UInt8] {
    let context = try #require(heif_context_alloc())
    defer { heif_context_free(context) }
    for buffer in [picture, map] { try add(buffer, to: context) }
    if let exif {
      var first: OpaquePointer?
      _ = heif_context_get_primary_image_handle(context, &first)
      defer { heif_image_handle_release(first) }
      _ = heif_context_add_exif_metadata(context, first, exif, Int32(exif.count))
    }
    var bytes: [UInt8] = []
    withUnsafeMutablePointer(to: &bytes) { bytes in
      var writer = heif_writer()
      writer.writer_api_version = 1
      writer.write = { _, data, count, target in
        target!.assumingMemoryBound(to: [UInt8].self).pointee.append(
          contentsOf: UnsafeRawBufferPointer(start: data, count: count))
        return heif_error()
      }
      _ = heif_context_write(context, &writer, bytes)
    }
    return try relating(bytes, type)
  }

  private static func add(_ buffer: PixelBuffer, to context: OpaquePointer) throws {
    var encoder: OpaquePointer?
    _ = heif_context_get_encoder_for_format(context, heif_compression_HEVC, &encoder)
    let coder = try #require(encoder)
    defer { heif_encoder_release(coder) }
    _ = heif_encoder_set_lossy_quality(coder, 100)
    let isGray = buffer.format == .gray8
    var image: OpaquePointer?
    _ = heif_image_create(
      Int32(buffer.width), Int32(buffer.height),
      isGray ? heif_colorspace_monochrome : heif_colorspace_RGB,
      isGray ? heif_chroma_monochrome : heif_chroma_interleaved_RGB, &image)
    let target = try #require(image)
    defer { heif_image_release(target) }
    let channel = isGray ? heif_channel_Y : heif_channel_interleaved
    _ = heif_image_add_plane(target, channel, Int32(buffer.width), Int32(buffer.height), 8)
    var stride: Int32 = 0
    let plane = try #require(heif_image_get_plane(target, channel, &stride))
    // Without alpha, which would be a picture of its own.
    let codes =
      isGray
      ? buffer.packedBytes()
      : buffer.packedBytes().enumerated().filter { $0.offset % 4 < 3 }.map(\.element)
    let rowBytes = codes.count / buffer.height
    for y in 0..<buffer.height {
      for x in 0..<rowBytes { plane[y * Int(stride) + x] = codes[y * rowBytes + x] }
    }
    // Without it every picture is a hidden one and a grid of it.
    let options = heif_encoding_options_alloc()
    defer { heif_encoding_options_free(options) }
    options?.pointee.macOS_compatibility_workaround = 0
    let status = heif_context_encode_image(context, target, coder, options, nil)
    try #require(status.code == heif_error_Ok)
  }

  /// A box of a type among bytes: where its head and its content begin, and where it ends.
  private static func box(
    _ type: String, in bytes: [UInt8], _ range: Range<Int>
  ) -> (head: Int, end: Int)? {
    var place = range.lowerBound
    while place + 8 <= range.upperBound {
      let size = bytes[place..<(place + 4)].reduce(0) { $0 << 8 | Int($1) }
      guard size >= 8 else { return nil }
      if bytes[(place + 4)..<(place + 8)].elementsEqual(type.utf8) { return (place, place + size) }
      place += size
    }
    return nil
  }

  private static func relating(_ file: [UInt8], _ type: String) throws -> [UInt8] {
    var bytes = file
    let meta = try #require(box("meta", in: bytes, 0..<bytes.count))
    let properties = try #require(box("iprp", in: bytes, (meta.head + 12)..<meta.end))
    let list = try #require(box("ipco", in: bytes, (properties.head + 8)..<properties.end))
    var count = 0
    var place = list.head + 8
    while place < list.end {
      place += bytes[place..<(place + 4)].reduce(0) { $0 << 8 | Int($1) }
      count += 1
    }
    let name = Array(type.utf8) + [0]
    let property = Material.big(12 + name.count, 4) + Array("auxC".utf8) + Material.big(0, 4) + name
    var relation =
      Material.big(14, 4) + Array("auxl".utf8) + Material.big(2, 2) + Material.big(1, 2)
      + Material.big(1, 2)
    let relations = box("iref", in: bytes, (meta.head + 12)..<meta.end)
    if let relations {
      try #require(relations.head >= properties.end)
    } else {
      relation =
        Material.big(12 + relation.count, 4) + Array("iref".utf8) + Material.big(0, 4) + relation
    }
    let uses = try #require(box("ipma", in: bytes, (properties.head + 8)..<properties.end))
    // Entries of item, count and one byte a property; the second is the map's.
    let first = uses.head + 16
    let second = first + 3 + Int(bytes[first + 2])
    let grown = property.count + relation.count + 1
    // Places in the file move by what comes before them.
    let locations = try #require(box("iloc", in: bytes, (meta.head + 12)..<meta.end))
    try move(&bytes, locations.head, by: grown)
    bytes[second + 2] += 1
    bytes.insert(0x80 | UInt8(count + 1), at: second + 3)
    resize(&bytes, uses.head, by: 1)
    bytes.insert(contentsOf: property, at: list.end)
    resize(&bytes, list.head, by: property.count)
    resize(&bytes, properties.head, by: property.count + 1)
    if let relations {
      bytes.insert(contentsOf: relation, at: relations.end + property.count + 1)
      resize(&bytes, relations.head + property.count + 1, by: relation.count)
    } else {
      bytes.insert(contentsOf: relation, at: properties.end + property.count + 1)
    }
    resize(&bytes, meta.head, by: grown)
    return bytes
  }

  private static func resize(_ bytes: inout [UInt8], _ head: Int, by count: Int) {
    let size = bytes[head..<(head + 4)].reduce(0) { $0 << 8 | Int($1) }
    bytes.replaceSubrange(head..<(head + 4), with: Material.big(size + count, 4))
  }

  /// Adds to every item's offset (ISO/IEC 14496-12 §8.11.3).
  private static func move(_ bytes: inout [UInt8], _ head: Int, by count: Int) throws {
    let version = bytes[head + 8]
    let (offsetSize, lengthSize) = (Int(bytes[head + 12] >> 4), Int(bytes[head + 12] & 15))
    let baseSize = Int(bytes[head + 13] >> 4)
    try #require(version < 2 && offsetSize == 4)
    var place = head + 16
    let items = Int(bytes[head + 14]) << 8 | Int(bytes[head + 15])
    for _ in 0..<items {
      place += 2 + (version == 1 ? 2 : 0) + 2 + baseSize
      let extents = Int(bytes[place]) << 8 | Int(bytes[place + 1])
      place += 2
      for _ in 0..<extents {
        let offset = bytes[place..<(place + 4)].reduce(0) { $0 << 8 | Int($1) }
        bytes.replaceSubrange(place..<(place + 4), with: Material.big(offset + count, 4))
        place += offsetSize + lengthSize
      }
    }
  }
}
