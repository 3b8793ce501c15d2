// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalRendering
import FocalScript

extension ScriptedFocus {
  /// Says so if the script decides nothing. What else of it has no effect here is part of a movie that is made.
  package func tellIfItDecidesNothing(to note: Notes) {
    if script.decidesNothing { note(worded: MovieFocus.indecision(of: name)) }
  }

  /// Refuses an f-number that no frame can be rendered with, before a movie is made that holds it.
  ///
  /// - Parameter remedy: the way to set another one.
  package func checkFNumber(
    remedy: CinematicError.Wording = "set another one (\(parameter: .scriptFNumber))"
  ) throws(CinematicError) {
    do throws(CinematicError) {
      try RenderingSession.FrameAttributes(focusDisparity: 0, fNumber: script.fNumber).validate()
    } catch {
      throw CinematicError(error.code, "\(name): \(error.message)", remedy: remedy)
    }
  }
}

extension MovieFocus {
  /// What is said of a script that decides nothing.
  package static func indecision(of name: String) -> CinematicError.Wording {
    """
    the script of \(name) decides nothing, and the focus is held: \(parameter: .director) makes \
    decisions, \(parameter: .movieDirector) those of a movie
    """
  }
}
