// SPDX-License-Identifier: Apache-2.0

import FocalCore
import Testing

@testable import FocalCaptions

/// Fitting captions into line 21, against the simulated decoder.
struct ConversionTests {
  private static func caption(_ text: String, _ start: Int, _ end: Int, row: Int = 14) -> Caption {
    var caption = Caption(text, timeRange: TimeRange(start: frames(start), end: frames(end)))
    caption.region = CaptionRegion(
      origin: .cell(column: 0, row: row), size: .cells(text.count, 1))
    return caption
  }

  private static func warnings(_ captions: [Caption]) throws -> [CaptionConversionWarning] {
    let validator = CaptionConversionValidator(captions: captions, settings: try .init())
    try validator.validateCaptionConversion { _ in }
    #expect(validator.status == .completed)
    return validator.warnings
  }

  private static func full(_ letter: String) -> String { String(repeating: letter, count: 32) }

  /// The cost of captions in frames: commands, rows, end.
  @Test func costs() throws {
    for (rows, cost) in [(1, 24), (2, 42), (3, 60), (4, 78)] {
      let captions = (0..<rows).map { Self.caption(Self.full("x"), cost - 2, 900, row: 11 + $0) }
      #expect(try Self.warnings(captions).isEmpty)
      let early = (0..<rows).map { Self.caption(Self.full("x"), cost - 3, 900, row: 11 + $0) }
      let warning = try #require(try Self.warnings(early).first)
      #expect(warning.captions == Array(0..<rows))
      #expect(warning.adjustment?.startTimeOffset == frames(1))
      #expect(warning.adjustment?.durationOffset == frames(-1))
    }
  }

  /// Six captions of two full rows, a second apart: 42 frames of data each, 30 frames from one to the
  /// next. Five can be kept.
  @Test func overload() throws {
    var captions: [Caption] = []
    for number in 0..<6 {
      for row in 13...14 {
        captions.append(
          Self.caption(Self.full("\(number)"), 100 + number * 30, 130 + number * 30, row: row))
      }
    }
    let warnings = try Self.warnings(captions)
    let lost = warnings.filter { $0.adjustment == nil }
    #expect(lost.map(\.captions) == [[6, 7]])
    #expect(warnings.allSatisfy { $0.captions.count == 2 })
    try Self.check(captions)
  }

