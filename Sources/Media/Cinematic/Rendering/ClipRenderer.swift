// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalMedia
import FocalRendering
import Synchronization

/// Renders the frames of a clip and writes them: reading, rendering and encoding at the same time.
///
/// ```swift
/// let pictures = try await FrameReader.open("clip.mov")
/// let maps = try await FrameReader.open(
///   "maps/%04d.png", options: ReadOptions(content: .disparity(.unit)))
/// let clip = try await FocusedClip(
///   pictures, maps: DisparityMatcher(maps, for: pictures),
///   focus: RenderingSession.FrameAttributes(focusDisparity: 0.6, fNumber: 2),
///   renderer: FrameRenderer(devices: [.cpu()], quality: .export), output: "film.mov")
/// try await ClipRenderer(clip, to: "film.mov", settings: clip.settings).render()
/// ```
///
/// ``FocusedClip`` gives the frames of a clip beside its disparity, ``ExportSession`` those of Cinematic
/// movies and compositions; a program's own ``ClipFrames`` can give others. A few frames are held at a
/// time, whatever the length. A movie appears under its name when it is whole, a numbered picture when it
/// is: those that were finished stay, whatever ends the rendering, and another one can go on after them. Only those that get
/// their names together (``FocalMedia/WriterSettings/publishesTogether``) do not stay before they have them.
public final class ClipRenderer: Sendable {
  /// How far the rendering has come, frame by frame, until its end, or that of a renderer that does not
  /// render. A slow reader misses some.
  public let progress: AsyncStream<RenderProgress>
  /// How many frames will be written; known once ``open()`` has looked for those that are there. `nil` where
  /// only the end tells.
  public var frameCount: Int? { state.withLock { $0.waiting }?.count ?? frames.frameCount }
  /// How many frames are there already and stay as they are; known as ``frameCount`` is, and 0 before.
  public var keptFrameCount: Int {
    guard let waiting = state.withLock({ $0.waiting }), let count = frames.frameCount else {
      return 0
    }
    return count - waiting.count
  }
  /// How many are written by now.
  public var completedFrames: Int { state.withLock { $0.completed } }

  /// The written form of a film's tracks of sound, and behind them those that are left out; none before ``open()``.
  public var writtenSound: [WrittenSound] { state.withLock { $0.writer }?.writtenSound ?? [] }

  /// The output by its name; the file where one numbered picture is all that was written. Known once
  /// the rendering has ended, and before that the output as it was given.
  public var writtenPath: String { state.withLock { $0.writer }?.writtenPath ?? output }

  /// How the frames are written.
  public let settings: WriterSettings

  private let frames: any ClipFrames
  private let output: String
  private let resumes: Bool
  private let reporter: AsyncStream<RenderProgress>.Continuation
  private let state = Mutex(State())

  private struct State {
    var writer: FrameWriter?
    /// Whether a call is making the writer.
    var isOpening = false
    /// The frames that are still to be rendered; `nil` where only the end tells how many there are.
    var waiting: [Int]?
    var completed = 0
    var task: Task<Result<Void, CinematicError>, Never>?
    var isCancelled = false
  }

  /// Frames that are rendered at the same time: enough to keep a device busy, few enough that a 4K clip
  /// stays small in memory.
  private static let framesInFlight = 3

  /// - Parameters:
  ///   - output: a picture, numbered pictures or a movie.
  ///   - settings: how the frames are written; pictures must have their size and format.
  ///   - resumes: whether frames of numbered pictures that are there already are left as they are.
  public init(
    _ frames: any ClipFrames, to output: String, settings: WriterSettings, resumes: Bool = false
  ) {
    self.frames = frames
    self.resumes = resumes
    self.output = output
    self.settings = settings
    (progress, reporter) = AsyncStream.makeStream(
      of: RenderProgress.self, bufferingPolicy: .bufferingNewest(1))
  }

  /// After any failure nothing half-written stays; progress ends without a rendering, too.
  deinit {
    state.withLock { $0.writer }?.cancel()
    reporter.finish()
  }

  /// Begins the output, so that it is known at once whether it can be written. ``render()`` does it if
  /// the caller did not. A second call does nothing.
  ///
  /// - Throws: `unwritable`, `invalidParameter` for an output that cannot be resumed, `invalidState` while another call
  ///   opens it, and what ``FocalMedia/FrameWriter/create(_:settings:)`` throws.
  public func open() throws(CinematicError) {
    let isOpened = try state.withLock { state throws(CinematicError) -> Bool in
      guard state.writer == nil else { return true }
      guard !state.isOpening else {
        throw CinematicError(
          .invalidState, "\(output) is being opened by another call",
          remedy: "open a renderer from one task")
      }
      state.isOpening = true
      return false
    }
    guard !isOpened else { return }
    defer { state.withLock { $0.isOpening = false } }
    let waiting: [Int]?
    do throws(CinematicError) {
      // Before there is anything of the output.
      waiting = try frames(missingIn: output)
    } catch {
      // What is wrong with a folder is the writer's to say.
      if error.code == .unreadable { try FrameWriter.create(output, settings: settings).cancel() }
      throw error
    }
    let writer = try FrameWriter.create(output, settings: settings)
    state.withLock { state in
      state.waiting = waiting
      state.writer = writer
    }
  }

