// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import FocalCommands
import FocalCore
import FocalEyes
import FocalMedia

extension StereoLayout: ExpressibleByArgument {}

/// Where disparity comes from if no map is given.
struct EstimateOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The way to estimate disparity where no map is given: auto takes the first of the others for which all"
        + " is there, and says which.", valueName: "way"))
  var estimate: EstimationWay?
  @Option(
    help: ArgumentHelp(
      "What the right eye sees, of the same frames: disparity by comparing both.",
      valueName: "other"))
  var stereo: String?
  @Option(
    help: ArgumentHelp(
      "How both eyes lie in the input: disparity by comparing them. The left eye's half is the picture.",
      valueName: "layout"))
  var layout: StereoLayout?
  @Flag(help: "The input is what the right eye sees, or begins with it.")
  var swapEyes = false

  @Option(
    help: ArgumentHelp(
      "A model of one eye's disparity or depth, or of people, with its description beside it if it is not well"
        + " known; by default the first one in FOCAL_MODELS or the user's data folder. It runs by ONNX Runtime.",
      valueName: "file.onnx"))
  var model: String?

  @Option(
    help: ArgumentHelp(
      "A program that makes the maps: it reads pictures and answers with floats, as Documentation/models.md says.",
      valueName: "command"))
  var helper: String?
  @OptionGroup var patience: HelperOptions
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Of clips, a model or a helper sees every so many pictures, and maps are carried to those between. (default: by its"
        + " speed, 1 to 5; of metric depth 1)", valueName: "n"))
  var every: Int?

  var isGiven: Bool { given != nil }

  /// Files that are read.
  var inputs: [String?] { [stereo, model] }

  func validate() throws {
    guard (1...50).contains(every ?? 1) else { throw ValidationError("--every takes 1 to 50") }
    if layout != nil, stereo != nil {
      throw ValidationError("give --stereo or --layout, not both")
    }
    if estimate == .command, helper == nil {
      throw ValidationError(
        "--estimate command needs --helper <command>, the program that makes the maps")
    }
  }

  /// The half of the input that is the picture; `nil` for all of it.
  var half: PictureHalf? { layout?.half(ofRightEye: false, exchanged: swapEyes) }

  /// The way that is gone.
  ///
  /// - Parameter isFile: whether the input can be looked at before it is worked on; devices cannot.
  /// - Throws: `incomplete`, naming all that is missing for the way that is asked for, or for any;
  ///   `invalidParameter` for one file as both eyes' pictures.
  func choice(
    for input: String, isFile: Bool = true
  ) async throws(CinematicError) -> EstimationChoice {
    if let stereo, isFile, KeptInputs.areSame(input, stereo) {
      throw CinematicError(
        .invalidParameter,
        "\(input) and \(stereo) are one file, and two eyes do not see the same picture",
        remedy: "give the other eye's pictures; or --layout, if both lie in one picture")
    }
    let eyes: EstimationSource.Eyes =
      if let layout { .layout(layout) } else { stereo.map { .file($0) } ?? .one }
    if case .one = eyes, isFile { try await SecondView.tell(input, isWanted: estimate == .stereo) }
    return try EstimationChoice(
      way: estimate ?? .auto, eyes: eyes, exchanged: swapEyes, model: model, helper: helper,
      timeLimit: patience.timeLimit, interval: every, input: input)
  }
}

/// `--estimate`.
enum EstimationWay: String, ExpressibleByArgument, CaseIterable {
  case auto, stereo, model, people, command
}

extension EstimateOptions {
  /// Runs a command with the map that is given, with the one in the input, or with maps estimated for it, which
  /// go when the command has succeeded.
  ///
  /// - Parameters:
  ///   - map: as given.
  ///   - describesMap: whether options about a given map are given: the meaning of its codes, and its shape.
  ///   - surroundings: the maps that are needed beside those of the chosen frames.
  ///   - check: finds what cannot be done with estimated maps; called before any is.
  ///   - prepare: finds what the command needs beside them; called once the way to estimate them is known to be there.
  ///   - run: takes the estimated maps' path; `nil` where the command finds its map itself.
  /// - Throws: `invalidParameter` for a map beside options to estimate one, what estimating throws, what `run` throws.
  func withMap<Value: Sendable>(
    of input: String, given map: String?, describesMap: Bool, for output: String,
    options: ReadOptions, overwrite: Bool,
    surroundings: EstimationSurroundings = EstimationSurroundings(), _ progress: Progress.Style,
    check: () async throws -> Void = {}, prepare: () async throws -> Void = {},
    _ run: (String?) async throws -> Value
  ) async throws -> Value {
    guard map == nil || !isGiven else {
      throw CinematicError(
        .invalidParameter, "a map is given, and another is to be estimated",
        remedy: "leave out --disparity, or \(given ?? "")")
    }
    guard map == nil else { return try await run(nil) }
    if PipePath.isPipe(input) {
      guard isGiven else { return try await run(nil) }
      throw CinematicError(
        .invalidParameter,
        "\(given ?? "") looks at a clip several times, and \(PipePath.inputName(input)) comes once",
        remedy: "give it as a file")
    }
    if !isGiven {
      let reader = try await FrameReader.open(input, options: options)
      let isBeside = reader.properties.pictureMetadata.companions.contains(.disparity)
      let isInMovie = try await reader.asset.holdsDisparity
      guard !isBeside, !isInMovie else { return try await run(nil) }
    }
    guard !describesMap else {
      throw CinematicError(
        .invalidParameter,
        "--disparity-range, -kind, -channel and -fit describe a map, and none is given",
        remedy: "give the map with --disparity, or leave them out")
    }
    try await check()
    let choice = try await choice(for: input)
    try await prepare()
    let maps = try await EstimatedMaps.make(
      of: input, choice, for: output, options: options, overwrite: overwrite,
      surroundings: surroundings, progress)
    do {
      let result = try await run(maps.path)
      maps.end(isDone: true)
      return result
    } catch {
      maps.end(isDone: false, after: error)
      throw error
    }
  }

  /// The first option that is given.
  private var given: String? {
    let options: [(name: String, isGiven: Bool)] = [
      ("--stereo", stereo != nil), ("--layout", layout != nil), ("--swap-eyes", swapEyes),
      ("--model", model != nil), ("--helper", helper != nil), ("--estimate", estimate != nil),
      ("--every", every != nil),
    ]
    return options.first { $0.isGiven }?.name
  }
}

/// How long programs of the caller's may take.
struct HelperOptions: ParsableArguments {
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "How long a helper may take for a picture; one that takes longer is ended, with an error. (default:"
        + " \(Int(HelperProvider.usualTimeLimit)))", valueName: "seconds"))
  var helperTimeout: Double?

  /// In seconds.
  var timeLimit: Double { helperTimeout ?? HelperProvider.usualTimeLimit }

  func validate() throws {
    guard let helperTimeout else { return }
    guard helperTimeout > 0, helperTimeout <= 86_400 else {
      throw ValidationError("--helper-timeout takes seconds above 0, at most a day")
    }
  }

  /// - Parameter helpers: the commands that may be given.
  func check(_ helpers: String?...) throws {
    guard helperTimeout == nil || helpers.contains(where: { $0 != nil }) else {
      throw ValidationError("--helper-timeout is for a helper, and none is given")
    }
  }
}
