// SPDX-License-Identifier: Apache-2.0

/// Words in a PNG: a chunk of text, as it is stored, with a keyword such as Author (PNG, third edition, 11.3.3). Metadata of
/// other kinds in the form of text are ``PNGProfileText``.
struct PNGText: Hashable, Sendable {
  static let chunks: Set<String> = ["tEXt", "zTXt", "iTXt"]

  let type: String
  let content: [UInt8]
  /// In Latin-1.
  let keyword: String

  /// `nil` for a chunk without a keyword.
  init?(_ type: String, _ content: ArraySlice<UInt8>) {
    guard let parts = Self.parts(content) else { return nil }
    keyword = parts.keyword
    self.type = type
    self.content = Array(content)
  }

  /// The keyword of a chunk's content, and what is behind it; `nil` for content without one.
  static func parts(
    _ content: ArraySlice<UInt8>
  ) -> (keyword: String, content: ArraySlice<UInt8>)? {
    let most = 79
    let name = content.prefix { $0 != 0 }
    guard (1...most).contains(name.count), name.count < content.count else { return nil }
    let keyword = String(String.UnicodeScalarView(name.map { Unicode.Scalar($0) }))
    return (keyword, content.dropFirst(name.count + 1))
  }
}
