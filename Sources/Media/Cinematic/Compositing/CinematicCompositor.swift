// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalMedia
import FocalRendering
import FocalScript
import Synchronization

/// Renders the frames of Cinematic movies in a video composition, as ``CinematicInstruction``s say.
///
/// A frame without disparity, or about whose focus nothing is said, is an error; an infinite f-number
/// passes pictures through as they are. Pictures of another shape than the composition's lie between
/// black bars; where no picture is shown, all is black. When a device fails, the next one goes on from
/// the frame that failed. The last two looks keep their working memory.
public final class CinematicCompositor: VideoCompositor {
  private struct State {
    /// One for each of the last looks, the one that was used last first; never empty. Frames in flight hold their own.
    var renderers: [FrameRenderer]

    /// The renderer for a look, from now on the first.
    mutating func renderer(for attributes: RenderingSession.Attributes) -> FrameRenderer? {
      let place = renderers.firstIndex { $0.sessionAttributes == attributes }
      guard let place else { return nil }
      let renderer = renderers.remove(at: place)
      renderers.insert(renderer, at: 0)
      return renderer
    }
  }

  private let state: Mutex<State>
  private let circles = CircleMeter()
  private let devices: [Device]
  private let attributes: RenderingSession.Attributes
  private let quality: RenderingQuality
  private let keptLooks: Int
  private let deviceChanged: @Sendable (FrameRenderer.DeviceChange) -> Void
  /// For pictures that stay sharp, whatever their map.
  private let flatMap: PixelBuffer

  /// - Parameters:
  ///   - devices: best first.
  ///   - sessionAttributes: where the look of a movie, or of an instruction, says nothing else.
  ///   - deviceChanged: told of every change of the device.
  /// - Throws: as ``FrameRenderer/init(devices:sessionAttributes:quality:deviceChanged:)``.
  public convenience init(
    devices: [Device], sessionAttributes: RenderingSession.Attributes = .init(),
    quality: RenderingQuality = .export,
    deviceChanged: @escaping @Sendable (FrameRenderer.DeviceChange) -> Void = { _ in }
  ) throws(CinematicError) {
    // Around a cut, frames of two looks are under way.
    try self.init(
      devices: devices, sessionAttributes: sessionAttributes, quality: quality, keptLooks: 2,
      deviceChanged: deviceChanged)
  }

  /// - Parameter keptLooks: how many looks keep their working memory, at least one.
  package init(
    devices: [Device], sessionAttributes: RenderingSession.Attributes, quality: RenderingQuality,
    keptLooks: Int, deviceChanged: @escaping @Sendable (FrameRenderer.DeviceChange) -> Void
  ) throws(CinematicError) {
    self.devices = devices
    attributes = sessionAttributes
    self.quality = quality
    self.keptLooks = keptLooks
    self.deviceChanged = deviceChanged
    let first = try FrameRenderer(
      devices: devices, sessionAttributes: sessionAttributes, quality: quality,
      deviceChanged: deviceChanged)
    state = Mutex(State(renderers: [first]))
    flatMap = try PixelBuffer(
      dimensions: Dimensions(width: 2, height: 2), format: .disparityFloat, tags: .linearBT709)
  }

  /// The device that renders now.
  public var device: Device { state.withLock { $0.renderers[0] }.device }

  /// Looks that have working memory of their own now.
  package var lookCount: Int { state.withLock { $0.renderers.count } }

  /// Frees the working memory of all looks but the last one.
  public func renderContextChanged(_ context: RenderContext) {
    state.withLock { $0.renderers.removeLast($0.renderers.count - 1) }
  }

  /// The diameter of the largest circle of confusion of the frames so far, in pixels of the picture as it is
  /// rendered. None is drawn larger than ``FocalRendering/RenderingSession/largestCircleDiameter``.
  public var largestCircle: Float { circles.largest }

  /// The renderer for a look. Another look goes on with the device that is at work.
  private func renderer(for look: Look) throws(CinematicError) -> FrameRenderer {
    let attributes = try attributes.with(look)
    let (known, latest) = state.withLock { state in
      let known = state.renderer(for: attributes)
      return (known, state.renderers[0])
    }
    if let known { return known }
    let rest = devices.drop { $0.identifier != latest.device.identifier }
    let made = try FrameRenderer(
      devices: rest.isEmpty ? devices : Array(rest), sessionAttributes: attributes,
      quality: quality, deviceChanged: deviceChanged)
    return state.withLock { state in
      if let renderer = state.renderer(for: attributes) { return renderer }
      state.renderers.insert(made, at: 0)
      if state.renderers.count > keptLooks { state.renderers.removeLast() }
      return made
    }
  }

