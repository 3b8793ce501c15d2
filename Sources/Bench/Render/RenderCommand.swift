// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import FocalCore
import FocalMedia
import FocalRendering

struct RenderCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "render",
    abstract: "Render a picture or a clip with a shallow depth of field.",
    usage: """
      focal render <input> --disparity <map> -o <output> [<options>]
      """,
    discussion: """
      The input and the map are pictures (PNG, JPEG, TIFF, PFM, OpenEXR), movies, or numbered \
      pictures (frames/%04d.png); the map may be of another size. The diameter of a circle of \
      confusion is width * S/N * |d - focus| pixels.

      A portrait:  focal render photo.jpg --disparity map.png --focus-at 0.5,0.4 -o out.png
      A clip:      focal render clip.mov --disparity maps/%04d.png --f-number 2 -o film.mov
      """)

  @Argument(help: "The sharp picture or clip.")
  var input: String
  @Option(help: ArgumentHelp("Its disparity: larger is nearer.", valueName: "map"))
  var disparity: String
  @Option(
    name: .shortAndLong,
    help: "What to write: .png, .tif, .pfm, .exr, .mp4, .mov or frames/%04d.png.")
  var output: String

  @OptionGroup(title: "Lens options") var lens: LensOptions
  @OptionGroup(title: "Disparity options") var map: MapOptions

  @Option(help: ArgumentHelp("From fast to exact.", valueName: "quality"))
  var quality: QualityArgument = .export
  @Option(help: "The device: auto or cpu.")
  var device: String = "auto"
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Threads of the CPU device; one a core by default.", valueName: "n"))
  var threads: Int?
  @Option(help: ArgumentHelp("The input's transfer function.", valueName: "function"))
  var transfer: TransferArgument = .auto
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Only these frames, numbered from 0.", valueName: "a-b"),
    transform: FramesArgument.init(parsing:))
  var frames: FramesArgument?
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Frames a second of numbered pictures, such as 25, 29.97 or 30000/1001.",
      valueName: "fps"),
    transform: FrameRateArgument.init(parsing:))
  var frameRate: FrameRateArgument = .thirty
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("The output's size, in the input's shape.", valueName: "wxh"),
    transform: SizeArgument.init(parsing:))
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
    if let threads, !(1...1024).contains(threads) {
      throw ValidationError("--threads takes 1 to 1024")
    }
  }

  func run() throws {
    let job = RenderJob(
      input: input, map: disparity, output: output,
      inputOptions: ReadOptions(
        frames: frames?.range, stillDuration: frameRate.duration, transfer: transfer.transfer),
      mapOptions: ReadOptions(
        content: .disparity(map.scale), stillDuration: frameRate.duration),
      stretchesMap: map.disparityFit == .stretch, size: size?.dimensions, focus: lens.choice,
      fNumber: lens.fNumber, attributes: lens.attributes, quality: quality.quality,
      device: try FocalCommand.device(named: device, threads: threads),
      beforeAfter: beforeAfter, overwrite: force, json: json)
    let report = try interruptible { try job.run() }
    if json {
      try printJSON(report)
    } else {
      print(report.summary)
    }
  }
}
