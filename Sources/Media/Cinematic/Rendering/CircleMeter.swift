// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalRendering
import Synchronization

/// The diameter of the largest circle of confusion of the frames so far, in pixels of the picture as it is
/// rendered. None is drawn larger than ``FocalRendering/RenderingSession/largestCircleDiameter``.
final class CircleMeter: Sendable {
  private struct State {
    var largest: Float = 0
    var emptyMapCount = 0
  }

  private let state = Mutex(State())

  /// 0 before the first frame that is blurred.
  var largest: Float { state.withLock { $0.largest } }
  /// How many frames have a map without any valid disparity.
  var emptyMapCount: Int { state.withLock { $0.emptyMapCount } }

  /// Takes a frame's circles into account.
  ///
  /// - Parameters:
  ///   - map: of the frame; `nil` where nothing is blurred.
  ///   - width: of the rendered picture before its turn.
  func add(
    _ map: DisparityMapInfo?, _ frame: RenderingSession.FrameAttributes, blurScale: Float,
    width: Int
  ) {
    guard let map else { return }
    guard let range = map.range else {
      state.withLock { $0.emptyMapCount += 1 }
      return
    }
    let circle =
      Float(width) * blurScale / frame.fNumber
      * max(
        abs(range.upperBound - frame.focusDisparity), abs(frame.focusDisparity - range.lowerBound))
    state.withLock { $0.largest = max($0.largest, circle) }
  }
}
