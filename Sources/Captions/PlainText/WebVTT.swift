// SPDX-License-Identifier: Apache-2.0

import FocalCore

/// Reads WebVTT.
struct WebVTTReader {
  private var log = IssueLog()
  private var regions: [String: CaptionRegion] = [:]
  private var captions: [Caption] = []
  private var language: String?
  private var title: String?
  /// Comments that stand before the next cue.
  private var comments: [String] = []

  /// - Parameter regions: of a head that is elsewhere.
  static func read(
    _ bytes: [UInt8], regions: [String: CaptionRegion] = [:]
  ) throws(CinematicError) -> CaptionDocument {
    var reader = WebVTTReader()
    reader.regions = regions
    try reader.readFile(bytes)
    return CaptionDocument(
      captions: reader.captions, format: .webVTT, language: reader.language, title: reader.title,
      issues: reader.log.all)
  }

  /// A cue that has its settings and its text apart, beginning at a time of a file, and what of it was skipped; `nil`
  /// where nothing is to be seen. Its time range is to be set.
  static func cue(
    _ text: String, settings: String, start: String, regions: [String: CaptionRegion] = [:]
  ) -> (caption: Caption?, issues: [CaptionIssue]) {
    // Empty lines would end the cue, and a line's end its settings.
    let body = text.split(whereSeparator: \.isNewline).joined(separator: "\n")
    let words = settings.split(whereSeparator: \.isNewline).joined(separator: " ")
    let document = "WEBVTT\n\n\(start) --> 999999:00:00.000 \(words)\n\(body)\n"
    guard let read = try? read(Array(document.utf8), regions: regions) else { return (nil, []) }
    return (read.captions.first, read.issues)
  }

  /// The regions of a head without cues.
  static func head(
    _ bytes: [UInt8]
  ) throws(CinematicError) -> (regions: [String: CaptionRegion], issues: [CaptionIssue]) {
    var reader = WebVTTReader()
    try reader.readFile(bytes)
    return (reader.regions, reader.log.all)
  }

  private mutating func readFile(_ bytes: [UInt8]) throws(CinematicError) {
    let lines = PlainText.lines(bytes, &log)
    guard let first = lines.first, first.hasPrefix("WEBVTT"),
      first.count == 6 || first.dropFirst(6).first?.isWhitespace == true
    else {
      throw CinematicError(
        .malformed, "this is no WebVTT file: it does not begin with WEBVTT",
        remedy: "name a .vtt file")
    }
    read(lines)
  }

  private mutating func read(_ lines: [Substring]) {
    let text = lines[0].dropFirst(6).trimmed
    if !text.isEmpty { title = text }
    var index = 1
    // Header lines up to the first empty one.
    while index < lines.count, !lines[index].isEmpty, PlainText.arrow(in: lines[index]) == nil {
      readHeader(lines[index], index + 1)
      index += 1
    }
    while index < lines.count {
      if lines[index].isEmpty {
        index += 1
        continue
      }
      let start = index
      var times: Int?
      while index < lines.count, !lines[index].isEmpty {
        // Times come first, or behind an identifier; elsewhere they begin the next cue (WebVTT, collect a block).
        if PlainText.arrow(in: lines[index]) != nil {
          guard times == nil, index - start <= 1 else { break }
          times = index
        }
        index += 1
      }
      readBlock(lines[start..<index], times: times)
    }
    if !comments.isEmpty {
      log.add(line: lines.count, as: .note, "comments behind the last cue were skipped")
    }
  }

  private mutating func readHeader(_ line: Substring, _ number: Int) {
    let parts = line.split(separator: ":", maxSplits: 1).map(\.trimmed)
    if parts.count == 2, parts[0].lowercased() == "language", !parts[1].isEmpty {
      language = parts[1]
    } else if line.hasPrefix("X-TIMESTAMP-MAP") {
      log.add(line: number, "X-TIMESTAMP-MAP was skipped: times are the file's own")
    } else {
      log.add(line: number, as: .note, "the header '\(line.prefix(40))' was skipped")
    }
  }

  private mutating func readBlock(_ block: ArraySlice<Substring>, times: Int?) {
    let start = block.startIndex
    guard let times else {
      let head = block[start]
      if head.hasPrefix("REGION") {
        readRegion(block.dropFirst())
      } else if head.hasPrefix("STYLE") {
        log.add(line: start + 1, "a style sheet was skipped")
      } else if head.hasPrefix("NOTE") {
        comments.append(
          (["\(head.dropFirst(4))"] + block.dropFirst().map(String.init))
            .joined(separator: "\n").trimmed)
      } else {
        log.add(line: start + 1, as: .error, "'\(head.prefix(40))' is no cue, and was skipped")
      }
      return
    }
    readCue(block[times...], identifier: times > start ? String(block[start]) : nil)
  }

