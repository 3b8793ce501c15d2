// SPDX-License-Identifier: Apache-2.0

import FocalCaptions
import FocalCore
import FocalMedia

extension FilmCompanions {
  /// Writes captions anew that a part of a movie cannot have by their samples alone: those whose times lie in their
  /// text, and those of CEA-608, whose codes are sent before they are shown. Names what does not come along.
  ///
  /// - Parameter range: the part, in the source's times.
  /// - Throws: what writing captions throws.
  mutating func fitCaptions(to range: TimeRange) throws(CinematicError) {
    for (index, track) in captionTracks.enumerated() {
      var track = track
      var lost: [CaptionIssue] = []
      if track.timesLieInText {
        let document = try CaptionTrack.captions(entry: track.entry, samples: track.samples)
        // Without a caption, what it is cannot be read.
        guard !document.captions.isEmpty else { continue }
        let written = try CaptionTrack(document, kind: .ttml)
        track.samples = written.samples
        lost = document.issues + written.losses
      } else if CaptionTrack.Kind(track.entry) == .cea608,
        track.samples.contains(where: { $0.timeRange.start < range.start })
      {
        let written = CaptionTrack.line21(track.samples, in: range)
        track.samples = written.samples
        lost = written.losses
      } else {
        continue
      }
      leaveOut(
        Set(lost.map { $0.severity == .error ? "\($0)" : $0.reason }).sorted().map {
          "in captions that are cut, what follows: \($0)"
        })
      replaceCaptions(at: index, with: track)
    }
  }
}
