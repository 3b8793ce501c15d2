// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import FocalCommands
import FocalCore
import FocalScript

/// A time as it is typed, to be understood within a script.
struct TimeArgument: ExpressibleByArgument, CustomStringConvertible {
  private enum Kind {
    case exact(Time)
    case ticks(Int64)
    case frame(Int)
  }
  private let kind: Kind
  private let text: String

  static let start = TimeArgument(kind: .exact(.zero), text: "0")

  private init(kind: Kind, text: String) {
    self.kind = kind
    self.text = text
  }

  init(frame: Int) { self.init(kind: .frame(frame), text: "\(frame)f") }

  var description: String { text }

  /// A time that needs no script to be understood.
  var exactTime: Time? {
    if case .exact(let time) = kind { time } else { nil }
  }

  /// The number of a frame that was typed as one.
  var frameNumber: Int? {
    if case .frame(let number) = kind { number } else { nil }
  }

  /// Whether it lies before 0.
  var isNegative: Bool {
    switch kind {
    case .exact(let time): time < .zero
    case .ticks(let ticks): ticks < 0
    case .frame(let number): number < 0
    }
  }

  init?(argument: String) {
    text = argument
    if argument.hasSuffix("t"), let ticks = Int64(argument.dropLast()) {
      kind = .ticks(ticks)
    } else if argument.hasSuffix("f"), let frame = Int(argument.dropLast()) {
      kind = .frame(frame)
    } else if argument.contains("/") {
      let parts = argument.split(separator: "/", omittingEmptySubsequences: false)
      guard parts.count == 2, let value = Int64(parts[0]), let scale = Int32(parts[1]), scale > 0
      else { return nil }
      kind = .exact(Time(value: value, timescale: scale))
    } else {
      guard let seconds = Double(argument), seconds.isFinite, abs(seconds) < 1e9 else { return nil }
      // exact for as many digits as a person types, in as few ticks as a movie can have
      let time = Time(seconds: seconds, preferredTimescale: 1_000_000)
      let divisor = Int64(
        Time.greatestCommonDivisor(time.value.magnitude, UInt64(time.timescale)))
      kind = .exact(
        Time(value: time.value / divisor, timescale: time.timescale / Int32(divisor)))
    }
  }

  /// Whether it comes before another one that was typed in the same way; `nil` where only a script can
  /// tell.
  func isBefore(_ other: TimeArgument) -> Bool? {
    switch (kind, other.kind) {
    case (.exact(let a), .exact(let b)): a < b
    case (.ticks(let a), .ticks(let b)): a < b
    case (.frame(let a), .frame(let b)): a < b
    default: nil
    }
  }

  /// - Parameter timescale: of ticks.
  /// - Throws: `invalidParameter` for a frame number beyond the frames.
  func time(in frameTimes: FrameTimes, timescale: Int32) throws(CinematicError) -> Time {
    switch kind {
    case .exact(let time): return time
    case .ticks(let ticks): return Time(value: ticks, timescale: timescale)
    case .frame(let frame):
      guard frameTimes.indices.contains(frame) else {
        throw CinematicError(
          .invalidParameter,
          "there is no frame \(text): the script has \(counted(frameTimes.count, "frame"))",
          remedy: "count frames from 0")
      }
      return frameTimes[frame]
    }
  }
}

/// `A-B`, two times: what is shown from the first on until before the second.
struct TimeRangeArgument: Sendable {
  private let first: TimeArgument
  private let last: TimeArgument

  /// - Throws: what is wrong with the text, for the person who wrote it.
  init(parsing text: String) throws {
    let parts = text.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count == 2, let first = TimeArgument(argument: String(parts[0])),
      let last = TimeArgument(argument: String(parts[1]))
    else { throw ValidationError("write a start and an end, such as 0.5-2 or 10f-20f") }
    if last.isBefore(first) == true {
      throw ValidationError("its end comes before its start, as if it were \(last)-\(first)")
    }
    if first.isBefore(last) == false {
      throw ValidationError("it is empty: its end must come after its start")
    }
    (self.first, self.last) = (first, last)
  }

  /// Frames by number, the last one included.
  init(_ frames: FramesArgument) {
    let end = min(frames.range.upperBound, .max - 1) + 1
    first = TimeArgument(frame: frames.range.lowerBound)
    last = TimeArgument(frame: end)
  }

  /// - Parameter script: asked where frames or ticks of one were typed. Frames after its last one are
  ///   its end.
  /// - Throws: `invalidParameter` for an end that is not after the start.
  func timeRange(
    in script: () throws(CinematicError) -> Script
  ) throws(CinematicError) -> TimeRange {
    if let start = first.exactTime, let end = last.exactTime {
      return TimeRange(start: start, end: end)
    }
    let script = try script()
    let start = try script.time(first)
    let end: Time
    if let number = last.frameNumber, number >= script.recording.frameTimes.count {
      end = script.timeRange.end
      if number > script.recording.frameTimes.count {
        let end = script.recording.frameTimes.count - 1
        note("the movie ends before \(last): the range ends with the last frame, \(end)f")
      }
    } else {
      end = try script.time(last)
    }
    guard start < end else {
      throw CinematicError(
        .invalidParameter,
        "the range \(first)-\(last) goes from \(start.secondsText) to \(end.secondsText) s, and its end is not"
          + " after its start", remedy: "name its start, then a later end")
    }
    return TimeRange(start: start, end: end)
  }
}

extension TimeRange {
  /// Tells people that a part of a range they asked for is not there.
  ///
  /// - Parameters:
  ///   - part: what is there of it.
  ///   - name: whose.
  func tellOfCut(to part: TimeRange, of name: String) {
    // People type times with three digits, as they are told them.
    let allowance = Time(value: 1, timescale: 1000)
    guard start + allowance < part.start || part.end + allowance < end else { return }
    note(
      "\(name) has only \(part.start.secondsText) to \(part.end.secondsText) s of the range from"
        + " \(start.secondsText) to \(end.secondsText) s")
  }
}
