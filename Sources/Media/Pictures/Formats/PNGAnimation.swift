// SPDX-License-Identifier: Apache-2.0

/// Looks for moving pictures in a PNG file: a chunk in front of its pixels that announces more than one (PNG, third
/// edition, 11.3.4).
///
/// The caller hands over the bytes at ``place``, ``headSize`` of them, until ``isFound`` is settled.
struct PNGAnimation {
  static let chunk = "acTL"
  /// Of a chunk: its length, its type, and four bytes of its content.
  static let headSize = 12
  /// Files with more chunks in front of their pixels are taken for one picture: over a network each is a request.
  private static let maximumCount = 1 << 6

  /// Where the next chunk begins.
  private(set) var place: Int64 = 8
  /// `nil` as long as nothing is known.
  private(set) var isFound: Bool?
  private var count = 0

  /// Whether a chunk of the type ``chunk`` announces more pictures than one.
  static func moves(_ content: ArraySlice<UInt8>) -> Bool {
    content.count >= 4 && content.prefix(4).reduce(0) { $0 << 8 | Int($1) } > 1
  }

  /// - Parameter head: the bytes at ``place``; fewer where the file ends.
  mutating func take(_ head: [UInt8]) {
    count += 1
    guard head.count == Self.headSize, count < Self.maximumCount else {
      isFound = false
      return
    }
    switch String(decoding: head[4..<8], as: UTF8.self) {
    case Self.chunk: isFound = Self.moves(head[8...])
    case "IDAT", "IEND": isFound = false
    default: place += 12 + head[..<4].reduce(0) { $0 << 8 | Int64($1) }
    }
  }
}
