// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalMedia
import FocalRendering
import FocalScript
import Synchronization

/// Renders Cinematic movies to an ordinary one: decoding, rendering and encoding at the same time.
///
/// ```swift
/// let session = try await ExportSession(path: "IMG_0001.MOV", to: "film.mov", device: .cpu())
/// Task { for await progress in session.progress { print(progress.fractionCompleted) } }
/// try await session.export()
/// ```
///
/// Frames that have no disparity, or about whose focus nothing is said, pass through sharp. Frame
/// times, colours (HDR included) and sound stay. A few frames are held at a time, whatever the
/// length. The output appears under its name when it is whole.
public final class ExportSession: Sendable {
  /// How far the export has come, frame by frame, until its end. Who looks seldom misses some.
  public let progress: AsyncStream<Progress>
  /// How many frames will be written.
  public var frameCount: Int { reader.frameCount }
  /// Whether high dynamic range of a movie becomes standard range, because the output holds no more (H.264,
  /// PNG and TIFF) or the first movie has no more. See ``FocalCore/ToneMapping``.
  public let isToneMapped: Bool
  /// What of a single movie is exported, on the movie's timeline: ``Settings/timeRange``, as far as there
  /// are pictures. `nil` for several movies and for compositions.
  public let timeRange: TimeRange?
  /// The output's size.
  public var dimensions: Dimensions { reader.renderContext.size }
  /// The device that renders now; `nil` where another compositor than the Cinematic one is at work.
  public var device: Device? { (compositor as? CinematicCompositor)?.device }

  private let output: String
  private let compositor: any VideoCompositor
  private let reader: CompositionReader
  private let target: WriterSettings
  private let reporter: AsyncStream<Progress>.Continuation
  private let state = Mutex(State())

  private struct State {
    var export: Task<Result<Void, CinematicError>, Never>?
    var isCancelled = false
  }

  /// Frames that are composed at the same time: enough to keep the device busy, few enough that a 4K
  /// movie stays small in memory.
  private static let framesInFlight = 3

  /// Opens a movie. Nothing is written before ``export()``.
  ///
  /// - Parameters:
  ///   - path: a Cinematic movie in a file.
  ///   - output: a movie, or numbered pictures.
  /// - Throws: `incomplete` for a movie that lacks a track, `invalidParameter` for a time range in which
  ///   the movie shows nothing, or an output of another kind.
  public convenience init(
    path: String, to output: String, device: Device, settings: Settings = Settings()
  ) async throws(CinematicError) {
    try await self.init(
      assets: [Asset(path: path)], to: output, devices: [device], settings: settings)
  }

  /// Opens movies, from wherever they are, to be shown one after another.
  ///
  /// The first one decides size, format and colours; others of another shape lie between black bars.
  ///
  /// - Parameters:
  ///   - assets: at least one.
  ///   - devices: best first: where one fails, the next goes on.
  /// - Throws: as ``init(path:to:device:settings:)``; `invalidParameter` also for a time range or a
  ///   script with several movies.
  public convenience init(
    assets: [Asset], to output: String, devices: [Device], settings: Settings = Settings()
  ) async throws(CinematicError) {
    _ = try OutputFormat(path: output)
    let compositor = try CinematicCompositor(
      devices: devices, sessionAttributes: settings.attributes, quality: settings.quality,
      deviceChanged: settings.deviceChanged)
    let joined = try await JoinedMovies(assets, timeRange: settings.timeRange)
    if assets.count > 1, settings.script != nil {
      throw CinematicError(
        .invalidParameter, "a script belongs to one movie, and there are \(assets.count)",
        remedy: "export them one by one, or give each its script in a video composition")
    }
    let video = try await VideoComposition(
      cinematic: joined.info, compositor: compositor, overrides: settings.overrides)
    try await self.init(
      composition: joined.info.composition, videoComposition: video, to: output,
      settings: settings, joined: joined)
  }

  /// Opens a composition with any compositor. What the settings say about rendering is the video
  /// composition's affair.
  ///
  /// - Throws: as ``FocalMedia/CompositionReader``, `invalidParameter` for an output of another kind.
  public convenience init(
    composition: Composition, videoComposition: VideoComposition, to output: String,
    settings: Settings = Settings()
  ) async throws(CinematicError) {
    try await self.init(
      composition: composition, videoComposition: videoComposition, to: output, settings: settings,
      joined: nil)
  }

