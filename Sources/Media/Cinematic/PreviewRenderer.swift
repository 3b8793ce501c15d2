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
/// sources, the same compositor renders it. Pictures of a lower ``Fidelity`` cost much less. Sources that were decoded
/// are held, up to a limit, so that another script, f-number or size of the same frame costs no decoding.
public final class PreviewRenderer: Sendable {
  /// How near a picture comes to an export's.
  public enum Fidelity: Hashable, Sendable {
    /// The export's, to the bit.
    case exported
    /// Of a source that was made smaller by a whole number first, in its codes: unpacking and resampling a large source
    /// would cost more than all the rest. The picture is smaller than the movie by that number, too.
    case reduced
    /// The same with maps as they are stored, which read no other maps: for frames far from the last one.
    case unsteady
  }

  /// How a frame is rendered.
  public struct Settings: Hashable, Sendable {
    public var quality = RenderingQuality.thumbnail
    /// The long and the short side that pictures have at most, each 2 or more; pictures keep their shape and never grow.
    public var maximumSize: Dimensions?
    public var fidelity = Fidelity.exported
    /// Whether the blur of thumbnails is worked out at half their size, see
    /// ``FocalRendering/RenderingSession/Attributes/halvesThumbnails``.
    public var halvesThumbnails = false
    /// The view that is drawn; `nil` for the pictures themselves.
    public var view: RenderingSession.DebugView?
    /// Whether pictures in a camera's curve are shown as a screen shows that light; exports keep the curve. Others stay
    /// as they are.
    public var isGraded = false

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
  /// The camera's curve that the movie's pictures are in.
  public let logCurve: LogCurve?
  /// The device that renders now.
  public var device: Device? { state.withLock { $0.stages.first?.compositor.device } }

  private let reader: CompositionReader
  private let template: CinematicInstruction
  private let pixels: OutputPixels
  private let devices: [Device]
  private let sources: PreviewSources
  /// Codes of the camera's curve as those of a screen.
  private let screenTable: ColorCube?
  private let deviceChanged: @Sendable (FrameRenderer.DeviceChange) -> Void
  private let state = Mutex(State())

  private struct Stage {
    var kind: Kind
    var compositor: CinematicCompositor

    struct Kind: Equatable {
      var quality: RenderingQuality
      var halvesThumbnails = false
    }
  }

  private struct State {
    /// The one that was used last first.
    var stages: [Stage] = []
    var contexts: [(size: Dimensions, context: RenderContext)] = []
  }

