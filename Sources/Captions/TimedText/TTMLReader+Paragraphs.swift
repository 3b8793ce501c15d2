// SPDX-License-Identifier: Apache-2.0

import FocalCore

extension TTMLReader {
  /// Text in one style and time.
  struct Piece {
    var text: String
    var style: Caption.Style
    var begin: Time
    var end: Time?
    var preservesSpace: Bool
    var isBreak = false
  }

  /// Reads a `p`: a caption, or several where its spans come and go.
  mutating func readParagraph(_ element: XMLElement, _ context: TTMLContext) {
    guard element.isComplete else { return }
    var pieces: [Piece] = []
    collect(element, context, into: &pieces)
    guard pieces.contains(where: { !$0.text.isEmpty || $0.isBreak }) else { return }
    let region = (context.region ?? context.parentRegion).flatMap {
      sheet.regions[$0] ?? CaptionRegion.predefined($0)
    }
    let alignment = context.style["textAlign"].flatMap(TTMLStyleSheet.alignment)
    var boundaries = Set(pieces.flatMap { [$0.begin, $0.end].compactMap { $0 } })
    boundaries.insert(context.begin)
    if let end = context.end { boundaries.insert(end) }
    let times = boundaries.sorted().filter { $0 >= context.begin && $0 <= context.end ?? $0 }
    let isEndless = pieces.contains { $0.end == nil }
    let regionTime = (context.region ?? context.parentRegion).flatMap { regionTimes[$0] }
    var captions: [Caption] = []
    var waiting = pieces.indices.sorted { (pieces[$0].begin, $0) < (pieces[$1].begin, $1) }[...]
    // Pieces that are on the screen, in the document's order.
    var shown: [Int] = []
    for index in times.indices {
      let time = times[index]
      var from = time
      var to = index + 1 < times.count ? times[index + 1] : isEndless ? nil : from
      if let regionTime {
        from = max(from, regionTime.begin)
        if let end = regionTime.end { to = min(to ?? end, end) }
      }
      // First of all: what is never seen is not looked through.
      guard to.map({ $0 > from }) ?? true else { continue }
      shown.removeAll { number in pieces[number].end.map { $0 <= time } ?? false }
      while let number = waiting.first, pieces[number].begin <= time {
        waiting.removeFirst()
        if pieces[number].end.map({ $0 > time }) ?? true {
          shown.insert(number, at: shown.partitionPoint { $0 < number })
        }
      }
      if index > 0 {
        repeatedPieces += shown.count
        guard repeatedPieces <= Self.mostRepeatedPieces else {
          log.add(
            line: element.line, as: .error,
            "parts that come and go, here and later, are too many: what follows the first was skipped"
          )
          break
        }
      }
      let texts = Self.collapsed(shown.map { pieces[$0] })
      guard texts.contains(where: { !$0.text.allSatisfy(\.isWhitespace) }) else { continue }
      var caption = Caption(
        pieces: texts, timeRange: TimeRange(start: from, end: to ?? from))
      caption.region = region
      caption.textAlignment = alignment
      if let last = captions.last, last.timeRange.end == from, to != nil,
        last.hasSameContent(caption)
      {
        captions[captions.count - 1].timeRange = TimeRange(
          start: last.timeRange.start, end: caption.timeRange.end)
        continue
      }
      if to == nil { endless.append((self.captions.count + captions.count, element.line)) }
      captions.append(caption)
    }
    if captions.isEmpty, !isEndless {
      let hasText = pieces.contains { !$0.text.allSatisfy(\.isWhitespace) }
      log.add(
        line: element.line, as: hasText ? .error : .note,
        "a caption without \(hasText ? "duration" : "text") was skipped")
    }
    if !captions.isEmpty { captions[0].identifier = element.attribute("id", TTMLNames.xml) }
    self.captions += captions
  }

  private mutating func collect(
    _ element: XMLElement, _ context: TTMLContext, into pieces: inout [Piece]
  ) {
    let isSequence = element.attribute("timeContainer") == "seq"
    // Where the next element of a sequence begins; `nil` behind one without an end.
    var position: Time? = context.begin
    for child in element.children {
      switch child {
      case .text(let text):
        guard !isSequence else {
          if !text.allSatisfy(\.isWhitespace) {
            tell(
              line: element.line, as: .error,
              "text that stands in a sequence (timeContainer 'seq') without a time was skipped")
          }
          continue
        }
        guard context.style["visibility"] != "hidden" else {
          if !text.allSatisfy(\.isWhitespace) {
            tell(line: element.line, as: .note, "text with tts:visibility 'hidden' was left out")
          }
          continue
        }
        pieces.append(piece(text, context, element.line))
      case .element(let child):
        switch child.name {
        case "br" where isSequence: break
        case "br":
          var piece = piece("\n", context, child.line)
          piece.isBreak = true
          pieces.append(piece)
        case "span":
          var inner = context
          if isSequence {
            guard let begin = position else {
              tell(
                line: child.line, as: .error,
                "what begins after a sequence (timeContainer 'seq') has ended was skipped")
              continue
            }
            inner.begin = begin
          }
          timing(child, &inner)
          if isSequence { position = inner.end == context.end ? nil : inner.end }
          inherit(child, &inner)
          guard inner.style["display"] != "none" else {
            tell(line: child.line, as: .note, "an element with tts:display 'none' was skipped")
            continue
          }
          switch inner.style["ry:kind"] ?? inner.style["ruby"] {
          case "ruby", "container": collectRuby(child, inner, into: &pieces)
          case "rt", "text", "rtc", "textContainer", "rp", "delimiter":
            tell(line: child.line, "ruby text without its base was skipped")
          default: collect(child, inner, into: &pieces)
          }
        case "metadata": break
        default:
          if child.namespace != TTMLNames.metadata {
            tell(line: child.line, "the element '\(child.name)' was skipped")
          }
        }
      }
    }
  }

