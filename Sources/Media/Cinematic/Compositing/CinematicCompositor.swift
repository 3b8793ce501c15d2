// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalMedia
import FocalRendering
import FocalScript

/// Renders the frames of Cinematic movies in a video composition, as ``CinematicInstruction``s say.
///
/// Frames without disparity, or about whose focus nothing is said, pass through sharp. Pictures of
/// another shape than the composition's lie between black bars; where no picture is shown, all is black.
/// When a device fails, the next one goes on from the frame that failed.
public final class CinematicCompositor: VideoCompositor {
  private let renderer: FrameRenderer
  /// For pictures that stay sharp, whatever their map.
  private let flatMap: PixelBuffer

  /// - Parameters:
  ///   - devices: best first.
  ///   - deviceChanged: told of every change of the device.
  /// - Throws: as ``FrameRenderer/init(devices:sessionAttributes:quality:deviceChanged:)``.
  public init(
    devices: [Device], sessionAttributes: RenderingSession.Attributes = .init(),
    quality: RenderingQuality = .export,
    deviceChanged: @escaping @Sendable (FrameRenderer.DeviceChange) -> Void = { _ in }
  ) throws(CinematicError) {
    renderer = try FrameRenderer(
      devices: devices, sessionAttributes: sessionAttributes, quality: quality,
      deviceChanged: deviceChanged)
    flatMap = try PixelBuffer(
      dimensions: Dimensions(width: 2, height: 2), format: .disparityFloat, tags: .linearBT709)
  }

  /// The device that renders now.
  public var device: Device { renderer.device }

  /// - Throws: `incompatible` for another kind of instruction or a script without the frame,
  ///   `invalidParameter` for a focus or an f-number outside its range, `cancelled`, and what rendering
  ///   throws on the last device.
  public func compose(
    _ request: VideoCompositionRequest
  ) async throws(CinematicError) -> PixelBuffer {
    guard let instruction = request.instruction as? CinematicInstruction else {
      throw CinematicError(
        .incompatible,
        "the Cinematic compositor does not understand the instruction at"
          + " \(request.compositionTime.seconds) s", remedy: "give it a CinematicInstruction")
    }
    guard !Task.isCancelled else {
      throw CinematicError(.cancelled, "composing a frame was cancelled")
    }
    let picture = try request.renderContext.newPixelBuffer()
    guard let source = request.sourceFrame(byTrackID: instruction.videoTrackID) else {
      picture.fillBlack()
      return picture
    }
    let destination = destination(for: source, in: picture)
    let scripted = try instruction.scriptedFrame(for: source.timeRange)
    var attributes = instruction.frameAttributes(request, scripted)
    var map = request.sourceFrame(byTrackID: instruction.disparityTrackID)?.pixelBuffer
    if map == nil || attributes == nil {
      map = flatMap
      attributes = .init(focusDisparity: 0, fNumber: .infinity)
    }
    guard let map, var attributes else {
      throw CinematicError(.unknown, "frame \(request.number) has neither map nor attributes")
    }
    let mapping = try await toneMapping(from: source, to: picture.tags)
    attributes.toneMapping = mapping
    let pending = try renderer.commit(
      FrameRenderer.Frame(
        number: request.number,
        sourceImage: mapping == nil ? try image(of: source, for: picture) : source.pixelBuffer,
        sourceDisparity: map,
        attributes: attributes, preferredTransform: source.preferredTransform,
        destination: destination))
    try await renderer.completed(pending)
    if instruction.drawsDetections, let scripted {
      try DetectionOverlay(turn: source.preferredTransform).draw(scripted, into: destination)
    }
    return picture
  }

  /// The part of a picture that a source fills. The rest is made black.
  private func destination(for source: SourceFrame, in picture: PixelBuffer) -> PixelBuffer {
    let shown = source.preferredTransform.applied(to: source.pixelBuffer.dimensions)
    let fit = PictureFit(shown, in: picture.dimensions)
    guard !fit.isWhole else { return picture }
    picture.fillBlack()
    return picture.part(columns: fit.columns, rows: fit.rows)
  }

  /// How a source of high dynamic range comes into a picture of standard range; `nil` for others.
  private func toneMapping(
    from source: SourceFrame, to tags: ColorTags
  ) async throws(CinematicError) -> ToneMapping? {
    guard ToneMapping.isNeeded(from: source.pixelBuffer.tags, to: tags) else { return nil }
    let stated = try await source.track.load(.videoFormat).hdrMetadata.peakLuminance
    return ToneMapping(
      from: source.pixelBuffer.tags, to: tags,
      peakLuminance: stated)
  }

  /// A source's picture in the composition's primaries. Codes of standard range are taken by the
  /// composition's curve, whichever their own, so that they stay.
  private func image(
    of source: SourceFrame, for picture: PixelBuffer
  ) throws(CinematicError) -> PixelBuffer {
    var image = source.pixelBuffer
    var tags = image.tags
    if tags.transfer.isStandardRange, picture.tags.transfer.isStandardRange,
      tags.transfer != picture.tags.transfer
    {
      tags.transfer = picture.tags.transfer
      image = image.tagged(tags)
    }
    let wanted = picture.tags.primaries
    guard tags.primaries != wanted else { return image }
    return try PrimariesConversion(from: tags.primaries, to: wanted).convert(image, to: wanted)
  }
}
