// SPDX-License-Identifier: Apache-2.0

import FocalCore

/// The times of a recording's frames, rising: at a constant rate, or listed one by one.
public struct FrameTimes: Hashable, Sendable, RandomAccessCollection {
  /// The most frames that a script can have: 155 hours at 30 frames a second.
  public static let maximumCount = 1 << 24

  private enum Storage: Sendable {
    /// Frame i at (start + i · step) / timescale; the last one does not overflow.
    case regular(start: Int64, step: Int64, timescale: Int32, count: Int)
    case listed([Time])
  }
  private let storage: Storage

  /// A frame every `frameDuration` from the start of a range.
  ///
  /// - Throws: `invalidParameter` for a duration that is not positive, `unsupported` for more than
  ///   ``maximumCount`` frames or timescales without a common one of 32 bits.
  public init(range: TimeRange, frameDuration: Time) throws(CinematicError) {
    guard frameDuration > .zero else {
      throw CinematicError(
        .invalidParameter, "a frame duration of \(frameDuration) s is not positive")
    }
    // frames lie before the end: the count is the quotient rounded up
    let numerator = Int128(range.duration.value) * Int128(frameDuration.timescale)
    let denominator = Int128(frameDuration.value) * Int128(range.duration.timescale)
    let count = (numerator + denominator - 1) / denominator
    guard count <= Self.maximumCount else {
      throw CinematicError(
        .unsupported, "\(range.duration) s of frames of \(frameDuration) s are too many",
        remedy: "a script can have \(Self.maximumCount) frames; split it")
    }
    let (start, step) = (range.start, frameDuration)
    let divisor = Int64(Time.greatestCommonDivisor(UInt64(start.timescale), UInt64(step.timescale)))
    let common = Int64(start.timescale) / divisor * Int64(step.timescale)
    let first = Int128(start.value) * Int128(common / Int64(start.timescale))
    let each = Int128(step.value) * Int128(common / Int64(step.timescale))
    guard let timescale = Int32(exactly: common), let firstValue = Int64(exactly: first),
      let stepValue = Int64(exactly: each), Int64(exactly: first + each * count) != nil
    else {
      throw CinematicError(
        .unsupported, "frames of \(step) s from \(start) s have no common timescale",
        remedy: "use one timescale for both")
    }
    storage = .regular(
      start: firstValue, step: stepValue, timescale: timescale, count: Int(count))
  }

  /// Frames at given times.
  ///
  /// - Throws: `invalidParameter` for times that do not rise, `unsupported` for too many.
  public init(_ times: [Time]) throws(CinematicError) {
    guard times.count <= Self.maximumCount else {
      throw CinematicError(
        .unsupported, "\(times.count) frames are too many",
        remedy: "a script can have \(Self.maximumCount) frames; split it")
    }
    for (time, next) in zip(times, times.dropFirst()) where next <= time {
      throw CinematicError(
        .invalidParameter, "the frame times do not rise: \(next) follows \(time)")
    }
    storage = .listed(times)
  }

  private init(storage: Storage) { self.storage = storage }

  /// The same times, in whatever ticks, and both listed or both at a constant rate.
  public static func == (a: FrameTimes, b: FrameTimes) -> Bool {
    switch (a.storage, b.storage) {
    case (.listed(let a), .listed(let b)): a == b
    case (.regular, .regular):
      a.count == b.count && a.frameDuration == b.frameDuration && a.first == b.first
    default: false
    }
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(count)
    hasher.combine(first)
    hasher.combine(last)
  }

  public var startIndex: Int { 0 }
  public var endIndex: Int {
    switch storage {
    case .regular(_, _, _, let count): count
    case .listed(let times): times.count
    }
  }

  public subscript(position: Int) -> Time {
    switch storage {
    case .regular(let start, let step, let timescale, _):
      Time(value: start + step * Int64(position), timescale: timescale)
    case .listed(let times): times[position]
    }
  }

  /// The constant time from a frame to the next; `nil` where the times are listed.
  public var frameDuration: Time? {
    guard case .regular(_, let step, let timescale, _) = storage else { return nil }
    return Time(value: step, timescale: timescale)
  }

