// SPDX-License-Identifier: Apache-2.0

import FocalBoxes

extension TimedMetadataGroup {
  /// What this project's metadata say about a frame's focus; `nil` where they say nothing.
  public var renderingAttributes: (focusDisparity: Float, fNumber: Float)? {
    guard case .number(let focus)? = self[CinematicKey.focusDisparity]?.value,
      case .number(let fNumber)? = self[CinematicKey.fNumber]?.value
    else { return nil }
    return (Float(focus), Float(fNumber))
  }
}
