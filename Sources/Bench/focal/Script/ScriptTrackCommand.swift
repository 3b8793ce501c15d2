// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import FocalCinematic
import FocalCommands
import FocalCore
import FocalMedia
import FocalScript
import Foundation

struct ScriptTrackCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "track",
    abstract: "Follow the object at a point or in a box, as a new track in focus.",
    discussion: """
      Without --script the result is a script of the clip that holds this track alone. The track ends \
      where the object is lost for good; frames in which it is hidden or has left hold no detection, and \
      are named. An object that was lost is looked for in the whole picture, and first among what the --script \
      has detected. The decision for it is weak: it holds until the script's next one.
      """)

  @Argument(help: "The clip.")
  var input: String
  @Option(help: ArgumentHelp("Its disparity: larger is nearer.", valueName: "map"))
  var disparity: String
  @OptionGroup var object: ObjectOptions
  @Option(
    parsing: .unconditional,
    help: """
      When the object lies at the point; it is followed from there on. Ticks are those of the --script, else of \
      the clip.
      """)
  var from: TimeArgument = .start
  @Option(help: ArgumentHelp("A script to add the track to.", valueName: "script"))
  var script: String?
  @OptionGroup(title: "Map options") var map: MapOptions
  @OptionGroup var rate: PictureRateOptions
  @Option(name: .shortAndLong, help: "The script to write.")
  var output: String
  @OptionGroup var safety: SafetyOptions
  @OptionGroup var overwriting: OverwriteOptions

  func validate() throws {
    guard !from.isNegative else {
      throw ValidationError("--from takes a time of at least 0: the clip starts there")
    }
  }

  func run() throws {
    try object.check(output: output, inputs: [input, disparity, script])
    try interruptible {
      // Before the clip is followed to its end.
      let writer = try ScriptFile.begin(output, overwrite: overwriting.force)
      let table = try object.boxes.map { try ScriptFile.begin($0, overwrite: overwriting.force) }
      let truth = try object.truth.map(TrueBoxes.init(path:))
      let (followed, id, script) = try waiting { try await track() }
      try writer.finish(script)
      try table?.finish(followed.table)
      followed.tell(id)
      truth?.compare(followed.boxes)
    }
  }

  private func track() async throws -> (FollowedObject, DetectionID, Data) {
    let base = try script.map { path throws(CinematicError) in try ScriptFile.script(at: path) }
    let reader = try await FrameReader.open(
      input, options: ReadOptions(stillDuration: rate.frameDuration))
    let maps = try await map.matcher(of: disparity, for: reader, stillDuration: rate.frameDuration)
    var follower = try ObjectFollower(object, turn: reader.properties.preferredTransform)
    var times: [Time] = []
    var end = Time.zero
    while let frame = try await reader.next() {
      let map = try await maps.map(for: frame.place)
      times.append(frame.time)
      end = frame.time + frame.duration
      let isStarted = follower.start != nil
      if try isStarted
        || isStart(
          frame, number: times.count - 1, base?.timescale ?? reader.properties.timescale)
      {
        let there = base?.frame(shownAt: frame.time)?.allDetections ?? []
        try follower.follow(
          frame.pixelBuffer, map, at: frame.time, number: times.count - 1,
          detected: there.filter(\.hasPlace).map(\.normalizedRect))
      }
    }
    guard let followed = follower.finish() else {
      throw CinematicError(
        .invalidParameter, "\(input) ends at \(end.secondsText) s, before the time to follow from",
        remedy: "give an earlier --from")
    }
    let script = try base ?? Self.emptyScript(times, end: end)
    let id = script.addDetectionTrack(followed.track)
    guard
      script.addUserDecision(Decision(time: followed.start, detectionID: id, strong: object.strong))
    else {
      throw CinematicError(
        .incompatible, "the clip's time \(followed.start.secondsText) s lies outside of the script",
        remedy: "use the script of this clip")
    }
    let flat = try script.flattened()
    // A script of this track alone is measured by it.
    let written =
      base != nil
      ? flat
      : try Recording(
        timeRange: flat.timeRange, frameTimes: flat.frameTimes, fNumber: flat.fNumber,
        detectionTracks: flat.detectionTracks, decisions: flat.userDecisions)
    return (followed, id, try written.jsonRepresentation())
  }

  /// - Parameter timescale: of ticks.
  private func isStart(
    _ frame: MediaFrame, number: Int, _ timescale: Int32
  ) throws(CinematicError) -> Bool {
    if let wanted = from.frameNumber { return number >= wanted }
    let time = try from.time(in: FrameTimes([]), timescale: timescale)
    // a frame is shown until the next one
    return frame.time + frame.duration > time
  }

  private static func emptyScript(_ times: [Time], end: Time) throws(CinematicError) -> Script {
    try Script(
      recording: Recording(
        timeRange: TimeRange(start: times.first ?? .zero, end: end),
        frameTimes: FrameTimes(evenlySpacedOr: times), fNumber: FocusOptions.defaultFNumber,
        detectionTracks: [], decisions: []))
  }
}
