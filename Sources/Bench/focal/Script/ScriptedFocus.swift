// SPDX-License-Identifier: Apache-2.0

import FocalCinematic
import FocalCommands
import FocalCore
import FocalRendering
import FocalScript

extension ScriptedFocus {
  /// The focus of a script in a file.
  ///
  /// - Throws: the error of a script or of changes that cannot be read.
  init(path: String, changes: String?, fNumber: Float?, overlay: Bool) throws(CinematicError) {
    self.init(
      try ScriptFile.script(at: path, changes: changes), name: path, fNumber: fNumber,
      drawsDetections: overlay)
  }

  /// Says what of the script has no effect.
  func tellOfNoEffect() {
    var focus = MovieFocus(
      movie: name, origin: .script, unknownLook: script.look.unknownNames)
    focus.lacksPlaces = drawsDetections && !script.hasPlaces
    focus.lacksDecisions = fNumber != .infinity && script.decidesNothing
    [focus].tell()
  }
}
