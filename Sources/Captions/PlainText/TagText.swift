// SPDX-License-Identifier: Apache-2.0

import FocalCore

/// Text with tags as WebVTT and SubRip have it: bold, italics, underline, colours, ruby.
struct TagText {
  enum Dialect { case webVTT, subRip }

  private(set) var pieces: [(text: String, style: Caption.Style)] = []
  /// When parts of the text come, of WebVTT's times within a cue: bytes of UTF-8 before, and the time.
  private(set) var timestamps: [(offset: Int, time: Time)] = []
  private(set) var skipped: [(severity: CaptionIssue.Severity, reason: String)] = []
  /// 1 to 9 as on a number pad, where the text says it.
  private(set) var placement: Int?

  private let dialect: Dialect
  /// Signs are looked for in bytes: a mark that combines with one makes another `Character` of it.
  private let bytes: [UInt8]
  private var position = 0
  private var open: [(name: String, style: Caption.Style)] = []
  /// Names of tags that were skipped, whose ends are nothing.
  private var unknown: Set<String> = []
  private var style = Caption.Style()
  private var text = ""
  /// Bytes of all text so far.
  private var count = 0
  /// The piece that the base of the next ruby text begins with, within `ruby`.
  private var baseStart: Int?
  /// What was collected of a ruby text, within `rt`.
  private var rubyText: String?

  private static let (lessThan, ampersand, brace, backslash, slash) = (
    UInt8(ascii: "<"), UInt8(ascii: "&"), UInt8(ascii: "{"), UInt8(ascii: "\\"), UInt8(ascii: "/")
  )

  init(_ source: String, _ dialect: Dialect) {
    self.dialect = dialect
    bytes = Array(source.utf8)
    // Behind the last of them nothing is looked for again and again.
    let tagEnds = bytes.lastIndex(of: UInt8(ascii: ">")) ?? -1
    let overrideEnds = bytes.lastIndex(of: UInt8(ascii: "}")) ?? -1
    let breaker = Array(String(SubRipWriter.breaker).utf8)
    while let mark = bytes[position...].firstIndex(where: {
      $0 == Self.lessThan || $0 == Self.ampersand || $0 == Self.brace
    }) {
      append(upTo: mark)
      // A sign that the writer has kept from being markup.
      if dialect == .subRip, bytes[mark] != Self.ampersand,
        bytes[(mark + 1)...].starts(with: breaker)
      {
        append(upTo: mark + 1)
        position += breaker.count
        continue
      }
      switch bytes[mark] {
      case Self.lessThan: takeTag(isEnded: mark < tagEnds)
      case Self.ampersand where dialect == .webVTT: takeEntity()
      case Self.brace where dialect == .subRip: takeOverride(isEnded: mark < overrideEnds)
      default: append(upTo: mark + 1)
      }
    }
    append(upTo: bytes.count)
    endRuby()
    flush()
    // A voice may go on to the cue's end.
    if let name = open.last?.name, name != "v" { skip("the tag <\(name)> is not closed", .note) }
  }

  private mutating func skip(_ reason: String, _ severity: CaptionIssue.Severity = .warning) {
    skipped.append((severity, reason))
  }

  /// Takes text as it stands.
  private mutating func append(upTo end: Int) {
    append(string(position..<end))
    position = end
  }

  private func string(_ range: Range<Int>) -> String {
    String(decoding: bytes[range], as: UTF8.self)
  }

  private mutating func append(_ part: String) {
    if rubyText != nil {
      rubyText? += part
    } else {
      text += part
      count += part.utf8.count
    }
  }

  private mutating func flush() {
    if !text.isEmpty { pieces.append((text, style)) }
    text = ""
  }

  private mutating func takeEntity() {
    let start = position + 1
    let name = bytes[start...].prefix(CharacterReferences.longestName + 1)
    guard let end = name.firstIndex(of: UInt8(ascii: ";")),
      let value = CharacterReferences.text(string(start..<end)[...])
    else { return append(upTo: start) }
    append(value)
    position = end + 1
  }

