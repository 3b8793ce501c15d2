// SPDX-License-Identifier: Apache-2.0

import FocalCommands
import ArgumentParser
import FocalCore
import FocalMedia

struct ImportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import",
    abstract: "Make a Cinematic movie from a clip and its disparity.",
    usage: """
      focal import <video> --disparity <map> [--script <script>] -o <movie.mov> [<options>]
      """,
    discussion: """
      The movie holds the sharp pictures, their disparity, and for every frame the focus and the \
      f-number; players show it as an ordinary video. H.264 and HEVC pictures are copied bit for \
      bit, others are encoded as HEVC. Sound is copied; what QuickTime does not hold, such as Opus, \
      is encoded as AAC, and FLAC as ALAC, which loses nothing.
      """)

  @Argument(help: "The sharp clip.")
  var video: String
  @Option(help: ArgumentHelp("The clip's disparity map: larger is nearer.", valueName: "map"))
  var disparity: String
  @Option(name: .shortAndLong, help: ArgumentHelp("The movie to write.", valueName: "movie.mov"))
  var output: String
  @Flag(help: "Replace an existing output.")
  var force = false

  @Option(help: ArgumentHelp("A focus script for the movie to carry.", valueName: "script"))
  var script: String?
  @Option(help: ArgumentHelp("Changes that become part of the script.", valueName: "changes"))
  var changes: String?
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Without a script: the disparity that is sharp; by default that of the subject at the"
        + " picture's centre.", valueName: "d"))
  var focus: Float?
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Without a script: a point of the first frame that is sharp, 0,0 to 1,1.", valueName: "x,y"),
    transform: PointArgument.init(parsing:))
  var focusAt: PointArgument?
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("The f-number. (default: the script's, else 2.8)", valueName: "n"))
  var fNumber: Float?

  @OptionGroup(title: "Map options") var map: MapOptions
  @OptionGroup var rate: PictureRateOptions
  @Flag(help: "Encode the pictures as HEVC even where they could be copied.")
  var encode = false
  @Flag(help: "Leave the sound out.")
  var noSound = false
  @Flag(help: "Print progress and result as lines of JSON.")
  var json = false

  func validate() throws {
    guard script != nil || changes == nil else {
      throw ValidationError("--changes needs a --script")
    }
    guard [script != nil, focus != nil, focusAt != nil].count(where: { $0 }) <= 1 else {
      throw ValidationError("give one of --script, --focus and --focus-at")
    }
    guard focus?.isFinite ?? true else { throw ValidationError("--focus takes a finite number") }
    guard fNumber.map({ $0.isFinite && $0 >= 0.1 }) ?? true else {
      throw ValidationError("--f-number takes a number of at least 0.1")
    }
  }

  func run() throws {
    try KeptInputs.check(output, inputs: [video, disparity, script, changes])
    var choice = FocusChoice.centre
    if let focus { choice = .disparity(focus) }
    if let focusAt { choice = .point(focusAt.point) }
    let job = ImportJob(
      video: video, map: disparity, output: output, overwrite: force,
      script: try script.map { path throws(CinematicError) in
        try ScriptedFocus(path: path, changes: changes, fNumber: fNumber, overlay: false)
      }, focus: choice, fNumber: fNumber ?? LensOptions.defaultFNumber,
      mapScale: map.scale, stretchesMap: map.disparityFit == .stretch,
      frameDuration: rate.frameDuration, encodes: encode, copiesSound: !noSound, json: json)
    let report = try interruptible { try job.run() }
    if json {
      try printJSON(report)
    } else {
      print(report.summary)
    }
  }
}
