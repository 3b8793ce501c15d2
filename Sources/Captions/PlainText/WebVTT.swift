// SPDX-License-Identifier: Apache-2.0

import FocalCore

enum WebVTTReader {
  static func read(_ bytes: [UInt8]) throws(CinematicError) -> CaptionDocument {
    var log = IssueLog()
    let lines = PlainText.lines(bytes, &log)
    guard let first = lines.first, first.hasPrefix("WEBVTT"),
      first.count == 6 || first.dropFirst(6).first?.isWhitespace == true
    else {
      throw CinematicError(
        .malformed, "this is no WebVTT file: it does not begin with WEBVTT",
        remedy: "name a .vtt file")
    }
    var regions: [String: CaptionRegion] = [:]
    var captions: [Caption] = []
    var index = 1
    // Header lines up to the first empty one.
    while index < lines.count, !lines[index].isEmpty, !lines[index].contains("-->") { index += 1 }
    while index < lines.count {
      if lines[index].isEmpty {
        index += 1
        continue
      }
      let start = index
      while index < lines.count, !lines[index].isEmpty { index += 1 }
      let block = lines[start..<index]
      guard
        let line = block[start].contains("-->")
          ? start
          : block.count > 1
            && block[start + 1].contains("-->") ? start + 1 : nil
      else {
        let head = block[start]
        if head.hasPrefix("REGION") {
          readRegion(block.dropFirst(), &regions, &log)
        } else if head.hasPrefix("STYLE") {
          log.add(line: start + 1, "a style sheet was skipped")
        } else if !head.hasPrefix("NOTE") {
          log.add(line: start + 1, "'\(head.prefix(40))' is no cue, and was skipped")
        }
        continue
      }
      readCue(block[line...], regions, &captions, &log)
    }
    return CaptionDocument(captions: captions, format: .webVTT, issues: log.all)
  }

  private static func readRegion(
    _ block: ArraySlice<Substring>, _ regions: inout [String: CaptionRegion], _ log: inout IssueLog
  ) {
    var region = CaptionRegion(displayAlignment: .after, textAlignment: .center)
    var width = 100.0
    var lines = 3.0
    var anchor = (0.0, 100.0)
    var viewport = (0.0, 100.0)
    for line in block {
      for word in line.words {
        let parts = word.split(separator: ":", maxSplits: 1).map(String.init)
        guard parts.count == 2 else { continue }
        switch parts[0] {
        case "id": region.identifier = parts[1]
        case "width": width = percent(parts[1]) ?? width
        case "lines":
          lines = Double(parts[1]).flatMap { (1...100).contains($0) ? $0 : nil } ?? lines
        case "regionanchor": anchor = pair(parts[1]) ?? anchor
        case "viewportanchor": viewport = pair(parts[1]) ?? viewport
        case "scroll": region.scroll = parts[1] == "up" ? .rollUp : .none
        default:
          log.add(line: block.startIndex, "the region's setting '\(word.prefix(40))' was skipped")
        }
      }
    }
    guard let name = region.identifier else { return }
    // A line is 5.33 hundredths of the height high.
    let height = lines * 5.33
    region.size = .percent(width, height)
    region.origin = .percent(
      viewport.0 - anchor.0 / 100 * width, viewport.1 - anchor.1 / 100 * height)
    regions[name] = region
  }

  static func percent(_ text: String) -> Double? {
    guard text.hasSuffix("%"), let value = Double(text.dropLast()), (0...100).contains(value) else {
      return nil
    }
    return value
  }

  private static func pair(_ text: String) -> (Double, Double)? {
    let parts = text.split(separator: ",").compactMap { percent(String($0)) }
    return parts.count == 2 ? (parts[0], parts[1]) : nil
  }

  private static func readCue(
    _ block: ArraySlice<Substring>, _ regions: [String: CaptionRegion],
    _ captions: inout [Caption], _ log: inout IssueLog
  ) {
    let number = block.startIndex + 1
    guard let line = block.first, let arrow = line.firstRange(of: "-->") else { return }
    let words = line[arrow.upperBound...].words
    guard let start = PlainText.time(line[..<arrow.lowerBound].trimmed[...]),
      let end = words.first.flatMap({ PlainText.time($0[...]) })
    else {
      return log.add(line: number, "'\(line.prefix(40))' is no time, and its cue was skipped")
    }
    guard end > start else {
      return log.add(line: number, "a cue that does not end after its start was skipped")
    }
    let tags = TagText(block.dropFirst().joined(separator: "\n"), .webVTT)
    for reason in tags.skipped { log.add(line: number, reason) }
    guard tags.pieces.contains(where: { !$0.text.allSatisfy(\.isWhitespace) }) else {
      return log.add(line: number, "a cue without text was skipped")
    }
    var caption = Caption(pieces: tags.pieces, timeRange: TimeRange(start: start, end: end))
    let settings = WebVTTSettings(words.dropFirst(), regions, number, &log)
    caption.region = settings.region
    caption.textAlignment = settings.alignment
    if !tags.timestamps.isEmpty { reveal(&caption, tags.timestamps) }
    captions.append(caption)
  }

