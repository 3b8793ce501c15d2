// SPDX-License-Identifier: Apache-2.0

import FocalCore

/// A track's detections by column, in the order of their times, no two at the same time: half the
/// memory of an array of detections, which repeat the track's type and ids.
struct DetectionSamples: Equatable, Sendable {
  private(set) var times: [Time] = []
  private(set) var rects: [NormalizedRect] = []
  private(set) var disparities: [Float] = []

  static let empty = DetectionSamples()

  var count: Int { times.count }

  mutating func reserveCapacity(_ count: Int) {
    times.reserveCapacity(count)
    rects.reserveCapacity(count)
    disparities.reserveCapacity(count)
  }

  /// Adds a detection, whose time is after all others.
  mutating func append(time: Time, rect: NormalizedRect, disparity: Float) {
    assert(times.last.map { $0 < time } ?? true, "detections are appended in the order of time")
    times.append(time)
    rects.append(rect)
    disparities.append(disparity)
  }

  /// Detections in any order; of several at one time the last counts.
  ///
  /// - Throws: `invalidParameter` for a rectangle or a disparity that is not finite.
  static func sorted(_ detections: [Detection]) throws(CinematicError) -> DetectionSamples {
    var samples = DetectionSamples()
    samples.reserveCapacity(detections.count)
    for detection in detections {
      guard detection.normalizedRect.isFinite, detection.focusDisparity.isFinite else {
        throw CinematicError(
          .invalidParameter,
          "the detection at \(detection.time) has a rectangle or a disparity that is not finite",
          remedy: "leave it out of its track")
      }
    }
    let inOrder = zip(detections, detections.dropFirst()).allSatisfy { $0.time < $1.time }
    let ordered =
      inOrder
      ? Array(detections.indices)
      : detections.indices.sorted {
        detections[$0].time != detections[$1].time
          ? detections[$0].time < detections[$1].time : $0 < $1
      }
    for (position, index) in ordered.enumerated() {
      let detection = detections[index]
      if position + 1 < ordered.count, detections[ordered[position + 1]].time == detection.time {
        continue
      }
      samples.append(
        time: detection.time, rect: detection.normalizedRect, disparity: detection.focusDisparity)
    }
    return samples
  }

  /// The same detections with other disparities.
  func replacing(disparities: [Float]) -> DetectionSamples {
    precondition(disparities.count == count, "a disparity for every detection")
    var copy = self
    copy.disparities = disparities
    return copy
  }

  /// The position of the first detection at or after a time, or the count.
  func lowerBound(_ time: Time) -> Int {
    times.partitionPoint { $0 < time }
  }

  func index(atOrBefore time: Time) -> Int? {
    let next = lowerBound(time)
    if next < count, times[next] == time { return next }
    return next > 0 ? next - 1 : nil
  }

  func index(nearest time: Time) -> Int? {
    guard count > 0 else { return nil }
    let next = lowerBound(time)
    guard next < count else { return count - 1 }
    guard next > 0 else { return 0 }
    return time - times[next - 1] <= times[next] - time ? next - 1 : next
  }

  func indices(in range: TimeRange) -> Range<Int> {
    let first = lowerBound(range.start)
    return first..<max(first, lowerBound(range.end))
  }

  /// The samples in a range. A track that goes on after it gets the detection nearest to the
  /// range's last frame there: cutting must not make it end earlier, in a gap between its
  /// detections.
  func trimmed(to range: TimeRange, lastFrame: Time?, shift offset: Time) -> DetectionSamples {
    var samples = DetectionSamples()
    let indices = indices(in: range)
    samples.times = times[indices].map { $0 + offset }
    samples.rects = Array(rects[indices])
    samples.disparities = Array(disparities[indices])
    if let lastFrame, indices.upperBound < count, let nearest = index(nearest: lastFrame),
      indices.isEmpty || times[indices.upperBound - 1] < lastFrame
    {
      samples.append(
        time: lastFrame + offset, rect: rects[nearest], disparity: disparities[nearest])
    }
    return samples
  }
}