  /// By how much a time that was rounded may be beside the frame that it is nearest to: half of what a frame lasts.
  /// Where times are listed, that is half the way to the nearer one of the frame's neighbours, and a millisecond at least,
  /// to which some containers round.
  public func tolerance(at time: Time) -> Time {
    guard let frameDuration else {
      let nearest = index(nearest: time) ?? 0
      let steps = [nearest, nearest + 1].filter { $0 > 0 && $0 < count }.map {
        (self[$0] - self[$0 - 1]).seconds
      }
      return Time(
        seconds: Swift.max(0.001, (steps.min() ?? 1.0 / 30) / 2), preferredTimescale: 90000)
    }
    return Time(seconds: frameDuration.seconds / 2, preferredTimescale: 90000)
  }

  /// The first frame at or after a time, or the count.
  public func index(atOrAfter time: Time) -> Int {
    switch storage {
    case .regular(let start, let step, let timescale, let count):
      if time.timescale == timescale {
        let (elapsed, overflow) = time.value.subtractingReportingOverflow(start)
        if !overflow {
          return elapsed <= 0 ? 0 : Swift.min(count, Int((elapsed - 1) / step) + 1)
        }
      }
      // exact: ceil((time - start) / step) on 128 bits
      let elapsed =
        Int128(time.value) * Int128(timescale) - Int128(start) * Int128(time.timescale)
      guard elapsed > 0 else { return 0 }
      let each = Int128(step) * Int128(time.timescale)
      return Int(Swift.min(Int128(count), (elapsed + each - 1) / each))
    case .listed(let times):
      return times.partitionPoint { $0 < time }
    }
  }

  /// The latest frame at or before a time.
  public func index(atOrBefore time: Time) -> Int? {
    let next = index(atOrAfter: time)
    if next < count, self[next] == time { return next }
    return next > 0 ? next - 1 : nil
  }

  /// The frame nearest to a time, the earlier of two as near; `nil` without frames.
  public func index(nearest time: Time) -> Int? {
    guard count > 0 else { return nil }
    let next = index(atOrAfter: time)
    guard next < count else { return count - 1 }
    guard next > 0 else { return next }
    let found = self[next]
    if found.timescale == time.timescale ? found.value == time.value : found == time { return next }
    return time - self[next - 1] <= self[next] - time ? next - 1 : next
  }

  /// The frame that a movie's picture is of: the nearest, up to half of what the picture lasts away, since scripts and
  /// containers round times in ways of their own. `nil` where there is none.
  package func index(ofPicture range: TimeRange) -> Int? {
    guard let nearest = index(nearest: range.start) else { return nil }
    let difference = self[nearest] - range.start
    return Swift.max(difference, -difference) * 2 <= range.duration ? nearest : nil
  }

  /// The first frames of the shots that begin at times that rise, without frame 0; each once.
  func cutFrames(_ cuts: [Time]) -> [Int] {
    var frames: [Int] = []
    for cut in cuts {
      let frame = index(atOrAfter: cut)
      if frame > frames.last ?? 0, frame < count { frames.append(frame) }
    }
    return frames
  }

  /// The frames at the times of a range.
  public func indices(in range: TimeRange) -> Range<Int> {
    let first = index(atOrAfter: range.start)
    return first..<Swift.max(first, index(atOrAfter: range.end))
  }

  /// The frames that are on the screen within a range: the first is shown when the range begins, the
  /// last is followed by one that begins where it ends, or later.
  ///
  /// A remainder of a frame at either end from rounded times, less than a millisecond, does not
  /// count.
  ///
  /// - Parameter end: how long the last frame is shown.
  public func indices(shownIn range: TimeRange, until end: Time) -> Range<Int> {
    guard !range.isEmpty, range.start < end else { return 0..<0 }
    func picture(_ position: Int) -> TimeRange {
      TimeRange(start: self[position], end: position + 1 < count ? self[position + 1] : end)
    }
    var first = index(atOrBefore: range.start) ?? 0
    var stop = index(atOrAfter: range.end)
    if stop - first > 1, range.start > self[first],
      picture(first).isSliver(picture(first).end - range.start)
    {
      first += 1
    }
    if stop - first > 1, range.end < picture(stop - 1).end,
      picture(stop - 1).isSliver(range.end - self[stop - 1])
    {
      stop -= 1
    }
    return first..<Swift.max(first, stop)
  }

  /// The frames of a range, moved by `offset`.
  func trimmed(to range: TimeRange, shift offset: Time) throws(CinematicError) -> FrameTimes {
    let indices = indices(in: range)
    if let frameDuration, let first = indices.first {
      let start = self[first] + offset
      return try FrameTimes(
        range: TimeRange(start: start, duration: frameDuration * indices.count),
        frameDuration: frameDuration)
    }
    return FrameTimes(storage: .listed(indices.map { self[$0] + offset }))
  }
}
