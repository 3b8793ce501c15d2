// SPDX-License-Identifier: Apache-2.0

import FocalCore

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Takes the jitter out of a subject's disparities: a median, a dead zone, a spring.
///
/// The whole track is known, so every stage looks at both sides of a time: focus neither lags
/// behind a moving subject nor runs ahead. Every output is an average, with positive weights, of
/// values inside the input's range: it cannot overshoot, and a constant stays that constant exactly.
package struct DisparitySmoother: Sendable {
  package let style: FocusStyle

  package init(style: FocusStyle) { self.style = style }

  /// - Parameters:
  ///   - values: finite disparities in the order of time.
  ///   - times: their times, rising.
  ///   - deadZone: changes below it, in disparity, do not show.
  /// - Returns: as many values, inside the range of the given ones.
  package func smoothed(_ values: [Float], times: [Time], deadZone: Double) -> [Float] {
    guard values.count > 1, let least = values.min(), let most = values.max(), least < most else {
      return values
    }
    let steps = steps(of: times)
    var curve = median(of: values, steps: steps)
    if deadZone > 0 { curve = settled(curve, within: deadZone) }
    let gains = springGains(steps)
    curve = sprung(curve, gains: gains)
    return curve.map { max(least, min(most, Float($0))) }
  }

  /// The median of the neighbours that are near in time, as many on one side as on the other: those of one side alone
  /// would pull a moving subject to where it was, or will be. Where one side has none, as at an end, two of the other judge
  /// the value; one alone cannot tell which of both is wrong, and the value stays.
  private func median(of values: [Float], steps: [Double]) -> [Double] {
    let most = max(0, style.medianLength / 2)
    let last = values.count - 1
    /// How many neighbours, `most` at most, lie within reach behind a value, or ahead of it.
    func near(_ index: Int, ahead: Bool) -> Int {
      var (count, elapsed) = (0, 0.0)
      while count < most, ahead ? index + count < last : index - count > 0 {
        elapsed += steps[ahead ? index + count : index - count - 1]
        guard elapsed <= style.medianReach else { break }
        count += 1
      }
      return count
    }
    return values.withUnsafeBufferPointer { values in
      (0...last).map { index in
        let (behind, ahead) = (near(index, ahead: false), near(index, ahead: true))
        let both = min(behind, ahead)
        if both == 2 {
          return Double(
            Self.median(
              values[index - 2], values[index - 1], values[index], values[index + 1],
              values[index + 2]))
        }
        if both > 0 { return values[(index - both)...(index + both)].median ?? 0 }
        if ahead >= 2 { return values[index...(index + 2)].median ?? 0 }
        if behind >= 2 { return values[(index - 2)...index].median ?? 0 }
        return Double(values[index])
      }
    }
  }

  /// Of five without a branch: the least and the most of the first four cannot be it.
  private static func median(_ a: Float, _ b: Float, _ c: Float, _ d: Float, _ e: Float) -> Float {
    let low = max(min(a, b), min(c, d))
    let high = min(max(a, b), max(c, d))
    return max(min(low, high), min(max(low, high), e))
  }

  /// Follows the curve only where it leaves a band around the last value. Run from both ends and
  /// averaged: each run lags by the band's half width on a slope, in opposite directions, so that
  /// the average is on time, and inside the band everywhere.
  private func settled(_ values: [Double], within band: Double) -> [Double] {
    var forward = values
    for index in values.indices.dropFirst() {
      forward[index] = max(values[index] - band, min(values[index] + band, forward[index - 1]))
    }
    var held = values[values.count - 1]
    var settled = forward
    for index in values.indices.reversed() {
      held = max(values[index] - band, min(values[index] + band, held))
      settled[index] = (forward[index] + held) / 2
    }
    return settled
  }

  /// Seconds from each time to the next.
  private func steps(of times: [Time]) -> [Double] {
    zip(times, times.dropFirst()).map { time, next in
      // an hour of detections is mostly of one timescale, where a difference is cheap
      next.timescale == time.timescale
        ? Double(next.value &- time.value) / Double(time.timescale) : (next - time).seconds
    }
  }

  /// The share of the way that a first-order lag covers between a time and the next.
  private func springGains(_ steps: [Double]) -> [Double] {
    var gains: [Double] = []
    gains.reserveCapacity(steps.count)
    var (lastStep, lastGain) = (-1.0, 0.0)
    for step in steps {
      if step != lastStep { (lastStep, lastGain) = (step, 1 - exp(-style.springRate * step)) }
      gains.append(lastGain)
    }
    return gains
  }

  /// A critically damped spring (two equal first-order lags), run forward and then backward: the
  /// kernel (ω/4)(1 + ω|t|)e^(-ω|t|), which has no phase.
  private func sprung(_ values: [Double], gains: [Double]) -> [Double] {
    var curve = values
    var (first, second) = (curve[0], curve[0])
    for index in 1..<curve.count {
      let gain = gains[index - 1]
      first += gain * (curve[index] - first)
      second += gain * (first - second)
      curve[index] = second
    }
    (first, second) = (curve[curve.count - 1], curve[curve.count - 1])
    for index in (0..<(curve.count - 1)).reversed() {
      let gain = gains[index]
      first += gain * (curve[index] - first)
      second += gain * (first - second)
      curve[index] = second
    }
    return curve
  }
}
