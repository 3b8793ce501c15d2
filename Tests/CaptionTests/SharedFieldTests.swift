// SPDX-License-Identifier: Apache-2.0

import FocalCore
import Testing

@testable import FocalCaptions

/// Two channels of field 1 in one file (47 CFR 79.101(c): a receiver decodes C1 and C2; (f)(1)(ix), (f)(2)(iv),
/// (f)(3)(iii) and CTA-608-E, C.15: captions go on where the other channel has interrupted them).
struct SharedFieldTests {
  private static func captions(_ random: inout Seeded, _ letter: String) -> [Caption] {
    var captions: [Caption] = []
    var start = 60 + random.below(60)
    for number in 0..<(3 + random.below(8)) {
      let end = start + 20 + random.below(90)
      let kind = random.below(6)
      let rows = kind == 0 ? 1 : 1 + random.below(2)
      for row in 0..<rows {
        var text = String(repeating: letter, count: 1 + random.below(20))
        if random.chance(3) { text += "é\u{2019}Ü" }
        var caption = Caption(
          "\(number)\(text)", timeRange: TimeRange(start: frames(start), end: frames(end)))
        caption.region = CaptionRegion(
          origin: .cell(column: random.below(8), row: 12 + row), size: .cells(caption.text.count, 1)
        )
        if kind == 0 {
          caption.animation = .characterReveal
          caption.revealTimes = (0..<caption.text.count).map { frames($0 / 2) }
        }
        captions.append(caption)
      }
      start = end + (random.chance(2) ? 0 : random.below(80))
    }
    return captions
  }

  @Test(arguments: [true, false]) func bothChannels(_ doubling: Bool) throws {
    var random = Seeded(doubling ? 31 : 32)
    for number in 0..<min(20000, caseCount(200)) {
      let (first, second) = (Self.captions(&random, "a"), Self.captions(&random, "b"))
      let channel: CEA608.Channel = random.chance(3) ? .two : .one
      var options = CaptionWritingOptions()
      options.channel = channel
      options.otherChannelCaptions = second
      let document = CaptionDocument(
        captions: first, format: .scc, doublesControlCodes: doubling)
      let both = try document.written(as: .scc, options: options)
      let alone = try document.written(as: .scc)
      let other: CEA608.Channel = channel == .one ? .two : .one
      // The first channel is as it is without the second.
      try #require(
        try Playback(both.bytes, channel: channel) == Playback(alone.bytes), "case \(number)")
      // No two pairs share a frame: the file's lines do not wait for each other.
      var scanner = try SCCScanner(both.bytes)
      _ = scanner.transmission()
      try #require(scanner.log.all.isEmpty, "case \(number): \(scanner.log.all)")
      // The second shows what its warnings say, to the frame.
      let controlCost = doubling ? 2 : 1
      let conversion = CaptionConversion(
        second, doubling: doubling,
        in: SharedField(
          CaptionConversion(first, doubling: doubling).sent, controlCost: controlCost))
      let playback = try Playback(both.bytes, channel: other)
      let adjusted = CaptionConversion.adjusted(second, by: conversion.warnings)
      for caption in adjusted where caption.animation == .none {
        let start = TimeCodeRate.ntsc.frame(nearest: caption.timeRange.start)
        let end = TimeCodeRate.ntsc.frame(nearest: caption.timeRange.end)
        let row = Int(caption.region?.origin?.y.value ?? 0)
        try #require(
          playback.screen(at: start).text(row: row)?.contains(caption.text) == true,
          "case \(number): \(caption.text) at \(start)")
        try #require(
          playback.screen(at: start - 1).text(row: row)?.contains(caption.text) != true,
          "case \(number): \(caption.text) before \(start)")
        try #require(
          end <= start
            || playback.screen(at: end - 1).text(row: row)?.contains(caption.text) == true,
          "case \(number): \(caption.text) at \(end - 1)")
      }
      // Read again, each channel has its own, and the other one is named.
      var reading = CaptionReadingOptions()
      reading.channel = other
      let again = try CaptionDocument(reading: both.bytes, options: reading)
      #expect(again.captions.allSatisfy { !$0.text.contains("a") })
      #expect(again.issues.contains { $0.reason.contains("channel \(channel.rawValue) has") })
    }
  }

  @Test func frames608() {
    // Stretches of the first channel: 10 to 14, which goes on with a character at 17, and a control at 20.
    let sent: [(frame: Int, pair: UInt16)] =
      [10, 11, 12, 13, 14].map { ($0, $0 < 12 ? 0x1420 : 0x4141) } + [(17, 0x4242), (20, 0x142F)]
    let field = SharedField(sent, controlCost: 1)
    #expect((0..<10).allSatisfy { field.frame($0) == $0 && field.number(from: $0) == $0 })
    // 15 and 16 belong to the first channel; 18 is kept for a code; 21 likewise.
    #expect(field.frame(10) == 19 && field.frame(11) == 22)
    #expect(field.number(from: 12) == 10 && field.number(from: 20) == 11)
    #expect(field.number(from: 30) == 19 && field.frame(19) == 30)
  }

  @Test func otherFormats() throws {
    var options = CaptionWritingOptions()
    options.otherChannelCaptions = [
      Caption("x", timeRange: TimeRange(start: frames(90), end: frames(120)))
    ]
    let document = CaptionDocument(captions: [], format: .scc)
    let error = #expect(throws: CinematicError.self) {
      try document.written(as: .subRip, options: options)
    }
    #expect(error?.code == .invalidParameter)
    #expect(!(try document.written(as: .scc, options: options).bytes.isEmpty))
  }
}
