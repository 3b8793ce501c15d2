// SPDX-License-Identifier: Apache-2.0

import ConformanceKit
import FocalCore
import FocalRendering

/// A picture or a map copied into textures of a device.
func textures(of buffer: PixelBuffer, on device: Device) throws -> [Texture] {
  let formats: [Texture.Format] =
    switch buffer.format {
    case .yuv420Video8, .yuv420Full8: [.r8Unorm, .rg8Unorm]
    case .yuv420Video10, .yuv420Full10: [.r16Unorm, .rg16Unorm]
    case .rgba8: [.rgba8Unorm]
    case .rgbaHalf: [.rgba16Float]
    case .rgbaFloat: [.rgba32Float]
    case .gray8: [.r8Unorm]
    case .gray16: [.r16Unorm]
    case .disparityHalf: [.r16Float]
    case .disparityFloat: [.r32Float]
    }
  var bytes = buffer.pixelBytes()[...]
  return try zip(buffer.planes, formats).map { plane, format in
    let texture = try Texture(device: device, format: format, dimensions: plane.dimensions)
    let count = texture.bytesPerRow * plane.dimensions.height
    try Array(bytes.prefix(count)).withUnsafeBytes { try texture.setBytes($0) }
    bytes = bytes.dropFirst(count)
    return texture
  }
}

/// The pixels of textures, row by row without padding.
func bytes(of textures: [Texture]) throws -> [UInt8] {
  try textures.flatMap { texture in
    let height = texture.dimensions.height
    var bytes = [UInt8](repeating: 0, count: texture.bytesPerRow * height)
    try bytes.withUnsafeMutableBytes { try texture.getBytes($0) }
    let row = texture.dimensions.width * texture.format.bytesPerElement
    return (0..<height).flatMap { bytes[$0 * texture.bytesPerRow..<$0 * texture.bytesPerRow + row] }
  }
}

extension RenderingSession.Picture {
  /// Textures as a picture of the colours of `buffer`.
  init(_ textures: [Texture], like buffer: PixelBuffer) {
    let isFullRange = buffer.format == .yuv420Full8 || buffer.format == .yuv420Full10
    self =
      textures.count == 2
      ? .textures(
        luma: textures[0], chroma: textures[1], tags: buffer.tags, fullRange: isFullRange)
      : .texture(textures[0], tags: buffer.tags)
  }
}
