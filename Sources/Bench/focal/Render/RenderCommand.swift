// SPDX-License-Identifier: Apache-2.0

import FocalCinematic
import ArgumentParser
import FocalCommands
import FocalCore
import FocalMedia
import FocalRendering
import FocalScript

struct RenderCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "render",
    abstract: "Render a picture or a clip with a shallow depth of field.",
    usage: """
      focal render <input> [--disparity <map>] -o <output> [<options>]
      """,
    discussion: """
      The input and the map are pictures (PNG, JPEG, HEIC, AVIF, TIFF, PFM, OpenEXR), movies, or \
      numbered pictures (frames/%04d.png); the map may be of another size. A phone's portrait has its \
      map in itself. The diameter of a circle of \
      confusion is width * S/N * |d - focus| pixels.

        focal render portrait.heic -o out.jpg
        focal render photo.jpg --disparity map.png --focus-at 0.5,0.4 -o out.png
        focal render clip.mov --disparity maps/%04d.png --f-number 2 -o film.mov
        focal render clip.mov --disparity maps/%04d.png --script script.json -o film.mov
      """)

  @Argument(help: "The sharp picture or clip.")
  var input: String
  @OptionGroup(title: "File options") var files: FileOptions
  @OptionGroup(title: "Lens options") var lens: LensOptions
  @OptionGroup(title: "Script options") var scripting: ScriptOptions
  @OptionGroup(title: "Map options") var map: MapOptions

  @Option(
    help: ArgumentHelp(
      "From fast to exact. (default: the preset's, else export)", valueName: "quality"))
  var quality: QualityArgument?
  @OptionGroup(title: "Movie options") var movie: MovieOptions
  @OptionGroup(title: "Movie options") var fields: FieldOptions
  @OptionGroup var device: DeviceOptions
  @Flag(help: "Print progress and result as lines of JSON.")
  var json = false

  func validate() throws {
    guard scripting.script == nil || !lens.focus.isGiven else {
      throw ValidationError("give --script or a focus, not both")
    }
    guard !files.resume || files.beforeAfter == nil else {
      throw ValidationError("--before-after shows the first frame: give it without --resume")
    }
    guard files.size == nil || movie.maximumSize == nil else {
      throw ValidationError("give --size or --maximum-size, not both")
    }
  }

  func run() throws {
    let script = try scripting.focus(fNumber: lens.focus.fNumber)
    script?.tellOfUnknownLook()
    var mapOptions = ReadOptions(
      content: .disparity(map.scale), stillDuration: files.rate.frameDuration)
    mapOptions.channel = map.disparityChannel
    mapOptions.missing = files.onMissing == .hold ? .hold : .fail
    try movie.check(files.output)
    var inputOptions = try files.readOptions()
    inputOptions.interlacing = fields.interlacing
    let job = RenderJob(
      input: input, map: files.disparity, output: files.output,
      inputOptions: inputOptions, fieldOption: fields.given,
      mapOptions: mapOptions,
      stretchesMap: map.disparityFit == .stretch, size: files.size?.dimensions,
      focus: lens.focus.choice ?? .subject,
      fNumber: lens.focus.fNumber ?? script?.script.fNumber ?? FocusOptions.defaultFNumber,
      attributes: .init().with(
        (script?.script.recording.look ?? Look()).overridden(by: lens.look.look)),
      quality: quality?.quality ?? movie.settings.quality,
      devices: try device.devices(),
      pictureQuality: files.pictureQuality, beforeAfter: files.beforeAfter, overwrite: files.force,
      film: movie.settings,
      resumes: files.resume, json: json,
      script: script)
    let report = try interruptible(writing: [files.output, files.beforeAfter]) {
      try waiting { () async throws(CinematicError) in try await job.run() }
    }
    if json {
      try printJSON(report)
    } else {
      print(report.summary)
    }
  }
}
