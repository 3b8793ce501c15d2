// SPDX-License-Identifier: Apache-2.0

import FocalCore

/// What texts about cinematic renderings point at.
extension CinematicError.Parameter {
  /// The background behind subjects.
  public static let background = Self(rawValue: "SubjectEffect.background")
  /// The light that highlights gain.
  public static let highlights = Self(rawValue: "RenderingSession.Attributes.highlights")
  /// Renderings of those numbered pictures that are missing.
  public static let resumption = Self(rawValue: "resumes: true")
  /// Focus on one disparity.
  public static let disparityFocus = Self(rawValue: "FocusChoice.disparity(_:)")
  /// Focus on a point of the picture.
  public static let pointFocus = Self(rawValue: "FocusChoice.point(_:)")
  /// The f-number of a script.
  public static let scriptFNumber = Self(rawValue: "Script.fNumber")
  /// Decisions for a script.
  public static let director = Self(rawValue: "Director")
  /// Decisions for a movie's script.
  public static let movieDirector = Self(rawValue: "Director with MovieReviser")
}
