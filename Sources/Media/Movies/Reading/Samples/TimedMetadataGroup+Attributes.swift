// SPDX-License-Identifier: Apache-2.0

import FocalBoxes

extension TimedMetadataGroup {
  /// A frame's focus by this project's metadata; `nil` if there are none.
  public var renderingAttributes: (focusDisparity: Float, fNumber: Float)? {
    guard case .number(let focus)? = self[CinematicKey.focusDisparity]?.value,
      case .number(let fNumber)? = self[CinematicKey.fNumber]?.value
    else { return nil }
    return (Float(focus), Float(fNumber))
  }
}
