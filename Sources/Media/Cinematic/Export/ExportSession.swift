// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalMedia
import FocalRendering
import FocalScript

/// Renders Cinematic movies to an ordinary one: decoding, rendering and encoding at the same time.
///
/// ```swift
/// let session = try await ExportSession(path: "IMG_0001.MOV", to: "film.mov", device: .cpu())
/// Task { for await progress in session.progress { print(progress.fractionCompleted) } }
/// try await session.export()
/// ```
///
/// A movie about whose focus nothing can be read is focused on the subject of its first map; see
/// ``movieFocuses``. Frame times, colours (HDR included) and sound stay. A few frames are held at a time,
/// whatever the length. The output appears under its name when it is whole.
public final class ExportSession: Sendable {
  /// How far the export has come, frame by frame, until its end, or that of a session that does not export. A
  /// slow reader misses some.
  public var progress: AsyncStream<RenderProgress> { loop.progress }
  /// How many frames will be written; without those that are there already once ``open()`` has looked for them.
  public var frameCount: Int { loop.frameCount ?? reader.frameCount }
  /// How many frames are there already and stay as they are; known once ``open()`` has looked for them, and 0 before.
  public var keptFrameCount: Int { loop.keptFrameCount }
  /// Whether high dynamic range of a movie becomes standard range, because the output holds no more (H.264,
  /// PNG and TIFF) or the first movie has no more. See ``FocalCore/ToneMapping``.
  public let isToneMapped: Bool
  /// Whether light above white of a movie of linear light is cut, because the output holds no more.
  public let clipsLight: Bool
  /// The part of the first movie's chroma, depth and alpha that the output does not hold, in words; `nil`
  /// where it holds all.
  public let codingLoss: String?
  /// The same of the movies behind the first one, where something is lost.
  public let otherCodingLosses: [CodingLoss]
  /// The part of a single movie that is exported, on its timeline: ``Settings/timeRange``, as far as there
  /// are pictures. `nil` for several movies and for compositions.
  public let timeRange: TimeRange?
  /// ``timeRange`` with the sound that is written behind the last picture; the same where none is written. `nil` for several
  /// movies and for compositions.
  public let heardRange: TimeRange?
  /// How the focus of each movie was settled; empty where another compositor's instructions decide.
  public let movieFocuses: [MovieFocus]
  /// The output's size.
  public var dimensions: Dimensions { reader.renderContext.size }
  /// The device that renders now; `nil` where another compositor than the Cinematic one is at work.
  public var device: Device? { (compositor as? CinematicCompositor)?.device }
  /// As ``CinematicCompositor/largestCircle``; `nil` where another compositor is at work.
  public var largestCircle: Float? { (compositor as? CinematicCompositor)?.largestCircle }

  private let compositor: any VideoCompositor
  private let reader: CompositionReader
  private let loop: ClipRenderer

  /// Opens a movie. Nothing is written before ``export()``.
  ///
  /// - Parameters:
  ///   - path: a Cinematic movie in a file.
  ///   - output: a movie, or numbered pictures.
  /// - Throws: `incomplete` for a movie that lacks a track, `invalidParameter` for a time range in which
  ///   the movie shows nothing, an output of another kind, a maximum size with a side below 2, or a track of captions to
  ///   leave out that there is not.
  public convenience init(
    path: String, to output: String, device: Device, settings: Settings = Settings()
  ) async throws(CinematicError) {
    try await self.init(
      assets: [Asset(path: path)], to: output, devices: [device], settings: settings)
  }

