// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import FocalCommands
import FocalCore
import FocalEyes
import FocalMedia
import FocalScript

struct ScriptDetectCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "detect", abstract: "Find the faces of a clip, as a script of tracks.",
    discussion: """
      Each face keeps its id through the clip. The script has no decisions: focal script direct makes them. \
      Faces are found by a model with the outputs of YuNet, which runs by ONNX Runtime: see \
      Documentation/models.md. Nothing is downloaded.

        focal script detect clip.mp4 --disparity maps/%04d.exr -o script.json
      """)

  @Argument(help: "The clip.")
  var input: String
  @Option(help: ArgumentHelp("Its disparity: larger is nearer.", valueName: "map"))
  var disparity: String
  @Option(
    help: ArgumentHelp(
      "The model, with its description beside it; by default the first one in FOCAL_MODELS or the user's data"
        + " folder.", valueName: "file.onnx"))
  var model: String?
  @OptionGroup(title: "Map options") var map: MapOptions
  @OptionGroup var rate: PictureRateOptions
  @Option(name: .shortAndLong, help: "The script to write.")
  var output: String
  @Flag(help: "Replace an existing output.")
  var force = false
  @OptionGroup var report: ReportOptions

  /// What was found, for programs.
  struct Report: Encodable {
    var event = "done"
    var output: String
    var tracks: Int
    var detections: Int
    var frames: Int
  }

  func run() throws {
    try KeptInputs.check(output, inputs: [input, disparity, model])
    let detector = try DetectionJob.detector(model)
    let done = try interruptible {
      // Before the clip is looked at to its end.
      let writer = try ScriptFile.begin(output, replace: force)
      let recording = try waiting { () async throws(CinematicError) -> Recording in
        let reader = try await FrameReader.open(
          input, options: ReadOptions(stillDuration: rate.frameDuration))
        let maps = try DisparityMatcher(
          await FrameReader.open(
            disparity,
            options: ReadOptions(content: .disparity(map.scale), stillDuration: rate.frameDuration)),
          for: reader, stretches: map.disparityFit == .stretch)
        let job = DetectionJob(
          input: input, detector: detector, fNumber: FocusOptions.defaultFNumber,
          progress: report.style)
        return try await job.run(reader, maps)
      }
      try writer.finish(try recording.jsonRepresentation())
      return Report(
        output: output, tracks: recording.detectionTracks.count,
        detections: recording.detectionTracks.reduce(0) {
          $0 + $1.detections(in: recording.timeRange).count
        }, frames: recording.frameTimes.count)
    }
    if report.json { return try printJSON(done) }
    printLine(
      "\(output): \(counted(done.tracks, "track")) of \(counted(done.detections, "detection")) in"
        + " \(counted(done.frames, "frame"))")
    if done.tracks == 0 { note("no face was found: there is nobody to direct focus to") }
  }
}
