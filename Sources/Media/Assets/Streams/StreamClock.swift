// SPDX-License-Identifier: Apache-2.0

import CFFmpeg
import FocalCore

/// Turns a stream's ticks into those of a movie that starts with the container.
struct StreamClock: Sendable {
  let base: AVRational
  let zero: Time
  /// Ticks a second of the results.
  let timescale: Int32

  /// - Parameter timescale: by default one in which the results are exact, where 32 bits allow.
  init(base: AVRational, zero: Time, timescale: Int32? = nil) {
    self.base = base
    self.zero = zero
    self.timescale = timescale ?? (Time(1, base: base) - zero).timescale
  }

  func ticks(_ stamp: Int64) -> Int64 {
    (Time(stamp, base: base) - zero).ticks(timescale)
  }

  func length(_ duration: Int64) -> Int64 {
    Time(duration, base: base).ticks(timescale)
  }
}

extension Time {
  /// In ticks of a timescale, kept so far from the largest number that sums of a few do not overflow.
  func ticks(_ timescale: Int32) -> Int64 {
    min(max(converted(to: timescale).value, -Int64.max / 8), Int64.max / 8)
  }

  /// Ticks of an FFmpeg time base.
  init(_ ticks: Int64, base: AVRational) {
    let (value, overflow) = ticks.multipliedReportingOverflow(by: Int64(base.num))
    self.init(value: overflow ? (ticks < 0 ? .min : .max) : value, timescale: max(base.den, 1))
  }
}
