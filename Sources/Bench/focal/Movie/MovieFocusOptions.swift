// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import FocalCinematic
import FocalCommands
import FocalCore
import FocalMedia
import FocalScript

/// What decides focus and look of a Cinematic movie beside what it carries, and whether that is drawn.
struct MovieFocusOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp("Changes to the movie's script, or to --script.", valueName: "changes"))
  var changes: String?
  @Option(help: ArgumentHelp("A focus script instead of the movie's own.", valueName: "script"))
  var script: String?
  @OptionGroup var focus: FocusOptions
  @OptionGroup var look: LookOptions
  @Flag(help: "Draw the script's detections into the pictures, the one in focus yellow.")
  var overlay = false

  func validate() throws {
    guard focus.fNumber.map({ $0 >= 0.1 }) ?? true else {
      throw ValidationError("--f-number takes a number of at least 0.1")
    }
    guard !focus.isGiven || (changes == nil && script == nil) else {
      throw ValidationError("give a focus, or a script and changes, not both")
    }
  }

  /// The files that are read.
  var inputs: [String?] { [changes, script] }

  /// Whether something is given that belongs to one movie.
  var isForOneMovie: Bool { changes != nil || script != nil }

  /// What is given.
  ///
  /// - Parameter movies: one, or several that none of the options belongs to.
  func overrides(of movies: [Asset]) throws(CinematicError) -> FocusOverrides {
    var overrides = FocusOverrides()
    overrides.fNumber = focus.fNumber
    overrides.focus = focus.choice
    overrides.look = look.look
    overrides.drawsDetections = overlay
    if let script {
      let given = try ScriptFile.script(at: script, changes: changes)
      if overlay { given.tellOfNoPlaces(in: script) }
      overrides.script = .given(given)
    } else if let changes, let movie = movies.first {
      let changed = try ScriptFile.script(of: movie, changes: changes)
      if overlay { changed.tellOfNoPlaces(in: movie.name) }
      overrides.script = .given(changed)
    } else if overlay {
      // What is wrong with a movie is said when it is rendered.
      for movie in movies { (try? ScriptFile.script(of: movie))?.tellOfNoPlaces(in: movie.name) }
    }
    return overrides
  }
}

extension [MovieFocus] {
  /// Says in a line each what a person would not expect.
  func tell() {
    for focus in self {
      if focus.origin == .steady, let disparity = focus.focusDisparity {
        note(
          "nothing that can be read says what is sharp in \(focus.movie): the focus is held at"
            + " \(disparity), the largest and nearest part of its first map; --focus, --focus-at,"
            + " --script or --changes choose another")
      }
      if !focus.unknownLook.isEmpty {
        note(
          "the look of \(focus.movie) has values that this version does not know and does not"
            + " render: \(focus.unknownLook.joined(separator: ", "))")
      }
    }
  }
}
