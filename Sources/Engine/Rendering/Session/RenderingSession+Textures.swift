// SPDX-License-Identifier: Apache-2.0

import FocalCore
import ShaderTypes

extension RenderingSession {
  /// Encodes the rendering of one frame to an RGBA texture of the queue's device.
  ///
  /// - Parameters:
  ///   - destinationRGBA: `rgba8Unorm`, `rgba16Float` or `rgba32Float`, of the source's size turned
  ///     by ``preferredTransform``.
  ///   - destinationTransfer: how light is encoded in the texture; linear for compositing.
  /// - Throws: as the rendering to a pixel buffer does, `incompatible` for a texture of another
  ///   device, `unsupported` for a texture of another format.
  public func encodeRender(
    to commandBuffer: CommandBuffer, frameAttributes: FrameAttributes, sourceImage: PixelBuffer,
    sourceDisparity: PixelBuffer, destinationRGBA: Texture,
    destinationTransfer: ColorTags.Transfer = .linear
  ) throws(CinematicError) {
    try validate(
      commandBuffer, frameAttributes, sourceImage, sourceDisparity,
      destination: destinationRGBA.dimensions)
    try validateDevice(of: destinationRGBA)
    let format: PixelFormat =
      switch destinationRGBA.format {
      case .rgba8Unorm: .rgba8
      case .rgba16Float: .rgbaHalf
      case .rgba32Float: .rgbaFloat
      default:
        throw CinematicError(
          .unsupported, "a texture of format \(destinationRGBA.format) cannot hold RGBA",
          remedy: "use rgba8Unorm, rgba16Float or rgba32Float")
      }
    var parameters = FocalPixelParameters()
    parameters.width = Int32(destinationRGBA.dimensions.width)
    parameters.height = Int32(destinationRGBA.dimensions.height)
    parameters.format = format.kernelFormat
    parameters.transfer = destinationTransfer.rawValue
    parameters.bytesPerRow = Int32(destinationRGBA.bytesPerRow)
    parameters.dither = format.isFloatingPoint ? 0 : 1
    parameters.turn = Int32(preferredTransform.rawValue / 90)
    try encode(
      commandBuffer, frameAttributes, sourceImage, sourceDisparity,
      to: FramePasses.Destination(
        planes: [.memory(destinationRGBA.memory)], parameters: parameters))
  }

  /// Encodes the rendering of one frame to luma and chroma textures of the queue's device, as a
  /// video encoder takes them.
  ///
  /// - Parameters:
  ///   - destinationLuma: `r8Unorm`, or `r16Unorm` for 10 bits (codes in the high bits), of the
  ///     source's size turned by ``preferredTransform``.
  ///   - destinationChroma: `rg8Unorm` or `rg16Unorm` to match, half that size, odd sizes rounded
  ///     up: Cb and Cr, level with even columns.
  ///   - tags: transfer function and matrix of the result; `nil` for the source's.
  ///   - fullRange: whether codes use the full range, not the video range.
  /// - Throws: as the rendering to a pixel buffer does, `incompatible` for textures of another
  ///   device or sizes that do not match, `unsupported` for other formats.
  public func encodeRender(
    to commandBuffer: CommandBuffer, frameAttributes: FrameAttributes, sourceImage: PixelBuffer,
    sourceDisparity: PixelBuffer, destinationLuma: Texture, destinationChroma: Texture,
    tags: ColorTags? = nil, fullRange: Bool = false
  ) throws(CinematicError) {
    try validate(
      commandBuffer, frameAttributes, sourceImage, sourceDisparity,
      destination: destinationLuma.dimensions)
    try validateDevice(of: destinationLuma)
    try validateDevice(of: destinationChroma)
    let size = destinationLuma.dimensions
    let half = Dimensions(width: (size.width + 1) / 2, height: (size.height + 1) / 2)
    guard destinationChroma.dimensions == half else {
      throw CinematicError(
        .incompatible, "chroma of \(destinationChroma.dimensions) beside luma of \(size)",
        remedy: "make the chroma texture \(half)")
    }
    let format: PixelFormat =
      switch (destinationLuma.format, destinationChroma.format) {
      case (.r8Unorm, .rg8Unorm): fullRange ? .yuv420Full8 : .yuv420Video8
      case (.r16Unorm, .rg16Unorm): fullRange ? .yuv420Full10 : .yuv420Video10
      default:
        throw CinematicError(
          .unsupported,
          "luma of format \(destinationLuma.format) with chroma of \(destinationChroma.format)",
          remedy: "use r8Unorm with rg8Unorm, or r16Unorm with rg16Unorm")
      }
    let tags = tags ?? sourceImage.tags
    var parameters = FocalPixelParameters()
    parameters.width = Int32(size.width)
    parameters.height = Int32(size.height)
    parameters.format = format.kernelFormat
    parameters.transfer = tags.transfer.rawValue
    parameters.matrix = tags.matrix.rawValue
    parameters.fullRange = fullRange ? 1 : 0
    parameters.bytesPerRow = Int32(destinationLuma.bytesPerRow)
    parameters.chromaBytesPerRow = Int32(destinationChroma.bytesPerRow)
    parameters.dither = 1
    parameters.turn = Int32(preferredTransform.rawValue / 90)
    try encode(
      commandBuffer, frameAttributes, sourceImage, sourceDisparity,
      to: FramePasses.Destination(
        planes: [.memory(destinationLuma.memory), .memory(destinationChroma.memory)],
        parameters: parameters))
  }

  private func validateDevice(of texture: Texture) throws(CinematicError) {
    guard texture.device.backend === commandQueue.device.backend else {
      throw CinematicError(
        .incompatible, "the texture lives on another device than the session's queue",
        remedy: "make it with the queue's own device")
    }
  }
}
