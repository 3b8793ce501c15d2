// SPDX-License-Identifier: Apache-2.0

import FocalCore

enum SubRipReader {
  static func read(_ bytes: [UInt8]) throws(CinematicError) -> CaptionDocument {
    var log = IssueLog()
    let lines = PlainText.lines(bytes, &log)
    var captions: [Caption] = []
    var index = 0
    var hasTimes = false
    while index < lines.count {
      let line = lines[index]
      if line.allSatisfy(\.isWhitespace) {
        index += 1
        continue
      }
      guard line.contains("-->") else {
        // The number of what follows, which nothing depends on.
        let isNumber = line.trimmed.utf8.allSatisfy { (0x30...0x39).contains($0) }
        if !isNumber || index + 1 >= lines.count || !lines[index + 1].contains("-->") {
          log.add(line: index + 1, "a line before the first time, or without one, was skipped")
        }
        index += 1
        continue
      }
      let number = index + 1
      index += 1
      var text: [String] = []
      while index < lines.count {
        let line = lines[index]
        if line.isEmpty || line.allSatisfy(\.isWhitespace) {
          // An empty line within a text: what follows is neither a number nor the end.
          break
        }
        if line.contains("-->") { break }
        text.append(String(line))
        index += 1
      }
      // The next caption's number, where no empty line stands between.
      if index < lines.count, lines[index].contains("-->"), let last = text.last,
        last.utf8.allSatisfy({ (0x30...0x39).contains($0) })
      {
        text.removeLast()
      }
      let times = line.firstRange(of: "-->").map {
        (line[..<$0.lowerBound].trimmed, line[$0.upperBound...].words)
      }
      guard let times, let start = PlainText.time(times.0[...]),
        let end = times.1.first.flatMap({ PlainText.time($0[...]) })
      else {
        log.add(line: number, "'\(line.prefix(40))' is no time, and its caption was skipped")
        continue
      }
      hasTimes = true
      guard end > start else {
        log.add(line: number, "a caption that does not end after its start was skipped")
        continue
      }
      if times.1.count > 1 { log.add(line: number, "places in pixels were skipped") }
      let tags = TagText(text.joined(separator: "\n"), .subRip)
      for reason in tags.skipped { log.add(line: number, reason) }
      guard tags.pieces.contains(where: { !$0.text.allSatisfy(\.isWhitespace) }) else {
        log.add(line: number, "a caption without text was skipped")
        continue
      }
      var caption = Caption(pieces: tags.pieces, timeRange: TimeRange(start: start, end: end))
      caption.region = .subRipTextBottom
      if let placement = tags.placement {
        if placement >= 7 { caption.region = .appleITTTop }
        if placement >= 4, placement <= 6 {
          log.add(line: number, "a place in the middle was skipped")
        }
        caption.textAlignment = [.right, .left, nil][placement % 3]
      }
      captions.append(caption)
    }
    guard hasTimes || captions.isEmpty && log.count == 0 else {
      throw CinematicError(
        .malformed, "this is no SubRip file: it has no time", remedy: "name a .srt file")
    }
    return CaptionDocument(captions: captions, format: .subRip, issues: log.all)
  }
}

enum SubRipWriter {
  static func write(_ document: CaptionDocument) -> (bytes: [UInt8], losses: [CaptionIssue]) {
    let free = FreeCaptions(document.captions)
    var losses = free.losses + PlainText.rounding(free.captions)
    var text = ""
    var number = 0
    for caption in free.captions.sorted(by: { $0.timeRange.start < $1.timeRange.start }) {
      let start = caption.timeRange.start
      guard !caption.timeRange.isEmpty else {
        losses.append(CaptionIssue(time: start, reason: "a caption of no duration is left out"))
        continue
      }
      number += 1
      text += "\(number == 1 ? "" : "\n")\(number)\n\(PlainText.text(start, separator: ","))"
      text += " --> \(PlainText.text(caption.timeRange.end, separator: ","))\n"
      text += placement(caption, &losses)
      for piece in caption.pieces { text += tagged(piece.text, piece.style, start, &losses) }
      text += "\n"
    }
    return (Array(text.utf8), losses)
  }

  private static func placement(_ caption: Caption, _ losses: inout [CaptionIssue]) -> String {
    guard let region = caption.region else { return "" }
    if region.writingMode == .topToBottomAndRightToLeft {
      losses.append(
        CaptionIssue(time: caption.timeRange.start, reason: "vertical text is set in lines"))
    }
    var pad = 2
    switch caption.textAlignment ?? .center {
    case .left, .start: pad = 1
    case .right, .end: pad = 3
    case .center: pad = 2
    }
    if region == .appleITTTop { return "{\\an\(pad + 6)}" }
    if region != .appleITTBottom, region != .subRipTextBottom {
      losses.append(
        CaptionIssue(
          time: caption.timeRange.start,
          reason: "the region '\(region.identifier ?? "of its own")' becomes the bottom"))
    }
    return pad == 2 ? "" : "{\\an\(pad)}"
  }

  private static func tagged(
    _ text: String, _ style: Caption.Style, _ start: Time, _ losses: inout [CaptionIssue]
  ) -> String {
    var before = ""
    var after = ""
    func wrap(_ tag: String, _ attributes: String = "") {
      before += "<\(tag)\(attributes)>"
      after = "</\(tag)>" + after
    }
    if let color = style.textColor, color.alpha == 255 {
      wrap("font", " color=\"\(ColorText.text(color))\"")
    } else if style.textColor != nil {
      losses.append(CaptionIssue(time: start, reason: "text that is seen through keeps no colour"))
    }
    if style.fontWeight == .bold { wrap("b") }
    if style.fontStyle == .italic { wrap("i") }
    if style.decoration?.contains(.underline) == true { wrap("u") }
    if style.decoration?.contains(.lineThrough) == true { wrap("s") }
    if style.decoration?.contains(.overline) == true {
      losses.append(CaptionIssue(time: start, reason: "a line over text is left out"))
    }
    if style.backgroundColor != nil {
      losses.append(CaptionIssue(time: start, reason: "the box's colour is left out"))
    }
    if let ruby = style.ruby {
      losses.append(CaptionIssue(time: start, reason: "the ruby text '\(ruby.text)' is left out"))
    }
    if let combine = style.textCombine, combine != .none {
      losses.append(CaptionIssue(time: start, reason: "characters are not combined"))
    }
    // An empty line would end the caption.
    let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
    return before + lines.joined(separator: "\n").replacing("\n\n", with: "\n\u{A0}\n") + after
  }
}