  private init(
    composition: Composition, videoComposition: VideoComposition, to output: String,
    settings: Settings, joined: JoinedMovies?
  ) async throws(CinematicError) {
    self.output = output
    timeRange = joined?.timeRange
    compositor = videoComposition.compositor
    let source = try await VideoFormat(first: composition, videoComposition)
    let (pixelFormat, tags) = try WriterSettings.pixelFormat(
      of: output, source: source, codec: settings.codec)
    isToneMapped = try await composition.needsToneMapping(to: tags)
    let context = try RenderContext(
      size: videoComposition.renderSize.fitting(within: settings.maximumSize),
      pixelFormat: pixelFormat, tags: tags, renderSize: videoComposition.renderSize)
    reader = try await CompositionReader(composition, videoComposition, renderContext: context)
    var target = try WriterSettings(output, reader, source: source, settings)
    // Pictures of a part keep the numbers that they have in the whole movie.
    if joined != nil { target.firstNumber = reader.sourceFrameNumber(ofFrame: 0) ?? 0 }
    if settings.copiesSound, case .movie = try OutputFormat(path: output) {
      target.sound = try await Sound(composition, isWhole: joined?.isWhole ?? false)
    }
    self.target = target
    (progress, reporter) = AsyncStream.makeStream(
      of: Progress.self, bufferingPolicy: .bufferingNewest(1))
  }

  /// Stops the export, which then throws `cancelled`; nothing of its output is left.
  public func cancel() {
    let task = state.withLock { state in
      state.isCancelled = true
      return state.export
    }
    task?.cancel()
  }

  /// Renders the movie. Called once. Cancelling the calling task cancels the export.
  ///
  /// - Throws: `cancelled`, `unwritable`, and what reading, composing and encoding throw.
  public func export() async throws(CinematicError) {
    let task = state.withLock { state -> Task<Result<Void, CinematicError>, Never>? in
      guard state.export == nil else { return nil }
      let task = Task { await run() }
      if state.isCancelled { task.cancel() }
      state.export = task
      return task
    }
    guard let task else {
      throw CinematicError(
        .invalidState, "the export to \(output) was started before",
        remedy: "make a session for each export")
    }
    let result = await withTaskCancellationHandler {
      await task.value
    } onCancel: {
      task.cancel()
    }
    try result.get()
  }

  private func run() async -> Result<Void, CinematicError> {
    defer { reporter.finish() }
    do throws(CinematicError) {
      try await write()
      return .success(())
    } catch {
      return .failure(
        Task.isCancelled
          ? CinematicError(.cancelled, "the export to \(output) was cancelled") : error)
    }
  }

  private func write() async throws(CinematicError) {
    try checkCancellation()
    let writer = try FrameWriter.create(output, settings: target)
    // Whatever goes wrong from here on, nothing half-written stays.
    defer { writer.cancel() }
    let lane = EncodingLane(writer, capacity: Self.framesInFlight)
    do throws(CinematicError) {
      try await render(into: lane)
    } catch {
      // The writer's thread is done with it before it goes.
      try? await lane.drain()
      throw error
    }
    try await lane.finish()
  }

  // MARK: - Frames

  /// A frame that is being composed.
  private struct Composing {
    var timeRange: TimeRange
    var task: Task<Result<PixelBuffer, CinematicError>, Never>
  }

  private func render(into lane: EncodingLane) async throws(CinematicError) {
    compositor.renderContextChanged(reader.renderContext)
    var flight: [Composing] = []
    do throws(CinematicError) {
      try await compose(&flight, into: lane)
    } catch {
      // Nobody composes any more when this returns.
      for item in flight { item.task.cancel() }
      for item in flight { _ = await item.task.value }
      throw error
    }
  }

  private func compose(
    _ flight: inout [Composing], into lane: EncodingLane
  ) async throws(CinematicError) {
    var completed = 0
    for number in 0..<reader.frameCount {
      try checkCancellation()
      let request = try await reader.request(number: number)
      if flight.count >= Self.framesInFlight { try await land(&flight, &completed, lane) }
      let task = Task { [compositor] () -> Result<PixelBuffer, CinematicError> in
        do throws(CinematicError) {
          return .success(try await compositor.compose(request))
        } catch {
          return .failure(error)
        }
      }
      flight.append(Composing(timeRange: request.timeRange, task: task))
    }
    while !flight.isEmpty { try await land(&flight, &completed, lane) }
  }

  /// Waits for the frame that was begun first, and hands it on.
  private func land(
    _ flight: inout [Composing], _ completed: inout Int, _ lane: EncodingLane
  ) async throws(CinematicError) {
    try checkCancellation()
    let item = flight[0]
    let picture = try await withTaskCancellationHandler {
      await item.task.value
    } onCancel: {
      item.task.cancel()
    }.get()
    flight.removeFirst()
    try check(picture)
    try await lane.append(
      picture, time: item.timeRange.start, duration: item.timeRange.duration)
    completed += 1
    reporter.yield(Progress(completedFrames: completed, totalFrames: frameCount))
  }

  private func checkCancellation() throws(CinematicError) {
    guard Task.isCancelled else { return }
    throw CinematicError(.cancelled, "the export to \(output) was cancelled")
  }

  private func check(_ picture: PixelBuffer) throws(CinematicError) {
    let context = reader.renderContext
    guard picture.dimensions != context.size || picture.format != context.pixelFormat else {
      return
    }
    throw CinematicError(
      .incompatible,
      "the compositor gave a picture of \(picture.dimensions) in \(picture.format) where"
        + " \(context.size) in \(context.pixelFormat) was wanted",
      remedy: "let it draw into renderContext.newPixelBuffer()")
  }
}
