// SPDX-License-Identifier: Apache-2.0

import FocalCore

/// What remedies of helpers point at.
extension CinematicError.Parameter {
  /// The seconds in which a helper has to answer a picture.
  public static let helperTimeLimit = Self(rawValue: "the initialiser's timeLimit")
}
