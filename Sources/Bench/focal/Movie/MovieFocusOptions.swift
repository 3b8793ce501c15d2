// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import FocalCinematic
import FocalCommands
import FocalCore
import FocalMedia
import FocalScript

/// Focus and look of a Cinematic movie beyond those that it carries, and whether they are drawn.
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
  @OptionGroup var steadiness: SteadinessOptions
  @OptionGroup var show: ShowOptions
  @OptionGroup var shaping: ShapingOptions
  @OptionGroup var refused: RefusedOptions

  func validate() throws {
    guard focus.fNumber.map({ $0 >= 0.1 }) ?? true else {
      throw ValidationError("--f-number takes a number of at least 0.1")
    }
    guard !focus.isGiven || (changes == nil && script == nil) else {
      throw ValidationError("give a focus, or a script and changes, not both")
    }
  }

  /// The files that are read.
  var inputs: [String?] { [changes, script] + look.inputs }

  /// Whether something is given that belongs to one movie.
  var isForOneMovie: Bool { changes != nil || script != nil }

  /// The given focus and look.
  ///
  /// - Parameter movies: one, or several that none of the options belongs to.
  func overrides(of movies: [Asset]) throws(CinematicError) -> FocusOverrides {
    var overrides = FocusOverrides()
    overrides.fNumber = focus.fNumber
    overrides.focus = focus.choice
    overrides.look = try look.look()
    overrides.drawsDetections = overlay
    overrides.view = show.show
    overrides.steadiesDisparity = steadiness.steadyMaps
    overrides.shaping = shaping.shaping
    try overrides.shaping.validate()
    if case .disparity(let disparity) = focus.choice, focus.fNumber != .infinity {
      for movie in movies { tellIfNothingIsSharp(at: disparity, in: movie) }
    }
    if let script {
      overrides.script = .given(try ScriptFile.script(at: script, changes: changes))
    } else if let changes, let movie = movies.first {
      overrides.script = .given(try ScriptFile.script(of: movie, changes: changes))
    }
    return overrides
  }
}

extension FocusOverrides {
  /// The script whose frames a time that is typed as one counts: a given one, else the movie's.
  func timingScript(of movie: Asset) throws(CinematicError) -> Script {
    if case .given(let script) = script { return script }
    return try ScriptFile.script(of: movie)
  }
}

extension [MovieFocus] {
  /// Says in a line each what a person would not expect.
  func tell() {
    for focus in self {
      if focus.isScriptCut {
        note(
          "the edit list of \(focus.movie) shows several parts of it, or at another speed, or none that its focus"
            + " script is of: script and look are those of the whole, and are left out")
      }
      if focus.lacksPlaces {
        note("the script of \(focus.movie) has no detections: --overlay draws nothing")
      }
      if focus.lacksDecisions { note(MovieFocus.indecision(of: focus.movie).told) }
      if focus.origin == .steady, let disparity = focus.focusDisparity {
        note(
          "nothing that can be read says what is sharp in \(focus.movie): the focus is held at"
            + " \(disparity), the largest and nearest part of its first map; --focus, --focus-at,"
            + " --script or --changes choose another")
      }
      for name in focus.idleLook {
        let (option, remedy) = LookOptions.idle(name)
        note("\(option) has no effect on \(focus.movie): \(remedy)")
      }
      if !focus.unknownLook.isEmpty {
        note(
          "the look of \(focus.movie) has values that this version does not know and does not"
            + " render: \(focus.unknownLook.joined(separator: ", "))")
      }
    }
  }
}

/// Says so if a disparity lies outside of all that a movie's maps can hold.
func tellIfNothingIsSharp(at disparity: Float, in movie: Asset) {
  // Faults of a movie are reported when it is rendered.
  let scale = try? waiting { () async throws(CinematicError) in
    try await MovieScript(asset: movie).reader.disparityRange.scale
  }
  guard let scale else { return }
  tellIfNothingIsSharp(
    at: disparity, in: min(scale.low, scale.high)...max(scale.low, scale.high), of: "the map")
}

/// Says so if a disparity is not among those of a map.
func tellIfNothingIsSharp(at disparity: Float, in range: ClosedRange<Float>, of name: String) {
  guard !range.contains(disparity) else { return }
  note(
    "nothing is sharp: the focus is \(disparity), and \(name) reaches from \(range.lowerBound) to"
      + " \(range.upperBound)")
}
