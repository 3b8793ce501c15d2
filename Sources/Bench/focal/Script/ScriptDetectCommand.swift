// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import FocalCinematic
import FocalCommands
import FocalCore
import FocalEyes
import FocalImport
import FocalMedia
import FocalScript

struct ScriptDetectCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "detect",
    abstract: "Find the people, pets and balls of a clip, as a script of tracks.",
    discussion: """
      Each thing keeps its id through the clip, and face, head and body of one person share a group. The script has \
      no decisions: focal script direct makes them. Faces are found by a model with the outputs of YuNet, others by \
      one of boxes and classes such as YOLOX, both by ONNX Runtime, or by a program of yours: see \
      Documentation/models.md. Nothing is downloaded.

        focal script detect clip.mp4 --disparity maps/%04d.exr -o script.json
      """)

  @Argument(help: "The clip.")
  var input: String
  @Option(help: ArgumentHelp("Its disparity: larger is nearer.", valueName: "map"))
  var disparity: String
  @OptionGroup var detection: DetectionOptions
  @OptionGroup var rateOfDetection: DetectionRateOptions
  @OptionGroup var patience: HelperOptions
  @OptionGroup(title: "Map options") var map: MapOptions
  @OptionGroup var rate: PictureRateOptions
  @OptionGroup var fields: FieldOptions
  @Option(name: .shortAndLong, help: "The script to write.")
  var output: String
  @OptionGroup var overwriting: OverwriteOptions
  @OptionGroup var safety: SafetyOptions
  @OptionGroup var report: ReportOptions

  /// The report on the detections, for programs.
  struct Report: Encodable {
    var event = "done"
    var output: String
    var tracks: Int
    /// Tracks of one person or animal are one.
    var subjects: Int
    var detections: Int
    var frames: Int
    /// How many pictures further the detectors were asked.
    var interval: Int
  }

  func validate() throws { try patience.check(detection.detectHelper) }

  func run() throws {
    try KeptInputs.check(output, inputs: [input, disparity] + detection.detectModel)
    let detector = try detection.value.detector(timeLimit: patience.timeLimit, to: .program)
    let done = try interruptible {
      // Before the clip is looked at to its end.
      let writer = try ScriptFile.begin(output, overwrite: overwriting.force)
      let found = try waiting { () async throws(CinematicError) -> DetectionJob.Found in
        var options = ReadOptions(stillDuration: rate.frameDuration)
        options.interlacing = fields.interlacing
        let reader = try await FrameReader.open(input, options: options)
        try checkFields(fields.given, reader.properties, of: input)
        let maps = try await map.matcher(
          of: disparity, for: reader, stillDuration: rate.frameDuration)
        let job = DetectionJob(
          input: input, detector: detector, interval: rateOfDetection.detectEvery,
          fNumber: FocusOptions.defaultFNumber, events: report.events)
        return try await job.run(reader, maps)
      }
      let recording = found.recording
      try writer.finish(try recording.jsonRepresentation())
      return Report(
        output: output, tracks: recording.detectionTracks.count,
        subjects: Set(recording.detectionTracks.compactMap(\.detectionGroupID)).count,
        detections: recording.detectionTracks.reduce(0) {
          $0 + $1.detections(in: recording.timeRange).count
        }, frames: recording.frameTimes.count, interval: found.interval)
    }
    if report.json { return try printJSON(done) }
    printLine(
      "\(output): \(counted(done.tracks, "track")) of \(counted(done.subjects, "subject")) with"
        + " \(counted(done.detections, "detection")) in"
        + " \(counted(done.frames, "frame"))")
    if done.tracks == 0 { note("nobody was found: there is nothing to direct focus to") }
  }
}
