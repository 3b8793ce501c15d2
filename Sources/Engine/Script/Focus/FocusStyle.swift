// SPDX-License-Identifier: Apache-2.0

/// How focus moves: the constants of the focus puller's hand.
package struct FocusStyle: Hashable, Sendable {
  /// A median over this many detections takes out single wrong disparities.
  package var medianLength = 5
  /// Seconds around a detection within which others count in its median: two to each side of a detector that looks at six
  /// pictures a second. Over more, a subject moves; whether what lies further off is right says nothing of it.
  package var medianReach = 0.35
  /// Rate of the critically damped spring that follows a subject, a second. Its kernel is about
  /// 4 / rate seconds wide: lower is calmer and rounds off quick moves, higher lets jitter through.
  package var springRate = 12.0
  /// Changes of a subject's disparity below this share of the script's disparity range do not move
  /// focus. A quarter of the blur that can be seen: at f/2.8, a blur scale of 0.1 and a width of
  /// 1920 pixels, 0.03 of the range blurs by 2 pixels. Zero makes focus breathe with the noise of
  /// the disparity map.
  package var deadZone = 0.0075
  /// Seconds of a rack between neighbouring disparities, and of the longest rack.
  package var shortestRack = 0.35
  package var longestRack = 1.2
  /// Seconds that a rack over the whole disparity range takes beyond the shortest one.
  package var rackSlope = 0.8

  package init() {}
  package static let standard = FocusStyle()

  /// Seconds for a rack over a difference of disparities in a script of a disparity range; what lies
  /// outside the range, which added tracks may, counts as the whole of it.
  package func rackDuration(difference: Double, range: Double) -> Double {
    let share = abs(difference) <= range ? abs(difference) / max(range, .leastNormalMagnitude) : 1
    return max(shortestRack, min(longestRack, shortestRack + rackSlope * share))
  }
}
