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

  /// - Parameter duration: a negative one becomes zero.
  public init(duration: Time, curve: Curve = .minimumJerk) {
    self.duration = max(duration, .zero)
    self.curve = curve
  }
}
