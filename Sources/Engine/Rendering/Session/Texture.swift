// SPDX-License-Identifier: Apache-2.0

import FocalCore

/// A picture of one plane in a device's memory: the target of a rendering that stays on the device.
///
/// Rows are not padded.
public final class Texture: Sendable {
  /// What a texture's elements are.
  public enum Format: Sendable, Hashable, CaseIterable {
    case r8Unorm
    case r16Unorm
    case rg8Unorm
    case rg16Unorm
    case rgba8Unorm
    case rgba16Float
    case rgba32Float

    /// Bytes of one element.
    public var bytesPerElement: Int {
      switch self {
      case .r8Unorm: 1
      case .r16Unorm, .rg8Unorm: 2
      case .rg16Unorm, .rgba8Unorm: 4
      case .rgba16Float: 8
      case .rgba32Float: 16
      }
    }
  }

  public let device: Device
  public let format: Format
  public let dimensions: Dimensions
  package let memory: any DeviceMemory

  /// Bytes from a row to the next.
  public var bytesPerRow: Int { dimensions.width * format.bytesPerElement }

  /// - Throws: `invalidParameter` for a size outside 1...``PixelBuffer/maximumDimension``,
  ///   `outOfMemory`.
  public init(device: Device, format: Format, dimensions: Dimensions) throws(CinematicError) {
    let valid = 1...PixelBuffer.maximumDimension
    guard valid.contains(dimensions.width), valid.contains(dimensions.height) else {
      throw CinematicError(
        .invalidParameter, "a texture of \(dimensions) pixels cannot be made",
        remedy: "width and height must be 1 to \(PixelBuffer.maximumDimension)")
    }
    self.device = device
    self.format = format
    self.dimensions = dimensions
    self.memory = try device.backend.makeMemory(
      byteCount: dimensions.count * format.bytesPerElement)
  }

  /// Copies all rows to host memory; call it when no command buffer in flight uses the texture.
  ///
  /// - Precondition: `destination` has at least `bytesPerRow * height` bytes.
  /// - Throws: `deviceLost`.
  public func getBytes(_ destination: UnsafeMutableRawBufferPointer) throws(CinematicError) {
    let count = bytesPerRow * dimensions.height
    precondition(destination.count >= count, "the destination of a texture's bytes is too small")
    try memory.read(UnsafeMutableRawBufferPointer(rebasing: destination[..<count]), from: 0)
  }
}