  /// `{\an8\i1}` and the like, of another format (SubStation Alpha): places, bold, italics and underline are taken.
  private mutating func takeOverride(isEnded: Bool) {
    guard isEnded, bytes[position + 1] == Self.backslash,
      let end = bytes[position...].firstIndex(of: UInt8(ascii: "}"))
    else { return append(upTo: position + 1) }
    let codes = string((position + 2)..<end)
    position = end + 1
    let others = codes.split(separator: "\\", omittingEmptySubsequences: false)
      .filter { !take(override: $0.trimmed) }
    if !others.isEmpty {
      let named = "{\\\(others.joined(separator: "\\"))}"
      skip("\(named.prefix(20)) was skipped")
    }
  }

  /// Takes one code; false for those that have no counterpart.
  private mutating func take(override code: String) -> Bool {
    var changed = style
    switch code {
    case "b1": changed.fontWeight = .bold
    case "b0": changed.fontWeight = nil
    case "i1": changed.fontStyle = .italic
    case "i0": changed.fontStyle = nil
    case "u1": changed.decoration = (changed.decoration ?? []).union(.underline)
    case "u0":
      let rest = (changed.decoration ?? []).subtracting(.underline)
      changed.decoration = rest.isEmpty ? nil : rest
    default:
      let isPad = code.hasPrefix("an")
      guard let number = Int(code.dropFirst(isPad ? 2 : 1)), code.first == "a",
        let place = isPad ? number : Self.places[number], (1...9).contains(place)
      else { return false }
      placement = place
      return true
    }
    guard changed != style else { return true }
    if rubyText == nil { flush() } else { skip("styles of ruby text were skipped") }
    style = changed
    return true
  }

  /// SSA's older numbers of places, as on a number pad: 4 more for the top, 8 more for the middle.
  private static let places = [
    1: 1, 2: 2, 3: 3, 5: 7, 6: 8, 7: 9, 9: 4, 10: 5, 11: 6,
  ]

  private mutating func takeTag(isEnded: Bool) {
    if dialect == .subRip, position + 1 < bytes.count {
      let next = bytes[position + 1]
      // A sign, not a tag.
      guard next == Self.slash || UInt8(ascii: "a")...UInt8(ascii: "z") ~= next | 0x20 else {
        return append(upTo: position + 1)
      }
    }
    guard isEnded, let end = bytes[position...].firstIndex(of: UInt8(ascii: ">")) else {
      skip("a tag does not end", .error)
      if dialect == .subRip { append(upTo: bytes.count) }
      position = bytes.count
      return
    }
    let tag = string((position + 1)..<end)[...]
    position = end + 1
    if tag.utf8.first == Self.slash {
      closeTag(tag.dropFirst().trimmed.lowercased())
    } else if tag.first?.isNumber == true {
      if let time = PlainText.time(tag) {
        timestamps.append((count, time))
      } else {
        skip("<\(tag.prefix(20))> is no time stamp, and was skipped")
      }
    } else {
      openTag(tag)
    }
  }

  private mutating func openTag(_ tag: Substring) {
    let head = tag.prefix { !$0.isWhitespace }
    let annotation = tag.dropFirst(head.count).trimmed
    let classes = head.split(separator: ".").map(String.init)
    let name = (classes.first ?? "").lowercased()
    guard open.count < 50 else { return skip("tags are nested too deep") }
    let outer = style
    var inner = style
    switch name {
    case "b": inner.fontWeight = .bold
    case "i": inner.fontStyle = .italic
    case "u": inner.decoration = (inner.decoration ?? []).union(.underline)
    case "s" where dialect == .subRip:
      inner.decoration = (inner.decoration ?? []).union(.lineThrough)
    case "font" where dialect == .subRip:
      let attributes = Self.attributes(annotation)
      if let color = attributes.lazy.filter({ $0.name == "color" }).compactMap({
        Self.fontColor($0.value)
      }).first {
        inner.textColor = color
        let others = attributes.filter { $0.name != "color" }
        if !others.isEmpty {
          let names = others.map(\.name).joined(separator: ", ")
          skip("of a <font>, what follows was skipped: \(names.prefix(40))")
        }
      } else {
        skip("<\(tag.prefix(40))> was skipped")
      }
    case "c": break
    case "lang": skip("the language '\(annotation.prefix(40))' was skipped", .note)
    case "v":
      if !annotation.isEmpty {
        skip("the voice '\(annotation.prefix(40))' was skipped", .note)
      }
    case "ruby": break
    case "br", "br/":
      append("\n")
      return skip("<br> was read as a line break")
    case "rt":
      guard baseStart != nil, rubyText == nil else {
        return skip("a tag <rt> that is in no ruby was skipped")
      }
      flush()
      rubyText = ""
    default:
      // Nothing is opened that another end would have to wait for (WebVTT, cue text parsing rules).
      unknown.insert(name)
      return skip("the tag <\(tag.prefix(40))> was skipped")
    }
    for name in classes.dropFirst() where dialect == .webVTT {
      if name.hasPrefix("bg_"), let color = Self.colorClass(String(name.dropFirst(3))) {
        inner.backgroundColor = color
      } else if let color = Self.colorClass(name) {
        inner.textColor = color
      } else {
        skip("the class '\(name.prefix(40))' was skipped")
      }
    }
    if rubyText != nil {
      if inner != outer { skip("styles of ruby text were skipped") }
    } else if inner != outer || name == "ruby" {
      flush()
    }
    if name == "ruby" { baseStart = pieces.count }
    open.append((name, outer))
    style = inner
  }

