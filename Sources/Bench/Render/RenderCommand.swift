// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import FocalCore
import FocalMedia
import FocalRendering

extension DisparityScale.Kind: ExpressibleByArgument {}

/// `--transfer`: what to believe of the input's transfer function.
enum TransferArgument: String, ExpressibleByArgument, CaseIterable {
  case auto, srgb, bt709, hlg, pq, linear

  var transfer: ColorTags.Transfer? {
    switch self {
    case .auto: nil
    case .srgb: .srgb
    case .bt709: .bt709
    case .hlg: .hlg
    case .pq: .pq
    case .linear: .linear
    }
  }
}

enum FitArgument: String, ExpressibleByArgument, CaseIterable {
  case exact, stretch
}

struct RenderCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "render",
    abstract: "Render a picture or a clip with a shallow depth of field.",
    discussion: """
      INPUT and MAP are a picture (PNG, JPEG, TIFF, PFM, OpenEXR), a movie, or numbered pictures \
      (frames/%04d.png). A circle of confusion's diameter is width * S/N * |d - focus| pixels.
      """)

  @Argument(help: "The sharp picture or clip.")
  var input: String
  @Option(help: ArgumentHelp("Its disparity: larger is nearer.", valueName: "map"))
  var disparity: String
  @Option(
    name: .shortAndLong,
    help: "What to write: .png, .tif, .pfm, .exr, .mp4, .mov or frames/%04d.png.")
  var output: String

  @Option(help: ArgumentHelp("The disparity that is sharp.", valueName: "d"))
  var focus: Float?
  @Option(
    help: ArgumentHelp(
      "A point that is sharp: 0,0 is the top left corner, 1,1 the bottom right; read in the first"
        + " frame.", valueName: "x,y"))
  var focusAt: PairArgument?
  @Option(
    help: ArgumentHelp(
      "The f-number N; smaller blurs more. (default: the script's, else 2.8)", valueName: "n"))
  var fNumber: Float?
  @Option(
    help: ArgumentHelp(
      "A focus script that decides focus and f-number frame by frame.", valueName: "script"))
  var script: String?
  @Option(help: ArgumentHelp("Changes to the script.", valueName: "changes"))
  var changes: String?
  @Flag(help: "Draw the script's detections into the output, the one in focus yellow.")
  var overlay = false
  @Option(help: ArgumentHelp("The clip's blur scale S.", valueName: "s"))
  var blurScale: Float = RenderingSession.Attributes.defaultBlurScale
  @Option(help: ArgumentHelp("Straight aperture blades, 3 to 16; 0 for a disc.", valueName: "n"))
  var blades: Int = 0
  @Option(help: "thumbnail, preview, export or export-high.")
  var quality: RenderingQuality = .export
  @Option(help: "The device: auto or cpu.")
  var device: String = "auto"
  @Option(help: ArgumentHelp("Threads of the CPU device; one a core by default.", valueName: "n"))
  var threads: Int?

  @Option(
    help: ArgumentHelp(
      "The disparities of the map's smallest and largest code.", valueName: "lo,hi"))
  var disparityRange: PairArgument?
  @Option(help: "disparity (larger is nearer) or depth (larger is farther).")
  var disparityKind: DisparityScale.Kind = .disparity
  @Option(help: "exact, or stretch a map of another shape over the picture.")
  var disparityFit: FitArgument = .exact
  @Option(help: "The input's transfer function: auto, srgb, bt709, hlg, pq or linear.")
  var transfer: TransferArgument = .auto
  @Option(help: ArgumentHelp("Frames by number, from 0.", valueName: "a-b"))
  var frames: FramesArgument?
  @Option(
    help: ArgumentHelp(
      "Frames a second of numbered pictures, such as 30 or 30000/1001.",
      valueName: "fps"))
  var frameRate: FrameRateArgument = .thirty
  @Option(help: ArgumentHelp("The output's size.", valueName: "wxh"))
  var size: SizeArgument?
  @Option(
    help: ArgumentHelp(
      "Also write the first frame as a picture, sharp at the left and rendered at the right.",
      valueName: "png"))
  var beforeAfter: String?
  @Flag(help: "Print progress and result as lines of JSON.")
  var json = false
  @Flag(help: "Replace an existing output.")
  var force = false

  func validate() throws {
    guard focus == nil || focusAt == nil else {
      throw ValidationError("give --focus or --focus-at, not both")
    }
    guard script == nil || (focus == nil && focusAt == nil) else {
      throw ValidationError("give --script or a focus, not both")
    }
    guard script != nil || (changes == nil && !overlay) else {
      throw ValidationError("--changes and --overlay need a --script")
    }
    if let point = focusAt, !(0...1).contains(point.first) || !(0...1).contains(point.second) {
      throw ValidationError("--focus-at takes shares of the picture from 0 to 1, such as 0.5,0.4")
    }
    if let threads, !(1...1024).contains(threads) {
      throw ValidationError("--threads takes 1 to 1024")
    }
    if let range = disparityRange, range.first == range.second {
      throw ValidationError("--disparity-range needs two different numbers")
    }
  }

  func run() throws {
    let focus: FocusChoice =
      if let focus = self.focus {
        .disparity(focus)
      } else if let focusAt {
        .point(NormalizedPoint(x: focusAt.first, y: focusAt.second))
      } else {
        .centre
      }
    let scripted = try script.map { path throws(CinematicError) in
      try ScriptedFocus(path: path, changes: changes, fNumber: fNumber, overlay: overlay)
    }
    let scale = DisparityScale(
      low: Float(disparityRange?.first ?? 0), high: Float(disparityRange?.second ?? 1),
      kind: disparityKind)
    let job = RenderJob(
      input: input, map: disparity, output: output,
      inputOptions: ReadOptions(
        frames: frames?.range, stillDuration: frameRate.duration, transfer: transfer.transfer),
      mapOptions: ReadOptions(
        content: .disparity(scale), stillDuration: frameRate.duration),
      stretchesMap: disparityFit == .stretch, size: size?.dimensions, focus: focus,
      fNumber: fNumber ?? scripted?.script.fNumber ?? 2.8,
      attributes: .init(
        blurScale: blurScale, apertureShape: ApertureShape(bladeCount: blades)),
      quality: quality, device: try FocalCommand.device(named: device, threads: threads),
      beforeAfter: beforeAfter, overwrite: force, json: json, script: scripted)
    let report = try interruptible { try job.run() }
    if json {
      try printJSON(report)
    } else {
      print(report.summary)
    }
  }
}
