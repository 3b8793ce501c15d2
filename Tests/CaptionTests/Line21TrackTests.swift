// SPDX-License-Identifier: Apache-2.0

import FocalBoxes
import FocalCore
import Testing

@testable import FocalCaptions

/// CEA-608 in movies: channels, fields, and parts of a movie.
struct Line21TrackTests {
  private static func caption(_ text: String, _ start: Int, _ end: Int) -> Caption {
    var caption = Caption(text, timeRange: TimeRange(start: frames(start), end: frames(end)))
    caption.region = CaptionRegion(
      origin: .cell(column: 0, row: 14), size: .cells(text.count, 1))
    return caption
  }

  /// The samples of both channels of a field.
  private static func samples(
    _ one: [Caption], _ two: [Caption] = [], _ field: CEA608.Field = .one
  ) -> [CaptionTrack.Sample] {
    SCCFile.plan(one, in: .one, of: field, others: two, doubling: true).sent.map { frame, pair in
      let coded = CEA608.withParity(pair)
      let box = Box(
        field == .one ? "cdat" : "cdt2", data: [UInt8(coded >> 8), UInt8(coded & 0xFF)])
      return (TimeRange(start: frames(frame), end: frames(frame + 1)), box.bytes)
    }
  }

  private static func read(
    _ samples: [CaptionTrack.Sample], _ channel: CEA608.Channel = .one,
    _ field: CEA608.Field? = nil
  ) throws -> CaptionDocument {
    var options = CaptionReadingOptions()
    (options.channel, options.field) = (channel, field)
    return try CaptionTrack.captions(
      entry: Box("c608", data: [UInt8](repeating: 0, count: 8)), samples: samples, options: options)
  }

  /// Every channel can be read, and those that are not are named.
  @Test func channels() throws {
    let samples = Self.samples(
      [Self.caption("ENGLISH", 60, 120)], [Self.caption("ESPANOL", 200, 260)])
    for (channel, text) in [(CEA608.Channel.one, "ENGLISH"), (.two, "ESPANOL")] {
      let document = try Self.read(samples, channel)
      #expect(document.captions.map(\.text) == [text])
      #expect(document.issues.map(\.reason).contains { $0.contains("were not read") })
    }
    let second = Self.samples([Self.caption("CC3", 60, 120)], [], .two)
    // The only field that has captions is read by itself.
    let document = try Self.read(second)
    #expect(document.captions.map(\.text) == ["CC3"] && document.field == .two)
    #expect(document.issues.isEmpty, "\(document.issues)")
    let both = zip(samples, second).map { ($0.timeRange, $0.data + $1.data) }
    #expect(both.count == second.count)
    #expect(try Self.read(both, .one, .two).captions.map(\.text) == ["CC3"])
    let first = try Self.read(both)
    #expect(first.captions.map(\.text) == ["ENGLISH"])
    #expect(first.issues.map(\.reason).contains { $0.hasPrefix("field 2 has captions") })
  }

  /// A part that begins between the codes of a caption and its time shows it: late by what its codes take.
  @Test func parts() throws {
    let captions = [
      Self.caption("BEFORE", 60, 90), Self.caption("ACROSS", 120, 240),
      Self.caption("LOADED AHEAD", 300, 360), Self.caption("AFTER", 400, 450),
    ]
    let others = [Self.caption("DOS", 130, 500)]
    let samples = Self.samples(captions, others)
    // Within the first caption that is seen, and behind the codes of the second.
    for cut in [150, 295] {
      let range = TimeRange(start: frames(cut), end: frames(420))
      let part = CaptionTrack.line21(samples, in: range)
      #expect(part.samples.allSatisfy { $0.timeRange.start >= range.start })
      let read = try Self.read(part.samples)
      let expected = captions.filter { !$0.timeRange.intersection(range).isEmpty }
      #expect(read.captions.map(\.text) == expected.map(\.text))
      let late = zip(read.captions, expected).map { $0.timeRange.start - $1.timeRange.start }
      #expect(late.last == .zero, "\(late)")
      #expect(late.dropLast().contains { $0 > .zero } && !part.losses.isEmpty)
      #expect(try Self.read(part.samples, .two).captions.map(\.text) == ["DOS"])
    }
    // One that is over before its codes are through cannot be shown, which is told.
    let short = CaptionTrack.line21(samples, in: TimeRange(start: frames(236), end: frames(420)))
    #expect(try !Self.read(short.samples).captions.map(\.text).contains("ACROSS"))
    #expect(short.losses.contains { $0.severity == .error && $0.reason.contains("left out") })
  }
}
