// SPDX-License-Identifier: Apache-2.0

import FocalBoxes
import FocalCore

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Makes hostile files: valid ones with a few bytes, sizes or boxes changed, and boxes at random.
public struct Fuzzer {
  public var random: Seeded
  private let seeds: [[UInt8]]
  private static let types: [FourCC] = [
    "moov", "trak", "mdia", "minf", "stbl", "stsd", "stts", "ctts", "stsc", "stsz", "stz2", "stco",
    "co64", "stss", "edts", "elst", "tref", "udta", "meta", "keys", "ilst", "data", "mvex", "trex",
    "moof", "traf", "tfhd", "tfdt", "trun", "sidx", "mfra", "tfra", "mfro", "clap", "mvhd", "tkhd",
    "mdhd", "hdlr", "mebx", "uuid", "hvcC", "avcC", "esds", "wave", "frma", "dac3", "dec3", "alac",
    "dfLa", "dOps", "pcmC", "enda", "chan", "colr", "pasp", "mdcv", "clli", "amve",
  ]

  public init(seed: UInt64, _ seeds: [[UInt8]]) {
    random = Seeded(seed)
    self.seeds = seeds
  }

  /// How many cases a run has: by default a short one, `FOCAL_FUZZ_COUNT=1000000` for a long one.
  public static func count(_ usual: Int) -> Int { setting("FOCAL_FUZZ_COUNT") ?? usual }

  /// `FOCAL_FUZZ_SEED` for other cases.
  public static var seed: UInt64 { UInt64(setting("FOCAL_FUZZ_SEED") ?? 1) }

  private static func setting(_ name: String) -> Int? {
    getenv(name).flatMap { Int(String(cString: $0)) }
  }

  private mutating func below(_ bound: Int) -> Int { Int(random.next() % UInt64(max(bound, 1))) }

  /// The next file.
  public mutating func next() -> [UInt8] {
    if below(8) == 0 { return tree(depth: 0) }
    var bytes = seeds[below(seeds.count)]
    for _ in 0..<(below(4) + 1) { mutate(&bytes) }
    return bytes
  }

  private mutating func mutate(_ bytes: inout [UInt8]) {
    guard bytes.count >= 16 else { return }
    let place = below(bytes.count - 8)
    switch below(8) {
    case 0: bytes[place] = UInt8(truncatingIfNeeded: random.next())
    case 1: bytes[place] ^= 1 << UInt8(below(8))
    case 2:
      // A wide number at which sums and products overflow.
      let values: [UInt64] = [.max, .max >> 1, 1 << 62, (1 << 61) - 1, 1 << 32]
      let value = values[below(values.count)]
      store(UInt32(truncatingIfNeeded: value >> 32), &bytes, place & ~3)
      store(UInt32(truncatingIfNeeded: value), &bytes, (place & ~3) + 4)
    case 3:
      // A number that is likely to be a size, a count or an offset.
      let values: [UInt32] = [
        0, 1, 7, 8, 9, 16, 0xFF, 0x100, 0x7FFF_FFFF, 0x8000_0000, .max, .max - 7,
        UInt32(bytes.count),
      ]
      store(values[below(values.count)], &bytes, place & ~3)
    case 4:
      // Another box in the place of one.
      if let type = boxPlace(bytes) {
        store(Self.types[below(Self.types.count)].rawValue, &bytes, type)
      }
    case 5:
      // The size of a box.
      if let type = boxPlace(bytes) {
        store(UInt32(truncatingIfNeeded: random.next() >> UInt64(32 + below(32))), &bytes, type - 4)
      }
    case 6: bytes.removeLast(below(bytes.count))
    default:
      let count = below(min(64, bytes.count - place))
      let piece = Array(bytes[place..<(place + count)])
      bytes.insert(contentsOf: piece, at: below(bytes.count))
    }
  }

  /// Where a type that is known stands.
  private mutating func boxPlace(_ bytes: [UInt8]) -> Int? {
    let start = below(bytes.count)
    for step in 0..<min(bytes.count - 8, 2000) {
      let place = (start + step) % (bytes.count - 7)
      guard place >= 4, (0x61...0x7A).contains(bytes[place]) else { continue }
      let code = bytes[place..<(place + 4)].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
      if Self.types.contains(where: { $0.rawValue == code }) { return place }
    }
    return nil
  }

  private func store(_ value: UInt32, _ bytes: inout [UInt8], _ place: Int) {
    guard place >= 0, place + 4 <= bytes.count else { return }
    for index in 0..<4 {
      bytes[place + index] = UInt8(truncatingIfNeeded: value >> (24 - 8 * index))
    }
  }

  /// Boxes in boxes, with contents at random.
  private mutating func tree(depth: Int) -> [UInt8] {
    var bytes: [UInt8] = []
    for _ in 0..<below(5) {
      let type = Self.types[below(Self.types.count)]
      let content =
        depth < 12 && below(2) == 0
        ? tree(depth: depth + 1)
        : (0..<below(40)).map { _ in UInt8(truncatingIfNeeded: below(3) == 0 ? below(256) : 0) }
      bytes += Box(type, data: content).bytes
    }
    return bytes
  }
}
