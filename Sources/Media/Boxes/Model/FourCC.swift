// SPDX-License-Identifier: Apache-2.0

/// A four-character code: the type of a box, a brand, a handler, a sample entry.
///
/// Characters are bytes of Latin-1: `"©nam"` is 0xA96E616D. The children of a QuickTime `ilst` use
/// small numbers in the place of characters.
public struct FourCC: RawRepresentable, Hashable, Sendable, ExpressibleByStringLiteral,
  CustomStringConvertible
{
  /// The characters, the first in the highest byte.
  public let rawValue: UInt32

  /// The characters of a number.
  public init(rawValue: UInt32) { self.rawValue = rawValue }

  /// A code from its four characters.
  ///
  /// - Precondition: four characters of Latin-1. For codes of the program, not of data.
  public init(stringLiteral text: String) {
    let scalars = text.unicodeScalars
    precondition(
      scalars.count == 4 && scalars.allSatisfy { $0.value < 256 },
      "a four-character code has four characters of Latin-1")
    rawValue = scalars.reduce(0) { $0 << 8 | $1.value }
  }

  /// The four characters; what cannot be shown is a hexadecimal number.
  public var description: String {
    let bytes = [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: rawValue >> $0) }
    guard bytes.allSatisfy({ (0x20...0x7E).contains($0) || $0 >= 0xA1 }) else {
      let digits = String(rawValue, radix: 16)
      return "0x" + String(repeating: "0", count: 8 - digits.count) + digits
    }
    return String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
  }
}
