// SPDX-License-Identifier: Apache-2.0

import FocalBoxes
import FocalCore
import FocalEyes
import FocalMedia
import FocalRendering
import FocalSubjects
import Synchronization

/// Takes subjects out of the frames of movies in a video composition and draws an effect around them, as
/// ``SubjectInstruction``s say.
///
/// Subjects are followed from frame to frame. A frame that does not come behind the last one, such as a thumbnail, is
/// searched anew, and so is the first one of every instruction. Pictures of another shape than the composition's lie
/// between black bars; where no picture is shown, all is black. When a device fails, the next one goes on.
///
/// Light is that of the pictures' tags. Movies in a camera's log curve, which tags do not name, are decoded before, by
/// ``FocalMedia/ReadOptions/workingSpace``, as `focal lift --log` does.
public final class SubjectCompositor: VideoCompositor {
  /// The subjects of the frames so far.
  private struct Following {
    var follower: SubjectFollower
    /// Of the instruction.
    var start: Time
    /// The last frame that was followed, and what was found there.
    var number: Int
    var found: FollowedSubjects
  }

  /// A frame's sources at the size at which they are drawn.
  private struct Prepared {
    var picture: PixelBuffer
    var found: FollowedSubjects
  }

  private struct State {
    var following: Following?
    /// Frames that are to be composed.
    var prepared: [Int: Prepared] = [:]
  }

  private let state = Mutex(State())
  private let turn = AsyncLock()
  private let renderer: FrameRenderer
  /// Frames that are prepared and never composed are those of an export that was stopped.
  private static let mostPrepared = 64

  /// - Parameters:
  ///   - devices: best first.
  ///   - quality: of a lens blur.
  ///   - deviceChanged: told of every change of the device.
  /// - Throws: as ``FocalRendering/FrameRenderer/init(devices:sessionAttributes:quality:deviceChanged:pieceDone:)``.
  public init(
    devices: [Device], quality: RenderingQuality = .export,
    deviceChanged: @escaping @Sendable (FrameRenderer.DeviceChange) -> Void = { _ in }
  ) throws(CinematicError) {
    renderer = try FrameRenderer(devices: devices, quality: quality, deviceChanged: deviceChanged)
  }

  /// The device that draws now.
  public var device: Device { renderer.device }

  /// Follows the subjects into a frame.
  ///
  /// - Throws: as ``compose(_:)``.
  public func prepare(_ request: VideoCompositionRequest) async throws(CinematicError) {
    guard let prepared = try await prepared(request) else { return }
    state.withLock { state in
      if state.prepared.count >= Self.mostPrepared { state.prepared = [:] }
      state.prepared[request.number] = prepared
    }
  }

  public func renderContextChanged(_ context: RenderContext) {
    state.withLock { $0 = State() }
  }

  /// - Throws: `incompatible` for another kind of instruction, `invalidParameter` for a transparent background where
  ///   pictures have no alpha, `cancelled`, and what following and drawing throw.
  public func compose(
    _ request: VideoCompositionRequest
  ) async throws(CinematicError) -> PixelBuffer {
    let instruction = try instruction(of: request)
    let known = state.withLock { $0.prepared.removeValue(forKey: request.number) }
    let picture = try request.renderContext.newPixelBuffer()
    var prepared = known
    if prepared == nil { prepared = try await self.prepared(request) }
    guard let prepared, let source = request.sourceFrame(byTrackID: instruction.videoTrackID)
    else {
      picture.fillBlack()
      return picture
    }
    guard !instruction.isTransparent || picture.format.hasAlpha else {
      throw .cannotHoldAlpha("a picture of format \(picture.format)")
    }
    var effect = instruction.effect
    if let backdrop = instruction.backdropTrackID.flatMap(request.sourceFrame(byTrackID:)) {
      effect.background = .picture(
        try backdrop.pixelBuffer.upright(backdrop.preferredTransform))
    }
    let light = try prepared.found.picture(
      of: prepared.picture, effect: effect, renderer: renderer)
    let mapping = try await source.toneMapping(to: picture.tags)
    let shown = mapping == nil ? try light.adapted(to: picture.tags).linearRGBA() : light
    try source.destination(in: picture).store(
      straight: shown, by: mapping, multiplies: request.renderContext.holdsPremultipliedAlpha)
    return picture
  }

  private func instruction(
    of request: VideoCompositionRequest
  ) throws(CinematicError) -> SubjectInstruction {
    if let instruction = request.instruction as? SubjectInstruction { return instruction }
    throw CinematicError(
      .incompatible,
      "the compositor of subjects does not understand the instruction at"
        + " \(request.compositionTime.secondsText) s", remedy: "give it a SubjectInstruction")
  }

  /// The picture of a frame and its subjects; `nil` where nothing is shown.
  private func prepared(
    _ request: VideoCompositionRequest
  ) async throws(CinematicError) -> Prepared? {
    let instruction = try instruction(of: request)
    guard let source = request.sourceFrame(byTrackID: instruction.videoTrackID) else { return nil }
    let picture = try source.picture(fitting: request.renderContext)
    let map = instruction.disparityTrackID.flatMap(request.sourceFrame(byTrackID:))?.pixelBuffer
    try await turn.lock()
    defer { turn.unlock() }
    guard !Task.isCancelled else {
      throw CinematicError(.cancelled, "composing a frame was cancelled")
    }
    let start = instruction.timeRange.start
    var before = state.withLock { $0.following }
    if before?.start != start { before = nil }
    if let before, before.number == request.number {
      return Prepared(picture: picture, found: before.found)
    }
    var follower = SubjectFollower(
      instruction.request, choice: instruction.choice, turn: source.preferredTransform)
    if let before, before.number == request.number - 1 { follower = before.follower }
    let found = try await follower.observation(of: picture, disparity: map)
    state.withLock { [follower] in
      $0.following = Following(
        follower: follower, start: start, number: request.number, found: found)
    }
    return Prepared(picture: picture, found: found)
  }
}

extension SourceFrame {
  /// The picture at the size at which it is seen: itself, or its light.
  ///
  /// - Throws: `outOfMemory`.
  fileprivate func picture(fitting context: RenderContext) throws(CinematicError) -> PixelBuffer {
    let shown = preferredTransform.applied(to: pixelBuffer.dimensions)
    let fit = PictureFit(shown, in: context.size)
    let size = Dimensions(width: fit.columns.count, height: fit.rows.count)
    let picture = pixelBuffer.codesTaken(by: context.tags)
    guard size != shown else { return picture }
    return try EyePicture.light(of: picture, at: preferredTransform.inverse.applied(to: size))
  }
}
