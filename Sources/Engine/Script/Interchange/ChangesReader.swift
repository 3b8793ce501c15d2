// SPDX-License-Identifier: Apache-2.0

import FocalCore

/// Reads numbers from bytes that may be anything: every read is checked against the end.
struct ChangesReader {
  private let bytes: [UInt8]
  private var position: Int

  init(_ bytes: [UInt8], from position: Int = 0) {
    self.bytes = bytes
    self.position = position
  }

  var remaining: Int { bytes.count - position }

  static func malformed(_ what: String) -> CinematicError {
    CinematicError(
      .malformed, "the changes are damaged: \(what)", remedy: "use the file as it was written")
  }

  mutating func byte() throws(CinematicError) -> UInt8 {
    guard position < bytes.count else { throw Self.malformed("they end too early") }
    defer { position += 1 }
    return bytes[position]
  }

  /// Little endian.
  mutating func fixed<Value: FixedWidthInteger & UnsignedInteger>(
    _ type: Value.Type
  ) throws(CinematicError) -> Value {
    let size = Value.bitWidth / 8
    guard remaining >= size else { throw Self.malformed("they end too early") }
    var value: Value = 0
    for index in 0..<size { value |= Value(bytes[position + index]) << (8 * index) }
    position += size
    return value
  }

  mutating func float() throws(CinematicError) -> Float {
    let value = Float(bitPattern: try fixed(UInt32.self))
    guard value.isFinite else { throw Self.malformed("a number is not finite") }
    return value
  }

  mutating func double() throws(CinematicError) -> Double {
    let value = Double(bitPattern: try fixed(UInt64.self))
    guard value.isFinite else { throw Self.malformed("a number is not finite") }
    return value
  }

  /// Seven bits a byte, low ones first.
  mutating func varint() throws(CinematicError) -> UInt64 {
    var value: UInt64 = 0
    var shift: UInt64 = 0
    while true {
      let next = try byte()
      guard shift < 63 || next <= 1 else { throw Self.malformed("a number is too long") }
      value |= UInt64(next & 0x7F) << shift
      if next & 0x80 == 0 { return value }
      shift += 7
    }
  }

  /// Alternating signs: 0, -1, 1, -2, 2...
  mutating func signed() throws(CinematicError) -> Int64 {
    let value = try varint()
    return Int64(bitPattern: value >> 1) ^ -Int64(bitPattern: value & 1)
  }

  /// So many bytes as they are.
  mutating func bytes(_ count: Int) throws(CinematicError) -> ArraySlice<UInt8> {
    guard count <= remaining else { throw Self.malformed("they end too early") }
    defer { position += count }
    return bytes[position..<(position + count)]
  }

  /// A count of things of at least so many bytes each, or of so many that a byte may hold: a larger
  /// count than fits is refused before anything is made room for.
  mutating func count(
    ofAtLeast size: Int, perByte: Int = 1
  ) throws(CinematicError) -> Int {
    let value = try varint()
    guard value <= UInt64(remaining / size * perByte) else {
      throw Self.malformed("a count is too large")
    }
    return Int(value)
  }
}

/// Writes what ``ChangesReader`` reads.
struct ChangesWriter {
  private(set) var bytes: [UInt8] = []

  mutating func byte(_ value: UInt8) { bytes.append(value) }

  mutating func fixed(_ value: some FixedWidthInteger & UnsignedInteger) {
    for index in 0..<(value.bitWidth / 8) {
      bytes.append(UInt8(truncatingIfNeeded: value >> (8 * index)))
    }
  }

  mutating func float(_ value: Float) { fixed(value.bitPattern) }
  mutating func double(_ value: Double) { fixed(value.bitPattern) }

  mutating func varint(_ value: UInt64) {
    var rest = value
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(rest))
  }

  mutating func signed(_ value: Int64) { varint(UInt64(bitPattern: (value << 1) ^ (value >> 63))) }
}

/// CRC-32 as in ISO 3309 and PNG: polynomial 0xEDB88320, reflected.
enum Checksum {
  private static let table: [UInt32] = (0..<256).map { byte in
    (0..<8).reduce(UInt32(byte)) { value, _ in
      value & 1 == 1 ? 0xEDB8_8320 ^ (value >> 1) : value >> 1
    }
  }

  static func crc32(_ bytes: some Sequence<UInt8>) -> UInt32 {
    ~bytes.reduce(0xFFFF_FFFF) { value, byte in
      table[Int((value ^ UInt32(byte)) & 0xFF)] ^ (value >> 8)
    }
  }
}
