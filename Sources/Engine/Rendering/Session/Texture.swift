// SPDX-License-Identifier: Apache-2.0

import FocalCore

/// A picture of one plane in a device's memory: the source or the destination of a rendering that stays
/// on the device.
///
/// Rows are not padded unless the texture lies in memory of the caller's.
public final class Texture: Sendable {
  /// The kind of a texture's elements.
  public enum Format: Sendable, Hashable, CaseIterable {
    case r8Unorm
    case r16Unorm
    case rg8Unorm
    case rg16Unorm
    case rgba8Unorm
    case rgba16Float
    case rgba32Float
    /// Disparities; sources only.
    case r16Float
    case r32Float

    /// Bytes of one component of an element.
    var bytesPerComponent: Int {
      switch self {
      case .r8Unorm, .rg8Unorm, .rgba8Unorm: 1
      case .r16Unorm, .rg16Unorm, .rgba16Float, .r16Float: 2
      case .rgba32Float, .r32Float: 4
      }
    }

    /// Bytes of one element.
    public var bytesPerElement: Int {
      switch self {
      case .r8Unorm: 1
      case .r16Unorm, .rg8Unorm, .r16Float: 2
      case .rg16Unorm, .rgba8Unorm, .r32Float: 4
      case .rgba16Float: 8
      case .rgba32Float: 16
      }
    }
  }

  public let device: Device
  public let format: Format
  public let dimensions: Dimensions
  package let memory: any DeviceMemory
  /// Bytes from the memory's start to the first element.
  package let offset: Int
  /// Bytes from a row to the next.
  public let bytesPerRow: Int

  /// - Throws: `invalidParameter` for a size outside 1...``PixelBuffer/maximumDimension``,
  ///   `unsupported` for more than 4 GiB of bytes or words on a graphics device, `outOfMemory`.
  public init(device: Device, format: Format, dimensions: Dimensions) throws(CinematicError) {
    let layout = try Layout(format: format, dimensions: dimensions)
    try layout.validate(for: device)
    self.device = device
    self.format = format
    self.dimensions = dimensions
    offset = 0
    bytesPerRow = layout.bytesPerRow
    memory = try device.backend.makeMemory(byteCount: layout.byteCount)
  }

  /// A texture in memory that is there already.
  package init(device: Device, layout: Layout, memory: any DeviceMemory) {
    self.device = device
    self.memory = memory
    format = layout.format
    dimensions = layout.dimensions
    offset = layout.offset
    bytesPerRow = layout.bytesPerRow
  }

  /// Where a texture's elements lie in memory.
  package struct Layout: Sendable {
    package let format: Format
    package let dimensions: Dimensions
    package let bytesPerRow: Int
    package let offset: Int

    /// Bytes from the first element to the end of the last.
    package var byteCount: Int {
      bytesPerRow * (dimensions.height - 1) + dimensions.width * format.bytesPerElement
    }

    /// - Parameters:
    ///   - bytesPerRow: `nil` for rows without padding.
    ///   - memoryByteCount: bytes that are there; `nil` if the memory is made for the layout.
    /// - Throws: `invalidParameter` for a size outside 1...``PixelBuffer/maximumDimension``, and for rows
    ///   or an offset that do not fit.
    package init(
      format: Format, dimensions: Dimensions, bytesPerRow: Int? = nil, offset: Int = 0,
      byteCount memoryByteCount: Int? = nil
    ) throws(CinematicError) {
      let valid = 1...PixelBuffer.maximumDimension
      func refuse(_ reason: String, _ remedy: String) -> CinematicError {
        CinematicError(
          .invalidParameter, "a texture of \(dimensions) pixels of \(format) \(reason)",
          remedy: remedy)
      }
      guard valid.contains(dimensions.width), valid.contains(dimensions.height) else {
        throw refuse(
          "cannot be made", "width and height must be 1 to \(PixelBuffer.maximumDimension)")
      }
      let rowBytes = dimensions.width * format.bytesPerElement
      self.format = format
      self.dimensions = dimensions
      self.bytesPerRow = bytesPerRow ?? rowBytes
      self.offset = offset
      guard self.bytesPerRow >= rowBytes, self.bytesPerRow <= Int(Int32.max),
        self.bytesPerRow % format.bytesPerComponent == 0
      else {
        throw refuse(
          "cannot have \(self.bytesPerRow) bytes a row",
          "rows need at least \(rowBytes) bytes, a multiple of \(format.bytesPerComponent)")
      }
      guard offset >= 0, offset % 256 == 0 else {
        throw refuse("cannot start at byte \(offset)", "it must start at a multiple of 256")
      }
      if let memoryByteCount, offset > memoryByteCount || byteCount > memoryByteCount - offset {
        throw refuse(
          "takes \(byteCount) bytes from byte \(offset) on, but the buffer has \(memoryByteCount)",
          "use a larger buffer")
      }
    }

    /// - Throws: `unsupported` for elements beyond what kernels count.
    package func validate(for device: Device) throws(CinematicError) {
      guard device.backend.kind != .cpu, format.bytesPerComponent < 4, byteCount > Int(UInt32.max)
      else { return }
      throw CinematicError(
        .unsupported,
        "a texture of \(dimensions) pixels of \(format) has \(byteCount) bytes, more than a graphics device counts",
        remedy: "render the picture tile by tile, or use several textures")
    }
  }

  /// Copies all rows to host memory; call it when no command buffer in flight uses the texture.
  ///
  /// - Parameter destination: rows ``bytesPerRow`` apart; what lies between them may be written too.
  /// - Precondition: `destination` has at least `bytesPerRow * height` bytes.
  /// - Throws: `deviceLost`.
  public func getBytes(_ destination: UnsafeMutableRawBufferPointer) throws(CinematicError) {
    precondition(
      destination.count >= bytesPerRow * dimensions.height,
      "the destination of a texture's bytes is too small")
    let count = bytesPerRow * (dimensions.height - 1) + rowByteCount
    try memory.read(UnsafeMutableRawBufferPointer(rebasing: destination[..<count]), from: offset)
  }

  /// Copies all rows from host memory; call it when no command buffer in flight uses the texture.
  ///
  /// - Parameter source: rows ``bytesPerRow`` apart; what lies between them is not copied.
  /// - Precondition: `source` has at least `bytesPerRow * height` bytes.
  /// - Throws: `deviceLost`.
  public func setBytes(_ source: UnsafeRawBufferPointer) throws(CinematicError) {
    precondition(
      source.count >= bytesPerRow * dimensions.height,
      "the source of a texture's bytes is too small")
    let isPadded = rowByteCount < bytesPerRow
    let pieces = isPadded ? dimensions.height : 1
    let count = isPadded ? rowByteCount : bytesPerRow * dimensions.height
    for piece in 0..<pieces {
      let start = piece * bytesPerRow
      try memory.write(
        UnsafeRawBufferPointer(rebasing: source[start..<start + count]), at: offset + start)
    }
  }

  /// Bytes of a row's elements.
  private var rowByteCount: Int { dimensions.width * format.bytesPerElement }
}