  /// Opens movies, from wherever they are, to be shown one after another.
  ///
  /// The first one decides size, format and colours; others of another shape lie between black bars. All have pixels of one
  /// shape.
  ///
  /// - Parameters:
  ///   - assets: at least one.
  ///   - devices: best first: where one fails, the next goes on.
  /// - Throws: as ``init(path:to:device:settings:)``; `invalidParameter` also for a time range or a
  ///   script with several movies, `incompatible` for movies whose pixels have different shapes.
  public convenience init(
    assets: [Asset], to output: String, devices: [Device], settings: Settings = Settings()
  ) async throws(CinematicError) {
    _ = try OutputFormat(path: output, stream: settings.stream)
    let compositor = try CinematicCompositor(
      devices: devices, quality: settings.quality, deviceChanged: settings.deviceChanged)
    let joined = try await JoinedMovies(assets, timeRange: settings.timeRange)
    let video = try await VideoComposition(
      cinematic: joined.info, compositor: compositor, overrides: settings.overrides)
    try await self.init(
      composition: joined.info.composition, videoComposition: video, to: output,
      settings: settings, joined: joined)
  }

  /// Opens a composition with any compositor. ``Settings/quality``, ``Settings/overrides`` and
  /// ``Settings/deviceChanged`` are the video composition's affair, and not looked at here.
  ///
  /// - Throws: as ``FocalMedia/CompositionReader``, `invalidParameter` for an output of another kind, and for settings that
  ///   are of single movies: ``Settings/timeRange`` and ``Settings/droppedCaptionTrack``.
  public convenience init(
    composition: Composition, videoComposition: VideoComposition, to output: String,
    settings: Settings = Settings()
  ) async throws(CinematicError) {
    guard settings.timeRange == nil else {
      throw CinematicError(
        .invalidParameter, "a time range is for a single movie, not for a composition",
        remedy: "insert that part of the movie into the composition's tracks")
    }
    guard settings.droppedCaptionTrack == nil else {
      throw CinematicError(
        .invalidParameter,
        "a track of captions is left out of a single movie, not of a composition, which has none",
        remedy: "leave the setting out")
    }
    try await self.init(
      composition: composition, videoComposition: videoComposition, to: output, settings: settings,
      joined: nil)
  }

  private init(
    composition: Composition, videoComposition: VideoComposition, to output: String,
    settings: Settings, joined: JoinedMovies?
  ) async throws(CinematicError) {
    try Dimensions.checkLimit(settings.maximumSize)
    timeRange = joined?.timeRange
    movieFocuses = videoComposition.movieFocuses
    compositor = videoComposition.compositor
    var source = try await VideoFormat(first: composition, videoComposition)
    if videoComposition.isTransparent { source.codedPixels.hasAlpha = true }
    let format = try OutputFormat(path: output, stream: settings.stream)
    let pixels = try format.pixelFormat(
      forSource: source.pixelFormat, tags: source.tags, coded: source.codedPixels,
      coding: settings.coding)
    let (pixelFormat, tags) = (pixels.format, pixels.tags)
    codingLoss = pixels.loss(of: source.codedPixels)
    otherCodingLosses = try await composition.codingLosses(
      in: pixels, behindFirstOf: videoComposition.sourceTrackIDForFrameTiming)
    clipsLight = source.tags.transfer == .linear && tags.transfer != .linear
    isToneMapped = try await composition.needsToneMapping(to: tags)
    let context = try RenderContext(
      size: videoComposition.renderSize.fitting(within: settings.maximumSize),
      pixelFormat: pixelFormat, tags: tags,
      holdsPremultipliedAlpha: format.stillKind?.holdsPremultipliedAlpha ?? false,
      renderSize: videoComposition.renderSize)
    reader = try await CompositionReader(composition, videoComposition, renderContext: context)
    var target = try WriterSettings(output, reader, source: source, settings)
    target.codedPixels = pixels.coded
    try target.setGamut(of: videoComposition, in: format)
    // Pictures of a part keep the numbers that they have in the whole movie.
    let firstNumber = joined == nil ? 0 : reader.sourceFrameNumber(ofFrame: 0) ?? 0
    if settings.copiesSound, case .movie = format {
      let tail: Time? = if let joined { joined.soundTail } else { Time.zero }
      target.sound = try await Sound(composition, tail: tail)
    }
    if let joined, target.sound != nil {
      heardRange = try await joined.heardRange()
    } else {
      heardRange = timeRange
    }
    if let joined, format.stillKind == nil {
      target.companions = try await joined.companions(
        frameDuration: target.nominalFrameDuration, captions: settings.captions,
        dropped: settings.droppedCaptionTrack)
    } else if case .movie = format {
      target.companions.addCaptions(settings.captions)
    }
    if joined != nil { target.companions.leaveOut(source.unkeptExtras) }
    if let joined, target.sound != nil {
      for name in try await composition.moviesWithCutSound {
        target.companions.leaveOut(["the sound of \(name) behind its last picture"])
      }
      target.companions.leaveOut(
        joined.info.moviesWithOtherSound.map {
          "which sound \($0) plays unasked: that in the language of the movies before it is played"
        })
    }
    compositor.renderContextChanged(context)
    let frames = ComposedFrames(
      reader: reader, compositor: compositor, firstNumber: firstNumber,
      drawing: settings.drawing,
      opaqueOutput: format.stillKind?.refusesAlpha == true ? PipePath.outputName(output) : nil,
      origin: joined?.isWhole == false ? joined?.timeRange?.start ?? .zero : .zero)
    loop = ClipRenderer(frames, to: output, settings: target, resumes: settings.resumes)
  }

