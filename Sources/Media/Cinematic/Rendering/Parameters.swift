// SPDX-License-Identifier: Apache-2.0

import FocalCore

/// What remedies of cinematic renderings point at.
extension CinematicError.Parameter {
  /// The background behind subjects.
  public static let background = Self(rawValue: "SubjectEffect.background")
  /// The light that highlights gain.
  public static let highlights = Self(rawValue: "RenderingSession.Attributes.highlights")
  /// Renderings of those numbered pictures that are missing.
  public static let resumption = Self(rawValue: "resumes: true")
}
