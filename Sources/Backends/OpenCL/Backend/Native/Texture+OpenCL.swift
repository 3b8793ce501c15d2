// SPDX-License-Identifier: Apache-2.0

import COpenCL
import FocalCore
import FocalRendering

/// Where a texture's elements lie in a `cl_mem`.
// @unchecked Sendable: the pointer is a name that is only compared and passed on.
public struct OpenCLBufferHandle: @unchecked Sendable {
  /// The `cl_mem`, a buffer.
  public let buffer: OpaquePointer
  /// Bytes from the buffer's start to the first element.
  public let offset: Int
  /// Bytes of the buffer.
  public let byteCount: Int
}

extension Texture {
  /// A texture over a buffer of the caller's: what is rendered from it or into it is not copied.
  ///
  /// - Parameters:
  ///   - openCLBuffer: a `cl_mem` of the context behind `device`, retained as long as it is used; made
  ///     with `CL_MEM_READ_WRITE`, or with the flag of the one use that it is put to.
  ///   - offset: bytes to the first element, a multiple of 256 and of the device's
  ///     `CL_DEVICE_MEM_BASE_ADDR_ALIGN`; 0 for a buffer that is a part of another.
  ///   - bytesPerRow: from a row to the next; `nil` for rows without padding. Padding is not written.
  /// - Throws: `incompatible` for a device that is not OpenCL's or a buffer of another context,
  ///   `invalidParameter` for a size, an offset or rows that do not fit the buffer, `unsupported` for a
  ///   buffer larger than the engine binds.
  public convenience init(
    device: Device, openCLBuffer: OpaquePointer, offset: Int = 0, format: Format,
    dimensions: Dimensions, bytesPerRow: Int? = nil
  ) throws(CinematicError) {
    guard let backend = device.backend as? OpenCLBackend else {
      throw CinematicError(
        .incompatible, "\(device) is not an OpenCL device, so a cl_mem cannot be its texture",
        remedy: "make the device with Device.openCL(context:device:)")
    }
    let memory = try OpenCLMemory(backend.openContext(), retaining: openCLBuffer, offset: offset)
    let layout = try Layout(
      format: format, dimensions: dimensions, bytesPerRow: bytesPerRow, offset: offset,
      byteCount: memory.byteCount)
    try layout.validate(for: device)
    guard memory.byteCount <= backend.largestBindingByteCount else {
      throw CinematicError(
        .unsupported,
        "a buffer of \(memory.byteCount) bytes is more than the engine binds (\(backend.largestBindingByteCount))",
        remedy: "use a smaller buffer for each picture")
    }
    self.init(device: device, layout: layout, memory: memory)
  }

  /// The `cl_mem` that holds the texture's elements, row by row ``Texture/bytesPerRow`` apart; `nil` if it
  /// is no texture of an OpenCL device.
  ///
  /// It lives as long as the texture, or as long as the caller retains it. Its elements are there for
  /// other commands once the command buffer that writes them has completed, and may be written once
  /// those that read them have.
  public var openCLBuffer: OpenCLBufferHandle? {
    guard let memory = memory as? OpenCLMemory else { return nil }
    return OpenCLBufferHandle(
      buffer: memory.handle.pointer, offset: offset, byteCount: memory.byteCount)
  }
}
