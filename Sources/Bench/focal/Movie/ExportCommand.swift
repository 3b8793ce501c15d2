// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import FocalCinematic
import FocalCommands
import FocalCore
import FocalImport
import FocalMedia
import FocalRendering
import FocalScript

struct ExportCommand: ParsableCommand, ProgramUser {
  static let configuration = CommandConfiguration(
    commandName: "export",
    abstract: "Render Cinematic movies to an ordinary one.",
    usage: """
      focal export <movie> ... -o <output> [--changes <changes>] [<options>]
      """,
    discussion: """
      Focus and f-number come from the movie's script and the changes to it, or from what is given here. \
      A movie that says nothing that can be read, such as a phone's original, is focused on the largest \
      and nearest part of its first map. Frame times, colours and \
      sound stay; high dynamic range stays high where the output can hold it, and becomes standard in \
      H.264 and in PNG and TIFF pictures. Several movies are shown one after another: the first \
      one decides size and colours, others of another shape lie between black bars. Movies whose pixels \
      have different shapes are refused.

      The presets choose codec, size, quality and compression; options given beside one go before it:

      \(ExportSession.Preset.allCases.map { "  \($0.name): \($0.summary)" }.joined(separator: "\n"))
      """)

  @Argument(help: "The Cinematic movies, or their addresses (https://…).")
  var movies: [String]
  @Option(
    name: .shortAndLong,
    help:
      "What to write: .mp4, .mov, .webm, numbered pictures (out/%04d.png), or - for standard output."
  )
  var output: String
  @OptionGroup var overwriting: OverwriteOptions
  @Flag(
    help: "Of numbered pictures, render only those that are missing; the others are not checked.")
  var resume = false
  @OptionGroup var decided: MovieFocusOptions
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Only what is shown from A to before B, beginning with the picture on the screen at A; in"
        + " seconds (0.5-2) or frames (10f-20f, which leaves frame 20 out).", valueName: "a-b"),
    transform: TimeRangeArgument.init(parsing:))
  var range: TimeRangeArgument?
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Only the frames A to B, from 0, B included.", valueName: "a-b"),
    transform: FramesArgument.init(parsing:))
  var frames: FramesArgument?
  @Option(
    help: ArgumentHelp(
      "From fast to exact. (default: the preset's, else export)", valueName: "quality"))
  var quality: QualityArgument?
  @OptionGroup var movie: MovieOptions
  @OptionGroup var pictureQuality: PictureQualityOptions
  @OptionGroup var captions: CaptionTrackOptions
  @Flag(
    help:
      "Draw the captions that are given, or else the movie's own, into the pictures; no track of them."
  )
  var burnCaptions = false
  @Option(help: StreamArgument.help(usual: "y4m"))
  var format: StreamArgument?
  @OptionGroup var fields: FieldOptions
  @OptionGroup var device: DeviceOptions
  @OptionGroup var safety: SafetyOptions
  @OptionGroup var report: ReportOptions

  func validate() throws {
    if resume, overwriting.force { throw ValidationError("give --resume or --force, not both") }
    guard range == nil || frames == nil else {
      throw ValidationError("give --range or --frames, not both")
    }
    guard movies.count < 2 || (!decided.isForOneMovie && range == nil && frames == nil) else {
      throw ValidationError("--changes, --script, --range and --frames belong to one movie")
    }
  }

  func run() throws {
    let start = ContinuousClock.now
    let usage = ProcessUsage.current
    try KeptInputs.check(output, inputs: movies + decided.inputs + captions.files)
    try movie.check(output)
    if output == PipePath.standard { Results.moveToStandardError() }
    for movie in movies where PipePath.isPipe(movie) {
      throw CinematicError(
        .unsupported, "a Cinematic movie cannot be read from \(PipePath.inputName(movie))",
        remedy: "save it as a file first")
    }
    let devices = try device.devices()
    let assets = try movies.map { movie throws(CinematicError) in
      try Asset.named(movie, interlacing: fields.interlacing)
    }
    var settings = try settings(assets)
    let given = try captions.given()
    let drawing = try add(given, of: assets, to: &settings)
    let done = try interruptible(writing: [output]) {
      try waiting { [settings] () async throws(CinematicError) in
        try await export(assets, devices, settings, given, drawing, start, usage)
      }
    }
    drawing?.tell()
    if report.json {
      try printJSON(done)
    } else {
      printLine(done.summary)
    }
  }

  /// Captions as tracks, or drawn.
  ///
  /// - Throws: `invalidParameter` for tracks where no movie is written, `incomplete` for nothing to draw.
  private func add(
    _ given: [GivenCaptions], of assets: [Asset], to settings: inout ExportSession.Settings
  ) throws -> CaptionDrawing? {
    guard burnCaptions || !given.isEmpty else { return nil }
    guard burnCaptions else {
      guard case .movie(let container) = try OutputFormat(path: output, stream: settings.stream),
        container != .webM
      else {
        throw CinematicError(
          .invalidParameter, "\(PipePath.outputName(output)) has no tracks of captions",
          remedy: "draw them with --burn-captions, or end the output in .mp4 or .mov")
      }
      settings.captions = try given.tracks(
        for: output, inMP4: container == .mp4, to: .program)
      if let range = settings.timeRange { for one in given { one.tellOfNothing(in: range) } }
      return nil
    }
    var documents = given.map(\.document)
    if documents.isEmpty {
      guard assets.count == 1 else {
        throw CinematicError(
          .invalidParameter, "the captions of several movies are not drawn",
          remedy: "give them in one file with --captions")
      }
      let tracks = try waiting { () async throws(CinematicError) in
        try await MovieCaptions.tracks(of: assets[0], isCinematic: true)
      }
      guard let number = tracks.firstIndex(where: \.isEnabled) ?? tracks.indices.first else {
        throw CinematicError(
          .incomplete, "\(movies[0]) has no captions to draw", remedy: "give --captions")
      }
      let document = try MovieCaptions.document(tracks[number])
      note(document.issues, of: movies[0])
      documents = [document]
      settings.droppedCaptionTrack = number
    }
    let kind = try OutputFormat(path: output, stream: settings.stream).stillKind
    let drawing = CaptionDrawing(
      documents, .usual, isPremultiplied: kind?.holdsPremultipliedAlpha == true)
    settings.drawing = { [below = settings.drawing] picture, time throws(CinematicError) in
      try below?(picture, time)
      try drawing.draw(over: picture, at: time)
    }
    return drawing
  }

  private func settings(_ assets: [Asset]) throws -> ExportSession.Settings {
    var settings = movie.settings
    if let quality { settings.quality = quality.quality }
    settings.overrides = try decided.overrides(of: assets)
    settings.overwrite = overwriting.force
    settings.resumes = resume
    settings.stream = try StreamArgument.stream(format?.stream, to: output, default: .y4m)
    settings.deviceChanged = { [json = report.json] change in change.tell(json: json) }
    if let legend = decided.show.legend {
      settings.drawing = { picture, _ throws(CinematicError) in try legend.draw(over: picture) }
    }
    settings.pictureQuality = pictureQuality.pictureQuality
    try PictureQualityOptions.check(
      settings.pictureQuality, OutputFormat(path: output, stream: settings.stream), output)
    settings.timeRange = try (range ?? frames.map { TimeRangeArgument($0) })?.timeRange {
      [overrides = settings.overrides] () throws(CinematicError) in
      try overrides.timingScript(of: assets[0])
    }
    return settings
  }

  private func hasSound(_ assets: [Asset]) async throws(CinematicError) -> Bool {
    for asset in assets {
      if try await !asset.loadTracks(withMediaType: .audio).isEmpty { return true }
    }
    return false
  }

  private func export(
    _ assets: [Asset], _ devices: [Device], _ settings: ExportSession.Settings,
    _ given: [GivenCaptions], _ drawing: CaptionDrawing?, _ start: ContinuousClock.Instant,
    _ usage: ProcessUsage
  ) async throws(CinematicError) -> ExportReport {
    let session = try await ExportSession(
      assets: assets, to: output, devices: devices, settings: settings)
    try drawing?.prepare(session.dimensions, session.writerSettings.pixelAspectRatio)
    try session.open()
    try OutputNotes(
      source: movies[0], output: output, settings: session.writerSettings,
      writtenSound: session.writtenSound, hasSound: try await hasSound(assets),
      isSteady: session.isSteady, codingLoss: session.codingLoss,
      otherCodingLosses: session.otherCodingLosses, showsView: decided.show.show != nil,
      isToneMapped: session.isToneMapped, clipsLight: session.clipsLight,
      // Of a film, linear light that is not kept is both.
      codesLight: session.clipsLight
    ).tell()
    session.movieFocuses.tell()
    if let part = session.heardRange { settings.timeRange?.tellOfCut(to: part, of: movies[0]) }
    // Of a part it is clear that others are not in it.
    if settings.timeRange == nil {
      let film = movies.count == 1 ? movies[0] : PipePath.outputName(output)
      for one in given { one.tellOfEnd(session.end, of: film) }
    }
    try await reporting(session.progress, session.frameCount, since: start, report.style) {
      () async throws(CinematicError) in try await session.export()
    }
    OutputNotes.tellOfCircles(session.largestCircle ?? 0, "--maximum-size")
    return ExportReport(
      outcome: RenderOutcome(
        session.writtenPath, session.dimensions, frames: session.frameCount,
        kept: resume ? session.keptFrameCount : nil,
        isToneMapped: session.isToneMapped, quality: settings.quality,
        device: session.device?.identifier ?? "", since: start, usage),
      movie: ExportReport.Movie(focus: session.movieFocuses))
  }
}
