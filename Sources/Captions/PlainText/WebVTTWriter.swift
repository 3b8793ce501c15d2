// SPDX-License-Identifier: Apache-2.0

import FocalCore

/// Writes WebVTT.
struct WebVTTWriter {
  private var losses: [CaptionIssue] = []
  private var toldEmptyLine = false
  private var toldTransparentBox = false
  private var toldLengthened = false
  /// Regions of the file's head.
  private var regions: [CaptionRegion] = []
  private var regionsByName: [String: CaptionRegion] = [:]

  static func write(_ document: CaptionDocument) -> (bytes: [UInt8], losses: [CaptionIssue]) {
    let free = FreeCaptions(document.captions, for: .webVTT)
    var writer = WebVTTWriter()
    writer.losses = free.losses + PlainText.rounding(free.captions)
    let captions = free.captions.sorted { $0.timeRange.start < $1.timeRange.start }
    var text = "WEBVTT"
    if let title = document.title {
      // One line, without what would be a time.
      let line = PlainText.replacing(
        with: "->", in: title.split(whereSeparator: \.isNewline).joined(separator: " "))
      text += " \(line)"
      if line != title {
        writer.losses.append(CaptionIssue(severity: .note, reason: "the title is in one line"))
      }
    }
    text += "\n"
    if let language = document.language, !language.contains(where: \.isNewline) {
      text += "Language: \(language)\n"
    }
    var cues = ""
    for caption in captions { writer.add(caption, to: &cues) }
    return (Array((text + writer.regionsText + cues).utf8), writer.losses)
  }

  /// The parts of a cue that tracks have apart.
  struct Cue {
    var settings: String
    var text: String
  }

  /// A cue for each caption, and the file's head with the regions that they name.
  static func cues(
    _ captions: [Caption]
  ) -> (cues: [Cue], head: String, losses: [CaptionIssue]) {
    var writer = WebVTTWriter()
    let cues = captions.map { writer.cue($0) }
    return (cues, "WEBVTT\n" + writer.regionsText, writer.losses)
  }

  private var regionsText: String { regions.map(Self.head).joined() }

  private mutating func lose(
    _ start: Time, _ reason: String, _ severity: CaptionIssue.Severity = .warning
  ) {
    losses.append(CaptionIssue(time: start, severity: severity, reason: reason))
  }

  private mutating func add(_ caption: Caption, to text: inout String) {
    let start = caption.timeRange.start
    guard !caption.timeRange.isEmpty else {
      return lose(start, "a caption of no duration is left out", .error)
    }
    let shown = PlainText.shown(caption.timeRange)
    if shown.isLengthened, !toldLengthened {
      toldLengthened = true
      lose(start, PlainText.lengthened, .note)
    }
    for comment in caption.comments { add(comment: comment, to: &text, start) }
    text += "\n"
    if let name = caption.identifier {
      if Self.isIdentifier(name) {
        text += "\(name)\n"
      } else {
        lose(start, "the identifier '\(name.prefix(40))' is none for WebVTT", .note)
      }
    }
    text += PlainText.text(start, separator: ".")
    text += " --> \(PlainText.text(shown.range.end, separator: "."))"
    let cue = cue(caption)
    text += cue.settings.isEmpty ? "\n" : " \(cue.settings)\n"
    text += cue.text + "\n"
  }

  private mutating func cue(_ caption: Caption) -> Cue {
    let start = caption.timeRange.start
    let settings = settings(caption)
    var body = ""
    var shown = Time.zero
    let times = caption.revealTimes
    // Where the caption's characters begin, in bytes: those of a piece may be parts of one.
    var begins: [Int] = []
    if !times.isEmpty {
      var position = 0
      for character in caption.text {
        begins.append(position)
        position += character.utf8.count
      }
    }
    var (position, next) = (0, 0)
    for piece in caption.pieces {
      var content = ""
      for character in piece.text {
        while next < min(times.count, begins.count), begins[next] <= position {
          if times[next] > shown {
            shown = times[next]
            content += "<\(PlainText.text(start + shown, separator: "."))>"
          }
          next += 1
        }
        position += character.utf8.count
        content += Self.escaped(character)
      }
      body += tagged(content, piece.style, start)
    }
    if caption.animation != .none, times.isEmpty { lose(start, "characters come at once") }
    let lines = PlainText.filled(body, with: "&nbsp;")
    if lines.isChanged, !toldEmptyLine {
      toldEmptyLine = true
      lose(start, "empty lines within a text, here and later, have a no-break space", .note)
    }
    return Cue(settings: String(settings.dropFirst()), text: lines.text)
  }

