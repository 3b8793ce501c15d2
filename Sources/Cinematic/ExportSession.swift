// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalMedia
import FocalRendering
import FocalScript
import Synchronization

/// Renders a Cinematic movie to an ordinary one: decoding, rendering and encoding at the same time.
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
  /// How a movie is rendered.
  public struct Settings: Sendable {
    public var quality = RenderingQuality.export
    public var attributes = RenderingSession.Attributes()
    /// Decides focus and f-number instead of the movie's own script or attributes.
    public var script: Script?
    /// Instead of what script or movie say.
    public var fNumber: Float?
    /// The part to render; the whole by default. The output begins with its first frame.
    public var timeRange: TimeRange?
    /// Whether the script's detections are drawn into the pictures.
    public var drawsDetections = false
    public var codec = WriterSettings.Codec.automatic
    /// Whether an existing output is replaced.
    public var overwrite = false
    public var temporaryFiles = TemporaryFiles.shared

    public init() {}
  }

  /// How far an export has come.
  public struct Progress: Hashable, Sendable {
    public var completedFrames: Int
    public var totalFrames: Int
    /// 0 to 1.
    public var fractionCompleted: Double {
      totalFrames > 0 ? Double(completedFrames) / Double(totalFrames) : 0
    }
  }

  /// How far the export has come, frame by frame, until its end. Who looks seldom misses some.
  public let progress: AsyncStream<Progress>
  /// How many frames will be written.
  public let frameCount: Int
  /// The output's size.
  public let dimensions: Dimensions

  private let output: String
  private let movie: MovieScript
  private let source: SourceProperties
  private let settings: Settings
  private let script: Script?
  private let device: Device
  private let target: WriterSettings
  private let frames: Range<Int>
  private let reporter: AsyncStream<Progress>.Continuation
  private let state = Mutex((isStarted: false, isCancelled: false))

  /// Frames that are rendered at the same time: enough to keep the device busy, few enough that a 4K
  /// movie stays small in memory.
  private static let framesInFlight = 3

  /// Opens a movie. Nothing is written before ``export()``.
  ///
  /// - Parameters:
  ///   - path: a Cinematic movie in a file.
  ///   - output: a movie, or numbered pictures.
  /// - Throws: `incomplete` for a movie that lacks a track, `invalidParameter` for a time range
  ///   without frames or an output of another kind.
  public init(
    path: String, to output: String, device: Device, settings: Settings = Settings()
  ) async throws(CinematicError) {
    self.output = output
    self.device = device
    self.settings = settings
    let movie = try await MovieScript(asset: Asset(path: path))
    self.movie = movie
    let source = try FrameReader.open(path).properties
    self.source = source
    var script = settings.script
    if script == nil, let recording = try movie.recording() {
      script = try Script(recording: recording)
    }
    self.script = script
    let frames = try Self.frames(movie.reader, settings.timeRange, path)
    self.frames = frames
    frameCount = frames.count
    let shown = source.preferredTransform.applied(to: source.dimensions)
    dimensions = shown
    let format = try OutputFormat(path: output)
    if case .still = format, frames.count > 1 {
      throw CinematicError(
        .invalidParameter, "\(output) holds one picture, and \(path) has \(frames.count) frames",
        remedy: "name a movie or a pattern such as frames/%04d.png")
    }
    let (pixelFormat, tags) = format.pixelFormat(
      forSource: source.pixelFormat, tags: source.tags)
    // Not every player heeds a movie's turn: what is written stands upright.
    var target = WriterSettings(
      keeping: source, path: path, dimensions: shown, pixelFormat: pixelFormat, tags: tags,
      firstTime: settings.timeRange == nil
        ? nil : movie.reader.timeRange(ofFrame: frames.lowerBound).start - source.startTime)
    target.preferredTransform = .identity
    if shown != source.dimensions {
      target.pixelAspectRatio = PixelAspectRatio(
        horizontal: source.pixelAspectRatio.vertical,
        vertical: source.pixelAspectRatio.horizontal)
    }
    target.codec = settings.codec
    target.overwrite = settings.overwrite
    target.temporaryFiles = settings.temporaryFiles
    target.firstNumber = frames.lowerBound
    self.target = target
    (progress, reporter) = AsyncStream.makeStream(
      of: Progress.self, bufferingPolicy: .bufferingNewest(1))
  }

  private static func frames(
    _ reader: CinematicReader, _ range: TimeRange?, _ path: String
  ) throws(CinematicError) -> Range<Int> {
    guard let range else { return 0..<reader.frameCount }
    var (low, high) = (0, reader.frameCount)
    func first(atOrAfter time: Time) -> Int {
      (low, high) = (0, reader.frameCount)
      while low < high {
        let middle = (low + high) / 2
        if reader.timeRange(ofFrame: middle).start < time {
          low = middle + 1
        } else {
          high = middle
        }
      }
      return low
    }
    let start = first(atOrAfter: range.start)
    let end = first(atOrAfter: range.end)
    guard start < end else {
      throw CinematicError(
        .invalidParameter,
        "\(path) has no frame from \(range.start.seconds) to \(range.end.seconds) s",
        remedy: "it lasts from \(reader.timeRange.start.seconds) to"
          + " \(reader.timeRange.end.seconds) s")
    }
    return start..<end
  }

  /// Stops the export, which then throws `cancelled`; nothing of its output is left.
  public func cancel() { state.withLock { $0.isCancelled = true } }

  /// Renders the movie. Called once. Cancelling the calling task cancels the export.
  ///
  /// - Throws: `cancelled`, `unwritable`, and what reading, rendering and encoding throw.
  public func export() async throws(CinematicError) {
    let isFirst = state.withLock { state in
      defer { state.isStarted = true }
      return !state.isStarted
    }
    guard isFirst else {
      throw CinematicError(
        .invalidState, "the export to \(output) was started before",
        remedy: "make a session for each export")
    }
    defer { reporter.finish() }
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

  /// A frame on its way through the device.
  private struct Rendered {
    var buffer: CommandBuffer
    var picture: PixelBuffer
    var timeRange: TimeRange
    var scripted: Script.Frame?
  }

  private func render(into lane: EncodingLane) async throws(CinematicError) {
    let session = try RenderingSession(
      commandQueue: CommandQueue(device: device), sessionAttributes: settings.attributes,
      preferredTransform: source.preferredTransform, quality: settings.quality)
    var flight: [Rendered] = []
    var completed = 0
    func land() async throws(CinematicError) {
      let item = flight.removeFirst()
      try await item.buffer.completed()
      if settings.drawsDetections, let frame = item.scripted {
        try DetectionOverlay(turn: source.preferredTransform).draw(frame, into: item.picture)
      }
      try await lane.append(
        item.picture, time: item.timeRange.start - source.startTime,
        duration: item.timeRange.duration)
      completed += 1
      reporter.yield(Progress(completedFrames: completed, totalFrames: frameCount))
    }
    for number in frames {
      guard !Task.isCancelled, !state.withLock({ $0.isCancelled }) else {
        throw CinematicError(.cancelled, "the export to \(output) was cancelled")
      }
      let frame = try await movie.reader.frame(number: number)
      if flight.count >= Self.framesInFlight { try await land() }
      flight.append(try submit(frame, to: session))
    }
    while !flight.isEmpty { try await land() }
  }

  private func submit(
    _ frame: CinematicFrame, to session: RenderingSession
  ) throws(CinematicError) -> Rendered {
    let scripted = try scripted(frame)
    var attributes = try attributes(frame, scripted)
    var map = frame.disparity
    if map == nil || attributes == nil {
      // Without blur, whatever the map: the picture as it is.
      map = try PixelBuffer(
        dimensions: Dimensions(width: 2, height: 2), format: .disparityFloat, tags: .linearBT709)
      attributes = .init(focusDisparity: 0, fNumber: .infinity)
    }
    guard let map, let attributes else {
      throw CinematicError(.unknown, "frame \(frame.index) has neither map nor attributes")
    }
    let picture = try PixelBuffer(
      dimensions: target.dimensions, format: target.pixelFormat, tags: target.tags)
    let buffer = session.commandQueue.makeCommandBuffer()
    try session.encodeRender(
      to: buffer, frameAttributes: attributes, sourceImage: frame.image, sourceDisparity: map,
      destinationImage: picture)
    buffer.commit()
    return Rendered(
      buffer: buffer, picture: picture, timeRange: frame.timeRange, scripted: scripted)
  }

  /// The script's frame, found also where the script rounds times.
  private func scripted(_ frame: CinematicFrame) throws(CinematicError) -> Script.Frame? {
    guard let script else { return nil }
    let tolerance = Time(
      value: frame.timeRange.duration.value / 2, timescale: frame.timeRange.duration.timescale)
    if let found = script.frame(at: frame.time, tolerance: tolerance) { return found }
    guard settings.script != nil else { return nil }
    throw CinematicError(
      .incompatible,
      "the script has no frame at \(frame.time.seconds) s; it spans"
        + " \(script.timeRange.start.seconds) to \(script.timeRange.end.seconds) s",
      remedy: "use the script of this movie")
  }

  /// `nil` where nothing says what is sharp.
  private func attributes(
    _ frame: CinematicFrame, _ scripted: Script.Frame?
  ) throws(CinematicError) -> RenderingSession.FrameAttributes? {
    if let scripted {
      return .init(
        focusDisparity: scripted.focusDisparity, fNumber: settings.fNumber ?? scripted.fNumber)
    }
    guard let stored = frame.metadata?.renderingAttributes else { return nil }
    return .init(
      focusDisparity: stored.focusDisparity, fNumber: settings.fNumber ?? stored.fNumber)
  }
}
