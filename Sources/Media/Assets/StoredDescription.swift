// SPDX-License-Identifier: Apache-2.0

import FocalBoxes

/// A QuickTime or MP4 file's description of a track beyond how its samples are read, as stored, so
/// that a copy says the same.
struct StoredTrack: Sendable {
  /// How the samples are coded; `nil` if they are coded in several ways.
  var entry: Box?
  /// The size on the screen, before the matrix.
  var shownSize: (width: Double, height: Double)
  /// Descriptions of the track.
  var extras: [Box]
  /// The language with its script and country (BCP 47), which three letters cannot say.
  var extendedLanguage: String?
  /// Boxes of the track that nothing is known of, in words.
  var unknown: [String]
}

/// Its description of the whole movie, likewise.
struct StoredMovie: Sendable {
  /// Seconds since the beginning of 1904.
  var creationTime: UInt32
  /// Descriptions of the movie.
  var extras: [Box]
  /// Descriptions that stand beside the movie in the file.
  var fileExtras: [Box]
  /// Boxes that nothing is known of, in words.
  var unknown: [String]
}