  /// The frames that an output lacks.
  ///
  /// - Throws: `unwritable` for one that is there and is neither kept nor replaced, `invalidParameter` for
  ///   an output that cannot be resumed.
  private func frames(missingIn output: String) throws(CinematicError) -> [Int]? {
    guard let count = frames.frameCount else {
      guard !resumes else {
        throw CinematicError(
          .invalidParameter, "\(output) cannot be resumed: the pictures come through a pipe",
          remedy: "give pictures in files")
      }
      return nil
    }
    let all = Array(0..<count)
    guard
      case .numbered(let pattern, _) = try OutputFormat(path: output, stream: settings.stream)
    else {
      guard !resumes else {
        throw CinematicError(
          .invalidParameter, "\(output) cannot be resumed: it is one file",
          remedy: "write numbered pictures, such as frames/%04d.png")
      }
      return all
    }
    guard resumes || !settings.overwrite else { return all }
    let existing = Set(try pattern.existingNumbers())
    let there = all.filter { existing.contains(frames.fileNumber(ofFrame: $0)) }
    guard let first = there.first, !resumes else {
      return all.filter { !existing.contains(frames.fileNumber(ofFrame: $0)) }
    }
    throw CinematicError(
      .unwritable, "\(pattern.path(frames.fileNumber(ofFrame: first))) exists already",
      remedy: """
        choose another name, overwrite with \(parameter: .overwrite), or render the missing ones \
        with \(parameter: .resumption)
        """)
  }

  /// Stops the rendering, which then throws `cancelled`. Of a movie or a picture nothing is left; numbered
  /// pictures that are whole stay.
  public func cancel() {
    let task = state.withLock { state in
      state.isCancelled = true
      return state.task
    }
    task?.cancel()
  }

  /// Renders all frames. Called once. Cancelling the calling task cancels the rendering.
  ///
  /// - Throws: `cancelled`, `unwritable`, `invalidState` for a second call, `incomplete` for no frame at
  ///   all, unless those that are there were all, and what reading, rendering and encoding throw.
  public func render() async throws(CinematicError) {
    let task = state.withLock { state -> Task<Result<Void, CinematicError>, Never>? in
      guard state.task == nil else { return nil }
      let task = Task { await run() }
      if state.isCancelled { task.cancel() }
      state.task = task
      return task
    }
    guard let task else {
      throw CinematicError(
        .invalidState, "the rendering to \(output) was started before",
        remedy: "make a renderer for each output")
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
      return .failure(Task.isCancelled ? cancellation : error)
    }
  }

  private func write() async throws(CinematicError) {
    try checkCancellation()
    try open()
    guard let writer = state.withLock({ $0.writer }) else { throw cancellation }
    // Everything was there.
    if resumes, frameCount == 0 { return writer.cancel() }
    // After any failure from here on nothing half-written stays.
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

  /// A frame that is being rendered.
  private struct Flight {
    var timeRange: TimeRange
    var fileNumber: Int
    var metadata: PictureMetadata?
    var task: Task<Result<PixelBuffer, CinematicError>, Never>
  }

  private func render(into lane: EncodingLane) async throws(CinematicError) {
    var flights: [Flight] = []
    do throws(CinematicError) {
      try await render(&flights, into: lane)
    } catch {
      var error = error
      if !Task.isCancelled, keepsFrames {
        // The frames before the one that failed are whole, and stay.
        do throws(CinematicError) {
          while !flights.isEmpty { try await land(&flights, lane) }
        } catch let earlier {
          error = earlier
        }
      }
      // Nothing is rendered any more when this returns.
      for flight in flights { flight.task.cancel() }
      for flight in flights { _ = await flight.task.value }
      throw error
    }
  }

  /// Whether frames stay, whatever comes after them.
  private var keepsFrames: Bool {
    switch state.withLock({ $0.writer })?.format {
    case .numbered, .stream: true
    default: false
    }
  }

  private func render(
    _ flights: inout [Flight], into lane: EncodingLane
  ) async throws(CinematicError) {
    let waiting = state.withLock { $0.waiting }
    var next = 0
    while next < waiting?.count ?? .max {
      let number = waiting?[next] ?? next
      next += 1
      try checkCancellation()
      guard let frame = try await frames.frame(number) else { break }
      if flights.count >= Self.framesInFlight { try await land(&flights, lane) }
      let task = Task { () -> Result<PixelBuffer, CinematicError> in
        do throws(CinematicError) {
          return .success(try await frame.picture())
        } catch {
          return .failure(error)
        }
      }
      flights.append(
        Flight(
          timeRange: frame.timeRange, fileNumber: frames.fileNumber(ofFrame: number),
          metadata: frame.pictureMetadata, task: task))
    }
    while !flights.isEmpty { try await land(&flights, lane) }
  }

  /// Waits for the frame that was begun first, and hands it on.
  private func land(
    _ flights: inout [Flight], _ lane: EncodingLane
  ) async throws(CinematicError) {
    try checkCancellation()
    // One that fails is done with, too.
    let flight = flights.removeFirst()
    let picture = try await withTaskCancellationHandler {
      await flight.task.value
    } onCancel: {
      flight.task.cancel()
    }.get()
    try await lane.append(
      picture, timeRange: flight.timeRange, fileNumber: flight.fileNumber,
      metadata: flight.metadata,
      publishes: settings.publishesTogether && frames.publishesPictures)
    let completed = state.withLock { state in
      state.completed += 1
      return state.completed
    }
    reporter.yield(RenderProgress(completedFrames: completed, totalFrames: frameCount))
  }

  private func checkCancellation() throws(CinematicError) {
    if Task.isCancelled { throw cancellation }
  }

  private var cancellation: CinematicError {
    CinematicError(.cancelled, "the rendering to \(output) was cancelled")
  }
}