  /// Begins the output, so that it is known at once whether it can be written. ``export()`` does it if the
  /// caller did not.
  ///
  /// - Throws: `unwritable`, and what ``FocalMedia/FrameWriter/create(_:settings:)`` throws.
  public func open() throws(CinematicError) { try loop.open() }

  /// The written form of a film's tracks of sound, and behind them those that are left out; none before ``open()``.
  public var writtenSound: [WrittenSound] { loop.writtenSound }
  /// The output by its name; the file where one numbered picture is all that was written. Known once
  /// the export has ended, and before that the output as it was given.
  public var writtenPath: String { loop.writtenPath }

  /// Stops the export, which then throws `cancelled`. Of a movie nothing is left; numbered pictures that are
  /// whole stay.
  public func cancel() { loop.cancel() }

  /// When the last frame ends, counted as the output counts.
  public var end: Time { reader.timeRange(ofFrame: reader.frameCount - 1).end }

  /// How the pictures are written.
  public var writerSettings: WriterSettings { loop.settings }
  /// Whether all frames but the last are shown equally long.
  public var isSteady: Bool {
    (0..<reader.frameCount).lazy.map(reader.timeRange(ofFrame:)).isSteady
  }

  /// The content written beside pictures and sound.
  public var companions: FilmCompanions { loop.settings.companions }

  /// The sound that is written; `nil` for a silent movie or pictures.
  public var sound: Sound? { loop.settings.sound }

  /// Renders the movie. Called once. Cancelling the calling task cancels the export.
  ///
  /// - Throws: `cancelled`, `unwritable`, and what reading, composing and encoding throw.
  public func export() async throws(CinematicError) {
    try await loop.render()
  }
}

/// The frames of a composition, drawn by its compositor.
private struct ComposedFrames: ClipFrames {
  let reader: CompositionReader
  let compositor: any VideoCompositor
  /// Of numbered pictures.
  let firstNumber: Int
  let drawing: FrameDrawing?
  /// The output's name, where it takes no alpha.
  let opaqueOutput: String?
  /// The time of the movie that is zero here.
  let origin: Time

  var frameCount: Int? { reader.frameCount }

  func fileNumber(ofFrame number: Int) -> Int { firstNumber + number }

  func frame(_ number: Int) async throws(CinematicError) -> ClipFrame? {
    let request = try await reader.request(number: number)
    try request.checkAlpha(for: opaqueOutput)
    try await compositor.prepare(request)
    return ClipFrame(timeRange: request.timeRange) { () async throws(CinematicError) in
      let picture = try await compositor.picture(of: request)
      try drawing?(picture, origin + request.timeRange.start)
      return picture
    }
  }
}
