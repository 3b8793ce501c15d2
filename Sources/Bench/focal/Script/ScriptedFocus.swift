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

  /// Says so if the script decides nothing. What else of it has no effect here is part of a movie that is made.
  func tellIfItDecidesNothing() {
    var focus = MovieFocus(movie: name, origin: .script)
    focus.lacksDecisions = script.decidesNothing
    [focus].tell()
  }

  /// Refuses an f-number that no frame can be rendered with, before a movie is made that holds it.
  func checkFNumber() throws(CinematicError) {
    do throws(CinematicError) {
      try RenderingSession.FrameAttributes(focusDisparity: 0, fNumber: script.fNumber).validate()
    } catch {
      throw CinematicError(
        error.code, "\(name): \(error.message)",
        remedy: "set another one: focal script set \(name) --f-number 2.8 -o changes.focus, then"
          + " --changes changes.focus")
    }
  }
}