  /// A container of base texts and ruby texts, one after the other.
  private mutating func collectRuby(
    _ element: XMLElement, _ context: TTMLContext, into pieces: inout [Piece]
  ) {
    var bases: [(piece: Piece, line: Int)] = []
    var texts: [(text: String, context: TTMLContext)] = []
    var reader = self
    func plain(_ element: XMLElement) -> String {
      element.children.map {
        switch $0 {
        case .text(let text): text
        case .element(let element): plain(element)
        }
      }.joined()
    }
    func visit(_ element: XMLElement, _ context: TTMLContext) {
      for child in element.elements {
        var inner = context
        reader.inherit(child, &inner)
        switch inner.style["ry:kind"] ?? inner.style["ruby"] {
        case "rb", "base":
          bases.append((reader.piece(plain(child).trimmed, inner, child.line), child.line))
        case "rt", "text": texts.append((plain(child).trimmed, inner))
        case "rbc", "rtc", "baseContainer", "textContainer": visit(child, inner)
        case "rp", "delimiter": break
        default: reader.tell(line: child.line, "an element within ruby was skipped")
        }
      }
    }
    visit(element, context)
    self = reader
    if bases.isEmpty || bases.contains(where: { $0.piece.text.isEmpty }) {
      tell(line: element.line, "ruby without base text was skipped")
    }
    for (index, base) in bases.enumerated() where !base.piece.text.isEmpty {
      var piece = base.piece
      if index < texts.count, !texts[index].text.isEmpty {
        let style = texts[index].context.style
        piece.style.ruby = Caption.Ruby(
          text: texts[index].text,
          position: style["ry:position"] ?? style["rubyPosition"] == "after" ? .after : .before,
          alignment: Self.rubyAlignment(style["ry:align"] ?? style["rubyAlign"]))
      }
      piece.preservesSpace = true
      pieces.append(piece)
    }
    if texts.count > bases.count {
      tell(line: element.line, "ruby text without its base was skipped")
    }
  }

  private static func rubyAlignment(_ text: String?) -> Caption.Ruby.Alignment {
    switch text {
    case "start": .start
    case "center": .center
    case "spaceAround", "distributeSpaceAround": .distributeSpaceAround
    default: .distributeSpaceBetween
    }
  }

  private mutating func piece(_ text: String, _ context: TTMLContext, _ line: Int) -> Piece {
    Piece(
      text: text, style: style(context.style, line), begin: context.begin, end: context.end,
      preservesSpace: context.preservesSpace)
  }

  /// White space as TTML shows it: one space for several, none at the ends of lines.
  static func collapsed(_ pieces: [Piece]) -> [(text: String, style: Caption.Style)] {
    var result: [(text: String, style: Caption.Style, keeps: Bool)] = []
    var isAfterSpace = true
    for piece in pieces {
      if piece.preservesSpace && !piece.isBreak {
        result.append((piece.text, piece.style, true))
        isAfterSpace = false
        continue
      }
      if piece.isBreak {
        trimEnd(&result)
        result.append(("\n", piece.style, true))
        isAfterSpace = true
        continue
      }
      var text = String.UnicodeScalarView()
      for scalar in piece.text.unicodeScalars {
        if scalar == " " || scalar == "\n" || scalar == "\t" || scalar == "\r" {
          if !isAfterSpace { text.append(" ") }
          isAfterSpace = true
        } else {
          text.append(scalar)
          isAfterSpace = false
        }
      }
      if !text.isEmpty { result.append((String(text), piece.style, false)) }
    }
    trimEnd(&result)
    return result.map { ($0.text, $0.style) }
  }

  private static func trimEnd(_ pieces: inout [(text: String, style: Caption.Style, keeps: Bool)]) {
    while let last = pieces.last, !last.keeps {
      var text = last.text
      while text.last == " " { text.removeLast() }
      pieces[pieces.count - 1].text = text
      if !text.isEmpty { return }
      pieces.removeLast()
    }
  }
}

extension Caption {
  /// Whether text, styles and place are the same, at another time.
  func hasSameContent(_ other: Caption) -> Bool {
    var moved = other
    moved.timeRange = timeRange
    return moved == self
  }
}
