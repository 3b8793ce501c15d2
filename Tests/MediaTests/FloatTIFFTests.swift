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
    let little = PhotographMaterial.little
    let count = size.count * kind.components
    let pixels = (0..<count).flatMap { sample($0, kind) }
    let offset = kind.isBig ? 16 : 8
    let directory = offset + pixels.count
    let bits = [Int](repeating: kind.bits, count: kind.components).flatMap { little($0, 2) }
    let formats = [Int](repeating: kind.isFloat ? 3 : 1, count: kind.components)
      .flatMap { little($0, 2) }
    let entries: [(tag: Int, type: Int, count: Int, value: [UInt8])] = [
      (256, 3, 1, little(size.width, 2)), (257, 3, 1, little(size.height, 2)),
      (258, 3, kind.components, bits), (259, 3, 1, little(1, 2)),
      (262, 3, 1, little(kind.components == 1 ? 1 : 2, 2)),
      (273, 4, 1, little(offset, 4)), (277, 3, 1, little(kind.components, 2)),
      (278, 3, 1, little(size.height, 2)), (279, 4, 1, little(pixels.count, 4)),
      (339, 3, kind.components, formats),
    ]
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
