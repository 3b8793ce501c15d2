// SPDX-License-Identifier: Apache-2.0

import FocalCore

extension FocusChoice {
  /// In words where the focus comes from; `nil` where it was given.
  package var origin: CinematicError.Wording? {
    switch self {
    case .disparity: nil
    case .point(let shown): "the disparity at \(shown.x),\(shown.y)"
    case .subject:
      """
      the largest and nearest part of the first map; \(parameter: .disparityFocus) or \
      \(parameter: .pointFocus) choose another
      """
    }
  }
}
