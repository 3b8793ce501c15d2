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
      if PlainText.isBlank(line) {
        index += 1
        continue
      }
      guard let arrow = PlainText.arrow(in: line) else {
        // The number of what follows, which nothing depends on.
        let isNumber = line.trimmed.utf8.allSatisfy { (0x30...0x39).contains($0) }
        if !isNumber || index + 1 >= lines.count || PlainText.arrow(in: lines[index + 1]) == nil {
          log.add(
            line: index + 1, as: .error, "'\(line.prefix(40))' belongs to no time, and was skipped")
        }
        index += 1
        continue
      }
      let number = index + 1
      index += 1
      var text: [String] = []
      while index < lines.count {
        let line = lines[index]
        if PlainText.isBlank(line) || PlainText.arrow(in: line) != nil { break }
        text.append(String(line))
        index += 1
      }
      // The next caption's number, where no empty line stands between.
      if index < lines.count, PlainText.arrow(in: lines[index]) != nil, let last = text.last,
        last.utf8.allSatisfy({ (0x30...0x39).contains($0) })
      {
        text.removeLast()
      }
      let words = line[arrow.upperBound...].words
      guard let start = PlainText.time(line[..<arrow.lowerBound].trimmed[...]),
        let end = words.first.flatMap({ PlainText.time($0[...]) })
      else {
        log.add(
          line: number, as: .error,
          "'\(line.prefix(40))' has no two times, and its caption was skipped")
        continue
      }
      hasTimes = true
      guard end > start else {
        log.add(line: number, as: .error, "a caption that does not end after its start was skipped")
        continue
      }
      if words.count > 1 { log.add(line: number, "the place in pixels (X1, Y1 …) was skipped") }
      let read = caption(text.joined(separator: "\n"), TimeRange(start: start, end: end))
      for (severity, reason) in read.skipped { log.add(line: number, as: severity, reason) }
      if let caption = read.caption { captions.append(caption) }
    }
    guard hasTimes || captions.isEmpty && log.count == 0 else {
      throw CinematicError(
        .malformed, "this is no SubRip file: it has no time", remedy: "name a .srt file")
    }
    return CaptionDocument(captions: captions, format: .subRip, issues: log.all)
  }

  /// A caption of a text with tags, and what of that was skipped; `nil` where nothing is to be seen.
  static func caption(
    _ text: String, _ timeRange: TimeRange
  ) -> (caption: Caption?, skipped: [(severity: CaptionIssue.Severity, reason: String)]) {
    let tags = TagText(
      PlainText.replacing(SubRipWriter.guardedArrow, with: "-->", in: text), .subRip)
    var skipped = tags.skipped
    guard tags.pieces.contains(where: { !$0.text.allSatisfy(\.isWhitespace) }) else {
      skipped.append((.note, "a caption without text was skipped"))
      return (nil, skipped)
    }
    var caption = Caption(pieces: tags.pieces, timeRange: timeRange)
    caption.region = .subRipTextBottom
    if let placement = tags.placement {
      if placement >= 7 { caption.region = .appleITTTop }
      if placement >= 4, placement <= 6 {
        skipped.append((.warning, "a place in the middle was skipped"))
      }
      caption.textAlignment = [.right, .left, nil][placement % 3]
    }
    return (caption, skipped)
  }
}
