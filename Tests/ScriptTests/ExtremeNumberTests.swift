// SPDX-License-Identifier: Apache-2.0

import FocalCore
import Foundation
import Testing

@testable import FocalScript

/// Each number of a script's JSON at the ends of what numbers hold: a script or an error, whatever is asked of it.
@Suite struct ExtremeNumberTests {
  private static let ends = [
    "0", "-1", "1", "2147483647", "-2147483648", "4294967296", "9223372036854775807",
    "-9223372036854775808", "18446744073709551615", "1e18", "1e300", "-1e300", "1e-300", "0.5",
  ]

  /// The document's numbers, without those within words.
  private static let places: [Range<String.Index>] = {
    let text = InterchangeTests.example
    return text.ranges(of: /[0-9.]+/).filter { range in
      let before = text[text.index(before: range.lowerBound)]
      return [" ", "[", ":", "-"].contains(before)
    }
  }()

  @Test(arguments: ends) func numbersOfScripts(_ end: String) throws {
    #expect(Self.places.count >= 20)
    for place in Self.places {
      var text = InterchangeTests.example
      text.replaceSubrange(place, with: end)
      do throws(CinematicError) {
        let recording = try Recording(jsonRepresentation: Data(text.utf8))
        _ = try recording.jsonRepresentation()
        try Self.look(at: Script(recording: recording))
      } catch {
        #expect(!error.message.isEmpty)
      }
    }
  }

  private static func look(at script: Script) throws(CinematicError) {
    let range = script.timeRange
    // Of a script of millions of frames, a few.
    let begin = TimeRange(
      start: range.start, duration: min(range.duration, Time(value: 1, timescale: 10)))
    for frame in script.frames(in: begin).prefix(20) {
      _ = frame.focusDisparity
      _ = script.primaryDecision(at: frame.time)
      _ = script.frame(atOrAfter: frame.time)
    }
    for decision in script.decisions(in: range).prefix(20) {
      _ = script.timeRangeOfTransition(after: decision)
      _ = script.detectionTrack(for: decision)
    }
    _ = script.focusTransitions
    for time in [Time(value: .min, timescale: 1), .zero, Time(value: .max, timescale: 1)] {
      _ = script.primaryDecision(at: time)
      _ = script.frame(atOrAfter: time)
    }
    _ = try script.changes(trimmedBy: range)
    _ = script.changes().dataRepresentation
  }
}