  /// Opens a movie.
  ///
  /// - Parameters:
  ///   - devices: best first: where one fails, the next goes on.
  ///   - cacheLimit: bytes of decoded pictures and maps that are held.
  ///   - screenTable: what the codes of a camera's curve become in graded pictures; by default those of BT.709.
  /// - Throws: `incomplete` for a movie that lacks a track, and what reading it throws.
  public init(
    asset: Asset, devices: [Device], cacheLimit: Int = 64 << 20, screenTable: ColorCube? = nil,
    deviceChanged: @escaping @Sendable (FrameRenderer.DeviceChange) -> Void = { _ in }
  ) async throws(CinematicError) {
    self.devices = devices
    self.deviceChanged = deviceChanged
    let kind = Stage.Kind(quality: .thumbnail)
    let compositor = try Self.makeCompositor(kind, devices, deviceChanged)
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
    logCurve = try first.look.cameraCurve()
    self.screenTable = logCurve.map {
      screenTable ?? ColorCube(showing: $0, isFullRange: source.codedPixels.isFullRange)
    }
    isToneMapped = try await joined.info.composition.needsToneMapping(to: pixels.tags)
    let context = try RenderContext(
      size: video.renderSize, pixelFormat: pixels.format, tags: pixels.tags)
    reader = try await CompositionReader(joined.info.composition, video, renderContext: context)
    sources = PreviewSources(reader, videoTrackID: first.videoTrackID, limit: cacheLimit)
    state.withLock { $0.stages = [Stage(kind: kind, compositor: compositor)] }
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
  ///   - script: of this movie; decides focus and f-number, and its changed look the lens.
  ///   - look: value by value instead of these.
  /// - Throws: `invalidParameter` for a frame that there is not, and a maximum size with a side below 2; `cancelled`, and
  ///   what reading and rendering throw.
  public func picture(
    _ number: Int, script: Script, look: Look = Look(), settings: Settings = Settings()
  ) async throws(CinematicError) -> PixelBuffer {
    try Dimensions.checkLimit(settings.maximumSize)
    let size = dimensions.fitting(within: settings.maximumSize)
    let reduction = settings.fidelity == .exported ? 1 : reduction(to: size)
    let request = try await sources.request(
      PreviewSources.Key(
        number: number, reduction: reduction, isSteady: settings.fidelity != .unsteady))
    var instruction = template
    instruction.script = script
    instruction.look = template.look.overridden(by: script.changedLook).overridden(by: look)
    instruction.view = settings.view
    let context = try context(reduction > 1 ? dimensions.divided(by: reduction) : size)
    let halves = settings.halvesThumbnails && settings.quality == .thumbnail
    let compositor = try compositor(
      Stage.Kind(quality: settings.quality, halvesThumbnails: halves))
    let picture = try await compositor.picture(of: request.with(instruction, context))
    if settings.isGraded, settings.view == nil { try grade(picture) }
    return picture
  }

  /// Replaces a picture's codes of the camera's curve by those of a screen; pictures of other movies stay.
  ///
  /// - Throws: `outOfMemory`.
  public func grade(_ picture: PixelBuffer) throws(CinematicError) {
    if let screenTable { try picture.replaceCodes(by: screenTable) }
  }

  /// Bytes of decoded pictures and maps that are held.
  public var cachedByteCount: Int { sources.byteCount }

  // MARK: - Held memory

  /// The least number by which the movie becomes no larger than a size, but for a twentieth.
  private func reduction(to size: Dimensions) -> Int {
    let ratio = max(
      Double(dimensions.width) / Double(size.width),
      Double(dimensions.height) / Double(size.height))
    return min(max(Int((ratio * 0.95).rounded(.up)), 1), PixelBuffer.largestReduction)
  }

  /// Contexts hold the memory of their pictures: few sizes are kept.
  private func context(_ size: Dimensions) throws(CinematicError) -> RenderContext {
    let known = state.withLock { $0.contexts.first { $0.size == size }?.context }
    if let known { return known }
    let made = try RenderContext(
      size: size, pixelFormat: pixels.format, tags: pixels.tags, renderSize: dimensions)
    state.withLock { state in
      state.contexts.insert((size, made), at: 0)
      if state.contexts.count > 4 { state.contexts.removeLast() }
    }
    return made
  }

  /// Two qualities are kept, one that is quick and one for a picture at rest.
  private func compositor(_ kind: Stage.Kind) throws(CinematicError) -> CinematicCompositor {
    let known = state.withLock { state -> CinematicCompositor? in
      guard let place = state.stages.firstIndex(where: { $0.kind == kind }) else { return nil }
      let stage = state.stages.remove(at: place)
      state.stages.insert(stage, at: 0)
      return stage.compositor
    }
    if let known { return known }
    let made = try Self.makeCompositor(kind, devices, deviceChanged)
    state.withLock { state in
      state.stages.removeAll { $0.kind == kind }
      state.stages.insert(Stage(kind: kind, compositor: made), at: 0)
      if state.stages.count > 2 { state.stages.removeLast() }
    }
    return made
  }

  /// While a look is changed, no picture of an earlier one is asked for: one keeps its working memory.
  private static func makeCompositor(
    _ kind: Stage.Kind, _ devices: [Device],
    _ deviceChanged: @escaping @Sendable (FrameRenderer.DeviceChange) -> Void
  ) throws(CinematicError) -> CinematicCompositor {
    var attributes = RenderingSession.Attributes()
    attributes.halvesThumbnails = kind.halvesThumbnails
    return try CinematicCompositor(
      devices: devices, sessionAttributes: attributes, quality: kind.quality, keptLooks: 1,
      deviceChanged: deviceChanged)
  }
}

extension Dimensions {
  fileprivate func divided(by number: Int) -> Dimensions {
    Dimensions(width: max(width / number, 1), height: max(height / number, 1))
  }
}
