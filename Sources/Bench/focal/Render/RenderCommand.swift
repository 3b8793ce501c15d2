// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import FocalCinematic
import FocalCommands
import FocalCore
import FocalImport
import FocalMedia
import FocalRendering
import FocalScript

struct RenderCommand: ParsableCommand, ProgramUser {
  static let configuration = CommandConfiguration(
    commandName: "render",
    abstract: "Render a picture or a clip with a shallow depth of field.",
    usage: """
      focal render <input> [--disparity <map> | --stereo <other>] -o <output> [<options>]
      """,
    discussion: """
      The input and the map are pictures (PNG, JPEG, HEIC, AVIF, TIFF, DPX, PFM, OpenEXR), movies, or \
      numbered pictures (frames/%04d.png); the map may be of another size. A phone's portrait has its \
      map in itself; where there is none, it is estimated (--estimate). Of both eyes in one picture (--layout), \
      the left one's is rendered. The diameter of a circle of \
      confusion is width * S/N * |d - focus| pixels.

        focal render portrait.heic -o out.jpg
        focal render photo.jpg --disparity map.png --focus-at 0.5,0.4 -o out.png
        focal render photo.jpg --disparity map.png --subject 0.5,0.4 -o out.png
        focal render clip.mov --disparity maps/%04d.png --f-number 2 -o film.mov
        focal render clip.mov --disparity maps/%04d.png --script script.json -o film.mov
        ffmpeg -i clip.mov -f yuv4mpegpipe - | focal render - --disparity maps/%04d.png -o - | ffplay -

      The input - is standard input: one picture, PNG pictures one behind the other, Y4M, NUT or another \
      container that can be read as it comes. The output - is standard output. One map is held for all \
      frames with --on-missing hold.
      """)

  @Argument(help: "The sharp picture or clip.")
  var input: String
  @OptionGroup(title: "File options") var files: FileOptions
  @OptionGroup(title: "Lens options") var lens: LensOptions
  @OptionGroup(title: "Lens options") var held: SubjectFocusOptions
  @OptionGroup(title: "Script options") var scripting: ScriptOptions
  @OptionGroup(title: "Map options") var map: MapOptions
  @OptionGroup(title: "Estimation options") var estimation: EstimateOptions
  @OptionGroup(title: "Shaping options") var shaping: ShapingOptions
  @OptionGroup(title: "Map options") var steadiness: SteadinessOptions
  @OptionGroup(title: "Real lens options") var real: ThinLensOptions

  @Option(
    help: ArgumentHelp(
      "From fast to exact. (default: the preset's, else export)", valueName: "quality"))
  var quality: QualityArgument?
  @OptionGroup(title: "Movie options") var movie: MovieOptions
  @OptionGroup(title: "Movie options") var fields: FieldOptions
  @OptionGroup var show: ShowOptions
  @OptionGroup var device: DeviceOptions
  @OptionGroup var safety: SafetyOptions
  @OptionGroup var report: ReportOptions

  func validate() throws {
    guard scripting.script == nil || !lens.focus.isGiven else {
      throw ValidationError("give --script or a focus, not both")
    }
    try real.check(lens.focus, script: scripting.script, lens.look)
    try held.check(decidesFocus: decidesFocus, resumes: files.resume)
    try estimation.patience.check(estimation.helper)
    guard !files.resume || files.beforeAfter == nil else {
      throw ValidationError("--before-after shows the first frame: give it without --resume")
    }
    guard files.size == nil || movie.size.maximumSize == nil else {
      throw ValidationError("give --size or --maximum-size, not both")
    }
  }

  /// Whether something else than a subject says what is sharp.
  private var decidesFocus: Bool {
    lens.focus.isGiven || scripting.script != nil || real.lens != nil
  }

  /// Whether anything is said about a map alone: a mask is stretched as well.
  private var describesMap: Bool {
    held.matte == nil ? map.describesMap : map.describesCodes
  }

  /// The estimated maps that are needed beside those of the rendered frames. The clip's first frame settles the focus, if
  /// nothing else does.
  private var surroundings: EstimationSurroundings {
    EstimationSurroundings(
      beginsWithClip: held.subject == nil && lens.focus.focus == nil && scripting.script == nil
        && real.lens == nil,
      reach: steadiness.steadyMaps ? SteadyMaps.usualReach : 0)
  }

  func run() throws {
    try held.checkPipe()
    let script = try scripting.focus(fNumber: lens.focus.fNumber)
    script?.tellOfNoEffect()
    var mapOptions = map.readOptions(shaping, stillDuration: files.rate.frameDuration)
    let thinLens = try real.thinLens()
    let look = (script?.script.look ?? Look()).overridden(by: try lens.look.look())
    try lens.look.check(look)
    var attributes = try RenderingSession.Attributes().with(look)
    if let thinLens { attributes.blurScale = thinLens.blurScale }
    mapOptions.missing = files.onMissing == .hold ? .hold : .fail
    try movie.check(files.output)
    // Refuses a format for a file.
    let stream = try StreamArgument.stream(
      files.format?.stream, to: files.output, default: .y4m)
    if files.output == PipePath.standard { Results.moveToStandardError() }
    var reading = try files.readOptions(try look.cameraCurve())
    reading.interlacing = fields.interlacing
    reading.half = estimation.half
    // No other file says any primaries.
    let format = try? OutputFormat(path: files.output, stream: stream)
    reading.keepsChromaticities = format?.stillKind == .openEXR
    let inputOptions = reading
    for path in [files.output, files.beforeAfter].compactMap({ $0 }) {
      try KeptInputs.check(
        path,
        inputs: [input, files.disparity, held.matte] + scripting.inputs + estimation.inputs
          + lens.look.inputs + files.reading.inputs)
    }
    let job = RenderJob(
      input: input, map: files.disparity, output: files.output,
      inputOptions: inputOptions, fieldOption: fields.given,
      mapOptions: mapOptions,
      stretchesMap: map.disparityFit == .stretch, steadiesMaps: steadiness.steadyMaps,
      givesFrameRate: files.rate.frameRate != nil,
      size: files.size?.dimensions,
      focus: thinLens.map { .disparity($0.focusDisparity) } ?? lens.focus.choice ?? .subject,
      fNumber: lens.focus.fNumber ?? script?.script.fNumber ?? FocusOptions.defaultFNumber,
      attributes: attributes,
      quality: quality?.quality ?? movie.settings.quality,
      devices: try device.devices(),
      pictureQuality: files.pictureQuality.pictureQuality, beforeAfter: files.beforeAfter,
      overwrite: files.overwriting.force,
      film: movie.settings,
      resumes: files.resume, json: report.json,
      needsMetricMap: thinLens != nil, statesDisparityRange: map.disparityRange != nil,
      script: script, progress: report.style, stream: files.format?.stream,
      legend: show.legend, subject: held.subject?.point, matte: held.matte,
      stretchesMatte: map.disparityFit == .stretch, holdsMatte: !decidesFocus)
    let done = try interruptible(writing: [files.output, files.beforeAfter]) {
      try waiting {
        try await estimation.value.withMap(
          of: input, given: files.disparity, describesMap: describesMap, for: files.output,
          options: inputOptions, overwrite: files.overwriting.force || files.resume,
          surroundings: surroundings, report.events
        ) { path async throws(CinematicError) in
          var job = job
          if let path {
            (job.map, job.stretchesMap, job.mapsCountFrames) = (path, true, true)
          }
          return try await job.run()
        }
      }
    }
    if report.json {
      try printJSON(done)
    } else {
      printLine(done.summary)
    }
  }
}
