// SPDX-License-Identifier: Apache-2.0

import FocalBoxes
import FocalCore
import FocalMedia
import FocalRendering
import FocalScript
import Synchronization

/// The frames of a Cinematic movie whose focus is being decided: in any order, at any size and quality, by whichever
/// script is in force at the moment.
///
/// A frame is what an ``ExportSession`` renders with the same script, look, size and quality: the same reader gives its
/// sources, the same compositor renders it. Pictures and maps that were decoded are held, up to a limit, so that
/// another script, f-number or size of the same frame costs no decoding.
public final class PreviewRenderer: Sendable {
  /// How a frame is rendered.
  public struct Settings: Hashable, Sendable {
    public var quality = RenderingQuality.thumbnail
    /// The long and the short side that pictures have at most; they keep their shape and never grow.
    public var maximumSize: Dimensions?
    /// What the pictures show; `nil` for themselves.
    public var view: RenderingSession.DebugView?

    public init() {}
  }

  /// The movie's own reader, for maps and times.
  public let movie: MovieScript
  /// The movie's script, or one that holds a steady focus.
  public let recording: Recording
  /// How many frames there are.
  public var frameCount: Int { reader.frameCount }
  /// The size of a frame in full, upright.
  public let dimensions: Dimensions
  /// Whether the pictures are made for a screen of standard range from a movie of high range.
  public let isToneMapped: Bool
  /// The device that renders now.
  public var device: Device? { state.withLock { $0.stages.first?.compositor.device } }

  private let reader: CompositionReader
  private let template: CinematicInstruction
  private let pixels: OutputPixels
  private let devices: [Device]
  private let cacheLimit: Int
  private let deviceChanged: @Sendable (FrameRenderer.DeviceChange) -> Void
  private let state = Mutex(State())

  private struct Stage {
    var quality: RenderingQuality
    var look: Look
    var compositor: CinematicCompositor
  }

  private struct State {
    var requests: [Int: VideoCompositionRequest] = [:]
    /// The numbers of the requests that are held, the one that was used last at the end.
    var used: [Int] = []
    var byteCount = 0
    /// The one that was used last first.
    var stages: [Stage] = []
    var contexts: [(size: Dimensions, context: RenderContext)] = []
  }

  /// Opens a movie.
  ///
  /// - Parameters:
  ///   - devices: best first: where one fails, the next goes on.
  ///   - cacheLimit: bytes of decoded pictures and maps that are held.
  /// - Throws: `incomplete` for a movie that lacks a track, and what reading it throws.
  public init(
    asset: Asset, devices: [Device], cacheLimit: Int = 96 << 20,
    deviceChanged: @escaping @Sendable (FrameRenderer.DeviceChange) -> Void = { _ in }
  ) async throws(CinematicError) {
    self.devices = devices
    self.cacheLimit = cacheLimit
    self.deviceChanged = deviceChanged
    let compositor = try CinematicCompositor(
      devices: devices, quality: .thumbnail, deviceChanged: deviceChanged)
    let joined = try await JoinedMovies([asset])
    movie = try await MovieScript(asset: asset)
    recording = try await movie.recordingOrSteady()
    var overrides = FocusOverrides()
    overrides.script = .given(try Script(recording: recording))
    let video = try await VideoComposition(
      cinematic: joined.info, compositor: compositor, overrides: overrides)
    guard let first = video.instructions.first as? CinematicInstruction else {
      throw CinematicError(.incomplete, "\(asset.name) has no frame to show")
    }
    template = first
    let source = try await VideoFormat(first: joined.info.composition, video)
    pixels = try OutputFormat.still(.jpeg).pixelFormat(
      forSource: source.pixelFormat, tags: source.tags, coded: source.codedPixels)
    dimensions = video.renderSize
    isToneMapped = try await joined.info.composition.needsToneMapping(to: pixels.tags)
    let context = try RenderContext(
      size: video.renderSize, pixelFormat: pixels.format, tags: pixels.tags)
    reader = try await CompositionReader(joined.info.composition, video, renderContext: context)
    state.withLock { state in
      state.stages = [Stage(quality: .thumbnail, look: first.look, compositor: compositor)]
    }
  }

  /// When a frame is shown, on the movie's own timeline.
  ///
  /// - Precondition: `number` is below ``frameCount``.
  public func timeRange(ofFrame number: Int) -> TimeRange {
    guard let own = reader.sourceFrameNumber(ofFrame: number) else {
      return reader.timeRange(ofFrame: number)
    }
    return movie.reader.timeRange(ofFrame: own)
  }

