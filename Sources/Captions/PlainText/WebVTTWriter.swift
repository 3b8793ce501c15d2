// SPDX-License-Identifier: Apache-2.0

import FocalCore

enum WebVTTWriter {
  static func write(_ document: CaptionDocument) -> (bytes: [UInt8], losses: [CaptionIssue]) {
    let free = FreeCaptions(document.captions)
    var losses = free.losses + PlainText.rounding(free.captions)
    var text = "WEBVTT\n"
    for caption in free.captions.sorted(by: { $0.timeRange.start < $1.timeRange.start }) {
      let start = caption.timeRange.start
      guard !caption.timeRange.isEmpty else {
        losses.append(CaptionIssue(time: start, reason: "a caption of no duration is left out"))
        continue
      }
      text += "\n\(PlainText.text(start, separator: "."))"
      text += " --> \(PlainText.text(caption.timeRange.end, separator: "."))"
      text += "\(settings(caption))\n"
      var count = 0
      var shown = Time.zero
      let times = caption.revealTimes
      for piece in caption.pieces {
        var content = ""
        for character in piece.text {
          if count < times.count, times[count] > shown {
            shown = times[count]
            content += "<\(PlainText.text(start + shown, separator: "."))>"
          }
          count += 1
          content += escaped(character)
        }
        text += tagged(content, piece.style, start, &losses)
      }
      if caption.animation != .none, times.isEmpty {
        losses.append(CaptionIssue(time: start, reason: "characters come at once"))
      }
      text += "\n"
    }
    return (Array(text.replacing("\n\n\n", with: "\n\u{A0}\n\n").utf8), losses)
  }

  private static func escaped(_ character: Character) -> String {
    switch character {
    case "&": "&amp;"
    case "<": "&lt;"
    case ">": "&gt;"
    case "\u{A0}": "&nbsp;"
    default: character.isNewline ? "\n" : String(character)
    }
  }

  private static func settings(_ caption: Caption) -> String {
    var text = ""
    if let region = caption.region, region != .appleITTBottom, region != .subRipTextBottom {
      if region.writingMode == .topToBottomAndRightToLeft {
        text += region == .appleITTLeft ? " vertical:lr" : " vertical:rl"
      } else if let origin = region.origin, origin.x.units == .percent, origin.y.units == .percent {
        let size = region.size
        let height = size?.height.units == .percent ? size?.height.value ?? 0 : 0
        let isAtEnd = region.displayAlignment == .after
        let line = max(0, min(100, origin.y.value + (isAtEnd ? height : 0)))
        text += " line:\(number(line))%\(isAtEnd ? ",end" : "")"
        if let width = size?.width, width.units == .percent, width.value < 100 {
          let x = origin.x.value
          switch caption.textAlignment ?? region.textAlignment ?? .center {
          case .start, .left: text += " position:\(number(x))%"
          case .end, .right: text += " position:\(number(min(100, x + width.value)))%"
          case .center: text += " position:\(number(min(100, x + width.value / 2)))%"
          }
          text += " size:\(number(max(0, width.value)))%"
        }
      }
    }
    let alignment = caption.textAlignment ?? caption.region?.textAlignment
    if let alignment, alignment != .center { text += " align:\(TTMLWriter.text(alignment))" }
    return text
  }

  private static func number(_ value: Double) -> String {
    let value = max(-100_000, min(100_000, value))
    return value == value.rounded() ? "\(Int(value))" : "\((value * 100).rounded() / 100)"
  }

  private static func tagged(
    _ text: String, _ style: Caption.Style, _ start: Time, _ losses: inout [CaptionIssue]
  ) -> String {
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
        losses.append(
          CaptionIssue(
            time: start, reason: "the colour \(ColorText.text(color)) has no class, and is left out"
          ))
      }
    }
    if let color = style.backgroundColor {
      if let name = TagText.className(color) {
        classes += ".bg_\(name)"
      } else {
        losses.append(
          CaptionIssue(
            time: start,
            reason: "the box's colour \(ColorText.text(color)) has no class, and is left out"))
      }
    }
    if !classes.isEmpty { wrap("c\(classes)", "c") }
    if style.fontWeight == .bold { wrap("b", "b") }
    if style.fontStyle == .italic { wrap("i", "i") }
    if style.decoration?.contains(.underline) == true { wrap("u", "u") }
    if style.decoration?.isDisjoint(with: [.lineThrough, .overline]) == false {
      losses.append(CaptionIssue(time: start, reason: "lines through and over text are left out"))
    }
    if let combine = style.textCombine, combine != .none {
      losses.append(CaptionIssue(time: start, reason: "characters are not combined"))
    }
    var text = text
    if let ruby = style.ruby {
      text = "<ruby>\(text)<rt>\(ruby.text.map(escaped).joined())</rt></ruby>"
      if ruby.position == .after {
        losses.append(CaptionIssue(time: start, reason: "ruby stands before the text"))
      }
    }
    return before + text + after
  }
}
