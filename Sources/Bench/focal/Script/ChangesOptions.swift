// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import FocalCommands
import FocalCore
import FocalMedia
import FocalScript
import Foundation

/// Which changes an edit goes on from, and where it is written.
struct ChangesOptions: ParsableArguments {
  @Option(help: ArgumentHelp("Changes to go on from.", valueName: "changes"))
  var changes: String?
  @Option(name: .shortAndLong, help: "The changes to write; may be those read.")
  var output: String
  @OptionGroup var overwriting: OverwriteOptions

  /// - Parameter input: the script or the movie, which is never written over.
  func write(_ script: Script, beside input: String) throws {
    try begin(beside: input).finish(script.changes().dataRepresentation)
  }

  /// Begins the output, so that it is known at once whether it can be written.
  func begin(beside input: String) throws(CinematicError) -> DataWriter {
    try KeptInputs.check(output, inputs: [input])
    return try ScriptFile.begin(output, overwrite: overwriting.force || output == changes)
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

  /// Sets the way to a decision of a script, and says if there is less time for it than was asked for.
  ///
  /// - Throws: `invalidParameter` for a curve where focus does not travel.
  func apply(to decision: Decision, of script: Script) throws(CinematicError) {
    if case .automatic = rack { script.setTransition(nil, for: decision) }
    guard isGiven, rack?.isAutomatic != true else {
      tellOfAutomaticRack(to: decision, of: script)
      return
    }
    let known = script.transition(for: decision)
    var duration =
      known?.duration ?? script.timeRangeOfTransition(before: decision)?.duration ?? .zero
    if case .seconds(let seconds) = rack { duration = seconds }
    guard duration > .zero || curve == nil else {
      throw CinematicError(
        .invalidParameter,
        String(
          format: "--curve changes nothing at %.3f s: focus does not travel to that decision",
          decision.time.seconds),
        remedy: "give a --rack of more than 0 s, too, or leave --curve out")
    }
    script.setTransition(
      Transition(duration: duration, curve: curve?.curve ?? known?.curve ?? .minimumJerk),
      for: decision)
    guard script.isInForce(decision) else { return }
    tell(duration, of: script.timeRangeOfTransition(before: decision)?.duration)
  }

  /// Says if an automatic rack is shorter than any, for another decision stands too near before it. One that a cut
  /// shortens is as it should be.
  private func tellOfAutomaticRack(to decision: Decision, of script: Script) {
    guard script.isInForce(decision), script.transition(for: decision) == nil,
      let possible = script.timeRangeOfTransition(before: decision)?.duration
    else { return }
    let shortest = Time(
      seconds: FocusStyle.standard.shortestRack - 0.001, preferredTimescale: 90000)
    let frameTimes = script.recording.frameTimes
    let sinceCut = script.recording.cuts.map(frameTimes.index(atOrAfter:))
      .last { $0 < frameTimes.count && frameTimes[$0] <= decision.time }
      .map { decision.time - frameTimes[$0] }
    guard possible < shortest, sinceCut.map({ $0 > possible }) ?? true else { return }
    tellShortage(possible)
  }

  private func tellShortage(_ possible: Time) {
    note(
      String(
        format: "focus travels for %.3f s only: there is no more time after the decision before",
        possible.seconds))
  }

  /// - Parameter possible: how long focus does travel, `nil` where it does not.
  private func tell(_ wanted: Time, of possible: Time?) {
    guard case .seconds = rack, wanted > .zero else { return }
    // Times typed with three digits are meant as well as they can be.
    let allowance = Time(value: 1, timescale: 1000)
    if let possible {
      guard possible + allowance < wanted else { return }
      tellShortage(possible)
    } else {
      note("focus does not travel to this decision: nothing else is in focus before it")
    }
  }
}

/// `--rack`: seconds or `auto`.
enum RackArgument: Sendable {
  case automatic
  case seconds(Time)

  var isAutomatic: Bool {
    if case .automatic = self { true } else { false }
  }

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
  /// Whether a decision is in force from some time on: not where its track has ended, or others go before.
  func isInForce(_ decision: Decision) -> Bool {
    let user = userDecisions(in: timeRange)
    let listed = user.contains(decision.with(user: true)) ? decision.with(user: true) : decision
    return decisionsInForce.contains { $0.decision == listed }
  }

  /// Says so if the subject of a decision is not there when it is to come into focus.
  func tellOfAbsence(at decision: Decision) {
    guard let track = detectionTrack(for: decision), track.isDiscrete else { return }
    let found = track.detections(in: timeRange)
    let target = ScriptShowCommand.target(decision)
    guard let first = found.first, let last = found.last else {
      return note("\(target) is found nowhere, and never comes into focus")
    }
    let span = String(
      format: "\(target) is found from %.3f to %.3f s", first.time.seconds, last.time.seconds)
    let times = recording.frameTimes
    // The first frame that can show it.
    let shown = times.index(atOrAfter: decision.time)
    if shown == times.count, let final = times.last, isInForce(decision),
      timeRangeOfTransition(before: decision) != nil
    {
      note(
        String(
          format: "the last frame is at %.3f s: focus travels to \(target), and does not arrive",
          final.seconds))
    } else if let end = times.index(nearest: last.time), end < shown {
      note("\(span) only: it has ended before the decision")
    } else if let start = times.index(nearest: first.time), start > shown {
      note("\(span) only: until it begins, focus waits where it will be")
    }
  }

  /// The decision that people mean by a time typed with few digits: the nearest within half a frame.
  ///
  /// - Throws: `invalidParameter` where there is none, with those that there are.
  func decision(meantBy time: Time, of decisions: [Decision], _ kind: String)
    throws(CinematicError) -> Decision
  {
    let nearest = decisions.min {
      abs(($0.time - time).seconds) < abs(($1.time - time).seconds)
    }
    if let nearest,
      abs((nearest.time - time).seconds) <= recording.frameTimes.tolerance(at: nearest.time).seconds
    {
      return nearest
    }
    let times = decisions.prefix(8).map { String(format: "%.3f", $0.time.seconds) }
    let more = decisions.count > times.count ? ", …" : ""
    throw CinematicError(
      .invalidParameter, String(format: "there is no %@ at %.3f s", kind, time.seconds),
      remedy: decisions.isEmpty
        ? "there is none at all; the command show prints what there is"
        : "there are some at \(times.joined(separator: ", "))\(more) s")
  }
}