  /// A frame's picture, as it is encoded: of 8 bits and for screens of standard range.
  ///
  /// - Parameters:
  ///   - number: from 0.
  ///   - script: of this movie; decides focus and f-number.
  ///   - look: value by value instead of the movie's.
  /// - Throws: `invalidParameter` for a number beyond the last, `cancelled`, and what reading and rendering throw.
  public func picture(
    _ number: Int, script: Script, look: Look = Look(), settings: Settings = Settings()
  ) async throws(CinematicError) -> PixelBuffer {
    let request = try await request(number)
    var instruction = template
    instruction.script = script
    instruction.look = template.look.overridden(by: look)
    instruction.view = settings.view
    let context = try context(dimensions.fitting(within: settings.maximumSize))
    let compositor = try compositor(settings.quality, instruction.look)
    return try await compositor.compose(request.with(instruction, context))
  }

  /// Bytes of decoded pictures and maps that are held.
  public var cachedByteCount: Int { state.withLock { $0.byteCount } }

  // MARK: - What is held

  private func request(_ number: Int) async throws(CinematicError) -> VideoCompositionRequest {
    let known = state.withLock { state -> VideoCompositionRequest? in
      guard let known = state.requests[number] else { return nil }
      state.used.removeAll { $0 == number }
      state.used.append(number)
      return known
    }
    if let known { return known }
    let made = try await reader.request(number: number)
    state.withLock { state in
      guard state.requests[number] == nil else { return }
      state.requests[number] = made
      state.used.append(number)
      state.byteCount += made.sourceByteCount
      // The newest stays, however large.
      while state.byteCount > cacheLimit, state.used.count > 1 {
        let oldest = state.used.removeFirst()
        state.byteCount -= state.requests.removeValue(forKey: oldest)?.sourceByteCount ?? 0
      }
    }
    return made
  }

  /// Contexts hold the memory of their pictures: few sizes are kept.
  private func context(_ size: Dimensions) throws(CinematicError) -> RenderContext {
    let known = state.withLock { $0.contexts.first { $0.size == size }?.context }
    if let known { return known }
    let made = try RenderContext(
      size: size, pixelFormat: pixels.format, tags: pixels.tags, renderSize: dimensions)
    state.withLock { state in
      state.contexts.insert((size, made), at: 0)
      if state.contexts.count > 3 { state.contexts.removeLast() }
    }
    return made
  }

  /// A compositor holds working memory for every look that it met: another look begins with a new one. Two qualities
  /// are kept, one that is quick and one for a picture at rest.
  private func compositor(
    _ quality: RenderingQuality, _ look: Look
  ) throws(CinematicError) -> CinematicCompositor {
    let known = state.withLock { state -> CinematicCompositor? in
      guard
        let place = state.stages.firstIndex(where: { $0.quality == quality && $0.look == look })
      else { return nil }
      let stage = state.stages.remove(at: place)
      state.stages.insert(stage, at: 0)
      return stage.compositor
    }
    if let known { return known }
    let made = try CinematicCompositor(
      devices: devices, quality: quality, deviceChanged: deviceChanged)
    state.withLock { state in
      state.stages.removeAll { $0.quality == quality }
      state.stages.insert(Stage(quality: quality, look: look, compositor: made), at: 0)
      if state.stages.count > 2 { state.stages.removeLast() }
    }
    return made
  }
}

extension MovieScript {
  /// Follows an object from a time on.
  ///
  /// - Parameters:
  ///   - make: makes the follower, which is told each frame that has a map.
  ///   - end: the time before which to stop; `nil` for the movie's end.
  ///   - progress: told after each frame: how many were looked at, of how many, and where the object is.
  /// - Returns: `nil` where no frame from `time` on has a map.
  /// - Throws: `cancelled` where the calling task is, and what reading and following throw.
  public func follow(
    _ make: () throws(CinematicError) -> ObjectFollower, from time: Time, until end: Time?,
    progress: (_ done: Int, _ total: Int, FollowedBox?) -> Void = { _, _, _ in }
  ) async throws(CinematicError) -> FollowedObject? {
    var follower = try make()
    let first = frameNumber(at: time)
    for number in first..<reader.frameCount {
      guard !Task.isCancelled else {
        throw CinematicError(.cancelled, "following an object was cancelled")
      }
      let frame = try await reader.frame(number: number)
      if let end, frame.time >= end { break }
      // A frame without a map says nothing of where the object is.
      guard let map = frame.disparity else { continue }
      try follower.follow(frame.image, map, at: frame.time, number: number)
      progress(number - first + 1, reader.frameCount - first, follower.boxes.last)
    }
    return follower.finish()
  }
}
