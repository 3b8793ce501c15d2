// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import FocalCinematic
import FocalCommands
import FocalCore
import FocalImport
import FocalMedia
import FocalRendering
import FocalScript

struct ImportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import",
    abstract: "Make a Cinematic movie from a clip.",
    usage: """
      focal import <video> [--disparity <map> | --stereo <other>] [--script <script>] -o <movie.mov> [<options>]
      """,
    discussion: """
      The movie holds the sharp pictures, their disparity, and for every frame the focus and the \
      f-number; players show it as an ordinary video. H.264 and HEVC pictures, and from .mov and .mp4 ProRes and \
      DNxHR, are copied bit for bit, others are encoded, as HEVC of the clip's chroma and depth if nothing else is asked for. The movie carries the blur scale and the aperture that are given \
      or that the script carries. Sound is copied; what QuickTime does not hold, such as Opus, \
      is encoded as AAC, and FLAC as ALAC, which loses nothing.

      Without --disparity, maps are estimated (--estimate) before the movie is written. They are kept beside it, in \
      <movie.mov>.maps, until it is done: after an interruption the same command goes on with them. If no focus is \
      said either, people, pets and balls are found and the director decides which are in focus when (focal script \
      detect, direct); what was found is kept there, too. Where nobody is found, or there is no model or helper to find \
      them, focus follows what is largest and nearest in the maps, calmly within a shot and at once at a cut. Of both \
      eyes in one picture (--layout), the movie shows the left one's.

      Maps lie as the clip is shown, as focal extract writes them. Where the clip is stored turned, \
      maps that have the shape of what is stored are taken as stored, too; and so are movies of maps \
      with the clip's own rotation. --disparity-range is also what the movie's codes span when the \
      maps are floats; by default that is what is in them.
      """)

  @Argument(help: "The sharp clip.")
  var video: String
  @Option(
    help: ArgumentHelp(
      "The clip's disparity map: larger is nearer; by default an estimated one.", valueName: "map"))
  var disparity: String?
  @Option(name: .shortAndLong, help: ArgumentHelp("The movie to write.", valueName: "movie.mov"))
  var output: String
  @OptionGroup var overwriting: OverwriteOptions

  @Option(
    help: ArgumentHelp(
      "A focus script for the movie to carry, instead of one focus.", valueName: "script"))
  var script: String?
  @Option(help: ArgumentHelp("Changes that become part of the script.", valueName: "changes"))
  var changes: String?
  @OptionGroup(title: "Focus options") var focus: FocusOptions
  @OptionGroup(title: "Look options") var look: LookOptions
  @OptionGroup var reading: PictureReadingOptions
  @OptionGroup(title: "Map options") var map: MapOptions
  @OptionGroup(title: "Estimation options") var estimation: EstimateOptions
  @OptionGroup(title: "Detection options") var detection: DetectionOptions
  @OptionGroup(title: "Detection options") var rateOfDetection: DetectionRateOptions
  @OptionGroup(title: "Map options") var shaping: ShapingOptions
  @OptionGroup(title: "Real lens options") var real: ThinLensOptions
  @OptionGroup var rate: PictureRateOptions
  @Flag(
    help:
      "Encode the pictures even where they could be copied; so do every coding option, --transfer and --lut."
  )
  var encode = false
  @OptionGroup(title: "Coding options") var codingOptions: CodingOptions
  @OptionGroup var fields: FieldOptions
  @Flag(help: "Leave the sound out.")
  var noSound = false
  @OptionGroup var captions: CaptionTrackOptions
  @OptionGroup var safety: SafetyOptions
  @OptionGroup var report: ReportOptions

  func validate() throws {
    guard script != nil || changes == nil else {
      throw ValidationError("--changes needs a --script")
    }
    guard script == nil || !focus.isGiven else {
      throw ValidationError("give one of --script, --focus and --focus-at")
    }
    try estimation.patience.check(estimation.helper, detection.detectHelper)
    guard !looksForPeople || (script == nil && !focus.isGiven && real.lens == nil) else {
      throw ValidationError(
        "a focus is given: leave out --detect-model, --detect-helper and --detect-every, by which one is found"
      )
    }
    guard !looksForPeople || disparity == nil else {
      throw ValidationError(
        "--detect-model, --detect-helper and --detect-every are for clips whose map is estimated: with --disparity, use focal script"
          + " detect, then direct, and give --script")
    }
    try FocusOptions.checkStored(focus.fNumber)
    try real.check(focus, script: script, look)
  }

  /// Whether an option says how people are to be found.
  private var looksForPeople: Bool { detection.isGiven || rateOfDetection.detectEvery != nil }

  func run() throws {
    try KeptInputs.check(
      output,
      inputs: [video, disparity, script, changes] + captions.files + estimation.inputs
        + detection.detectModel + look.inputs + reading.inputs)
    try OutputFormat.checkFile(output, endings: ".mov")
    var coding = FilmCoding()
    codingOptions.apply(to: &coding)
    try codingOptions.check(output, codec: coding.codec)
    let scripted = try script.map { path throws(CinematicError) in
      let given = try ScriptFile.script(at: path, changes: changes)
      // The movie's own content says it, too.
      if let fNumber = focus.fNumber { given.fNumber = fNumber }
      let scripted = ScriptedFocus(given, name: path)
      try scripted.checkStoredFNumber()
      return scripted
    }
    let thinLens = try real.thinLens()
    var look = (scripted?.script.look ?? Look()).overridden(by: try self.look.look())
    if let thinLens { look.blurScale = thinLens.blurScale }
    try self.look.check(look)
    let wanted = try movie(scripted, thinLens, look)
    try estimation.value.checkAlone(beside: disparity)
    let teller = EventTeller(report.style)
    let done = try interruptible(writing: [output]) {
      try waiting { () async throws(CinematicError) in
        let result = try await wanted.run { teller.tell($0) }
        return ImportReport(result, cpuSeconds: teller.cpuSeconds)
      }
    }
    if report.json {
      try printJSON(done)
    } else {
      printLine(done.summary)
    }
  }

  /// What is wanted, as the library takes it.
  ///
  /// - Throws: what reading captions and tables throws.
  private func movie(
    _ script: ScriptedFocus?, _ thinLens: ThinLens?, _ look: Look
  ) throws(CinematicError) -> MovieImport {
    var movie = MovieImport(of: video, to: output, map: givenMap ?? .estimated(estimation.value))
    movie.overwrites = overwriting.force
    if let script {
      movie.focus = .script(script)
    } else if let thinLens {
      movie.focus = .lens(thinLens)
    } else if let choice = focus.choice {
      movie.focus = .choice(choice)
    } else if disparity == nil {
      var people = detection.value
      people.interval = rateOfDetection.detectEvery
      movie.focus = .directed(people)
    }
    if let fNumber = focus.fNumber { movie.fNumber = fNumber }
    movie.look = look
    try reading.apply(to: &movie.reading, try look.cameraCurve())
    movie.reading.interlacing = fields.interlacing
    movie.fieldOption = fields.given
    movie.frameDuration = rate.frameRate?.duration
    movie.describesMissingMap = disparity == nil && map.describesMap
    movie.shaping = shaping.shaping
    codingOptions.apply(to: &movie.coding)
    movie.rateFactor = codingOptions.rateFactor
    movie.encodesPictures = encode || !codingOptions.given.isEmpty
    movie.copiesSound = !noSound
    movie.captions = try captions.given()
    return movie
  }

  /// `nil` where one is to be estimated.
  private var givenMap: MovieImport.Map? {
    guard let disparity else { return nil }
    var given = MovieImport.GivenMap(disparity)
    (given.kind, given.channel) = (map.disparityKind, map.disparityChannel)
    if let range = map.disparityRange { given.codes = (Float(range.first), Float(range.second)) }
    given.stretches = map.disparityFit == .stretch
    return .given(given)
  }
}
