// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import FocalCinematic
import FocalCommands
import FocalCore
import FocalMedia
import FocalRendering

extension DisparityScale.Kind: ExpressibleByArgument {}
extension MissingFiles: ExpressibleByArgument {}

/// `--disparity-fit`.
enum FitArgument: String, ExpressibleByArgument, CaseIterable {
  case exact, stretch
}

/// The inputs and the output.
struct FileOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The input's disparity map: larger is nearer; by default the one in the photograph, else an estimated one.",
      valueName: "map"))
  var disparity: String?
  @Option(
    name: .shortAndLong,
    help: ArgumentHelp(
      "What to write: .png, .jpg, .heic, .avif, .tif, .dpx, .pfm, .exr, .mp4, .mov, .webm, frames/%04d.png, or - for"
        + " standard output."))
  var output: String
  @OptionGroup var overwriting: OverwriteOptions
  @Flag(
    help: "Of numbered pictures, render only those that are missing; the others are not checked.")
  var resume = false
  @Option(
    help: ArgumentHelp(
      "What becomes of gaps between numbered pictures or maps: fail; hold, the one before again, and one"
        + " map for all frames; skip, no such frame.", valueName: "action"))
  var onMissing = MissingFiles.fail
  @OptionGroup var frames: FramesOptions
  @Option(help: StreamArgument.help(usual: "y4m for films, png for one picture"))
  var format: StreamArgument?
  @OptionGroup var rate: PictureRateOptions
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "The output's size, in the input's shape; by default the input's.", valueName: "WxH"),
    transform: SizeArgument.init(parsing:))
  var size: SizeArgument?
  @OptionGroup var reading: PictureReadingOptions
  @OptionGroup var pictureQuality: PictureQualityOptions
  @Option(
    help: ArgumentHelp(
      "Also write the first frame as a picture (\(StillKind.endings)), sharp at the left and rendered at the right.",
      valueName: "picture"))
  var beforeAfter: String?

  func validate() throws {
    if resume, overwriting.force { throw ValidationError("give --resume or --force, not both") }
  }

  /// - Parameter curve: that the look names.
  func readOptions(_ curve: LogCurve?) throws(CinematicError) -> ReadOptions {
    if curve != nil, beforeAfter != nil {
      throw CinematicError(
        .invalidParameter, "a camera's curve does not go with --before-after",
        remedy: "leave that out, or give --log none")
    }
    var options = ReadOptions(frames: frames.range, stillDuration: rate.frameDuration)
    try reading.apply(to: &options, curve, decodesCurve: true)
    options.missing = onMissing
    return options
  }
}

/// How long numbered pictures are shown.
struct PictureRateOptions: ParsableArguments {
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Frames a second of numbered pictures, such as 25, 29.97 or 30000/1001. (default: 30)",
      valueName: "fps"),
    transform: FrameRateArgument.init(parsing:))
  var frameRate: FrameRateArgument?

  var frameDuration: Time { (frameRate ?? .thirty).duration }
}

/// The focus if no script decides.
struct FocusOptions: ParsableArguments {
  static let defaultFNumber: Float = 2.8

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "The disparity that is sharp. (default: as a script that is given or carried says, else that of"
        + " the largest and nearest part of the first map)", valueName: "d"))
  var focus: Float?
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "A point that is sharp: \(PointArgument.corners); read in the first frame of the clip.",
      valueName: "x,y"),
    transform: PointArgument.init(parsing:))
  var focusAt: PointArgument?
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "The f-number N, at least 0.1; smaller blurs more, and inf, in what is rendered, not at all."
        + " (default: as a script that is given or carried says, else 2.8)", valueName: "n"))
  var fNumber: Float?

  func validate() throws {
    guard focus == nil || focusAt == nil else {
      throw ValidationError("give --focus or --focus-at, not both")
    }
    guard focus?.isFinite ?? true else { throw ValidationError("--focus takes a finite number") }
  }

  /// - Throws: for an f-number that no movie or script can carry.
  static func checkStored(_ fNumber: Float?) throws {
    guard fNumber != .infinity else {
      throw ValidationError(
        "--f-number takes a finite number here: inf is for render, export and thumbnail")
    }
    guard fNumber.map({ $0.isFinite && $0 >= 0.1 }) ?? true else {
      throw ValidationError("--f-number takes a finite number of at least 0.1")
    }
  }

  /// Whether the caller chose what is sharp.
  var isGiven: Bool { focus != nil || focusAt != nil }

  /// The choice; `nil` if none was made.
  var choice: FocusChoice? {
    if let focus { return .disparity(focus) }
    return focusAt.map { .point($0.point) }
  }
}

