// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalRendering

/// A frame to render, with everything that decides its pixels.
public struct RenderCase: Sendable {
  public var source: PixelBuffer
  public var disparity: PixelBuffer
  public var frame: RenderingSession.FrameAttributes
  public var session: RenderingSession.Attributes
  public var transform: QuarterTurn
  public var quality: RenderingQuality

  public init(
    source: PixelBuffer, disparity: PixelBuffer, focusDisparity: Float, fNumber: Float = 2.8,
    blurScale: Float = RenderingSession.Attributes.defaultBlurScale,
    apertureShape: ApertureShape = .disc, transform: QuarterTurn = .identity,
    quality: RenderingQuality = .export
  ) {
    self.source = source
    self.disparity = disparity
    self.frame = .init(focusDisparity: focusDisparity, fNumber: fNumber)
    self.session = .init(blurScale: blurScale, apertureShape: apertureShape)
    self.transform = transform
    self.quality = quality
  }

  /// The frame on `device`, in the source's own format and tags unless told otherwise.
  public func render(
    on device: Device, format: PixelFormat? = nil, tags: ColorTags? = nil
  ) throws(CinematicError) -> PixelBuffer {
    let session = try RenderingSession(
      commandQueue: CommandQueue(device: device), sessionAttributes: session,
      preferredTransform: transform, quality: quality)
    let destination = try PixelBuffer(
      dimensions: transform.applied(to: source.dimensions), format: format ?? source.format,
      tags: tags ?? source.tags)
    let commandBuffer = session.commandQueue.makeCommandBuffer()
    try session.encodeRender(
      to: commandBuffer, frameAttributes: frame, sourceImage: source, sourceDisparity: disparity,
      destinationImage: destination)
    commandBuffer.commit()
    commandBuffer.waitUntilCompleted()
    if let error = commandBuffer.error { throw error }
    return destination
  }
}
