// SPDX-License-Identifier: Apache-2.0

import FocalCore

/// Captions over time as a drawing: when each is on the screen, when CEA-608 would have to send it, and
/// where that collides.
public struct CaptionTimeline: Sendable {
  private static let pixelsPerSecond = 100.0
  private static let laneHeight = 22.0
  private static let left = 10.0
  private static let mostLanes = 31
  /// Wider drawings are no use: the scale is made smaller.
  private static let largestWidth = 24000.0

  private let captions: [Caption]
  private let conversion: CaptionConversion
  private let range: TimeRange
  private let scale: Double

  public init(_ captions: [Caption], settings: CaptionConversionSettings) {
    self.captions = captions
    conversion = CaptionConversion(captions, doubling: settings.doublesControlCodes)
    let clock = TimeCodeRate.ntsc
    let first = conversion.sent.first.map { clock.time(ofFrame: $0.frame) }
    let start = min(
      captions.map(\.timeRange.start).min() ?? .zero,
      first ?? captions.first?.timeRange.start ?? .zero)
    let end = max(captions.map(\.timeRange.end).max() ?? .zero, start)
    range = TimeRange(start: start, end: end)
    scale = min(
      Self.pixelsPerSecond, Self.largestWidth / max(1, range.duration.seconds))
  }

  private func x(_ time: Time) -> Double { Self.left + (time - range.start).seconds * scale }

  private static func text(_ value: Double) -> String { "\((value * 10).rounded() / 10)" }

  /// The drawing as a stand-alone SVG file: blue for captions as they are, orange for those that come
  /// later, red for those that are left out; below them gray where data is sent.
  public var svg: String {
    var warned: [Int: CaptionConversionWarning] = [:]
    for warning in conversion.warnings { for index in warning.captions { warned[index] = warning } }
    let order = captions.indices.sorted {
      (captions[$0].timeRange.start, $0) < (captions[$1].timeRange.start, $1)
    }
    let numbers = Self.lanes(of: order.map { captions[$0].timeRange })
    let bars = zip(order, numbers).map { bar(captions[$0], warned[$0], lane: $1) }
    let lanes = Double(1 + (numbers.max() ?? 0))
    // The legend needs its room, and the last label some.
    let width = Self.left + max(760, range.duration.seconds * scale + 30)
    let bottom = 30 + lanes * Self.laneHeight
    var lines = [
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 \(Self.text(width))"
        + " \(Self.text(bottom + 50))\" width=\"\(Self.text(width))\""
        + " height=\"\(Self.text(bottom + 50))\" font-family=\"sans-serif\" font-size=\"11\">",
      "<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>",
    ]
    lines += axis(bottom) + bars + transmissions(bottom + 6)
    lines.append(
      "<text x=\"\(Self.text(Self.left))\" y=\"\(Self.text(bottom + 44))\" fill=\"#555555\">"
        + "blue: as it is; orange: shown later than meant, light until then; red: left out; gray: data of"
        + " line 21, dark where the screen changes</text>"
    )
    return lines.joined(separator: "\n") + "\n</svg>\n"
  }

  /// The lanes of captions in the order of their starts: those that overlap stand below each other, and what no lane has
  /// room for is in the last one.
  static func lanes(of ranges: [TimeRange]) -> [Int] {
    var ends: [Time] = []
    return ranges.map { range in
      let lane =
        ends.firstIndex { $0 <= range.start } ?? min(ends.count, Self.mostLanes - 1)
      if lane == ends.count { ends.append(range.end) }
      ends[lane] = max(ends[lane], range.end)
      return lane
    }
  }

  private func bar(
    _ caption: Caption, _ warning: CaptionConversionWarning?, lane: Int
  ) -> String {
    let (from, to) = (x(caption.timeRange.start), x(caption.timeRange.end))
    let y = 26 + Double(lane) * Self.laneHeight
    let color = warning.map { $0.adjustment == nil ? "#d62728" : "#ff9f1c" } ?? "#8ecae6"
    let height = Self.text(Self.laneHeight - 4)
    var title = Self.escaped(caption.text)
    if let warning { title += " (\(Self.escaped(warning.reason)))" }
    var text = "<g><title>\(title)</title><rect x=\"\(Self.text(from))\" y=\"\(Self.text(y))\""
    text += " width=\"\(Self.text(max(0.5, to - from)))\" height=\"\(height)\" fill=\"\(color)\"/>"
    if let offset = warning?.adjustment?.startTimeOffset, offset > .zero {
      text += "<rect x=\"\(Self.text(from))\" y=\"\(Self.text(y))\""
      text +=
        " width=\"\(Self.text(offset.seconds * scale))\" height=\"\(height)\" fill=\"#ffd9a0\"/>"
    }
    let room = Int((to - from - 4) / 8)
    if room > 2 {
      let line = caption.text.split(whereSeparator: \.isNewline).joined(separator: " / ")
      text += "<text x=\"\(Self.text(from + 3))\" y=\"\(Self.text(y + 13))\">"
      text += "\(Self.escaped(String(line.prefix(room))))</text>"
    }
    return text + "</g>"
  }

  private func transmissions(_ y: Double) -> [String] {
    let clock = TimeCodeRate.ntsc
    var bars: [String] = []
    var start = 0
    while start < conversion.sent.count {
      var end = start
      while end + 1 < conversion.sent.count,
        conversion.sent[end + 1].frame == conversion.sent[end].frame + 1
      {
        end += 1
      }
      let from = x(clock.time(ofFrame: conversion.sent[start].frame))
      let to = x(clock.time(ofFrame: conversion.sent[end].frame + 1))
      bars.append(
        "<rect x=\"\(Self.text(from))\" y=\"\(Self.text(y))\" width=\"\(Self.text(max(0.5, to - from)))\""
          + " height=\"10\" fill=\"#888888\"/>")
      start = end + 1
    }
    // Where a caption is shown or the screen erased.
    for sent in conversion.sent
    where sent.pair == CEA608.Command.endOfCaption.code
      || sent.pair == CEA608.Command.eraseDisplayedMemory.code
      || sent.pair == CEA608.Command.carriageReturn.code
    {
      let from = x(clock.time(ofFrame: sent.frame))
      bars.append(
        "<rect x=\"\(Self.text(from))\" y=\"\(Self.text(y - 3))\" width=\"1\" height=\"16\" fill=\"#222222\"/>"
      )
    }
    return bars
  }

  private func axis(_ bottom: Double) -> [String] {
    let seconds = range.duration.seconds
    var step = 1.0
    for candidate in [1.0, 2, 5, 10, 30, 60, 300, 600, 3600] where scale * step < 60 {
      step = candidate
    }
    var lines: [String] = []
    var second = (range.start.seconds / step).rounded(.up) * step
    while second <= range.start.seconds + seconds, lines.count < 4000 {
      let x = Self.text(Self.left + (second - range.start.seconds) * scale)
      let label = Time(seconds: second, preferredTimescale: 1).value
      lines.append(
        "<line x1=\"\(x)\" y1=\"20\" x2=\"\(x)\" y2=\"\(Self.text(bottom + 20))\" stroke=\"#dddddd\"/>"
          + "<text x=\"\(x)\" y=\"14\" text-anchor=\"\(lines.isEmpty ? "start" : "middle")\""
          + " fill=\"#555555\">\(label) s</text>"
      )
      // Far out, a step is less than what seconds differ by.
      guard second + step > second else { break }
      second += step
    }
    return lines
  }

  private static func escaped(_ text: String) -> String {
    TTMLWriter.escaped(text, lineBreak: " ").text
  }
}
