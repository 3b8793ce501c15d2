// SPDX-License-Identifier: Apache-2.0

import FocalCore
import Testing

@testable import FocalCaptions

/// Captions that are on the screen together, in .scc files: none is written over another.
struct OverlapTests {
  private static func caption(
    _ text: String, _ start: Int, _ end: Int, region: CaptionRegion? = nil
  ) -> Caption {
    var caption = Caption(text, timeRange: TimeRange(start: frames(start), end: frames(end)))
    caption.region = region
    return caption
  }

  /// The texts of neighbouring cells, from above.
  private static func texts(_ screen: CEA608.Screen) -> [String] {
    (0..<CEA608.rowCount).flatMap { row in
      screen.segments(row: row).map { segment in
        segment.cells.reduce(into: "") { $0.unicodeScalars.append($1.character) }
      }
    }
  }

  /// Together they stand in their order; one that comes later stands above, and one that stays does not move.
  @Test func stacking() throws {
    let together = Playback([
      Self.caption("- Who are you, friend?", 150, 270), Self.caption("- Nobody.", 150, 270),
    ])
    #expect(Self.texts(together.screen(at: 200)) == ["- Who are you, friend?", "- Nobody."])
    let captions = [
      Self.caption("First speaker talks on\nand on", 150, 270),
      Self.caption("Second interrupts", 210, 330),
    ]
    let later = Playback(captions)
    #expect(Self.texts(later.screen(at: 200)) == ["First speaker talks on", "and on"])
    #expect(
      Self.texts(later.screen(at: 260)) == [
        "Second interrupts", "First speaker talks on", "and on",
      ])
    #expect(later.screen(at: 260).text(row: 14) == later.screen(at: 200).text(row: 14))
    #expect(Self.texts(later.screen(at: 300)) == ["Second interrupts"])
    #expect(CaptionConversion(captions, doubling: true).warnings.isEmpty)
    let top = Playback([
      Self.caption("one", 150, 270, region: .appleITTTop),
      Self.caption("two", 150, 270, region: .appleITTTop),
    ])
    #expect(top.screen(at: 200).text(row: 0)?.hasSuffix("one") == true)
    #expect(top.screen(at: 200).text(row: 1)?.hasSuffix("two") == true)
  }

  /// 47 CFR 79.101(d): four rows at once. A fifth waits for room; without any until its end it is left out.
  @Test func fourRows() throws {
    let full = CaptionConversion(
      [
        Self.caption("one\ntwo\nthree", 150, 270, region: .appleITTTop),
        Self.caption("four\nfive\nsix", 150, 270),
      ], doubling: true)
    #expect(full.warnings.map(\.captions) == [[1]])
    #expect(full.warnings[0].kind == .excessRows && full.warnings[0].adjustment == nil)
    let captions = [
      Self.caption("one\ntwo\nthree", 150, 270), Self.caption("four\nfive", 260, 400),
    ]
    let late = CaptionConversion(captions, doubling: true)
    #expect(late.warnings.map(\.captions) == [[1]] && late.warnings[0].kind == .excessRows)
    #expect(late.warnings[0].adjustment?.startTimeOffset == frames(10))
    #expect(late.warnings[0].adjustment?.durationOffset == frames(-10))
    let playback = Playback(captions)
    #expect(Self.texts(playback.screen(at: 269)) == ["one", "two", "three"])
    #expect(Self.texts(playback.screen(at: 270)) == ["four", "five"])
    // A screen of cells that has more is sent as it is, and told.
    let rows = (0..<6).map { row in
      Self.caption(
        "row", 300, 400,
        region: CaptionRegion(origin: .cell(column: 0, row: 2 * row), size: .cells(3, 1)))
    }
    let written = try CaptionDocument(captions: rows, format: .scc).written(as: .scc)
    #expect(written.losses.map(\.reason) == ["the screen has 6 rows, and receivers show four"])
    #expect(try CaptionDocument(reading: written.bytes).captions.count == 6)
  }

  /// Captions whose cells are taken are moved, and told.
  @Test func takenCells() throws {
    let region = CaptionRegion(origin: .cell(column: 0, row: 14), size: .cells(5, 1))
    let captions = [
      Self.caption("first", 300, 400, region: region),
      Self.caption("later", 350, 450, region: region),
    ]
    let written = try CaptionDocument(captions: captions, format: .scc).written(as: .scc)
    #expect(written.losses.count == 1 && written.losses[0].reason.contains("other rows"))
    let playback = try Playback(written.bytes)
    #expect(Self.texts(playback.screen(at: 380)) == ["later", "first"])
  }

  private static func random(_ random: inout Seeded) -> [Caption] {
    var start = 40 + random.below(60)
    return (0..<(2 + random.below(9))).map { number in
      let duration = 6 + random.below(150)
      let lines = (0..<(1 + random.below(3))).map { line in
        // Every line is unlike every other.
        "\(number).\(line)x"
          + String((0..<(1 + random.below(24))).map { _ in random.pick(Array("abc dé.♪ö")) })
          .split(separator: " ").joined(separator: " ")
      }
      let caption = Self.caption(
        lines.joined(separator: "\n"), start, start + duration,
        region: random.pick([nil, nil, .appleITTTop, .appleITTBottom]))
      start += random.pick([0, 1, 5, 20, 60, duration / 2, duration, duration + 30])
      return caption
    }
  }

  /// The same with captions that are painted on: what is on the screen is always the beginning of one's line, and of
  /// others the whole.
  @Test func nothingPaintedIsGarbled() throws {
    var random = Seeded(93)
    let clock = TimeCodeRate.ntsc
    for number in 0..<min(20000, caseCount(300)) {
      var captions = Self.random(&random)
      for index in captions.indices where random.chance(3) {
        captions[index].animation = .characterReveal
      }
      let conversion = CaptionConversion(captions, doubling: true)
      let adjusted = CaptionConversion.adjusted(captions, by: conversion.warnings)
      let playback = Playback(captions)
      let lines = adjusted.flatMap { caption in
        caption.text.split(separator: "\n").map { (text: String($0), caption: caption) }
      }
      for (frame, screen) in playback.changes.map({ ($0.frame, $0.screen) }) {
        var left = lines.filter {
          clock.frame(nearest: $0.caption.timeRange.start) <= frame
            && frame < clock.frame(nearest: $0.caption.timeRange.end)
        }
        for text in Self.texts(screen) {
          // The longest line that it begins: "1.1x" begins others, too.
          let place = left.firstIndex {
            $0.text == text || ($0.caption.animation != .none && $0.text.hasPrefix(text))
          }
          let simple = left.firstIndex {
            // An accent or a sign that is about to replace a simpler character.
            $0.caption.animation != .none && $0.text.hasPrefix(text.dropLast())
          }
          let found = try #require(
            place ?? simple,
            "case \(number), frame \(frame): \(text) of \(captions.map { ($0.text, $0.timeRange, $0.animation) })"
          )
          left.remove(at: found)
        }
        try #require(
          left.allSatisfy { $0.caption.animation != .none },
          "case \(number), frame \(frame): \(left.map(\.text))")
      }
    }
  }

  /// Through a file and back: at every frame the screen has the captions that the warnings leave, whole, once, in rows
  /// under each other, and nothing else; captions without a warning have their own frames; four rows are not exceeded.
  @Test(arguments: [true, false]) func nothingIsGarbled(doubling: Bool) throws {
    var random = Seeded(doubling ? 91 : 92)
    let clock = TimeCodeRate.ntsc
    for number in 0..<min(20000, caseCount(300)) {
      let captions = Self.random(&random)
      let conversion = CaptionConversion(captions, doubling: doubling)
      let document = CaptionDocument(
        captions: captions, format: .subRip, doublesControlCodes: doubling)
      let playback = try Playback(try document.written(as: .scc).bytes)
      let adjusted = CaptionConversion.adjusted(captions, by: conversion.warnings)
      let shown = adjusted.map { caption in
        (
          start: clock.frame(nearest: caption.timeRange.start),
          end: clock.frame(nearest: caption.timeRange.end),
          lines: caption.text.split(separator: "\n").map(String.init)
        )
      }
      let frames = Set(shown.flatMap { [$0.start - 1, $0.start, $0.end - 1, $0.end] })
        .union(playback.changes.map(\.frame))
      for frame in frames.sorted() {
        let screen = playback.screen(at: frame)
        let active = shown.filter { $0.start <= frame && frame < $0.end }
        let texts = Self.texts(screen)
        try #require(
          texts.sorted() == active.flatMap(\.lines).sorted(),
          "case \(number), frame \(frame): \(texts), \(captions.map { ($0.text, $0.timeRange) })")
        try #require((0..<15).count { screen.text(row: $0) != nil } <= 4)
        for caption in active {
          let rows = caption.lines.compactMap { line in
            (0..<15).first { screen.text(row: $0)?.contains(line) == true }
          }
          try #require(rows.last! - rows[0] == rows.count - 1 && rows == rows.sorted())
        }
      }
      // The shifts are all that is to be done.
      let again = CaptionConversion(adjusted, doubling: doubling)
      try #require(again.warnings.isEmpty, "case \(number): \(again.warnings)")
      try #require(
        zip(conversion.sent, conversion.sent.dropFirst()).allSatisfy { $0.frame < $1.frame })
    }
  }
}
