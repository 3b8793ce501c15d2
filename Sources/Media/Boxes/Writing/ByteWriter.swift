// SPDX-License-Identifier: Apache-2.0

/// Puts big-endian numbers behind one another, as boxes hold them.
public struct ByteWriter: Sendable {
  /// Everything written.
  public private(set) var bytes: [UInt8] = []

  /// A writer of nothing yet.
  public init() {}

  /// Bytes written.
  public var count: Int { bytes.count }

  /// Writes a byte.
  public mutating func u8(_ value: UInt8) { bytes.append(value) }
  /// Writes two bytes.
  public mutating func u16(_ value: UInt16) { number(UInt64(value), 2) }
  /// Writes three bytes.
  public mutating func u24(_ value: UInt32) { number(UInt64(value), 3) }
  /// Writes four bytes.
  public mutating func u32(_ value: UInt32) { number(UInt64(value), 4) }
  /// Writes eight bytes.
  public mutating func u64(_ value: UInt64) { number(value, 8) }
  /// Writes two bytes.
  public mutating func i16(_ value: Int16) { u16(UInt16(bitPattern: value)) }
  /// Writes four bytes.
  public mutating func i32(_ value: Int32) { u32(UInt32(bitPattern: value)) }
  /// Writes eight bytes.
  public mutating func i64(_ value: Int64) { u64(UInt64(bitPattern: value)) }
  /// Writes the bits of a number.
  public mutating func f32(_ value: Float) { u32(value.bitPattern) }
  /// Writes four characters.
  public mutating func fourCC(_ value: FourCC) { u32(value.rawValue) }

  /// A number in 16.16 fixed point; what does not fit becomes the nearest that does, not a number becomes zero.
  public mutating func fixed(_ value: Double) {
    let positive = Double.maximum((value * 65536).rounded(), 0)
    u32(UInt32(Double.minimum(positive, Double(UInt32.max))))
  }

  /// The version and the flags that a full box begins with.
  public mutating func versionAndFlags(_ version: UInt8 = 0, _ flags: UInt32 = 0) {
    u8(version)
    u24(flags)
  }

  /// 64 bits or the lower 32 of a number that is not negative.
  public mutating func count(_ value: Int64, wide: Bool) {
    if wide { i64(value) } else { u32(UInt32(truncatingIfNeeded: value)) }
  }

  /// Writes zero bytes.
  public mutating func zeros(_ count: Int) {
    bytes.append(contentsOf: repeatElement(0, count: count))
  }

  /// Writes bytes as they are.
  public mutating func append(_ other: some Sequence<UInt8>) { bytes.append(contentsOf: other) }

  /// Writes a box.
  public mutating func box(_ box: Box) { box.append(to: &bytes) }

  /// A text after its length in one byte, as QuickTime stores names; 255 bytes at most.
  public mutating func countedText(_ text: String) {
    let utf8 = text.utf8.prefix(255)
    u8(UInt8(utf8.count))
    append(utf8)
  }

  private mutating func number(_ value: UInt64, _ count: Int) {
    for index in (0..<count).reversed() {
      bytes.append(UInt8(truncatingIfNeeded: value >> UInt64(8 * index)))
    }
  }
}

extension Box {
  /// A box whose bytes `body` writes.
  public init(_ type: FourCC, writing body: (inout ByteWriter) -> Void) {
    var writer = ByteWriter()
    body(&writer)
    self.init(type, data: writer.bytes)
  }

  /// A full box: version and flags, then what `body` writes.
  public init(
    _ type: FourCC, version: UInt8, flags: UInt32 = 0, writing body: (inout ByteWriter) -> Void
  ) {
    self.init(type) { writer in
      writer.versionAndFlags(version, flags)
      body(&writer)
    }
  }
}
