// SPDX-License-Identifier: Apache-2.0

import FocalCore

/// How focus travels to a decision's subject, where the automatic way is not wanted.
public struct Transition: Hashable, Sendable {
  /// The share of the way covered, over the share of the time that has passed.
  public enum Curve: Int, Hashable, Sendable, CaseIterable, CustomStringConvertible {
    /// 10u³ - 15u⁴ + 6u⁵: starts and ends without speed and without acceleration, as a hand does
    /// (Flash and Hogan 1985).
    case minimumJerk = 0
    /// 3u² - 2u³: starts and ends without speed.
    case easeInOut = 1
    /// Constant speed.
    case linear = 2

    public var description: String {
      switch self {
      case .minimumJerk: "minimumJerk"
      case .easeInOut: "easeInOut"
      case .linear: "linear"
      }
    }

    /// 0 at 0, 1 at 1, never falling, never outside 0...1.
    public func value(at share: Double) -> Double {
      let u = share.isNaN ? 0 : max(0, min(1, share))
      let value =
        switch self {
        case .minimumJerk: u * u * u * (10 + u * (6 * u - 15))
        case .easeInOut: u * u * (3 - 2 * u)
        case .linear: u
        }
      return max(0, min(1, value))
    }
  }

  /// How long focus travels; it is shortened where the previous decision leaves less room. Zero is
  /// a cut. Never negative: a negative one becomes zero.
  public var duration: Time { didSet { duration = max(duration, .zero) } }
  /// How focus moves from start to end.
  public var curve: Curve
  /// How much of it was over at the script's first moment, where the script was cut within it: so much earlier than that it
  /// may begin. Zero for all others.
  public internal(set) var elapsed = Time.zero
  /// How much of it was left at its decision, where the script was cut within it: the decision stands behind the last frame
  /// then, and focus does not get there. Zero for all others.
  public internal(set) var remaining = Time.zero

  /// - Parameter duration: a negative one becomes zero.
  public init(duration: Time, curve: Curve = .minimumJerk) {
    self.duration = max(duration, .zero)
    self.curve = curve
  }

  /// Whether a script was cut within it.
  var isCut: Bool { elapsed > .zero || remaining > .zero }

  /// The same, cut elsewhere.
  func cut(elapsed: Time = .zero, remaining: Time = .zero) -> Transition {
    var result = self
    result.elapsed = max(elapsed, .zero)
    result.remaining = max(remaining, .zero)
    return result
  }
}
