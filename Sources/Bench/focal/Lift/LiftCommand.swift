// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import FocalCinematic
import FocalCommands
import FocalCore
import FocalEyes
import FocalImport
import FocalMedia
import FocalScript
import FocalSubjects

struct LiftCommand: ParsableCommand, ProgramUser {
  static let configuration = CommandConfiguration(
    commandName: "lift",
    abstract: "Take subjects out of a picture or a clip.",
    usage: """
      focal lift <input> [--disparity <map> | --stereo <other> | --model <file>] [--at <x,y> ...] [-o <output>] [<options>]
      """,
    discussion: """
      The input is a picture, a movie or numbered pictures. Subjects are found by a map of disparity, which is given, \
      in the photograph or, where that is asked for, estimated (--stereo, --layout, --model, --helper, --estimate); by points, boxes or a model of people; else by the picture's colours alone, which is a guess. \
      The one that stands out most is taken, with --all every one. Written files have straight alpha (OpenEXR's is \
      premultiplied, as that format requires) and the subject's own colours at soft edges. Without an output the subjects \
      are listed.

        focal lift portrait.heic -o subject.png
        focal lift photo.jpg --at 0.5,0.4 --tight -o sticker.png --accent outline
        focal lift photo.jpg --disparity map.png --mask -o mask.png
        focal lift left.jpg --stereo right.jpg -o subject.png
        focal lift photo.jpg --all --background beach.jpg -o holiday.jpg
        focal lift portrait.heic --bokeh --halo 0.3 -o glow.jpg
        focal lift clip.mov --disparity maps/%04d.png -o subject.webm
        focal lift clip.mov --disparity maps/%04d.png -o subject.mov --codec prores-4444
        focal lift photo.jpg --json
      """)

  @Argument(help: "The picture or clip.")
  var input: String
  @Option(
    name: .shortAndLong,
    help:
      "What to write: .png, .tif, .exr, .heic, .avif, .dpx, .webm, .mov with a codec that holds alpha, or numbered pictures, out/%04d.png; with a background also .jpg, .pfm and .mp4."
  )
  var output: String?
  @OptionGroup var overwriting: OverwriteOptions
  @Option(
    help: ArgumentHelp(
      "The input's disparity map; by default the one in the photograph.", valueName: "map"))
  var disparity: String?
  @OptionGroup(title: "Map options") var map: MapOptions
  @OptionGroup(title: "Estimation options") var estimation: EstimateOptions
  @OptionGroup(title: "Subject options") var choice: SubjectOptions
  @OptionGroup(title: "Effect options") var effect: EffectOptions
  @OptionGroup var frames: FramesOptions
  @OptionGroup var rate: PictureRateOptions
  @OptionGroup var reading: PictureReadingOptions
  @Option(
    help: ArgumentHelp(
      "The camera's curve of the pictures, which what is written has again. One of"
        + " \(LogCurveArgument.names.joined(separator: ", ")). (default: none)", valueName: "curve")
  )
  var log: LogCurveArgument?
  @OptionGroup var fields: FieldOptions
  @OptionGroup(title: "Coding options") var coding: CodingOptions
  @OptionGroup var pictureQuality: PictureQualityOptions
  @Flag(help: "Leave the sound out.")
  var noSound = false
  @OptionGroup var device: DeviceOptions
  @OptionGroup var safety: SafetyOptions
  @OptionGroup var report: ReportOptions

  func validate() throws {
    try estimation.patience.check(estimation.helper)
    if effect.mask, effect.isGiven {
      throw ValidationError(
        "--mask writes no picture: give it without --background, --look, --bokeh and --accent")
    }
    if effect.isGiven || effect.mask || effect.tight, output == nil {
      throw ValidationError("--mask, --tight and effects are for an output: give -o")
    }
    let outputOptions =
      coding.given
      + [
        pictureQuality.pictureQuality == nil ? nil : "--picture-quality",
        overwriting.force ? "--force" : nil, noSound ? "--no-sound" : nil,
      ].compactMap { $0 }
    if output == nil, let first = outputOptions.first {
      throw ValidationError(
        outputOptions.count == 1
          ? "\(first) is for an output: give -o"
          : "\(outputOptions.joined(separator: ", ")) are for an output: give -o")
    }
  }

