// SPDX-License-Identifier: Apache-2.0

import FocalBoxes

/// A text of QuickTime's user data: of a box in `udta` whose type begins with ©. Of several languages in one box, the
/// first.
struct UserDataText: Sendable {
  let bytes: [UInt8]
  /// Whether the bytes are UTF-8. Languages below 0x400 are of old Macintosh systems, whose letters beyond ASCII are
  /// others.
  let isUTF8: Bool

  /// The most bytes that a box's content needs for one: its length and its language, and the text.
  static let maximumSize = 4 + Int(UInt16.max)

  /// Whether boxes of a type hold texts.
  static func isText(_ type: FourCC) -> Bool { type.rawValue >> 24 == 0xA9 }

  /// - Parameter content: of the box, or its beginning.
  /// - Returns: `nil` where it ends before the text does.
  init?(_ content: [UInt8]) {
    guard content.count >= 4 else { return nil }
    let count = Int(content[0]) << 8 | Int(content[1])
    guard count + 4 <= content.count else { return nil }
    let text = Array(content.dropFirst(4).prefix(count))
    bytes = text
    isUTF8 = content[2] >= 4 || text.allSatisfy { $0 < 0x80 }
  }
}
