// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalMedia
import Testing

/// TIFF files of floats, and BigTIFF, put together byte by byte.
@Suite struct FloatTIFFTests {
  struct Kind: CustomTestStringConvertible, Sendable {
    var isBig: Bool
    var bits: Int
    var isFloat: Bool
    var components: Int
    var testDescription: String {
      "\(isBig ? "BigTIFF" : "TIFF") of \(components) \(isFloat ? "floats" : "codes") of \(bits) bits"
    }
  }

  static let kinds: [Kind] = [true, false].flatMap { isBig in
    [(16, true), (32, true), (64, true), (8, false), (16, false)].flatMap { bits, isFloat in
      [1, 3].map { Kind(isBig: isBig, bits: bits, isFloat: isFloat, components: $0) }
    }
  }
  private static let size = Dimensions(width: 11, height: 7)

  /// Exact in halves.
  private static func value(_ index: Int) -> Float { Float(index % 61 + 1) / 16 }

  private static func sample(_ index: Int, _ kind: Kind) -> [UInt8] {
    let little = PhotographMaterial.little
    guard kind.isFloat else { return little(index % (1 << kind.bits), kind.bits / 8) }
    let value = value(index)
    switch kind.bits {
    case 16:
      let bits = value.bitPattern
      return little(Int((bits >> 23) - 112) << 10 | Int(bits >> 13) & 1023, 2)
    case 32: return little(Int(value.bitPattern), 4)
    default: return little(Int(Double(value).bitPattern), 8)
    }
  }

  private static func file(_ kind: Kind) -> [UInt8] {
    file(kind, size, (0..<size.count * kind.components).flatMap { sample($0, kind) })
  }

  /// A file of given samples. An even number of components has alpha at its end: associated (1) or not (2).
  private static func file(
    _ kind: Kind, _ size: Dimensions, _ pixels: [UInt8], alpha: Int = 2
  ) -> [UInt8] {
    let little = PhotographMaterial.little
    let offset = kind.isBig ? 16 : 8
    let directory = offset + pixels.count
    let bits = [Int](repeating: kind.bits, count: kind.components).flatMap { little($0, 2) }
    let formats = [Int](repeating: kind.isFloat ? 3 : 1, count: kind.components)
      .flatMap { little($0, 2) }
    var entries: [(tag: Int, type: Int, count: Int, value: [UInt8])] = [
      (256, 3, 1, little(size.width, 2)), (257, 3, 1, little(size.height, 2)),
      (258, 3, kind.components, bits), (259, 3, 1, little(1, 2)),
      (262, 3, 1, little(kind.components < 3 ? 1 : 2, 2)),
      (273, 4, 1, little(offset, 4)), (277, 3, 1, little(kind.components, 2)),
      (278, 3, 1, little(size.height, 2)), (279, 4, 1, little(pixels.count, 4)),
    ]
    if kind.components % 2 == 0 { entries.append((338, 3, 1, little(alpha, 2))) }
    entries.append((339, 3, kind.components, formats))
    let room = kind.isBig ? 8 : 4
    var head = little(entries.count, kind.isBig ? 8 : 2)
    let after = directory + head.count + entries.count * (kind.isBig ? 20 : 12) + room
    var rest: [UInt8] = []
    for entry in entries {
      head += little(entry.tag, 2) + little(entry.type, 2) + little(entry.count, room)
      if entry.value.count <= room {
        head += entry.value + [UInt8](repeating: 0, count: room - entry.value.count)
      } else {
        head += little(after + rest.count, room)
        rest += entry.value
      }
    }
    let start =
      kind.isBig
      ? little(43, 2) + little(8, 2) + little(0, 2) + little(directory, 8)
      : little(42, 2) + little(directory, 4)
    return Array("II".utf8) + start + pixels + head + little(0, room) + rest
  }