  func run() throws {
    try KeptInputs.check(
      output ?? "",
      inputs: [
        input, disparity, choice.maskModel, choice.script, choice.changes, effect.backgroundPath,
      ] + estimation.inputs + reading.inputs)
    for path in [input, disparity ?? input] where PipePath.isPipe(path) {
      throw CinematicError(
        .invalidParameter, "\(path) is a pipe, and subjects are looked for in files",
        remedy: "give a file")
    }
    if let output, PipePath.isPipe(output) {
      throw CinematicError(
        .invalidParameter, "\(output) is a pipe, and subjects are written to files",
        remedy: "name a file with -o")
    }
    if let output {
      try PictureQualityOptions.check(
        pictureQuality.pictureQuality, OutputFormat(path: output), output)
    }
    var film = FilmCoding()
    coding.apply(to: &film)
    if let output { try coding.check(output, codec: film.codec, noSound: noSound) }
    var options = ReadOptions(frames: frames.range, stillDuration: rate.frameDuration)
    var look = Look()
    look.logCurve = log?.name
    try reading.apply(to: &options, try look.cameraCurve(), decodesCurve: true)
    options.interlacing = fields.interlacing
    options.half = estimation.half
    let job = LiftJob(
      input: input, output: output, overwrite: overwriting.force, map: disparity, options: options,
      mapOptions: map.readOptions(stillDuration: rate.frameDuration),
      stretchesMap: map.disparityFit == .stretch,
      describesMap: map.describesMap,
      devices: try effect.isDrawn ? device.devices() : device.processor(),
      givesFrameRate: rate.frameRate != nil,
      fieldOption: fields.given, choice: choice, effect: effect, film: film,
      rateFactor: coding.rateFactor, pictureQuality: pictureQuality.pictureQuality,
      copiesSound: !noSound, json: report.json, progress: report.style)
    let done = try interruptible(writing: [output], onlyPrints: output == nil) {
      try waiting { [options] in
        // Colours and a model of people do without a map: one is estimated where that is asked for.
        guard estimation.isGiven else { return try await job.run() }
        return try await estimation.value.withMap(
          of: input, given: disparity, describesMap: map.describesMap,
          for: output ?? PipePath.standard, options: try await job.lookedAt(options),
          overwrite: overwriting.force, report.events
        ) { path async throws(CinematicError) in
          var job = job
          if let path {
            (job.map, job.stretchesMap, job.mapsCountFrames) = (path, true, true)
          }
          return try await job.run()
        }
      }
    }
    if report.json { return try printJSON(done) }
    for line in done.lines { printLine(line) }
  }
}

