// SPDX-License-Identifier: Apache-2.0

import FocalCore
import Testing

@testable import FocalCaptions

/// Captions shorter than the times of a format are fine.
struct ShortCaptionTests {
  private static func microseconds(_ value: Int64) -> Time {
    Time(value: value, timescale: 1_000_000)
  }

  private static func document(_ start: Int64, _ end: Int64) -> CaptionDocument {
    CaptionDocument(
      captions: [
        Caption("Hi", timeRange: TimeRange(start: microseconds(start), end: microseconds(end)))
      ], format: .ttml)
  }

  /// What would end when it begins lasts as short as the format can say.
  @Test(arguments: [CaptionFormat.webVTT, .subRip, .itt, .ttml])
  func shorterThanTheFormatSays(_ format: CaptionFormat) throws {
    let written = try Self.document(1_000_000, 1_000_300).written(as: format)
    let read = try CaptionDocument(reading: written.bytes, format: format)
    #expect(read.captions.map(\.text) == ["Hi"])
    #expect(read.captions.allSatisfy { !$0.timeRange.isEmpty })
    let isTold = written.losses.contains { $0.reason.contains("shorter than") }
    // Microseconds of TTML hold it.
    #expect(isTold == (format != .ttml))
    // A frame is seen, a millisecond is not.
    var options = CaptionWritingOptions()
    options.isStrict = true
    let strict = try? Self.document(1_000_000, 1_000_300).written(as: format, options: options)
    #expect((strict == nil) == (format == .itt))
  }

  /// Text that is left out is no note: strict writing fails.
  @Test(arguments: [CaptionFormat.webVTT, .subRip, .itt, .ttml])
  func noDuration(_ format: CaptionFormat) throws {
    let document = Self.document(2_000_000, 2_000_000)
    let losses = try document.written(as: format).losses
    #expect(losses.contains { $0.severity == .error && $0.reason.contains("no duration") })
    var options = CaptionWritingOptions()
    options.isStrict = true
    #expect(throws: CinematicError.self) { try document.written(as: format, options: options) }
  }

  /// Times that no number of units holds.
  @Test(arguments: [CaptionFormat.webVTT, .subRip, .itt, .ttml])
  func atTheEndOfTime(_ format: CaptionFormat) throws {
    let late = Time(value: .max - 1, timescale: 1)
    let caption = Caption(
      "Hi", timeRange: TimeRange(start: late, end: Time(value: .max, timescale: 1)))
    let document = CaptionDocument(captions: [caption], format: .ttml)
    #expect(try !document.written(as: format).bytes.isEmpty)
  }
}
