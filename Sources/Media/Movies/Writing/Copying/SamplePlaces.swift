// SPDX-License-Identifier: Apache-2.0

import FocalBoxes
import FocalCore

/// Where the samples of a track lie in a movie that takes them as they are.
struct SamplePlaces: Sendable {
  let index: SampleIndex
  /// When each sample that is shown is shown.
  let times: ReadTimes
  /// Ticks of the movie's track that one tick of the media makes.
  private let scale: Int64
  /// From the media's clock to the movie's, in ticks of the movie's track.
  private let shift: Int64
  /// When the first and the last sample that is shown appear, on the media's clock.
  private let shown: ClosedRange<Int64>
  /// When each sample is decoded, if the media's own times are of no use.
  private let decodeTimes: [Int64]?

  /// Ticks a second of the places.
  var timescale: Int32 { times.timescale }

  /// - Parameter mediaTimescale: of the times in the index.
  /// - Returns: `nil` for samples that edits show twice, in another order or at another speed, and for
  ///   times that no track can hold.
  init?(
    _ index: SampleIndex, _ timeline: Timeline, _ times: ReadTimes, mediaTimescale: Int32
  ) {
    guard times.count > 0, times.timescale % mediaTimescale == 0,
      !timeline.changesSpeed, let segment = timeline.segments.first
    else { return nil }
    let scale = Int64(times.timescale / mediaTimescale)
    let start = (segment.timeRange.start - times.startTime).converted(to: times.timescale).value
    let end = times.timeRange(times.count - 1).end.converted(to: times.timescale).value
    guard
      let shift = Self.shift(
        of: index, from: segment.mediaStart, scale: scale, to: start, end: end)
    else { return nil }
    var last = Int64.min
    for number in 0..<times.count {
      let time = index.compositionTime(timeline[times.first + number].sample)
      // The first one may have begun before the movie does.
      let appears = times.timeRange(number).start.converted(to: times.timescale).value
      guard time > last, number == 0 || appears == time * scale + shift else { return nil }
      last = time
    }
    let shown = index.compositionTime(timeline[times.first].sample)...last
    var count = 0
    var isUsable = true
    for number in 0..<index.count {
      let time = index.compositionTime(number)
      count += shown.contains(time) ? 1 : 0
      let decoded = index.decodeTime(number)
      isUsable =
        isUsable && decoded <= time && (number == 0 || index.decodeTime(number - 1) < decoded)
    }
    guard count == times.count else { return nil }
    (self.index, self.times, self.scale, self.shift, self.shown) =
      (index, times, scale, shift, shown)
    decodeTimes = isUsable ? nil : Self.decodeTimes(index)
  }

  /// From the media's clock to the movie's, in ticks of the movie's track.
  ///
  /// - Returns: `nil` where a time of a sample is beyond what a track holds, or becomes so. All that is computed of other
  ///   samples stays within 64 bits.
  private static func shift(
    of index: SampleIndex, from mediaStart: Int64, scale: Int64, to start: Int64, end: Int64
  ) -> Int64? {
    var (low, high) = (mediaStart, max(mediaStart, index.decodeEnd))
    for number in 0..<index.count {
      let (decoded, shown) = (index.decodeTime(number), index.compositionTime(number))
      (low, high) = (min(low, decoded, shown), max(high, decoded, shown))
    }
    let limit = Int128(Int64.max / 4)
    let shift = Int128(start) - Int128(mediaStart) * Int128(scale)
    // Decoding times that are made anew lie up to the whole length before the first one.
    let first = 2 * Int128(low) - Int128(high)
    for time in [first, Int128(high)] {
      let ticks = time * Int128(scale)
      guard Int64(exactly: ticks) != nil, (-limit...limit).contains(ticks + shift) else {
        return nil
      }
    }
    guard (-limit...limit).contains(Int128(end)) else { return nil }
    return Int64(exactly: shift)
  }

  /// Samples can be decoded one a frame, as many frames early as the order of the screen demands.
  private static func decodeTimes(_ index: SampleIndex) -> [Int64] {
    let shown = (0..<index.count).map { index.compositionTime($0) }
    let order = shown.sorted()
    let delay = zip(order, shown).map { $0 - $1 }.max() ?? 0
    return order.map { $0 - max(delay, 0) }
  }

  /// When a sample is decoded.
  ///
  /// - Parameter number: in decoding order.
  func decodeTime(_ number: Int) -> Time {
    let media = decodeTimes?[number] ?? index.decodeTime(number)
    return Time(value: media * scale + shift, timescale: timescale)
  }

  /// A sample where the movie has it.
  ///
  /// - Parameter number: in decoding order.
  func sample(_ number: Int, data: [UInt8]) -> MediaSample {
    let stored = index[number]
    let appears = stored.compositionTime * scale + shift
    // How long its decoding lasts says nothing about when the last one disappears.
    let end = times.timeRange(times.count - 1).end.converted(to: timescale).value
    let duration =
      stored.compositionTime == shown.upperBound
      ? end - appears : min(stored.duration * scale, max(end - appears, 0))
    var sample = MediaSample(
      data: data, decodeTime: (decodeTimes?[number] ?? stored.decodeTime) * scale + shift,
      presentationTime: appears, duration: duration, isSync: stored.isSync)
    sample.isPreroll = !shown.contains(stored.compositionTime)
    return sample
  }
}
