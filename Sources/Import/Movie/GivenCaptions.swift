// SPDX-License-Identifier: Apache-2.0

import FocalBoxes
import FocalCaptions
import FocalCinematic
import FocalCore
import FocalMedia

/// The captions of a file that go with a film.
public struct GivenCaptions: Sendable {
  /// Their name in messages: the file's path.
  public var file: String
  /// The captions; their times count from the film's start.
  public var document: CaptionDocument

  /// - Parameter file: their name in messages.
  public init(file: String, document: CaptionDocument) {
    (self.file, self.document) = (file, document)
  }

  /// Times in files are rounded to a frame, of 24 a second at most: half of one is not meant.
  private static let rounding = Time(value: 1, timescale: 48)

  /// How many begin when a film is over.
  package func lateCount(after end: Time) -> Int {
    document.captions.count { $0.timeRange.start >= end }
  }

  /// Says which of them a film is too short for.
  package func tellOfEnd(_ end: Time, of film: String, to note: Notes) {
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
  package func tellOfNothing(in range: TimeRange, to note: Notes) {
    guard !document.captions.isEmpty,
      !document.captions.contains(where: { !$0.timeRange.intersection(range).isEmpty })
    else { return }
    note("no caption of \(file) is in the part that is exported")
  }
}

extension [GivenCaptions] {
  /// The tracks for a movie; says what they lose.
  package func tracks(
    for output: String, inMP4 isMP4: Bool, to note: Notes
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
      for loss in CaptionIssue.shortened(track.losses) {
        note("\(output), captions of \(given.file), \(loss)")
      }
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
