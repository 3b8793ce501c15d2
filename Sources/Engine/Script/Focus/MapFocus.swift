// SPDX-License-Identifier: Apache-2.0

import FocalCore

/// Focus in a clip in which nobody is known: on the largest and nearest part of its maps, followed calmly.
///
/// The part is that of ``FocalCore/PixelBuffer/subjectDisparity``, looked for in every fifth frame and in the first one
/// after a cut. Within a shot its disparities are smoothed from both sides, so that focus neither lags nor leaps; at a
/// cut it is at once where the next shot has it. Maps of one disparity, as black pictures have, decide nothing: what the
/// shot shows later counts for them, or else what was in focus before.
///
/// ```swift
/// var focus = MapFocus()
/// for frame in frames {
///   let map = focus.looksAtNext(isCut: frame.isCut) ? frame.map : nil
///   focus.add(at: frame.time, isCut: frame.isCut, map: map)
/// }
/// let found = focus.finish()
/// ```
public struct MapFocus: Sendable {
  /// The rule is asked in every so many frames: it moves slowly, and costs as much as a small tracker.
  public static let interval = 5
  /// Of the spring that follows the map's subject, a second: slower than one that follows a detection, because the rule
  /// may leap between things of like size.
  package static let springRate = 3.0
  /// Maps whose disparities span less than this share of the clip's widest map show no subject.
  private static let leastExtent: Float = 0.02

  private struct Sample {
    var frame: Int
    var disparity: Float
    var range: ClosedRange<Float>

    var extent: Float { range.upperBound - range.lowerBound }
  }

  private var times: [Time] = []
  /// The first frames of shots.
  private var starts: [Int] = []
  private var samples: [Sample] = []
  private var latest: Int?

  /// Focus in a clip of which no frame has come.
  public init() {}

  /// Whether the next frame's map is looked at.
  public func looksAtNext(isCut: Bool) -> Bool {
    isCut || latest.map { times.count - $0 >= Self.interval } ?? true
  }

  /// Takes the next frame.
  ///
  /// - Parameters:
  ///   - time: when it is shown, later than the one before.
  ///   - isCut: whether another scene begins with it.
  ///   - map: its map, where ``looksAtNext(isCut:)`` says so: `disparityFloat` or `disparityHalf`. Others decide nothing.
  public mutating func add(at time: Time, isCut: Bool, map: PixelBuffer?) {
    let frame = times.count
    times.append(time)
    if frame == 0 || isCut { starts.append(frame) }
    guard let map else { return }
    latest = frame
    guard let found = map.mapSubject, found.range.lowerBound < found.range.upperBound else {
      return
    }
    samples.append(Sample(frame: frame, disparity: found.disparity, range: found.range))
  }

  /// Where focus is in each frame, as detections of the map's subject, and the disparities that the clip has.
  ///
  /// Detections are one a frame, of the whole picture and of the kind ``DetectionType/autoFocus``.
  ///
  /// - Returns: `nil` if no map has more than one disparity.
  public func finish() -> (detections: [Detection], range: ClosedRange<Float>)? {
    let widest = samples.map(\.extent).max() ?? 0
    let samples = samples.filter { $0.extent >= Self.leastExtent * widest }
    guard let first = samples.first else { return nil }
    let range = samples.reduce(first.range) {
      min($0.lowerBound, $1.range.lowerBound)...max($0.upperBound, $1.range.upperBound)
    }
    var style = FocusStyle.standard
    style.springRate = Self.springRate
    // The rule is asked seldom, and may leap in one map: its neighbours count however far they are.
    style.medianReach = .infinity
    let smoother = DisparitySmoother(style: style)
    let deadZone = style.deadZone * Double(range.upperBound - range.lowerBound)
    var focus: [Float] = []
    // Before the first shot that shows something, focus is where that has it.
    var before = first.disparity
    for (start, end) in zip(starts, starts.dropFirst() + [times.count]) {
      let inside = samples.filter { (start..<end).contains($0.frame) }
      let values = smoother.smoothed(
        inside.map(\.disparity), times: inside.map { times[$0.frame] }, deadZone: deadZone)
      var next = 0
      for frame in start..<end {
        while next < inside.count, inside[next].frame <= frame { next += 1 }
        if inside.isEmpty {
          focus.append(before)
        } else if next == 0 {
          focus.append(values[0])
        } else if next == inside.count {
          focus.append(values[next - 1])
        } else {
          let (from, to) = (times[inside[next - 1].frame], times[inside[next].frame])
          let share = Float((times[frame] - from).seconds / (to - from).seconds)
          focus.append(values[next - 1] + share * (values[next] - values[next - 1]))
        }
      }
      before = focus.last ?? before
    }
    let detections = zip(times, focus).map { time, disparity in
      Detection(
        time: time, detectionType: .autoFocus,
        normalizedRect: NormalizedRect(x: 0, y: 0, width: 1, height: 1), focusDisparity: disparity)
    }
    return (detections, range)
  }
}