  /// An identifier is a line that is neither empty nor times, and begins no comment, style or region.
  private static func isIdentifier(_ name: String) -> Bool {
    !name.isEmpty && !name.contains(where: \.isNewline) && PlainText.arrow(in: name[...]) == nil
      && !["NOTE", "STYLE", "REGION"].contains { name.hasPrefix($0) }
  }

  private mutating func add(comment: String, to text: inout String, _ start: Time) {
    let whole = PlainText.replacing(with: "->", in: comment)
    let lines = whole.split(whereSeparator: \.isNewline)
    let body = lines.joined(separator: "\n")
    if body != comment { lose(start, "empty lines and arrows in a comment are left out", .note) }
    text += lines.count > 1 ? "\nNOTE\n\(body)\n" : "\nNOTE \(body)\n"
  }

  private static func escaped(_ character: Character) -> String {
    guard !character.isNewline else { return "\n" }
    // A mark may combine with a sign.
    var text = ""
    for scalar in character.unicodeScalars {
      switch scalar {
      case "&": text += "&amp;"
      case "<": text += "&lt;"
      case ">": text += "&gt;"
      case "\u{A0}": text += "&nbsp;"
      default: text.unicodeScalars.append(scalar)
      }
    }
    return text
  }

  // MARK: Places

  private mutating func settings(_ caption: Caption) -> String {
    var text = ""
    if let region = caption.region {
      if region.writingMode == .topToBottomAndRightToLeft {
        text += vertical(region, caption.timeRange.start)
      } else if Self.isHead(region), let name = region.identifier,
        // Another region of the name keeps it.
        regionsByName[name].map({ $0.isIdentical(to: region) }) ?? true
      {
        if regionsByName.updateValue(region, forKey: name) == nil { regions.append(region) }
        text += " region:\(name)"
      } else if let origin = region.origin, origin.x.units == .percent, origin.y.units == .percent {
        text += Self.place(region, origin, caption)
        if region.scroll == .rollUp {
          lose(caption.timeRange.start, "the region's lines do not roll")
        }
      }
    }
    // Cues that say nothing are centred.
    let alignment = caption.shownAlignment
    if caption.textAlignment != nil || alignment != .center {
      text += " align:\(TTMLWriter.text(alignment))"
    }
    return text
  }

  private static func place(
    _ region: CaptionRegion, _ origin: CaptionPoint, _ caption: Caption
  ) -> String {
    let size = region.size
    let height = size?.height.units == .percent ? size?.height.value ?? 0 : 100 - origin.y.value
    var text: String
    func inside(_ value: Double) -> String { number(max(0, min(100, value))) }
    switch region.displayAlignment {
    case .before: text = " line:\(inside(origin.y.value))%"
    case .center: text = " line:\(inside(origin.y.value + height / 2))%,center"
    case .after: text = " line:\(inside(origin.y.value + height))%,end"
    }
    if let line = WebVTTSettings.line(of: region) { text = " line:\(line)" }
    // A cue that says no line is at the bottom.
    if region.displayAlignment == .after, origin.y.value == 85, height == 15 { text = "" }
    guard let width = size?.width, width.units == .percent, width.value < 100 else { return text }
    let x = origin.x.value
    switch caption.shownAlignment {
    case .start, .left: text += " position:\(inside(x))%"
    case .end, .right: text += " position:\(inside(x + width.value))%"
    case .center: text += " position:\(inside(x + width.value / 2))%"
    }
    return text + " size:\(inside(width.value))%"
  }

