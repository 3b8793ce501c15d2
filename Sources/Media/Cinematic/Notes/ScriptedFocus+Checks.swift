// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalRendering
import FocalScript

extension ScriptedFocus {
  /// Says so if the script decides nothing. What else of it has no effect here is part of a movie that is made.
  package func tellIfItDecidesNothing(to note: Notes) {
    if script.decidesNothing { note(MovieFocus.indecision(of: name)) }
  }

  /// Refuses an f-number that no frame can be rendered with, before a movie is made that holds it.
  package func checkFNumber() throws(CinematicError) {
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

extension MovieFocus {
  /// What is said of a script that decides nothing.
  package static func indecision(of name: String) -> String {
    "the script of \(name) decides nothing, and the focus is held: focal script direct makes"
      + " decisions, focal edit <movie> direct those of a movie"
  }
}
