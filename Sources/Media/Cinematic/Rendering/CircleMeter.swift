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
  ///   - session: of the renderer, with the look of the frame.
  ///   - width: of the rendered picture before its turn.
  func add(
    _ map: DisparityMapInfo?, _ frame: RenderingSession.FrameAttributes,
    _ session: RenderingSession.Attributes, width: Int
  ) {
    guard let map else { return }
    let circle = session.largestCircle(of: frame, map, width: width)
    state.withLock { state in
      if map.range == nil { state.emptyMapCount += 1 }
      state.largest = max(state.largest, circle)
    }
  }
}
