// SPDX-License-Identifier: Apache-2.0

import FocalCommands
import FocalCore
import FocalMedia

/// Says which sound of the source is not heard, and why.
func note(leftOut sound: Sound?) {
  for error in sound?.leftOut ?? [] { note("a track of sound is left out: \(error.message)") }
}

/// Says what else of the source a movie does not get.
func note(leftOut companions: FilmCompanions, in output: String) throws(CinematicError) {
  guard !PipePath.isPipe(output),
    case .movie(let container) = try OutputFormat(path: output)
  else { return }
  let lost = companions.losses(in: container)
  if !lost.isEmpty { note("\(output) does not keep \(lost.joined(separator: ", "))") }
}