/// Which subjects are taken.
struct SubjectOptions: ParsableArguments {
  @Option(
    parsing: .unconditionalSingleValue,
    help: ArgumentHelp(
      "A point of a subject, as shares of the picture; may be given several times. \(PointArgument.corners).",
      valueName: "x,y"), transform: PointArgument.init(parsing:))
  var at: [PointArgument] = []
  @Option(
    parsing: .unconditionalSingleValue,
    help: ArgumentHelp(
      "The box of a subject, as shares of the picture: left, top, width and height; what lies outside the picture is cut; may be given several times.",
      valueName: "x,y,w,h"), transform: BoxArgument.init(parsing:))
  var box: [BoxArgument] = []
  @Option(
    help: ArgumentHelp(
      "A model of people, or of what stands in front, with its description beside it; it runs by ONNX Runtime.",
      valueName: "file.onnx"))
  var maskModel: String?
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Of clips, the model of people sees every so many frames, and its masks are carried to those between. (default: 5)",
      valueName: "n"))
  var maskEvery: Int?
  @Flag(
    help:
      "Take every subject, not only the one that stands out most; of a map, things that touch at two depths are two."
  )
  var all = false

  @Option(
    help: ArgumentHelp(
      "A focus script: the subject that is in focus in the first frame is taken, with --all every one that is detected"
        + " there.", valueName: "script"))
  var script: String?
  @Option(help: ArgumentHelp("Changes to the script.", valueName: "changes"))
  var changes: String?

  func validate() throws {
    let given = [!at.isEmpty, !box.isEmpty, script != nil].count { $0 }
    guard given <= 1 else { throw ValidationError("give one of --at, --box and --script") }
    guard !all || (at.isEmpty && box.isEmpty) else {
      throw ValidationError("give --all, or --at or --box: what these name is all taken")
    }
    guard (1...50).contains(maskEvery ?? 1) else {
      throw ValidationError("--mask-every takes 1 to 50")
    }
    guard maskEvery == nil || maskModel != nil else {
      throw ValidationError("--mask-every needs a --mask-model")
    }
    guard changes == nil || script != nil else {
      throw ValidationError("--changes needs a --script")
    }
  }

  /// Adds what the script has detected in a frame to a request.
  ///
  /// - Parameters:
  ///   - turn: from pictures as stored, where a script's detections lie, to pictures as shown, where a request's do.
  ///   - hasMap: whether a point is enough to find a subject.
  /// - Throws: what reading the script throws, `incomplete` for a frame without the detections that are wanted.
  func add(
    to request: inout GenerateForegroundInstanceMaskRequest, at time: Time, turn: QuarterTurn,
    hasMap: Bool
  ) throws(CinematicError) {
    guard let script else { return }
    let read = try ScriptFile.script(at: script, changes: changes)
    let tolerance = read.recording.frameTimes.tolerance(at: time)
    guard let frame = read.frame(at: time, tolerance: tolerance) else {
      throw CinematicError(
        .incompatible, "\(script) has no frame at \(time.secondsText) s",
        remedy: "use the script of this clip")
    }
    let chosen = all ? frame.allDetections : Self.focused(in: frame)
    // Face, head and torso of one subject belong together.
    var subjects: [(group: DetectionGroupID?, rects: [NormalizedRect])] = []
    for detection in chosen where detection.hasPlace {
      let group = detection.detectionGroupID
      let rect = turn.applied(to: detection.normalizedRect)
      if group != nil, let known = subjects.firstIndex(where: { $0.group == group }) {
        subjects[known].rects.append(rect)
      } else {
        subjects.append((group, [rect]))
      }
    }
    guard !subjects.isEmpty else {
      throw CinematicError(
        .incomplete,
        all
          ? "\(script) has no detection in the first frame"
          : "\(script) has no subject in focus in the first frame",
        remedy:
          "begin with another frame (--frames), or point with --at in the script's place")
    }
    // A face is a part of its subject: a point finds the whole in a map.
    if hasMap {
      request.points = subjects.map { $0.rects[0].center }
    } else {
      request.boxes = subjects.map { $0.rects.dropFirst().reduce($0.rects[0], Self.joined) }
    }
  }

  /// What is in focus in a frame, and behind it what else of the same subject is detected.
  private static func focused(in frame: ScriptFrame) -> [Detection] {
    guard let focus = frame.focusDetection else { return [] }
    guard let group = focus.detectionGroupID, focus.hasPlace else { return [focus] }
    return [focus] + frame.allDetections.filter { $0.detectionGroupID == group }
  }

  private static func joined(_ a: NormalizedRect, _ b: NormalizedRect) -> NormalizedRect {
    let (x, y) = (min(a.x, b.x), min(a.y, b.y))
    return NormalizedRect(
      x: x, y: y, width: max(a.maxX, b.maxX) - x, height: max(a.maxY, b.maxY) - y)
  }
}

/// `X,Y,W,H`: a box as shares of the picture.
struct BoxArgument: Sendable {
  var rect: NormalizedRect

  /// - Throws: what is wrong with the text, for the person who wrote it.
  init(parsing text: String) throws {
    let numbers = text.split(separator: ",", omittingEmptySubsequences: false).map { Double($0) }
    guard numbers.count == 4, let x = numbers[0], let y = numbers[1], let width = numbers[2],
      let height = numbers[3], [x, y, width, height].allSatisfy(\.isFinite), width > 0, height > 0
    else { throw ValidationError("write four shares of the picture, such as 0.2,0.1,0.4,0.8") }
    // Boxes of detectors reach over the picture's edges.
    guard x < 1, y < 1, x + width > 0, y + height > 0 else {
      throw ValidationError(
        "the box \(text) lies outside the picture, whose shares go from 0 to 1: write left, top, width and height, such as"
          + " 0.2,0.1,0.4,0.8")
    }
    rect = NormalizedRect(x: x, y: y, width: width, height: height)
  }
}
