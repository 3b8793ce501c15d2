// SPDX-License-Identifier: Apache-2.0

import FocalCommands
import FocalCore
import FocalMedia

/// Says which sound of the source is not heard, and why.
func note(leftOut sound: Sound?) {
  for error in sound?.leftOut ?? [] { note("a track of sound is left out: \(error.message)") }
}

/// Says which sound is not copied as it is.
func note(encoded sound: [WrittenSound], in output: String) {
  for track in sound {
    guard let stored = track.storedAs else { continue }
    note(
      "the sound (\(track.codec)) is encoded as \(stored.uppercased()): \(output) does not hold it as"
        + " it is")
  }
}

/// Says if the output does not hold the source's range of light.
func tellRange(
  of source: SourceProperties, as tags: ColorTags, isToneMapped: Bool, in output: String
) {
  // Light that was made of a camera's or a profile's codes becomes those again.
  let isLight =
    source.tags.transfer == .linear && source.logCoding == nil
    && source.pictureMetadata.profile == nil
  if isToneMapped {
    note("high dynamic range becomes standard: \(output) holds no more")
  } else if isLight, tags.transfer != .linear {
    note("\(output) holds no light above white: it is clipped; .exr and .pfm keep it")
  }
}

/// Says what else of the source a movie, or a stream, does not get.
func note(leftOut companions: FilmCompanions, in output: String) throws(CinematicError) {
  var lost = companions.leftOut + companions.contents
  if !PipePath.isPipe(output) {
    guard case .movie(let container) = try OutputFormat(path: output) else { return }
    lost = companions.losses(in: container)
  }
  if !lost.isEmpty {
    note("\(PipePath.outputName(output)) does not keep \(lost.joined(separator: ", "))")
  }
}
