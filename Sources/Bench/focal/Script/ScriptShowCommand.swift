// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import FocalCommands
import FocalCore
import FocalScript
import Foundation

struct ScriptShowCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show", abstract: "Print tracks, frames, decisions, focus and racks.",
    discussion: """
      Places are those of the picture as shown, as --point takes them: the middle, then width by height.
      """)

  @OptionGroup var input: ScriptInput
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Only the frame that is on the screen at a time.", valueName: "t")
  )
  var at: TimeArgument?
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Only the frames shown from A, the one on the screen then included, to before B.",
      valueName: "a-b"), transform: TimeRangeArgument.init(parsing:))
  var range: TimeRangeArgument?
  @Flag(help: "Print one line of JSON, times in ticks of the script's timescale.")
  var json = false

  func validate() throws {
    guard at == nil || range == nil else {
      throw ValidationError("give --at or --range, not both")
    }
  }

  func run() throws {
    let opened = try input.open()
    let script = opened.script
    var shown = script.timeRange
    let frames: AnyRandomAccessCollection<ScriptFrame>
    if let at {
      let time = try script.time(at)
      guard let frame = script.frame(shownAt: time) else { throw script.lacks(time) }
      shown = TimeRange(start: time, duration: Time(value: 1, timescale: .max))
      frames = AnyRandomAccessCollection([frame])
    } else {
      if let range {
        let wanted = try range.timeRange { () throws(CinematicError) in script }
        shown = wanted.intersection(script.timeRange)
        guard !shown.isEmpty else { throw script.lacks(wanted) }
        wanted.tellOfCut(to: shown, of: input.script)
      }
      frames = AnyRandomAccessCollection(script.frames(shownIn: shown))
    }
    let transitions = script.focusTransitions.filter {
      $0.timeRange.end > shown.start && $0.timeRange.start < shown.end
    }
    if json {
      try ScriptShowReport(opened, transitions).print(frames)
    } else {
      printText(opened, frames, transitions)
    }
  }

  private func printText(
    _ opened: OpenedScript, _ frames: some Sequence<ScriptFrame>,
    _ transitions: [FocusTransition]
  ) {
    let script = opened.script
    let range = script.timeRange
    printLine(
      String(
        format: "%.3f to %.3f s, %@, f/%g, %@, %@", range.start.seconds, range.end.seconds,
        counted(script.recording.frameTimes.count, "frame"), Double(script.fNumber),
        counted(script.detectionTracks.count, "track"),
        Self.decisions(
          base: script.baseDecisions(in: range).count, user: script.userDecisions(in: range).count)
      ))
    for field in script.changedLook.fields {
      printLine("  changed look" + MovieDescription.lookText(field.name, field.json))
    }
    for track in script.detectionTracks {
      printLine("  " + Self.text(track, in: range, opened.turn))
    }
    for cut in script.recording.cuts {
      printLine(String(format: "%9.3f s  cut", cut.seconds))
    }
    for decision in script.decisions(in: range) {
      printLine(String(format: "%9.3f s  %@", decision.time.seconds, Self.text(decision)))
    }
    for decision in script.removedBaseDecisions {
      printLine(
        String(
          format: "%9.3f s  moved or removed: %@", decision.time.seconds, Self.text(decision)))
    }
    for transition in transitions {
      printLine(
        String(
          format: "%9.3f s  rack to %.3f s, from %@ to %@", transition.timeRange.start.seconds,
          transition.timeRange.end.seconds, Self.target(transition.from),
          Self.target(transition.to)))
    }
    for frame in frames {
      let focus = frame.focusDetection.flatMap(\.detectionID).map { "detection \($0)" } ?? "nothing"
      var line = String(
        format: "%9.3f s  focus %.4f on %@", frame.time.seconds, Double(frame.focusDisparity), focus
      )
      if !frame.allDetections.isEmpty { line += " (\(frame.allDetections.count) detected)" }
      if let next = frame.secondaryDecision { line += ", going to \(Self.target(next))" }
      printLine(line)
      guard at != nil else { continue }
      for detection in frame.allDetections { printLine("  " + detection.label(turn: opened.turn)) }
      // A fixed focus is in no frame's detections.
      if let focus = frame.focusDetection, focus.detectionType == .fixedFocus {
        printLine("  " + focus.label(turn: opened.turn))
      }
    }
  }

  private static func text(
    _ track: DetectionTrack, in range: TimeRange, _ turn: QuarterTurn
  ) -> String {
    var text = "detection \(track.detectionID?.rawValue ?? 0)"
    if let group = track.detectionGroupID { text += ", group \(group)" }
    text += ": \(track.detectionType) (\(Detection.accessibilityLabel(for: track.detectionType)))"
    if let fixed = track as? FixedDetectionTrack {
      text += fixed.originalDetection.map { $0.place(turn: turn) } ?? ""
      text += String(format: ", disparity %.4f", Double(fixed.focusDisparity))
    } else {
      let detections = track.detections(in: range)
      text += ", \(counted(detections.count, "detection"))"
      if let first = detections.first, let last = detections.last {
        text += String(
          format: " from %.3f to %.3f s", first.time.seconds, last.time.seconds)
      }
    }
    return text + (track.isUserCreated ? ", added" : "")
  }

  /// How many decisions there are of either kind.
  static func decisions(base: Int, user: Int) -> String {
    "\(base) base and \(counted(user, "user decision"))"
  }

  static func target(_ decision: Decision?) -> String {
    guard let decision else { return "nothing" }
    return decision.detectionID.map { "detection \($0)" }
      ?? "group \(decision.detectionGroupID?.rawValue ?? 0)"
  }

  static func text(_ decision: Decision) -> String {
    let strength = decision.isStrongDecision ? "strong" : "weak"
    return decision.isUserDecision
      ? "\(strength) user decision on \(target(decision))" : "base decision on \(target(decision))"
  }
}

extension Detection {
  /// A detection for people: id, group, category, place and disparity.
  ///
  /// - Parameter turn: from how it lies to the picture as shown.
  func label(turn: QuarterTurn) -> String {
    var text = detectionID.map { "detection \($0)" } ?? "detection"
    if let detectionGroupID { text += ", group \(detectionGroupID)" }
    text += ", \(Detection.accessibilityLabel(for: detectionType))"
    return text + place(turn: turn)
      + String(format: ", disparity %.4f", Double(focusDisparity))
  }

  /// Middle and size in the picture as shown; empty for what has no place.
  func place(turn: QuarterTurn) -> String {
    guard hasPlace else { return "" }
    let rect = turn.applied(to: normalizedRect)
    return String(
      format: " at %.3f,%.3f (%.3fx%.3f)", rect.midX, rect.midY, rect.width, rect.height)
  }
}
