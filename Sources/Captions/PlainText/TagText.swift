// SPDX-License-Identifier: Apache-2.0

import FocalCore

/// Text with tags as WebVTT and SubRip have it: bold, italics, underline, colours, ruby.
struct TagText {
  enum Dialect { case webVTT, subRip }

  private(set) var pieces: [(text: String, style: Caption.Style)] = []
  /// When parts of the text come, of WebVTT's times within a cue: characters before, and the time.
  private(set) var timestamps: [(count: Int, time: Time)] = []
  private(set) var skipped: [(severity: CaptionIssue.Severity, reason: String)] = []

  private let dialect: Dialect
  private var open: [(name: String, style: Caption.Style)] = []
  private var style = Caption.Style()
  private var text = ""
  private var rubyText: String?

  init(_ source: String, _ dialect: Dialect) {
    self.dialect = dialect
    var rest = source[...]
    while let mark = rest.firstIndex(where: { $0 == "<" || $0 == "&" || $0 == "{" }) {
      append(String(rest[..<mark]))
      rest = rest[mark...]
      // A sign that the writer has kept from being markup.
      if dialect == .subRip, rest.first != "&", rest.dropFirst().first == SubRipWriter.breaker {
        append(String(rest.removeFirst()))
        rest.removeFirst()
        continue
      }
      switch rest.first {
      case "<": takeTag(&rest)
      case "&" where dialect == .webVTT: takeEntity(&rest)
      case "{" where dialect == .subRip: takeOverride(&rest)
      default:
        append(String(rest.removeFirst()))
      }
    }
    append(String(rest))
    endRuby()
    flush()
    // A voice may go on to the cue's end.
    if let name = open.last?.name, name != "v" { skip("the tag <\(name)> is not closed", .note) }
  }

  private mutating func skip(_ reason: String, _ severity: CaptionIssue.Severity = .warning) {
    skipped.append((severity, reason))
  }

  private mutating func append(_ part: String) {
    if rubyText != nil, open.last?.name == "rt" {
      rubyText? += part
    } else {
      text += part
    }
  }

  private mutating func flush() {
    if !text.isEmpty { pieces.append((text, style)) }
    text = ""
  }

  private mutating func takeEntity(_ rest: inout Substring) {
    guard let end = rest.prefix(CharacterReferences.longestName + 2).firstIndex(of: ";"),
      let value = CharacterReferences.text(rest[rest.index(after: rest.startIndex)..<end])
    else { return append(String(rest.removeFirst())) }
    append(value)
    rest = rest[rest.index(after: end)...]
  }

  /// `{\an8}` and the like, of another format: those at the start of a text place it.
  private mutating func takeOverride(_ rest: inout Substring) {
    guard rest.dropFirst().first == "\\", let end = rest.firstIndex(of: "}") else {
      return append(String(rest.removeFirst()))
    }
    let code = rest[rest.startIndex...end]
    if code.hasPrefix("{\\an"), code.count == 6 {
      placement = code.dropFirst(4).first?.wholeNumberValue
    } else {
      skip("\(code.prefix(20)) was skipped")
    }
    rest = rest[rest.index(after: end)...]
  }

  /// 1 to 9 as on a number pad, where the text says it.
  private(set) var placement: Int?

  private mutating func takeTag(_ rest: inout Substring) {
    if dialect == .subRip, let next = rest.dropFirst().first, !next.isLetter, next != "/" {
      // A sign, not a tag.
      return append(String(rest.removeFirst()))
    }
    guard let end = rest.firstIndex(of: ">") else {
      skip("a tag does not end", .error)
      append(dialect == .subRip ? String(rest) : "")
      rest = ""
      return
    }
    let tag = rest[rest.index(after: rest.startIndex)..<end]
    rest = rest[rest.index(after: end)...]
    if tag.first == "/" {
      closeTag(tag.dropFirst().trimmed.lowercased())
    } else if tag.first?.isNumber == true {
      if let time = PlainText.time(tag) {
        timestamps.append((pieces.reduce(text.count) { $0 + $1.text.count }, time))
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
    case "rt":
      flush()
      rubyText = ""
    default: skip("the tag <\(tag.prefix(40))> was skipped")
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
    if inner != outer { flush() }
    if name == "ruby" { flush() }
    open.append((name, outer))
    style = inner
  }

  private mutating func closeTag(_ name: String) {
    // WebVTT takes only the end of the tag that was opened last (4.2.2), or of ruby around its text.
    let isAhead =
      dialect == .webVTT && open.last?.name != name
      && !(name == "ruby" && open.last?.name == "rt")
    guard !isAhead, let index = open.lastIndex(where: { $0.name == name }) else {
      return skip("</\(name.prefix(20))> closes nothing")
    }
    if name == "rt" { endRuby() }
    if name == "ruby" { endRuby() }
    flush()
    style = open[index].style
    open.removeSubrange(index...)
  }

  /// Gives ruby text to the piece before it.
  private mutating func endRuby() {
    guard let ruby = rubyText else { return }
    rubyText = nil
    guard let last = pieces.indices.last, !ruby.isEmpty else { return }
    pieces[last].style.ruby = Caption.Ruby(text: ruby)
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
