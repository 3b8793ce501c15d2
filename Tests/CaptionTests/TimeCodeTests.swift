// SPDX-License-Identifier: Apache-2.0

import FocalCore
import Testing

@testable import FocalCaptions

/// SMPTE time codes.
struct TimeCodeTests {
  /// SMPTE ST 12-1: drop frame leaves out 0 and 1 of each minute but every tenth; an hour has 107892
  /// frames.
  @Test func dropFrame() {
    let rate = TimeCodeRate.ntscDrop
    #expect(rate.frame(hours: 1, minutes: 0, seconds: 0, frames: 0) == 107_892)
    #expect(rate.frame(hours: 0, minutes: 1, seconds: 0, frames: 2) == 1800)
    #expect(rate.label(of: 1799) == "00:00:59;29")
    #expect(rate.label(of: 1800) == "00:01:00;02")
    #expect(rate.label(of: 17981) == "00:09:59;29")
    #expect(rate.label(of: 17982) == "00:10:00;00")
    #expect(TimeCodeRate.ntsc.label(of: 107_892) == "00:59:56:12")
  }

  @Test func labelsComeBack() throws {
    let rates = [
      TimeCodeRate.ntsc, .ntscDrop, .film, .pal,
      try TimeCodeRate(frameDuration: Time(value: 1001, timescale: 60000), dropFrame: true),
      try TimeCodeRate(
        framesPerSecond: 30, frameDuration: Time(value: 1, timescale: 29), dropMode: .dropPAL),
    ]
    for rate in rates {
      for frame in Array(0..<40000) + [107_891, 107_892, 2_589_407, 9_999_999] {
        let fields = rate.label(of: frame).split { $0 == ":" || $0 == ";" }.compactMap { Int($0) }
        try #require(fields.count == 4)
        let back = rate.frame(
          hours: fields[0], minutes: fields[1], seconds: fields[2], frames: fields[3])
        try #require(back == frame, "\(rate) \(rate.label(of: frame))")
      }
    }
  }

  /// SMPTE ST 12-1: drop frame belongs to 29.97 frames a second and its multiples.
  @Test(arguments: [24, 25, 30, 50, 60]) func noDropFrame(rate: Int32) {
    #expect(throws: CinematicError.self) {
      try TimeCodeRate(frameDuration: Time(value: 1, timescale: rate), dropFrame: true)
    }
    #expect(throws: CinematicError.self) {
      try TimeCodeRate(frameDuration: Time(value: 1001, timescale: 24000), dropFrame: true)
    }
  }

  /// Durations that no rate has are refused beside any labels; those at the ends can be written.
  @Test(arguments: [1, 30, 1000]) func durationsOfNoRate(labels: Int) throws {
    let wrong = [
      Time(value: .max, timescale: 1), Time(value: 3, timescale: 1),
      Time(value: 1, timescale: 1001), Time(value: 1, timescale: .max), .zero,
      Time(value: -1, timescale: 30), Time(value: .min, timescale: 1),
    ]
    for duration in wrong {
      let error = #expect(throws: CinematicError.self) {
        try TimeCodeRate(framesPerSecond: labels, frameDuration: duration)
      }
      #expect(error?.code == .invalidParameter)
    }
    let caption = Caption("x", timeRange: TimeRange(start: .zero, duration: wrong[1]))
    let document = CaptionDocument(captions: [caption], format: .itt)
    let ends: [Int64] = [2_147_000, 4_294_967_294]
    for value in ends {
      let duration = Time(value: value, timescale: .max)
      var options = CaptionWritingOptions()
      options.timeCodeRate = try TimeCodeRate(framesPerSecond: labels, frameDuration: duration)
      let bytes = try document.written(as: .itt, options: options).bytes
      #expect(!bytes.isEmpty)
    }
  }

  @Test func nearestFrames() {
    let rate = TimeCodeRate.ntsc
    for frame in [0, 1, 2, 1000, 107_892, 5_000_000] {
      let time = rate.time(ofFrame: frame)
      let little = Time(value: 1, timescale: 100)
      #expect(rate.frame(nearest: time) == frame)
      #expect(rate.frame(nearest: time + little) == frame)
      #expect(rate.frame(nearest: time - little) == frame)
    }
    #expect(rate.frame(nearest: Time(value: .max, timescale: 1)) == 1 << 52)
    #expect(rate.frame(nearest: Time(value: -1, timescale: 1)) == -30)
  }

  /// Non-drop counts fall behind the clock by 3.6 s an hour, drop frame by less than a frame an hour.
  @Test func clocks() {
    let hour = TimeCodeRate.ntsc.time(
      ofFrame: TimeCodeRate.ntsc.frame(hours: 1, minutes: 0, seconds: 0, frames: 0))
    #expect(hour == Time(value: 36036, timescale: 10))
    let drop = TimeCodeRate.ntscDrop.time(ofFrame: 107_892).seconds
    #expect(abs(drop - 3600) < 1.0 / 30)
  }
}