  private mutating func closeTag(_ name: String) {
    // WebVTT takes only the end of the tag that was opened last (4.2.2), or of ruby around its text.
    let isAhead =
      dialect == .webVTT && open.last?.name != name
      && !(name == "ruby" && open.last?.name == "rt")
    guard !isAhead, let index = open.lastIndex(where: { $0.name == name }) else {
      if unknown.contains(name) { return }
      return skip("</\(name.prefix(20))> closes nothing")
    }
    if open[index...].contains(where: { $0.name == "rt" || $0.name == "ruby" }) { endRuby() }
    flush()
    if open[index...].contains(where: { $0.name == "ruby" }) { baseStart = nil }
    style = open[index].style
    open.removeSubrange(index...)
  }

  /// Gives ruby text to its base: all that stands before it in its ruby, behind other ruby text.
  private mutating func endRuby() {
    guard let ruby = rubyText else { return }
    rubyText = nil
    guard let start = baseStart else { return }
    defer { baseStart = pieces.count }
    guard !ruby.isEmpty else { return }
    guard start < pieces.count else { return skip("ruby text without its base was skipped") }
    // By index: a slice that is alive makes every change copy all pieces.
    let first = pieces[start].style
    if (start..<pieces.count).contains(where: { pieces[$0].style != first }) {
      skip("of a base with ruby text, all has the first style")
    }
    let base = (start..<pieces.count).map { pieces[$0].text }.joined()
    pieces[start].text = base
    pieces[start].style.ruby = Caption.Ruby(text: ruby)
    pieces.removeSubrange((start + 1)...)
  }

  /// The attributes of a tag, with quotation marks or without: `color="red" size=2`.
  private static func attributes(_ annotation: String) -> [(name: String, value: String)] {
    var attributes: [(name: String, value: String)] = []
    var rest = annotation[...]
    while !rest.isEmpty {
      let name = rest.prefix { !$0.isWhitespace && $0 != "=" }
      rest = rest.dropFirst(name.count).drop { $0.isWhitespace }
      var value: Substring = ""
      if rest.first == "=" {
        rest = rest.dropFirst().drop { $0.isWhitespace }
        if let mark = rest.first, mark == "\"" || mark == "'" {
          value = rest.dropFirst().prefix { $0 != mark }
          rest = rest.dropFirst(value.count + 2)
        } else {
          value = rest.prefix { !$0.isWhitespace }
          rest = rest.dropFirst(value.count)
        }
      }
      attributes.append((name.lowercased(), String(value)))
      rest = rest.drop { $0.isWhitespace }
    }
    return attributes
  }

  private static func fontColor(_ value: String) -> Caption.Color? {
    let word = value.lowercased().filter { !"\"' ".contains($0) }
    return ColorText.color(word) ?? ColorText.color("#" + word)
  }

  /// WebVTT's classes of colours: CSS's names, but the eight of captions full.
  private static func colorClass(_ name: String) -> Caption.Color? {
    switch name {
    case "white": .white
    case "lime": .green
    case "cyan": .cyan
    case "red": .red
    case "yellow": .yellow
    case "magenta": .magenta
    case "blue": .blue
    case "black": .black
    default: nil
    }
  }

  static func className(_ color: Caption.Color) -> String? {
    switch color {
    case .white: "white"
    case .green: "lime"
    case .cyan: "cyan"
    case .red: "red"
    case .yellow: "yellow"
    case .magenta: "magenta"
    case .blue: "blue"
    case .black: "black"
    default: nil
    }
  }
}
