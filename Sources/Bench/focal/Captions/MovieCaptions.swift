// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import FocalBoxes
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

/// The captions of a file that go with a film.
struct GivenCaptions: Sendable {
  var file: String
  var document: CaptionDocument

  /// Times in files are rounded to a frame, of 24 a second at most: half of one is not meant.
  private static let rounding = Time(value: 1, timescale: 48)

  /// How many begin when a film is over.
  func lateCount(after end: Time) -> Int {
    document.captions.count { $0.timeRange.start >= end }
  }

  /// Says which of them a film is too short for.
  func tellOfEnd(_ end: Time, of film: String) {
    let late = lateCount(after: end)
    if late > 0 {
      note(
        "\(counted(late, "caption")) of \(file) \(late == 1 ? "comes" : "come") after the end of"
          + " \(film)")
    }
    let cut = document.captions.count {
      $0.timeRange.start < end && $0.timeRange.end > end + Self.rounding
    }
    if cut > 0 {
      note(
        "\(counted(cut, "caption")) of \(file) \(cut == 1 ? "goes" : "go") on after the end of"
          + " \(film), and \(cut == 1 ? "is" : "are") cut there")
    }
  }

  /// Says so if a part of the movie shows none of them.
  func tellOfNothing(in range: TimeRange) {
    guard !document.captions.isEmpty,
      !document.captions.contains(where: { !$0.timeRange.intersection(range).isEmpty })
    else { return }
    note("no caption of \(file) is in the part that is exported")
  }
}

extension [GivenCaptions] {
  /// The tracks for a movie; says what they lose.
  func tracks(
    for output: String, inMP4 isMP4: Bool
  ) throws(CinematicError) -> [FilmCompanions.TextTrack] {
    var tracks: [FilmCompanions.TextTrack] = []
    for given in self {
      let kind = CaptionTrack.Kind(given.document.format, inMP4: isMP4)
      let track: CaptionTrack
      do throws(CinematicError) {
        track = try CaptionTrack(given.document, kind: kind)
      } catch {
        throw error.naming(given.file)
      }
      note(track.losses, of: "\(output), captions of \(given.file)")
      guard !track.samples.isEmpty else {
        note("\(given.file) has no captions that \(output) could show")
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
    guard tracks.indices.contains(number - 1) else {
      throw CinematicError(
        .incomplete,
        tracks.isEmpty
          ? "\(path) has no track of captions"
          : "\(path) has \(counted(tracks.count, "track")) of captions, and no track \(number)",
        remedy: tracks.isEmpty ? "name a caption file" : "give --track 1 to \(tracks.count)")
    }
    return try document(tracks[number - 1], options: options)
  }
}
