// SPDX-License-Identifier: Apache-2.0

/// Photoshop's resource blocks, in which JPEG and TIFF files hold IPTC records: `8BIM`, a number, a name
/// of even length, a length, and content of even length.
enum PhotoshopBlocks {
  private static let signature = Array("8BIM".utf8)
  private static let iptcNumber = 0x0404
  /// The first byte of an IPTC record.
  static let recordMark: UInt8 = 0x1C

  /// A block around IPTC records.
  static func holding(iptc records: [UInt8]) -> [UInt8] {
    func number(_ value: Int, _ count: Int) -> [UInt8] {
      (0..<count).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }
    return signature + number(iptcNumber, 2) + [0, 0] + number(records.count, 4) + records
      + (records.count % 2 == 0 ? [] : [0])
  }

  /// The IPTC records of blocks.
  static func iptc(in blocks: [UInt8]) -> [UInt8]? {
    var place = 0
    func number(_ count: Int) -> Int? {
      guard place + count <= blocks.count else { return nil }
      defer { place += count }
      return blocks[place..<(place + count)].reduce(0) { $0 << 8 | Int($1) }
    }
    while place < blocks.count {
      guard blocks[place...].starts(with: signature) else { return nil }
      place += signature.count
      guard let kind = number(2), let nameLength = number(1) else { return nil }
      // With its length the name is even.
      place += nameLength + (nameLength % 2 == 0 ? 1 : 0)
      guard let length = number(4), place + length <= blocks.count else { return nil }
      if kind == iptcNumber { return Array(blocks[place..<(place + length)]) }
      place += length + length % 2
    }
    return nil
  }
}
