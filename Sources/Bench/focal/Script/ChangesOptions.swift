// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import FocalCommands
import FocalCore
import FocalScript
import Foundation

/// Which changes an edit goes on from, and where it is written.
struct ChangesOptions: ParsableArguments {
  @Option(help: ArgumentHelp("Changes to go on from.", valueName: "changes"))
  var changes: String?
  @Option(name: .shortAndLong, help: "The changes to write; may be those read.")
  var output: String
  @Flag(help: "Replace an existing output.")
  var force = false

  /// - Parameter input: the script or the movie, which is never written over.
  func write(_ script: Script, beside input: String) throws {
    try KeptInputs.check(output, inputs: [input])
    try ScriptFile.write(
      script.changes().dataRepresentation, to: output, replace: force || output == changes)
  }
}

/// How focus travels to a decision.
struct RackOptions: ParsableArguments {
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "How long focus travels to the decision: seconds, 0 for a cut, or auto.", valueName: "s"),
    transform: RackArgument.init(parsing:))
  var rack: RackArgument?
  @Option(help: ArgumentHelp("How it moves: minimumJerk, easeInOut or linear.", valueName: "curve"))
  var curve: CurveArgument?

  var isGiven: Bool { rack != nil || curve != nil }

  func validate() throws {
    if case .automatic = rack, curve != nil {
      throw ValidationError("--curve needs a length, and --rack auto gives none")
    }
  }

  /// Sets the way to a decision of a script.
  func apply(to decision: Decision, of script: Script) {
    if case .automatic = rack {
      script.setTransition(nil, for: decision)
    } else if isGiven {
      let now =
        script.transition(for: decision)
        ?? Transition(duration: script.timeRangeOfTransition(before: decision)?.duration ?? .zero)
      var duration = now.duration
      if case .seconds(let seconds) = rack { duration = seconds }
      script.setTransition(
        Transition(duration: duration, curve: curve?.curve ?? now.curve), for: decision)
    }
  }
}

/// `--rack`: seconds or `auto`.
enum RackArgument: Sendable {
  case automatic
  case seconds(Time)

  /// - Throws: what is wrong with the text, for the person who wrote it.
  init(parsing text: String) throws {
    if text == "auto" {
      self = .automatic
    } else if let time = TimeArgument(argument: text)?.exactTime, time >= .zero {
      self = .seconds(time)
    } else {
      throw ValidationError("write seconds of at least 0, such as 0.5, or auto")
    }
  }
}

/// `--curve`.
struct CurveArgument: ExpressibleByArgument {
  let curve: Transition.Curve

  static var allValueStrings: [String] { Transition.Curve.allCases.map(\.description) }

  init?(argument: String) {
    guard let curve = Transition.Curve.allCases.first(where: { $0.description == argument }) else {
      return nil
    }
    self.curve = curve
  }
}

extension Script {
  /// The decision that people mean by a time typed with few digits: the nearest within half a frame.
  ///
  /// - Throws: `invalidParameter` where there is none, with those that there are.
  func decision(meantBy time: Time, of decisions: [Decision], _ kind: String)
    throws(CinematicError) -> Decision
  {
    let tolerance = recording.frameTimes.frameDuration?.seconds ?? 0.04
    let nearest = decisions.min {
      abs(($0.time - time).seconds) < abs(($1.time - time).seconds)
    }
    if let nearest, abs((nearest.time - time).seconds) <= tolerance / 2 { return nearest }
    let times = decisions.prefix(8).map { String(format: "%.3f", $0.time.seconds) }
    let more = decisions.count > times.count ? ", …" : ""
    throw CinematicError(
      .invalidParameter, String(format: "there is no %@ at %.3f s", kind, time.seconds),
      remedy: decisions.isEmpty
        ? "there is none at all; the command show prints what there is"
        : "there are some at \(times.joined(separator: ", "))\(more) s")
  }
}