  @Test(arguments: kinds) func values(_ kind: Kind) async throws {
    let folder = ScratchFolder()
    folder.write(Self.file(kind), to: "a.tif")
    let reader = try await FrameReader.open(folder.file("a.tif"))
    let read = try #require(try await reader.next()).pixelBuffer
    #expect(read.dimensions == Self.size)
    #expect(reader.properties.tags.transfer == (kind.isFloat ? .linear : .srgb))
    guard kind.isFloat else {
      let isDeep = kind.bits == 16
      #expect(
        read.format
          == (kind.components == 1
            ? (isDeep ? .gray16 : .gray8) : (isDeep ? .rgbaFloat : .rgba8)))
      return
    }
    #expect(read.format == .rgbaFloat)
    let values = read.values(Float.self)
    for pixel in 0..<Self.size.count {
      for component in 0..<3 {
        let index = kind.components == 1 ? pixel : 3 * pixel + component
        #expect(values[4 * pixel + component] == Self.value(index))
      }
    }
    // As a map, floats are the disparities.
    guard kind.components == 1 else { return }
    let maps = try await FrameReader.open(
      folder.file("a.tif"), options: ReadOptions(content: .disparity(.unit)))
    let map = try #require(try await maps.next()).pixelBuffer.values(Float.self)
    #expect(map == (0..<Self.size.count).map(Self.value))
  }

  private static func read(_ bytes: [UInt8]) async throws -> (PixelBuffer, PictureMetadata) {
    let folder = ScratchFolder()
    folder.write(bytes, to: "a.tif")
    let reader = try await FrameReader.open(folder.file("a.tif"))
    let frame = try #require(try await reader.next())
    return (frame.pixelBuffer, reader.properties.pictureMetadata)
  }

  /// A file of 24x20 pixels, from tags with values of two bytes; `pixels` lie at the places of tag 273 or 324.
  private static func plain(_ tags: [(Int, [Int])], _ pixels: [[UInt8]], pages: Int = 1) -> [UInt8]
  {
    let little = PhotographMaterial.little
    var bytes = Array("II".utf8) + little(42, 2) + [0, 0, 0, 0]
    let places = pixels.map { part -> Int in
      defer { bytes += part }
      return bytes.count
    }
    let placed = tags.contains { $0.0 == 322 } ? (324, 325) : (273, 279)
    let wanted =
      [(256, [24]), (257, [20]), (259, [1])] + tags
      + [(placed.0, places), (placed.1, pixels.map(\.count))]
    var next = 4
    for _ in 0..<pages {
      bytes += bytes.count % 2 == 0 ? [] : [0]
      var values: [(Int, Int, Int)] = []
      for (tag, numbers) in wanted.sorted(by: { $0.0 < $1.0 }) {
        if numbers.count < 3 {
          values.append((tag, numbers.count, numbers[0] | (numbers.dropFirst().first ?? 0) << 16))
        } else {
          values.append((tag, numbers.count, bytes.count))
          bytes += numbers.flatMap { little($0, 2) }
        }
      }
      bytes.replaceSubrange(next..<(next + 4), with: little(bytes.count, 4))
      bytes += little(values.count, 2)
      for (tag, count, value) in values {
        bytes += little(tag, 2) + little(3, 2) + little(count, 4) + little(value, 4)
      }
      next = bytes.count
      bytes += [0, 0, 0, 0]
    }
    return bytes
  }

  /// Tiles, palettes, few bits, luma and chroma: layouts that FFmpeg reads as black, or as other colours.
  @Test func layouts() async throws {
    func codes(_ columns: Range<Int>, _ rows: Range<Int>) -> [UInt8] {
      rows.flatMap { y in columns.map { x in UInt8((7 * x + 11 * y) % 200 + 20) } }
    }
    let all = codes(0..<24, 0..<20)
    let tiles = [(0, 0), (16, 0), (0, 16), (16, 16)].map { left, top in
      codes(left..<(left + 16), top..<(top + 16))
    }
    let gray: [(Int, [Int])] = [(258, [8]), (262, [1]), (277, [1])]
    let tiled = try await Self.read(Self.plain(gray + [(322, [16]), (323, [16])], tiles))
    #expect(tiled.0.values(UInt8.self) == all && tiled.1.companions.isEmpty)
    let strip: [(Int, [Int])] = [(278, [20])]
    let pages = try await Self.read(Self.plain(gray + strip, [all], pages: 3))
    #expect(pages.0.values(UInt8.self) == all && pages.1.companions == [.otherPictures])
    // Red is the code, green its complement, blue 9.
    let map =
      (0..<256).map { $0 * 257 } + (0..<256).map { (255 - $0) * 257 }
      + (0..<256).map { _ in 9 * 257 }
    let palette = try await Self.read(
      Self.plain([(258, [8]), (262, [3]), (277, [1]), (320, map)] + strip, [all]))
    let colours = palette.0.values(UInt8.self)
    for (index, code) in all.enumerated() {
      #expect(Array(colours[(4 * index)..<(4 * index + 4)]) == [code, 255 - code, 9, 255])
    }
    let bits = (0..<60).map { UInt8(truncatingIfNeeded: 37 * $0) }
    let few = try await Self.read(Self.plain([(258, [1]), (262, [1]), (277, [1])] + strip, [bits]))
    let expected: [UInt8] = (0..<480).map { index in
      let bit = bits[index / 8] >> (7 - index % 8) & 1
      return bit == 1 ? 255 : 0
    }
    #expect(few.0.values(UInt8.self) == expected)
    // Full range: luma alone is gray.
    let luma: [UInt8] = all.flatMap { code -> [UInt8] in [code, 128, 128] }
    let chroma = try await Self.read(
      Self.plain([(258, [8, 8, 8]), (262, [6]), (277, [3]), (530, [1, 1])] + strip, [luma]))
    let grays = chroma.0.values(UInt8.self)
    for (index, code) in all.enumerated() {
      #expect(abs(Int(grays[4 * index + 1]) - Int(code)) <= 1, "\(index)")
    }
    await #expect(throws: CinematicError.self) {
      try await Self.read(
        Self.plain([(258, [8, 8, 8, 8]), (262, [5]), (277, [4])] + strip, [all + all + all + all]))
    }
  }

  /// Where 0 is white, it is so of gray and not of alpha.
  @Test(arguments: [8, 16], [1, 2]) func whiteIsZero(bits: Int, planes: Int) async throws {
    let samples = (0..<960).map { (index: Int) -> UInt8 in
      let code = index % 2 == 0 ? index / 2 % 251 : 255 - index % 97
      return UInt8(code)
    }
    func stored(_ samples: [UInt8]) -> [UInt8] {
      samples.flatMap { PhotographMaterial.little(Int($0) * (bits == 8 ? 1 : 257), bits / 8) }
    }
    let grays = stride(from: 0, to: 960, by: 2).map { samples[$0] }
    let alphas = stride(from: 1, to: 960, by: 2).map { samples[$0] }
    let tags: [(Int, [Int])] = [
      (258, [bits, bits]), (262, [0]), (277, [2]), (278, [20]), (284, [planes]), (338, [2]),
    ]
    let pixels = planes == 1 ? [stored(samples)] : [stored(grays), stored(alphas)]
    let read = try await Self.read(Self.plain(tags, pixels)).0
    let floats = bits == 8 ? [] : read.values(Float.self)
    let values = bits == 8 ? read.values(UInt8.self) : floats.map { UInt8(($0 * 255).rounded()) }
    let expected = zip(grays, alphas).flatMap { (gray, alpha) -> [UInt8] in
      [255 - gray, 255 - gray, 255 - gray, alpha]
    }
    #expect(values == expected)
  }

  /// Of several samples behind gray (0 is white, or 1 is) or red, green and blue, the first that is called alpha is one. The
  /// others are named.
  @Test(arguments: [0, 1, 2], [1, 2]) func extraSamples(light: Int, planes: Int) async throws {
    let colors = light == 2 ? 3 : 1
    for (kinds, alpha) in [([0, 2], 1), ([2, 0, 0], 0), ([0, 1, 2], 1), ([0, 0], nil)]
      as [([Int], Int?)]
    {
      let count = colors + kinds.count
      var parts = (0..<count).map { sample in
        (0..<480).map { UInt8((31 * sample + 7 * $0) % 251) }
      }
      // Colours that are multiplied by 1 are the same.
      if let alpha, kinds[alpha] == 1 {
        parts[colors + alpha] = [UInt8](repeating: 255, count: 480)
      }
      let samples = (0..<480).flatMap { place in parts.map { $0[place] } }
      let tags: [(Int, [Int])] = [
        (258, [Int](repeating: 8, count: count)), (262, [light]), (277, [count]), (278, [20]),
        (284, [planes]), (338, kinds),
      ]
      let (buffer, metadata) = try await Self.read(
        Self.plain(tags, planes == 1 ? [samples] : parts))
      let expected = (0..<480).flatMap { place -> [UInt8] in
        let own = parts[..<colors].map { light == 0 ? 255 - $0[place] : $0[place] }
        let opacity = alpha.map { parts[colors + $0][place] }
        guard colors == 3 || opacity != nil else { return own }
        return (colors == 3 ? own : [own[0], own[0], own[0]]) + [opacity ?? 255]
      }
      #expect(buffer.values(UInt8.self) == expected, "\(kinds)")
      let others = kinds.indices.filter { $0 != alpha }.map { "extra sample \($0 + 1)" }
      #expect(metadata.leftOutChannels == others)
    }
  }

  /// A tile far larger than the picture is decoded whole: nothing is gained by rows, which are not offered.
  @Test func tilesBeyondThePicture() throws {
    let folder = ScratchFolder()
    let tags: [(Int, [Int])] = [(258, [8]), (262, [1]), (277, [1]), (322, [65520]), (323, [65520])]
    folder.write(Self.plain(tags, [[UInt8](repeating: 7, count: 480)]), to: "a.tif")
    #expect(try PictureStripReader.open(folder.file("a.tif")) == nil)
  }

  /// Codes that the file has multiplied by alpha are straight afterwards.
  @Test(arguments: [true, false]) func associatedCodes(isBig: Bool) async throws {
    let one = Dimensions(width: 2, height: 1)
    let shallow = Kind(isBig: isBig, bits: 8, isFloat: false, components: 4)
    let codes: [UInt8] = [64, 32, 13, 128, 7, 8, 9, 255]
    let divided = try await Self.read(Self.file(shallow, one, codes, alpha: 1)).0
    #expect(divided.values(UInt8.self) == [128, 64, 26, 128, 7, 8, 9, 255])
    let straight = try await Self.read(Self.file(shallow, one, codes)).0
    #expect(straight.values(UInt8.self) == codes)
    let deep = Kind(isBig: isBig, bits: 16, isFloat: false, components: 4)
    let samples = [10000, 5000, 0, 32768, 0, 0, 0, 0].flatMap { PhotographMaterial.little($0, 2) }
    let values = try await Self.read(Self.file(deep, one, samples, alpha: 1)).0.values(Float.self)
    let expected: [Float] = [20000, 10000, 0, 32768, 0, 0, 0, 0].map { $0 / 65535 }
    for (value, other) in zip(values, expected) { #expect(abs(value - other) < 1e-4) }
  }

  /// Floats stay as they are, and the picture says what they are.
  @Test func associatedFloats() async throws {
    let one = Dimensions(width: 1, height: 1)
    let bytes = { (values: [Float]) in
      values.flatMap { PhotographMaterial.little(Int($0.bitPattern), 4) }
    }
    let colour = Kind(isBig: false, bits: 32, isFloat: true, components: 4)
    let values: [Float] = [2, 0.25, 0, 0.5]
    let (buffer, metadata) = try await Self.read(Self.file(colour, one, bytes(values), alpha: 1))
    #expect(buffer.values(Float.self) == values && metadata.hasPremultipliedAlpha)
    let straight = try await Self.read(Self.file(colour, one, bytes(values)))
    #expect(!straight.1.hasPremultipliedAlpha)
    let gray = Kind(isBig: false, bits: 32, isFloat: true, components: 2)
    let other = try await Self.read(Self.file(gray, one, bytes([0.5, 0.25])))
    #expect(other.0.values(Float.self) == [0.5, 0.5, 0.5, 1])
    #expect(other.1.leftOutChannels == ["alpha"])
  }

  @Test func cutFiles() async throws {
    let folder = ScratchFolder()
    for kind in Self.kinds where kind.isFloat {
      let whole = Self.file(kind)
      for share in [0.1, 0.5, 0.9] {
        folder.write(Array(whole.prefix(Int(Double(whole.count) * share))), to: "a.tif")
        #expect(await BadInputTests.reading(folder.file("a.tif")) != nil, "\(kind) \(share)")
      }
    }
  }
}