  /// Times within a cue: what follows comes then.
  private static func reveal(_ caption: inout Caption, _ timestamps: [(count: Int, time: Time)]) {
    caption.animation = .characterReveal
    var times: [Time] = []
    var next = 0
    var time = Time.zero
    for index in 0..<caption.text.count {
      while next < timestamps.count, timestamps[next].count <= index {
        let offset = timestamps[next].time - caption.timeRange.start
        time = max(time, min(offset, caption.timeRange.duration))
        next += 1
      }
      times.append(time)
    }
    caption.revealTimes = times
  }
}

/// Where a cue stands, and how a region becomes settings.
struct WebVTTSettings {
  private(set) var region: CaptionRegion?
  private(set) var alignment: Caption.TextAlignment?

  init(
    _ words: ArraySlice<String>, _ regions: [String: CaptionRegion], _ number: Int,
    _ log: inout IssueLog
  ) {
    var line: (value: Double, isPercent: Bool, alignment: String)?
    var position: Double?
    var size: Double?
    var vertical: String?
    for word in words {
      let parts = word.split(separator: ":", maxSplits: 1).map(String.init)
      guard parts.count == 2 else {
        log.add(line: number, "the setting '\(word.prefix(40))' was skipped")
        continue
      }
      var isUnderstood = true
      switch parts[0] {
      case "align":
        switch parts[1] {
        case "start": alignment = .start
        case "center", "middle": alignment = .center
        case "end": alignment = .end
        case "left": alignment = .left
        case "right": alignment = .right
        default: isUnderstood = false
        }
      case "line":
        let fields = parts[1].split(separator: ",").map(String.init)
        let align = fields.count > 1 ? fields[1] : "start"
        if let value = WebVTTReader.percent(fields[0]) {
          line = (value, true, align)
        } else if let value = Double(fields[0]), abs(value) < 1000 {
          line = (value, false, align)
        } else {
          isUnderstood = false
        }
      case "position":
        position = WebVTTReader.percent(String(parts[1].split(separator: ",").first ?? ""))
        isUnderstood = position != nil
      case "size":
        size = WebVTTReader.percent(parts[1])
        isUnderstood = size != nil
      case "vertical":
        vertical = parts[1]
        isUnderstood = parts[1] == "rl" || parts[1] == "lr"
      case "region":
        region = regions[parts[1]]
        isUnderstood = region != nil
      default: isUnderstood = false
      }
      if !isUnderstood { log.add(line: number, "the setting '\(word.prefix(40))' was skipped") }
    }
    if let vertical {
      region = vertical == "rl" ? .appleITTRight : .appleITTLeft
      if line != nil || position != nil || size != nil {
        log.add(line: number, "the place of vertical text becomes the screen's side")
      }
      return
    }
    guard region == nil, line != nil || position != nil || size != nil else { return }
    region = Self.region(line, position, size, alignment)
  }

  /// A place of its own. Lines are counted as of 15 on the screen, from its end where negative.
  private static func region(
    _ line: (value: Double, isPercent: Bool, alignment: String)?, _ position: Double?,
    _ size: Double?, _ alignment: Caption.TextAlignment?
  ) -> CaptionRegion {
    var region = CaptionRegion()
    let width = size ?? 100
    var x = (100 - width) / 2
    if let position {
      switch alignment ?? .center {
      case .start, .left: x = position
      case .end, .right: x = position - width
      case .center: x = position - width / 2
      }
      x = max(0, min(100, x))
    }
    var (y, height) = (85.0, 15.0)
    region.displayAlignment = .after
    if let line {
      let top =
        line.isPercent
        ? line.value : (line.value >= 0 ? line.value : 15 + line.value + 1) / 15 * 100
      if line.alignment == "end" || (!line.isPercent && line.value < 0) {
        (y, height) = (0, max(0, min(100, top)))
      } else {
        (y, height) = (max(0, min(100, top)), 100 - max(0, min(100, top)))
        region.displayAlignment = .before
      }
    }
    region.origin = .percent(x, y)
    region.size = .percent(min(width, 100 - x), height)
    // Lines of a cue that says nothing are centred.
    region.textAlignment = .center
    return region
  }
}
