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
      guard line.contains("-->") else {
        // The number of what follows, which nothing depends on.
        let isNumber = line.trimmed.utf8.allSatisfy { (0x30...0x39).contains($0) }
        if !isNumber || index + 1 >= lines.count || !lines[index + 1].contains("-->") {
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
        if PlainText.isBlank(line) || line.contains("-->") { break }
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
      if times.1.count > 1 { log.add(line: number, "the place in pixels (X1, Y1 …) was skipped") }
      let tags = TagText(
        text.joined(separator: "\n").replacing("--\(SubRipWriter.breaker)>", with: "-->"), .subRip)
      for (severity, reason) in tags.skipped { log.add(line: number, as: severity, reason) }
      guard tags.pieces.contains(where: { !$0.text.allSatisfy(\.isWhitespace) }) else {
        log.add(line: number, as: .note, "a caption without text was skipped")
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
