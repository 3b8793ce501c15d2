// SPDX-License-Identifier: Apache-2.0

import FocalCore
import Foundation
import Synchronization

/// Time as it passes.
public final class HostClock: CaptureClock {
  private let zero = Mutex<(instant: ContinuousClock.Instant, wall: Double)?>(nil)

  public init() {}

  public var now: Time {
    guard let zero = zero.withLock({ $0 }) else { return .zero }
    let elapsed = (ContinuousClock.now - zero.instant).components
    return Time(
      value: elapsed.seconds * 1_000_000 + elapsed.attoseconds / 1_000_000_000_000,
      timescale: 1_000_000)
  }

  public func start() -> Double {
    zero.withLock { zero in
      if let zero { return zero.wall }
      let begin = (instant: ContinuousClock.now, wall: Date().timeIntervalSince1970)
      zero = begin
      return begin.wall
    }
  }

  public func sleep(until time: Time) async {
    let left = (time - now).seconds
    guard left > 0 else { return }
    try? await Task.sleep(for: .seconds(left))
  }
}
