// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import FocalBoxes
import FocalCaptionRendering
import FocalCaptions
import FocalCinematic
import FocalCommands
import FocalCore
import FocalImport
import FocalMedia

/// Captions that a movie is given.
struct CaptionTrackOptions: ParsableArguments {
  @Option(
    name: .customLong("captions"),
    help: ArgumentHelp(
      "A caption file that becomes a track; may be given several times. .scc becomes c608; in .mp4 .itt and .ttml"
        + " become stpp, and .vtt wvtt; others tx3g.", valueName: "file"))
  var files: [String] = []

  /// - Throws: what reading throws.
  func given() throws(CinematicError) -> [GivenCaptions] {
    var captions: [GivenCaptions] = []
    for file in files {
      let document = try CaptionInput.document(file)
      note(document.issues, of: file)
      captions.append(GivenCaptions(file: file, document: document))
    }
    return captions
  }
}

/// The captions of a movie's own tracks.
enum MovieCaptions {
  /// - Parameter isCinematic: whether times are of the movie's own timeline, as exports count.
  static func tracks(
    of asset: Asset, isCinematic: Bool
  ) async throws(CinematicError) -> [FilmCompanions.TextTrack] {
    try await FilmCompanions(
      asset, isCinematic: isCinematic, frameDuration: Time(value: 1, timescale: 30)
    ).captionTracks
  }

  /// The captions of a track; the language is the track's.
  static func document(
    _ track: FilmCompanions.TextTrack, options: CaptionReadingOptions = CaptionReadingOptions()
  ) throws(CinematicError) -> CaptionDocument {
    var document: CaptionDocument
    if let read = track.document {
      document = read
    } else {
      document = try CaptionTrack.captions(
        entry: track.entry, samples: track.samples, options: options)
    }
    if document.language == nil, track.languageCode != "und" {
      document.language = track.languageCode
    }
    return document
  }

  /// Whether a file is a movie, by its name.
  static func isMovie(_ path: String) -> Bool {
    [".mov", ".mp4", ".m4v", ".mkv", ".webm"].contains { path.lowercased().hasSuffix($0) }
  }

  /// The captions of one of a movie's tracks; the movie needs no pictures.
  ///
  /// - Parameter number: among the tracks of captions, from 1.
  /// - Throws: `incomplete` where there is no such track, `malformed` where all are damaged.
  static func document(
    of path: String, track number: Int, options: CaptionReadingOptions
  ) throws(CinematicError) -> CaptionDocument {
    let companions = try waiting { () async throws(CinematicError) in
      try await FilmCompanions(captionsOf: Asset.named(path))
    }
    let tracks = companions.captionTracks
    guard !tracks.isEmpty || companions.damagedCaptions.isEmpty else {
      throw CinematicError(
        .malformed,
        "\(path) is damaged: \(companions.damagedCaptions.joined(separator: ", ")) cannot be read",
        remedy: "mend the movie, or name a caption file")
    }
    for captions in companions.damagedCaptions { note("\(path), damaged: \(captions)") }
    guard !tracks.isEmpty || companions.unreadCaptions.isEmpty else {
      throw CinematicError(
        .unsupported,
        "\(path) has captions of a kind that is not read:"
          + " \(companions.unreadCaptions.joined(separator: ", "))",
        remedy: "convert them to a caption file first")
    }
    let unread = companions.unreadCaptions.map { "\($0) are not read" }
    guard tracks.indices.contains(number - 1) else {
      let beside = unread.map { "; \($0)" }.joined()
      throw CinematicError(
        .incomplete,
        tracks.isEmpty
          ? "\(path) has no track of captions"
          : "\(path) has \(counted(tracks.count, "track")) of captions, and no track \(number)\(beside)",
        remedy: tracks.isEmpty
          ? "name a caption file"
          : tracks.count == 1 ? "give --track 1" : "give --track 1 to \(tracks.count)")
    }
    var captions = try document(tracks[number - 1], options: options)
    captions.issues += unread.map { CaptionIssue(severity: .note, reason: $0) }
    return captions
  }
}