/// The focus, and how much the rest is blurred.
struct LensOptions: ParsableArguments {
  @OptionGroup var focus: FocusOptions
  @OptionGroup var look: LookOptions
}

/// How the disparity map is read.
struct MapOptions: ParsableArguments {
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "The disparities of the map's smallest and largest code; 0,1 by default, and 1,0 where black is"
        + " near. Float files keep their values, which have to lie within.", valueName: "lo,hi"),
    transform: PairArgument.init(parsing:))
  var disparityRange: PairArgument?
  @Option(
    help: ArgumentHelp(
      "Whether larger is nearer (disparity) or farther (depth).", valueName: "kind"))
  var disparityKind: DisparityScale.Kind = .disparity
  @Option(
    help: ArgumentHelp(
      "The channel of an OpenEXR file that holds the map, such as Z or depth.Z.",
      valueName: "name"))
  var disparityChannel: String?
  @Option(
    help: ArgumentHelp(
      "Whether the map must have the picture's shape (exact) or is stretched over it.",
      valueName: "fit"))
  var disparityFit: FitArgument = .exact

  func validate() throws {
    if let range = disparityRange, Float(range.first) == Float(range.second) {
      throw ValidationError("--disparity-range needs two different numbers")
    }
  }

  /// Whether anything is said about a map's codes or its shape.
  var describesMap: Bool { describesCodes || disparityFit != .exact }

  /// Whether anything is said about a map's codes.
  var describesCodes: Bool {
    disparityRange != nil || disparityKind != .disparity || disparityChannel != nil
  }

  func readOptions(_ shaping: ShapingOptions, stillDuration: Time) -> ReadOptions {
    var options = readOptions(stillDuration: stillDuration)
    options.shaping = shaping.shaping
    return options
  }

  func readOptions(stillDuration: Time) -> ReadOptions {
    var options = ReadOptions(content: .disparity(scale), stillDuration: stillDuration)
    options.channel = disparityChannel
    return options
  }

  /// The maps at a path beside a clip's frames, with a note if they hardly are maps.
  func matcher(
    of path: String, for pictures: FrameReader, stillDuration: Time
  ) async throws(CinematicError) -> DisparityMatcher {
    let options = readOptions(stillDuration: stillDuration)
    try await DisparityMatcher.checkStatedShape(
      of: path, for: pictures.properties, named: pictures.name,
      stretches: disparityFit == .stretch)
    let maps = try await FrameReader.open(path, options: options)
    try await maps.checkIsMap()
    OutputNotes.tellDoubts(of: maps.properties.pictureMetadata, options, map: path)
    return try DisparityMatcher(maps, for: pictures, stretches: disparityFit == .stretch)
  }

  var scale: DisparityScale {
    DisparityScale(
      low: Float(disparityRange?.first ?? 0), high: Float(disparityRange?.second ?? 1),
      kind: disparityKind)
  }

  /// The range, where one is given for maps of disparity: what floats may be coded in.
  var codedRange: ClosedRange<Float>? {
    guard disparityRange != nil, disparityKind == .disparity else { return nil }
    return min(scale.low, scale.high)...max(scale.low, scale.high)
  }
}