  /// - Throws: `incompatible` for another kind of instruction or a script without the frame,
  ///   `incomplete` for a frame without disparity or focus,
  ///   `invalidParameter` for a focus, an f-number or a shaping of maps outside its range, `cancelled`, and what
  ///   rendering throws on the last device.
  public func compose(
    _ request: VideoCompositionRequest
  ) async throws(CinematicError) -> PixelBuffer {
    guard let instruction = request.instruction as? CinematicInstruction else {
      throw CinematicError(
        .incompatible,
        "the Cinematic compositor does not understand the instruction at"
          + " \(request.compositionTime.secondsText) s", remedy: "give it a CinematicInstruction")
    }
    guard !Task.isCancelled else {
      throw CinematicError(.cancelled, "composing a frame was cancelled")
    }
    let picture = try request.renderContext.newPixelBuffer()
    guard let source = request.sourceFrame(byTrackID: instruction.videoTrackID) else {
      picture.fillBlack()
      return picture
    }
    let destination = source.destination(in: picture)
    let scripted = try instruction.scriptedFrame(for: source.timeRange)
    var attributes = try instruction.frameAttributes(request, scripted, for: source.timeRange)
    let map = try map(of: request, instruction, attributes, at: source.timeRange.start)
    // Known here, the renderer need not look once more.
    let info = attributes.fNumber.isFinite ? try DisparityMapInfo(of: map) : nil
    circles.add(
      info, attributes, try self.attributes.with(instruction.look),
      width: source.preferredTransform.inverse.applied(to: destination.dimensions).width)
    let renderer = try renderer(for: instruction.look)
    try check(instruction.look, of: source, instruction.name)
    let pass = try await lightPass(instruction.look, from: source, to: destination)
    let mapping = pass == nil ? try await source.toneMapping(to: picture.tags) : nil
    attributes.toneMapping = mapping
    attributes.view = instruction.view
    let image = try pass?.light(of: source.pixelBuffer) ?? source.pixelBuffer
    var frame = FrameRenderer.Frame(
      number: request.number,
      sourceImage: mapping == nil ? try image.adapted(to: picture.tags) : image,
      sourceDisparity: map,
      attributes: attributes, preferredTransform: source.preferredTransform,
      destination: pass?.light ?? destination)
    frame.disparityInfo = info
    if request.renderContext.holdsPremultipliedAlpha { frame.destinationAlpha = .premultiplied }
    try await renderer.completed(renderer.commit(frame))
    try pass?.finish()
    if instruction.drawsDetections, let scripted {
      try DetectionOverlay(turn: source.preferredTransform).draw(scripted, into: destination)
    }
    return picture
  }

  /// The map of a frame; a flat one where the picture stays sharp whatever its map.
  private func map(
    of request: VideoCompositionRequest, _ instruction: CinematicInstruction,
    _ attributes: RenderingSession.FrameAttributes, at time: Time
  ) throws(CinematicError) -> PixelBuffer {
    if let map = request.sourceFrame(byTrackID: instruction.disparityTrackID) {
      return try instruction.shaping.shaped(map.pixelBuffer)
    }
    guard attributes.fNumber == .infinity else {
      throw CinematicError(
        .incomplete, "\(instruction.name) has no disparity at \(time.secondsText) s",
        remedy: "choose a time range that has, or an infinite f-number for the picture as it is")
    }
    return flatMap
  }

  /// - Throws: `invalidParameter` for highlights of light that was not clipped at white.
  private func check(
    _ look: Look, of source: SourceFrame, _ name: String
  ) throws(CinematicError) {
    let transfer = source.pixelBuffer.tags.transfer
    guard try attributes.with(look).highlights > 0 else { return }
    guard transfer.isStandardRange, try look.cameraCurve() == nil else {
      throw CinematicError(
        .invalidParameter,
        "\(name) has its highlights: none are to be lifted",
        remedy: "give \(parameter: .highlights, to: "0")")
    }
  }

  /// The way of a picture in a camera's curve; `nil` for others.
  private func lightPass(
    _ look: Look, from source: SourceFrame, to destination: PixelBuffer
  ) async throws(CinematicError) -> LightPass? {
    guard let curve = try look.cameraCurve() else { return nil }
    let coded = try await source.track.load(.videoFormat).codedPixels
    return try LightPass(curve, isFullRange: coded.isFullRange, to: destination)
  }
}

extension VideoCompositionRequest {
  /// Refuses a frame before it is rendered. Views are opaque, and pictures of other compositors may be.
  ///
  /// - Parameter output: the name of an output that takes no alpha.
  /// - Throws: `invalidParameter` for a frame with alpha.
  func checkAlpha(for output: String?) throws(CinematicError) {
    if let output, let instruction = instruction as? SubjectInstruction, instruction.isTransparent {
      throw .cannotHoldAlpha(output)
    }
    guard let output, let instruction = instruction as? CinematicInstruction,
      instruction.view == nil,
      sourceFrame(byTrackID: instruction.videoTrackID)?.pixelBuffer.isTranslucent == true
    else { return }
    throw .cannotHoldAlpha(output)
  }
}
