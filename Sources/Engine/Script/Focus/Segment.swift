// SPDX-License-Identifier: Apache-2.0

import FocalCore

/// A stretch of a script in which one decision is in force.
struct Segment: Sendable {
  /// The rack that ends where its segment starts; where the script was cut within it, it may begin before the script, or
  /// end after it.
  struct Rack: Sendable {
    let range: TimeRange
    let curve: Transition.Curve

    /// The share of the way to the segment's subject that is covered at a time.
    func share(at time: Time) -> Double {
      let duration = range.duration.seconds
      return duration > 0 ? curve.value(at: (time - range.start).seconds / duration) : 1
    }
  }

  /// Lasts until the next segment's start, or the end of the script.
  var start: Time
  /// The first frame at or after the start.
  var firstFrame: Int
  /// `nil` where no decision is in force: focus then stays where it was.
  var decision: Decision?
  /// The subject of the decision; `nil` where there is nothing to focus on.
  var subject: SubjectTimeline?
  /// The focus of a segment without a subject.
  var heldFocus: Float = 0
  var rack: Rack?

  func focus(atFrame frame: Int) -> Float { subject?.focus(atFrame: frame) ?? heldFocus }

  /// Which decision is in force when.
  ///
  /// - Parameters:
  ///   - base, user: those that can take effect, in the order of time, one at a time.
  ///   - endOfTrack: the time from which on a decision's subject is gone.
  /// - Returns: stretches without gaps from the start of the range, each with another decision than
  ///   its neighbour.
  static func inForce(
    range: TimeRange, base: [Decision], user: [Decision], endOfTrack: (Decision) -> Time
  ) -> [(start: Time, decision: Decision?)] {
    var result: [(start: Time, decision: Decision?)] = []
    func append(_ start: Time, _ decision: Decision?) {
      if let last = result.last {
        if last.start == start { result.removeLast() }
        if let last = result.last, last.decision == decision { return }
      }
      result.append((start, decision))
    }
    var nextBase = 0
    /// Base decisions take their turn from `start` to before `end`.
    func appendBase(from start: Time, to end: Time) {
      guard start < end else { return }
      while nextBase < base.count, base[nextBase].time <= start { nextBase += 1 }
      append(start, nextBase > 0 ? base[nextBase - 1] : nil)
      while nextBase < base.count, base[nextBase].time < end {
        append(base[nextBase].time, base[nextBase])
        nextBase += 1
      }
    }
    var now = range.start
    for (position, decision) in user.enumerated() {
      appendBase(from: now, to: decision.time)
      var end = position + 1 < user.count ? user[position + 1].time : range.end
      end = min(end, endOfTrack(decision))
      if !decision.isStrongDecision {
        while nextBase < base.count, base[nextBase].time <= decision.time { nextBase += 1 }
        if nextBase < base.count { end = min(end, base[nextBase].time) }
      }
      if end > decision.time { append(decision.time, decision) }
      now = max(decision.time, end)
    }
    appendBase(from: now, to: range.end)
    return result
  }
}
