// SPDX-License-Identifier: Apache-2.0

import FocalBoxes

/// Big-endian bytes, one number after another. (The package's own writer is not used: what it writes
/// is to be judged by files that are made without it.)
public struct ByteBuilder {
  public var bytes: [UInt8] = []

  public init() {}

  public mutating func number(_ value: some BinaryInteger, _ count: Int) {
    for index in (0..<count).reversed() {
      bytes.append(UInt8(truncatingIfNeeded: value >> (8 * index)))
    }
  }

  public mutating func u8(_ value: some BinaryInteger) { number(value, 1) }
  public mutating func u16(_ value: some BinaryInteger) { number(value, 2) }
  public mutating func u32(_ value: some BinaryInteger) { number(value, 4) }
  public mutating func u64(_ value: some BinaryInteger) { number(value, 8) }
  public mutating func code(_ value: FourCC) { number(value.rawValue, 4) }
  public mutating func zeros(_ count: Int) { bytes += [UInt8](repeating: 0, count: count) }
  public mutating func text(_ text: String) { bytes += Array(text.utf8) }
}

extension Box {
  /// A box of numbers.
  public static func of(_ type: FourCC, _ fill: (inout ByteBuilder) -> Void) -> Box {
    var builder = ByteBuilder()
    fill(&builder)
    return Box(type, data: builder.bytes)
  }

  /// A full box: version and flags, then numbers.
  public static func full(
    _ type: FourCC, version: Int = 0, flags: Int = 0, _ fill: (inout ByteBuilder) -> Void = { _ in }
  ) -> Box {
    of(type) { builder in
      builder.u8(version)
      builder.number(flags, 3)
      fill(&builder)
    }
  }
}
