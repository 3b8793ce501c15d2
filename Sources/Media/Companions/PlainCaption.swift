// SPDX-License-Identifier: Apache-2.0

/// The words of a SubRip or WebVTT caption, without what says how they look.
enum PlainCaption {
  private static let tags: Set<String> = [
    "i", "b", "u", "s", "font", "c", "v", "lang", "ruby", "rt", "em", "strong", "span",
  ]
  private static let entities = [
    "amp": "&", "lt": "<", "gt": ">", "nbsp": "\u{A0}", "lrm": "\u{200E}", "rlm": "\u{200F}",
  ]

  /// A "<" that begins no tag of the two formats, and an "&" that begins no entity, are words.
  static func text(_ caption: String) -> String {
    var result = ""
    var rest = Substring(caption)
    while let character = rest.first {
      switch character {
      case "<":
        if let tag = enclosed(rest, by: ">"), isTag(tag) {
          rest = rest.dropFirst(tag.count + 2)
          continue
        }
      case "{":
        // Places and styles of SubStation in SubRip files: {\an8}.
        if let style = enclosed(rest, by: "}"), style.hasPrefix("\\") {
          rest = rest.dropFirst(style.count + 2)
          continue
        }
      case "&":
        if let name = enclosed(rest, by: ";"), let word = entities[String(name)] {
          result += word
          rest = rest.dropFirst(name.count + 2)
          continue
        }
      default: break
      }
      result.append(character == "\r\n" || character == "\r" ? "\n" : character)
      rest.removeFirst()
    }
    return result
  }

  /// The characters between the first one and the next `end`.
  private static func enclosed(_ text: Substring, by end: Character) -> Substring? {
    let inside = text.dropFirst()
    guard let place = inside.firstIndex(of: end) else { return nil }
    return inside[..<place]
  }

  private static func isTag(_ content: Substring) -> Bool {
    let name = content.drop { $0 == "/" }.prefix { $0.isLetter || $0.isNumber }
    // Karaoke's times are digits and colons.
    let isTime =
      content.contains(":") && content.allSatisfy { $0.isNumber || $0 == ":" || $0 == "." }
    let follows = content.drop { $0 == "/" }.dropFirst(name.count).first
    let isEnd = follows.map { " .=\t/".contains($0) } ?? true
    return isTime || (isEnd && tags.contains(name.lowercased()))
  }
}
