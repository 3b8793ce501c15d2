// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import FocalCaptionRendering
import FocalCaptions
import FocalCinematic
import FocalCommands
import FocalCore
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
  func documents() throws(CinematicError) -> [CaptionDocument] {
    var documents: [CaptionDocument] = []
    for file in files {
      let document = try CaptionInput.document(file)
      for issue in document.issues { note("\(file), \(issue)") }
      documents.append(document)
    }
    return documents
  }

  /// Says of which files a part of the movie shows no caption.
  func tellOfNothing(in range: TimeRange, of documents: [CaptionDocument]) {
    for (file, document) in zip(files, documents) where !document.captions.isEmpty {
      let isSeen = document.captions.contains { !$0.timeRange.intersection(range).isEmpty }
      if !isSeen { note("no caption of \(file) is in the part that is exported") }
    }
  }

  /// The tracks for a movie; says what they lose.
  func tracks(
    _ documents: [CaptionDocument], for output: String, inMP4 isMP4: Bool
  ) throws(CinematicError) -> [FilmCompanions.TextTrack] {
    var tracks: [FilmCompanions.TextTrack] = []
    for (file, document) in zip(files, documents) {
      let track = try CaptionTrack(
        document, kind: CaptionTrack.Kind(document.format, inMP4: isMP4))
      for loss in track.losses { note("\(output), captions of \(file), \(loss)") }
      guard !track.samples.isEmpty else {
        note("\(file) has no captions that \(output) could show")
        continue
      }
      tracks.append(
        FilmCompanions.TextTrack(
          handler: track.handler, entry: track.entry, languageCode: track.languageCode,
          // Players show one track by themselves.
          isEnabled: tracks.isEmpty, samples: track.samples))
    }
    return tracks
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
    _ track: FilmCompanions.TextTrack
  ) throws(CinematicError) -> CaptionDocument {
    var document = try CaptionTrack.captions(entry: track.entry, samples: track.samples)
    if document.language == nil, track.languageCode != "und" {
      document.language = track.languageCode
    }
    return document
  }

  /// Whether a file is a movie, by its name.
  static func isMovie(_ path: String) -> Bool {
    [".mov", ".mp4", ".m4v", ".mkv", ".webm"].contains { path.lowercased().hasSuffix($0) }
  }

  /// The captions of one of a movie's tracks.
  ///
  /// - Parameter number: among the tracks of captions, from 1.
  /// - Throws: `incomplete` where there is no such track.
  static func document(
    of path: String, track number: Int
  ) throws(CinematicError) -> CaptionDocument {
    let tracks = try waiting { () async throws(CinematicError) in
      try await Self.tracks(of: Asset.named(path), isCinematic: false)
    }
    guard tracks.indices.contains(number - 1) else {
      throw CinematicError(
        .incomplete,
        tracks.isEmpty
          ? "\(path) has no track of captions"
          : "\(path) has \(counted(tracks.count, "track")) of captions, and no track \(number)",
        remedy: tracks.isEmpty ? "name a caption file" : "give --track 1 to \(tracks.count)")
    }
    return try document(tracks[number - 1])
  }
}