  /// Everything that a conversion promises, of any captions.
  static func check(_ captions: [Caption]) throws {
    let clock = TimeCodeRate.ntsc
    let warnings = try warnings(captions)
    let conversion = CaptionConversion(captions, doubling: true)
    // No two transmissions collide.
    for (a, b) in zip(conversion.sent, conversion.sent.dropFirst()) {
      try #require(a.frame < b.frame, "frame \(a.frame) is sent in twice")
    }
    try #require(conversion.sent.first.map { $0.frame >= 0 } ?? true)
    let adjusted = CaptionConversion.adjusted(captions, by: warnings)
    try #require(try Self.warnings(adjusted).isEmpty, "adjusted captions are warned of")
    // The screen shows the adjusted captions, at every frame: nothing early, nothing late.
    let playback = Playback(captions)
    #expect(playback == Playback(adjusted))
    let last = adjusted.map { clock.frame(nearest: $0.timeRange.end) }.max() ?? 0
    for frame in 0...last + 1 {
      var screen = CEA608.Screen()
      for caption in adjusted
      where clock.frame(nearest: caption.timeRange.start) <= frame
        && frame < clock.frame(nearest: caption.timeRange.end)
      {
        for row in CellLayout.layout(caption).rows {
          for (offset, cell) in row.cells.enumerated() {
            screen[row.row, row.column + offset] = cell
          }
        }
      }
      try #require(playback.screen(at: frame) == screen, "frame \(frame)")
    }
    // Captions without a warning are not changed; no smaller shift would do.
    let changed = Set(warnings.flatMap(\.captions))
    for warning in warnings {
      guard let adjustment = warning.adjustment, adjustment.startTimeOffset > .zero else {
        continue
      }
      var closer = captions
      for other in warnings where other.timeRange.start < warning.timeRange.start {
        for index in other.captions {
          guard let change = other.adjustment else { continue }
          closer[index].timeRange.start += change.startTimeOffset
          closer[index].timeRange.duration += change.durationOffset
        }
      }
      for index in warning.captions {
        closer[index].timeRange.start += adjustment.startTimeOffset - frames(1)
      }
      let gone = Set(warnings.filter { $0.adjustment == nil }.flatMap(\.captions))
      let kept = closer.indices.filter {
        !gone.contains($0)
          && (closer[$0].timeRange.start < warning.timeRange.start || warning.captions.contains($0))
      }
      let again = try Self.warnings(kept.map { closer[$0] })
      #expect(
        again.contains { $0.captions.contains { warning.captions.contains(kept[$0]) } },
        "a smaller shift of \(warning.captions) would do")
    }
    _ = changed
  }

  @Test func properties() throws {
    var random = Seeded(21)
    for number in 0..<min(5000, caseCount(300)) {
      var captions: [Caption] = []
      var start = 20 + random.below(60)
      for set in 0..<(2 + random.below(8)) {
        let duration = 3 + random.below(60)
        for row in 0..<(1 + random.below(3)) {
          let count = 1 + random.below(32)
          captions.append(
            caption(
              String(
                (0..<count).map { _ in Character(Unicode.Scalar(UInt8(97 + random.below(26)))) }),
              start, start + duration, row: 14 - row))
        }
        _ = set
        start += duration + (random.chance(2) ? 0 : random.below(50))
      }
      do {
        try Self.check(captions)
      } catch {
        Issue.record("case \(number): \(error)")
        return
      }
    }
  }

  private func caption(_ text: String, _ start: Int, _ end: Int, row: Int) -> Caption {
    Self.caption(text, start, end, row: row)
  }

  /// Captions that overlap in time: each change of the screen is sent whole.
  @Test func overlaps() throws {
    let captions = [
      Self.caption("below", 100, 400), Self.caption("above", 200, 300, row: 1),
    ]
    #expect(try Self.warnings(captions).isEmpty)
    let playback = Playback(captions)
    #expect(playback.changes.map(\.frame) == [100, 200, 300, 400])
    #expect(playback.screen(at: 250).text(row: 1) == "above")
    #expect(playback.screen(at: 250).text(row: 14) == "below")
    #expect(playback.screen(at: 350).text(row: 1) == nil)
  }

  @Test func rowsAndRepertoire() throws {
    let range = TimeRange(start: frames(300), end: frames(600))
    let long = Caption(
      (0..<9).map { "line number \($0) of nine that is long" }.joined(separator: "\n"),
      timeRange: range)
    let warning = try #require(try Self.warnings([long]).first)
    #expect(warning.kind == .excessRows && warning.adjustment == nil)
    let foreign = Caption("日 naïve — “ok”… don't", timeRange: range)
    let written = try CaptionDocument(captions: [foreign], format: .subRip).written(as: .scc)
    #expect(written.losses.contains { $0.reason.contains("U+65E5") })
    let back = try CaptionDocument(reading: written.bytes)
    #expect(back.captions.map(\.text) == ["naïve ━ “ok”... don't"])
    #expect(throws: CinematicError.self) {
      var options = CaptionWritingOptions()
      options.isStrict = true
      _ = try CaptionDocument(captions: [foreign], format: .subRip).written(
        as: .scc, options: options)
    }
  }

  @Test func validatorStates() throws {
    let captions = (0..<50).map { Self.caption(Self.full("x"), 30 + $0 * 20, 50 + $0 * 20) }
    let validator = CaptionConversionValidator(captions: captions, settings: try .init())
    #expect(validator.status == .unknown)
    var seen = 0
    var ended = 0
    try validator.validateCaptionConversion { warning in
      if warning == nil { ended += 1 } else { seen += 1 }
      if seen == 3 { validator.stopValidating() }
    }
    #expect(seen == 3 && ended == 1 && validator.status == .stopped)
    #expect(throws: CinematicError.self) { try validator.validateCaptionConversion { _ in } }
  }

  /// The second that an axis begins with may be more than a whole number holds.
  @Test func timelineAtTheEndOfTime() throws {
    let range = TimeRange(
      start: Time(value: .max, timescale: 1), duration: Time(value: 1, timescale: 1))
    let svg = CaptionTimeline([Caption("x", timeRange: range)], settings: try .init()).svg
    #expect(svg.contains("\(Int64.max) s</text>") && svg.hasSuffix("</svg>\n"))
  }

  /// Captions that overlap have 31 lanes, and looking for one takes no longer for more of them.
  @Test(.timeLimit(.minutes(10))) func timelineOfMany() throws {
    let ranges = (0..<400_000).map {
      TimeRange(start: Time(value: Int64($0), timescale: 1000), end: Time(value: 900, timescale: 1))
    }
    let lanes = CaptionTimeline.lanes(of: ranges)
    #expect(Array(lanes.prefix(40)) == Array(0..<31) + Array(repeating: 30, count: 9))
    #expect(lanes.allSatisfy { (0..<31).contains($0) })
    let apart = (0..<4).map { TimeRange(start: frames($0 * 10), end: frames($0 * 10 + 15)) }
    #expect(CaptionTimeline.lanes(of: apart) == [0, 1, 0, 1])
  }

  /// Any text leaves a drawing that is XML.
  @Test func timelineOfSigns() throws {
    let text = "<\u{338} & &\u{301} ]]> \u{1}\u{FFFE} \"a\"\nb"
    let svg = CaptionTimeline(
      [Caption(text, timeRange: TimeRange(start: frames(30), end: frames(600)))],
      settings: try .init()
    ).svg
    #expect(XMLTree(Array(svg.utf8)).failure == nil, "\(svg)")
  }

  @Test func asynchronousValidation() async throws {
    let captions = (0..<50).map { Self.caption(Self.full("x"), 30 + $0 * 20, 50 + $0 * 20) }
    let validator = CaptionConversionValidator(captions: captions, settings: try .init())
    let warnings = try await validator.validate()
    #expect(!warnings.isEmpty && warnings == validator.warnings)
    #expect(try Self.warnings(validator.adjustedCaptions).isEmpty)
  }

  /// A caption that comes late and goes on after the media's end has one warning, whose change is all that it takes.
  @Test func lateAndBeyondTheEnd() throws {
    let captions = [Self.caption(Self.full("x"), 10, 200)]
    func validator(_ captions: [Caption], end: Int) throws -> CaptionConversionValidator {
      let validator = CaptionConversionValidator(
        captions: captions, timeRange: TimeRange(start: .zero, end: frames(end)),
        settings: try .init())
      try validator.validateCaptionConversion { _ in }
      return validator
    }
    let cut = try validator(captions, end: 100)
    #expect(cut.warnings.count == 1)
    #expect(cut.warnings.first?.reason.contains("after the media's end") == true)
    let adjusted = cut.adjustedCaptions
    #expect(adjusted.map(\.timeRange) == [TimeRange(start: frames(22), end: frames(100))])
    #expect(try validator(adjusted, end: 100).warnings.isEmpty)
    // Nothing of it is left where the media end before it comes.
    let lost = try validator(captions, end: 20)
    #expect(lost.warnings.map(\.adjustment) == [nil])
    #expect(lost.adjustedCaptions.isEmpty)
    // Media without an end cut nothing.
    let whole = try #require(try Self.warnings(captions).first)
    #expect(!whole.reason.contains("end"))
  }

  @Test func conformer() throws {
    var conformer = CaptionFormatConformer(settings: try .init())
    var caption = Caption(
      "Hello\nworld", timeRange: TimeRange(start: frames(100), end: frames(105)))
    caption.region = .appleITTBottom
    let (captions, losses) = try conformer.conformedCaptions(for: caption)
    #expect(captions.map(\.text) == ["Hello", "world"] && losses.isEmpty)
    #expect(captions.map { $0.region?.size?.height } == [.cells(1), .cells(1)])
    conformer.conformsCaptionsToTimeRange = true
    let ranged = try conformer.conformedCaptions(for: caption).captions
    // Commands 4, rows of 2 + 2 (+ 2 to reach the column) + 3 pairs each, end 2.
    #expect(ranged.allSatisfy { $0.timeRange.duration > frames(18) })
  }
}