  private mutating func readRegion(_ block: ArraySlice<Substring>) {
    var region = CaptionRegion(displayAlignment: .after, textAlignment: .center)
    var width = 100.0
    var lines = 3.0
    var anchor = (0.0, 100.0)
    var viewport = (0.0, 100.0)
    for (index, line) in zip(block.indices, block) {
      for word in line.words {
        let parts = word.split(separator: ":", maxSplits: 1).map(String.init)
        guard parts.count == 2 else { continue }
        switch parts[0] {
        case "id": region.identifier = parts[1]
        case "width": width = WebVTTSettings.percent(parts[1]) ?? width
        case "lines":
          lines = Double(parts[1]).flatMap { (1...100).contains($0) ? $0 : nil } ?? lines
        case "regionanchor": anchor = Self.pair(parts[1]) ?? anchor
        case "viewportanchor": viewport = Self.pair(parts[1]) ?? viewport
        case "scroll": region.scroll = parts[1] == "up" ? .rollUp : .none
        default:
          log.add(line: index + 1, "the region's setting '\(word.prefix(40))' was skipped")
        }
      }
    }
    guard let name = region.identifier else {
      return log.add(line: block.startIndex, "a region without an identifier was skipped")
    }
    let height = lines * WebVTTSettings.regionLineHeight
    region.size = .percent(width, height)
    region.origin = .percent(
      viewport.0 - anchor.0 / 100 * width, viewport.1 - anchor.1 / 100 * height)
    regions[name] = region
  }

  private static func pair(_ text: String) -> (Double, Double)? {
    let parts = text.split(separator: ",").compactMap { WebVTTSettings.percent(String($0)) }
    return parts.count == 2 ? (parts[0], parts[1]) : nil
  }

  private mutating func readCue(_ block: ArraySlice<Substring>, identifier: String?) {
    let number = block.startIndex + 1
    guard let line = block.first, let arrow = PlainText.arrow(in: line) else { return }
    let words = line[arrow.upperBound...].words
    let first = line[..<arrow.lowerBound].trimmed
    guard let start = PlainText.time(first[...]), let second = words.first,
      let end = PlainText.time(second[...])
    else {
      return log.add(
        line: number, as: .error, "'\(line.prefix(40))' has no two times, and its cue was skipped")
    }
    for text in [first, second] where !Self.isTime(text) {
      log.add(
        line: number, as: .error,
        "'\(text.prefix(20))' is not how WebVTT writes times: players skip it")
    }
    guard end > start else {
      return log.add(
        line: number, as: .error, "a cue that does not end after its start was skipped")
    }
    let tags = TagText(block.dropFirst().joined(separator: "\n"), .webVTT)
    for (severity, reason) in tags.skipped { log.add(line: number, as: severity, reason) }
    guard tags.pieces.contains(where: { !$0.text.allSatisfy(\.isWhitespace) }) else {
      return log.add(line: number, as: .note, "a cue without text was skipped")
    }
    var caption = Caption(pieces: tags.pieces, timeRange: TimeRange(start: start, end: end))
    let settings = WebVTTSettings(words.dropFirst(), regions, number, &log)
    caption.region = settings.region
    caption.textAlignment = settings.alignment
    caption.identifier = identifier
    (caption.comments, comments) = (comments, [])
    if !tags.timestamps.isEmpty { Self.reveal(&caption, tags.timestamps) }
    captions.append(caption)
  }

  /// Whether a time has two digits of minutes and seconds, three behind a point, and two of hours at least.
  private static func isTime(_ text: String) -> Bool {
    let fields = text.split(separator: ":", omittingEmptySubsequences: false)
    guard (2...3).contains(fields.count), let last = fields.last, last.utf8.count == 6,
      last.dropFirst(2).first == "."
    else { return false }
    let minutes = fields[fields.count - 2]
    return minutes.utf8.count == 2 && (fields.count == 2 || fields[0].utf8.count >= 2)
  }

  /// Times within a cue: what follows comes then.
  private static func reveal(
    _ caption: inout Caption, _ timestamps: [(offset: Int, time: Time)]
  ) {
    caption.animation = .characterReveal
    var times: [Time] = []
    var next = 0
    var time = Time.zero
    var position = 0
    for character in caption.text {
      defer { position += character.utf8.count }
      while next < timestamps.count, timestamps[next].offset <= position {
        let offset = timestamps[next].time - caption.timeRange.start
        time = max(time, min(offset, caption.timeRange.duration))
        next += 1
      }
      times.append(time)
    }
    caption.revealTimes = times
  }
}