  /// Columns grow to the left: their first line is at the right edge, their last one at the left.
  private mutating func vertical(_ region: CaptionRegion, _ start: Time) -> String {
    if region == .appleITTLeft { return " vertical:rl line:-1" }
    if region != .appleITTRight {
      lose(start, "the place of vertical text becomes the screen's side")
    }
    let x = region.origin?.x.units == .percent ? region.origin?.x.value ?? 100 : 100
    return x < 50 ? " vertical:rl line:-1" : " vertical:rl line:0"
  }

  /// Whether a region is one that WebVTT has by name: lines that grow from its end, at most 100 of them.
  private static func isHead(_ region: CaptionRegion) -> Bool {
    guard let name = region.identifier, !name.isEmpty, PlainText.arrow(in: name[...]) == nil,
      !name.contains(where: \.isWhitespace), let origin = region.origin, let size = region.size,
      region.displayAlignment == .after, region.textAlignment == .center,
      [origin.x, origin.y, size.width, size.height].allSatisfy({ $0.units == .percent }),
      (0...100).contains(origin.x.value), (0...100).contains(origin.y.value),
      (0...100).contains(size.width.value)
    else { return false }
    let lines = size.height.value / WebVTTSettings.regionLineHeight
    return lines >= 0.5 && lines <= 100 && abs(lines - lines.rounded()) < 1e-6
  }

  private static func head(_ region: CaptionRegion) -> String {
    guard let name = region.identifier, let origin = region.origin, let size = region.size else {
      return ""
    }
    let lines = Int((size.height.value / WebVTTSettings.regionLineHeight).rounded())
    var text = "\nREGION\nid:\(name)\nwidth:\(number(size.width.value))%\nlines:\(lines)\n"
    text += "regionanchor:0%,0%\n"
    text += "viewportanchor:\(number(origin.x.value))%,\(number(origin.y.value))%\n"
    return region.scroll == .rollUp ? text + "scroll:up\n" : text
  }

  private static func number(_ value: Double) -> String {
    let value = max(-100_000, min(100_000, value))
    return value == value.rounded() ? "\(Int(value))" : "\((value * 10_000).rounded() / 10_000)"
  }

  // MARK: Styles

  private mutating func tagged(_ text: String, _ style: Caption.Style, _ start: Time) -> String {
    var (before, after) = ("", "")
    func wrap(_ tag: String, _ name: String) {
      before += "<\(tag)>"
      after = "</\(name)>" + after
    }
    var classes = ""
    if let color = style.textColor {
      if let name = TagText.className(color) {
        classes += ".\(name)"
      } else {
        lose(start, "the colour \(ColorText.text(color)) has no class, and is left out")
      }
    }
    if let color = style.backgroundColor {
      if color.alpha == 0 {
        if !toldTransparentBox {
          lose(start, "boxes that are transparent, here and later, are left out", .note)
        }
        toldTransparentBox = true
      } else if let name = TagText.className(color) {
        classes += ".bg_\(name)"
      } else {
        lose(start, "the box's colour \(ColorText.text(color)) has no class, and is left out")
      }
    }
    if !classes.isEmpty { wrap("c\(classes)", "c") }
    if style.fontWeight == .bold { wrap("b", "b") }
    if style.fontStyle == .italic { wrap("i", "i") }
    if style.decoration?.contains(.underline) == true { wrap("u", "u") }
    if style.decoration?.isDisjoint(with: [.lineThrough, .overline]) == false {
      lose(start, "lines through and over text are left out")
    }
    if let combine = style.textCombine, combine != .none {
      lose(start, "characters are not combined")
    }
    var text = text
    if let ruby = style.ruby {
      text = "<ruby>\(text)<rt>\(ruby.text.map(Self.escaped).joined())</rt></ruby>"
      if ruby.position == .after { lose(start, "ruby stands before the text") }
    }
    return before + text + after
  }
}
