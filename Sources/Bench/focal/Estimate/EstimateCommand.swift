// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import FocalCommands
import FocalCore
import FocalEyes
import FocalImport
import FocalMedia

struct EstimateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "estimate",
    abstract: "Make the disparity map of a picture or a clip.",
    usage: """
      focal estimate <input> [--stereo <other> | --layout <layout> | --model <file>] -o <map> [<options>]
      """,
    discussion: """
      The map is written as one picture, as numbered ones (.png of 16 bits; .exr and .pfm of floats), or as a \
      movie of gray (.mov, FFV1 of 16 bits); render and import take each of them as --disparity. It lies as the \
      input is shown, and \
      numbered maps have the numbers of their pictures. Larger is nearer: 0 and 1 are the farthest and the \
      nearest of a photograph, or of some frames of a clip; --keep-values writes the way's own numbers instead.

        focal estimate left.png --stereo right.png -o map.png
        focal estimate left.mov --stereo right.mov -o maps/%04d.exr
        focal estimate pair.mp4 --layout side-by-side -o maps/%04d.exr
        focal estimate clip.mp4 --model midas-small.onnx -o maps/%04d.exr

      Both eyes may come as two files or in one picture; of the latter, the map is the first eye's, or with \
      --swap-eyes the second one's. Cameras that do not stand quite level are put right. Own numbers of stereo are \
      shares of the picture's width by which a point moves between both eyes.

      A model runs by ONNX Runtime, which is looked for in FOCAL_ONNXRUNTIME, in the user's data folder, in Python's \
      packages (venv, conda, pyenv, the user's, the system's) and in the system's folders. This installs it:

        \(RuntimeLibrary.installation)

      Beside file.onnx lies file.json, which says \
      how pictures go in; well-known files need none: see Documentation/models.md. Nothing is downloaded. A model of \
      people makes a stand-in (--estimate people): people before a rising floor.
      """)

  @Argument(help: "The picture or clip; of a pair, what the left eye sees.")
  var input: String
  @OptionGroup var estimation: EstimateOptions
  @Option(
    name: .shortAndLong,
    help: "What to write: .png, .tif, .exr, .pfm, .mov or numbered pictures, maps/%04d.exr.")
  var output: String
  @OptionGroup var overwriting: OverwriteOptions
  @Flag(help: "Of numbered maps of the same estimation, make only those that are missing.")
  var resume = false
  @Flag(help: "Write the values that the way of estimation has, not shares of their range.")
  var keepValues = false
  @OptionGroup var frames: FramesOptions
  @OptionGroup var rate: PictureRateOptions
  @OptionGroup var reading: PictureReadingOptions
  @OptionGroup var fields: FieldOptions
  @OptionGroup var safety: SafetyOptions
  @OptionGroup var report: ReportOptions

  func validate() throws {
    try estimation.patience.check(estimation.helper)
    if resume, overwriting.force { throw ValidationError("give --resume or --force, not both") }
  }

  /// The report on the output, for programs.
  struct Report: Encodable {
    var event = "done"
    /// As it was named; of one numbered map the file.
    var output: String
    var width: Int
    var height: Int
    var frames: Int
    /// How many of them were there already.
    var kept: Int
    /// `stereo`, ….
    var way: String
    /// The meaning of the way's own numbers.
    var kind: String
    /// How many pictures further the way was asked; maps between are carried.
    var interval: Int
    /// Which of them became 0 and 1.
    var low: Float?
    var high: Float?
    var seconds: Double
    var cpuSeconds: Double
  }

  func run() throws {
    let start = ContinuousClock.now
    let usage = ProcessUsage.current
    try KeptInputs.check(output, inputs: [input] + estimation.inputs + reading.inputs)
    var wanted = MapEstimation(of: input, to: output, by: estimation.value)
    (wanted.overwrites, wanted.resumes) = (overwriting.force, resume)
    wanted.keepsValues = keepValues
    try wanted.validate()
    wanted.reading.frames = frames.range
    try reading.apply(to: &wanted.reading)
    wanted.reading.interlacing = fields.interlacing
    wanted.fieldOption = fields.given
    wanted.frameDuration = rate.frameRate?.duration
    let teller = EventTeller(report.style)
    let done = try interruptible(writing: [output]) {
      try waiting { [wanted] () async throws(CinematicError) in
        try await wanted.run { teller.tell($0) }
      }
    }
    let result = Report(
      output: done.output, width: done.dimensions.width, height: done.dimensions.height,
      frames: done.frameCount, kept: done.keptCount, way: done.way, kind: done.kind.rawValue,
      interval: done.interval,
      low: done.range?.low, high: done.range?.high,
      seconds: (ContinuousClock.now - start) / .seconds(1),
      cpuSeconds: ProcessUsage.current.cpuSeconds - usage.cpuSeconds)
    if report.json { return try printJSON(result) }
    let kept = done.keptCount
    let made = counted(done.frameCount - kept, "map") + (kept > 0 ? " made, \(kept) kept," : "")
    printLine(
      "\(done.output): \(made) of \(done.dimensions) by \(result.way), "
        + (done.range.map {
          "0 and 1 are a \(done.kind.rawValue) disparity of \($0.low) and \($0.high), "
        }
          ?? "\(done.kind.rawValue) disparity, ")
        + String(format: "%.2f s (%.2f CPU s)", result.seconds, result.cpuSeconds))
  }
}
