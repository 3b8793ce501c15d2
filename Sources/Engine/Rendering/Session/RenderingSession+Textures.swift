// SPDX-License-Identifier: Apache-2.0

import FocalCore

extension RenderingSession {
  /// Encodes the rendering of one frame to an RGBA texture of the queue's device.
  ///
  /// - Parameters:
  ///   - destinationRGBA: `rgba8Unorm`, `rgba16Float` or `rgba32Float`, of the source's size turned
  ///     by ``preferredTransform``.
  ///   - destinationTransfer: how light is encoded in the texture; linear for compositing.
  /// - Throws: as ``encodeRender(to:frameAttributes:source:disparity:destination:)``.
  public func encodeRender(
    to commandBuffer: CommandBuffer, frameAttributes: FrameAttributes, sourceImage: PixelBuffer,
    sourceDisparity: PixelBuffer, destinationRGBA: Texture,
    destinationTransfer: ColorTags.Transfer = .linear
  ) throws(CinematicError) {
    switch destinationRGBA.format {
    case .rgba8Unorm, .rgba16Float, .rgba32Float: break
    default:
      throw CinematicError(
        .unsupported, "a texture of format \(destinationRGBA.format) cannot hold RGBA",
        remedy: "use rgba8Unorm, rgba16Float or rgba32Float")
    }
    var tags = sourceImage.tags
    tags.transfer = destinationTransfer
    try encodeRender(
      to: commandBuffer, frameAttributes: frameAttributes, source: .pixelBuffer(sourceImage),
      disparity: .pixelBuffer(sourceDisparity), destination: .texture(destinationRGBA, tags: tags))
  }

  /// Encodes the rendering of one frame to luma and chroma textures of the queue's device, as a
  /// video encoder takes them.
  ///
  /// - Parameters:
  ///   - destinationLuma: `r8Unorm` or `r16Unorm`, of the source's size turned by
  ///     ``preferredTransform``.
  ///   - destinationChroma: `rg8Unorm` beside `r8Unorm`, `rg16Unorm` beside `r16Unorm`, half as large
  ///     each way, rounded up.
  ///   - tags: the destination's colours; `nil` for the source's.
  ///   - fullRange: whether codes use the full range, not the video range.
  /// - Throws: as ``encodeRender(to:frameAttributes:source:disparity:destination:)``.
  public func encodeRender(
    to commandBuffer: CommandBuffer, frameAttributes: FrameAttributes, sourceImage: PixelBuffer,
    sourceDisparity: PixelBuffer, destinationLuma: Texture, destinationChroma: Texture,
    tags: ColorTags? = nil, fullRange: Bool = false
  ) throws(CinematicError) {
    try encodeRender(
      to: commandBuffer, frameAttributes: frameAttributes, source: .pixelBuffer(sourceImage),
      disparity: .pixelBuffer(sourceDisparity),
      destination: .textures(
        luma: destinationLuma, chroma: destinationChroma, tags: tags ?? sourceImage.tags,
        fullRange: fullRange))
  }
}
