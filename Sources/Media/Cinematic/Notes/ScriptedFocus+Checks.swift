// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalMedia
import FocalRendering
import FocalScript
import Foundation

extension ScriptedFocus {
  /// Says so if the script decides nothing. What else of it has no effect here is part of a movie that is made.
  package func tellIfItDecidesNothing(to note: Notes) {
    if script.decidesNothing { note(worded: MovieFocus.indecision(of: name)) }
  }

  /// Finds, before the first frame, a clip that the script is not of.
  ///
  /// - Parameters:
  ///   - pictures: those that are chosen of the clip.
  ///   - isWhole: whether they are all of it.
  ///   - clip: its name.
  ///   - isShown: whether a picture is worked on.
  ///   - note: is told if the script seems to be of another clip.
  /// - Throws: `incompatible` for a picture about whose time the script knows nothing.
  package func check(
    against pictures: FrameReader, isWhole: Bool, named clip: String,
    where isShown: (FramePlace) -> Bool = { _ in true }, to note: Notes
  ) throws(CinematicError) {
    let numbers = pictures.frameNumbers
    for number in numbers {
      let place = FramePlace(index: number, timeRange: pictures.timeRange(ofFrame: number))
      if isShown(place) { try checkKnows(place.time) }
    }
    guard isWhole, pictures.properties.kind != .still else { return }
    let recording = script.recording
    let (span, shown) = (
      recording.timeRange.duration,
      pictures.end - pictures.timeRange(ofFrame: numbers.lowerBound).start
    )
    // Times are rounded, and the last frame's end is often a guess.
    let frame = shown.seconds / Double(Swift.max(1, numbers.count))
    let tolerance = Swift.max(1.5 * frame, 0.01 * shown.seconds)
    guard
      recording.frameTimes.count != numbers.count || abs((shown - span).seconds) > tolerance
    else { return }
    note(
      "\(name) is a script of \(counted(recording.frameTimes.count, "frame"))"
        + String(format: " over %.3f s, and ", span.seconds)
        + "\(clip) has \(counted(numbers.count, "frame"))"
        + String(format: " over %.3f s: is it the script of this clip?", shown.seconds))
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
