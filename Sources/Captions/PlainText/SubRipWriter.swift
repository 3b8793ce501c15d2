// SPDX-License-Identifier: Apache-2.0

import FocalCore

/// Writes SubRip.
struct SubRipWriter {
  /// Stands, unseen, within characters that would be markup: SubRip has no other sign for them.
  static let breaker: Unicode.Scalar = "\u{2060}"
  /// An arrow that is the text's own.
  static let guardedArrow = "--\(breaker)>"

  private var losses: [CaptionIssue] = []
  private var told: Set<String> = []

  static func write(_ document: CaptionDocument) -> (bytes: [UInt8], losses: [CaptionIssue]) {
    let free = FreeCaptions(document.captions, for: .subRip)
    var writer = SubRipWriter()
    writer.losses = free.losses + PlainText.rounding(free.captions)
    var text = ""
    var number = 0
    if let title = document.title {
      writer.losses.append(
        CaptionIssue(severity: .note, reason: "the title '\(title.prefix(40))' is left out"))
    }
    for caption in free.captions.sorted(by: { $0.timeRange.start < $1.timeRange.start }) {
      let start = caption.timeRange.start
      guard !caption.timeRange.isEmpty else {
        writer.lose(start, "a caption of no duration is left out", .error)
        continue
      }
      let shown = PlainText.shown(caption.timeRange)
      if shown.isLengthened { writer.loseOnce(start, PlainText.lengthened, .note) }
      number += 1
      text += "\(number == 1 ? "" : "\n")\(number)\n\(PlainText.text(start, separator: ","))"
      text += " --> \(PlainText.text(shown.range.end, separator: ","))\n"
      var body = writer.placement(caption)
      for piece in caption.pieces { body += writer.tagged(piece.text, piece.style, start) }
      let lines = PlainText.filled(
        PlainText.replacing(with: Self.guardedArrow, in: body), with: "\u{A0}")
      if lines.isChanged {
        writer.loseOnce(
          start, "empty lines within a text, here and later, have a no-break space", .note)
      }
      text += lines.text + "\n"
      if caption.identifier != nil {
        writer.loseOnce(start, "identifiers, here and later, become numbers", .note)
      }
      if !caption.comments.isEmpty {
        writer.loseOnce(start, "comments, here and later, are left out", .note)
      }
      if caption.animation != .none {
        writer.loseOnce(start, "characters come at once, here and later")
      }
    }
    return (Array(text.utf8), writer.losses)
  }

  private mutating func lose(
    _ start: Time, _ reason: String, _ severity: CaptionIssue.Severity = .warning
  ) {
    losses.append(CaptionIssue(time: start, severity: severity, reason: reason))
  }

  private mutating func loseOnce(
    _ start: Time, _ reason: String, _ severity: CaptionIssue.Severity = .warning
  ) {
    if told.insert(reason).inserted { lose(start, reason, severity) }
  }

  private mutating func placement(_ caption: Caption) -> String {
    guard let region = caption.region else { return "" }
    let start = caption.timeRange.start
    if region.writingMode == .topToBottomAndRightToLeft {
      lose(start, "vertical text is set in lines")
    }
    if region.scroll == .rollUp { loseOnce(start, "lines do not roll, here and later") }
    var pad = 2
    switch caption.shownAlignment {
    case .left, .start: pad = 1
    case .right, .end: pad = 3
    case .center: pad = 2
    }
    let isAtTop = Self.isInUpperHalf(region)
    if !region.hasPlace(of: isAtTop ? .appleITTTop : .appleITTBottom) {
      loseOnce(
        start,
        "the region '\(region.identifier ?? "of its own")', here and later, becomes the \(isAtTop ? "top" : "bottom")"
      )
    }
    return isAtTop ? "{\\an\(pad + 6)}" : pad == 2 ? "" : "{\\an\(pad)}"
  }

  /// Whether a region's text stands in the screen's upper half: the side of the region that it is at.
  static func isInUpperHalf(_ region: CaptionRegion) -> Bool {
    guard region.writingMode != .topToBottomAndRightToLeft, let origin = region.origin,
      origin.y.units == .percent
    else { return false }
    let top = origin.y.value
    let height = region.size?.height.units == .percent ? region.size?.height.value : nil
    switch region.displayAlignment {
    case .before: return top < 50
    case .center: return top + (height ?? 100 - top) / 2 < 50
    case .after: return top + (height ?? 100 - top) < 50
    }
  }

  private mutating func tagged(_ text: String, _ style: Caption.Style, _ start: Time) -> String {
    var before = ""
    var after = ""
    func wrap(_ tag: String, _ attributes: String = "") {
      before += "<\(tag)\(attributes)>"
      after = "</\(tag)>" + after
    }
    if let color = style.textColor, color.alpha == 255 {
      wrap("font", " color=\"\(ColorText.text(color))\"")
    } else if style.textColor != nil {
      lose(start, "text that is seen through keeps no colour")
    }
    if style.fontWeight == .bold { wrap("b") }
    if style.fontStyle == .italic { wrap("i") }
    if style.decoration?.contains(.underline) == true { wrap("u") }
    if style.decoration?.contains(.lineThrough) == true { wrap("s") }
    if style.decoration?.contains(.overline) == true { lose(start, "a line over text is left out") }
    if let color = style.backgroundColor {
      if color.alpha == 0 {
        loseOnce(start, "boxes that are transparent, here and later, are left out", .note)
      } else {
        lose(start, "the box's colour is left out")
      }
    }
    if let ruby = style.ruby { lose(start, "the ruby text '\(ruby.text)' is left out") }
    if let combine = style.textCombine, combine != .none {
      lose(start, "characters are not combined")
    }
    return before + Self.guarded(text) + after
  }

  /// A text whose characters are no markup: a tag, another format's code.
  private static func guarded(_ text: String) -> String {
    var result = String.UnicodeScalarView()
    let scalars = text.unicodeScalars
    for (index, scalar) in zip(scalars.indices, scalars) {
      result.append(scalar)
      guard scalar == "<" || scalar == "{" else { continue }
      let next = scalars[index...].dropFirst().first
      let isMarkup =
        scalar == "<"
        ? next == nil || next == "/" || next?.properties.isAlphabetic == true
        : next == nil || next == "\\"
      // A breaker that is the text's own has one before it, so that it comes back.
      if isMarkup || next == breaker { result.append(breaker) }
    }
    return String(result)
  }
}
