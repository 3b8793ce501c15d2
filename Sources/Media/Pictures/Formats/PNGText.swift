// SPDX-License-Identifier: Apache-2.0

/// Words in a PNG: a chunk of text, as it is stored, with a keyword such as Author (PNG, third edition, 11.3.3).
struct PNGText: Hashable, Sendable {
  static let chunks: Set<String> = ["tEXt", "zTXt", "iTXt"]

  let type: String
  let content: [UInt8]
  /// In Latin-1.
  let keyword: String

  /// `nil` for a chunk without a keyword, and for metadata of other kinds in the form of text, which would be of the picture
  /// as it was.
  init?(_ type: String, _ content: ArraySlice<UInt8>) {
    let most = 79
    let name = content.prefix { $0 != 0 }
    guard (1...most).contains(name.count), name.count < content.count else { return nil }
    keyword = String(String.UnicodeScalarView(name.map { Unicode.Scalar($0) }))
    guard !keyword.hasPrefix("Raw profile type"), !keyword.hasPrefix("XML:") else { return nil }
    self.type = type
    self.content = Array(content)
  }
}
