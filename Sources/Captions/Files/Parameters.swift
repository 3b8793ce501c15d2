// SPDX-License-Identifier: Apache-2.0

import FocalCore

/// What remedies of caption files point at.
extension CinematicError.Parameter {
  /// Whether faults of a file that is read are errors.
  public static let strictReading = Self(rawValue: "CaptionReadingOptions.isStrict")
  /// Whether losses of a file that is written are errors.
  public static let strictWriting = Self(rawValue: "CaptionWritingOptions.isStrict")
}
