// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalRendering
import Synchronization

/// The diameter of the largest circle of confusion of the frames so far, in pixels of the picture as it is
/// rendered. None is drawn larger than ``FocalRendering/RenderingSession/largestCircleDiameter``.
final class CircleMeter: Sendable {
  private let state = Mutex<Float>(0)

  /// 0 before the first frame that is blurred.
  var largest: Float { state.withLock { $0 } }

  /// Takes a frame's circles into account.
  ///
  /// - Parameters:
  ///   - map: of the frame; `nil` where nothing is blurred.
  ///   - width: of the rendered picture before its turn.
  func add(
    _ map: DisparityMapInfo?, _ frame: RenderingSession.FrameAttributes, blurScale: Float,
    width: Int
  ) {
    guard let range = map?.range else { return }
    let circle =
      Float(width) * blurScale / frame.fNumber
      * max(
        abs(range.upperBound - frame.focusDisparity), abs(frame.focusDisparity - range.lowerBound))
    state.withLock { $0 = max($0, circle) }
  }
}
