// SPDX-License-Identifier: Apache-2.0

import FocalCore

/// What remedies of the editor point at.
extension CinematicError.Parameter {
  /// The changes file of a movie.
  public static let changes = Self(rawValue: "Editor.Settings.changes")
  /// Folders of movies, clips and results.
  public static let folders = Self(rawValue: "Editor.Settings.folders")
  /// The port that is listened at.
  public static let port = Self(rawValue: "ListeningSocket.port")
}
