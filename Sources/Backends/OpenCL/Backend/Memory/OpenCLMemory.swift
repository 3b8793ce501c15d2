// SPDX-License-Identifier: Apache-2.0

import COpenCL
import FocalCore
import FocalRendering
import Synchronization

/// A buffer of the device's.
final class OpenCLMemory: DeviceMemory {
  let byteCount: Int
  let context: OpenCLContext
  private let handle: OpenCLHandle<MemoryObject>
  /// The pieces that kernels have been bound to so far, by their offset.
  private let pieces = Mutex<[Int: OpenCLHandle<MemoryObject>]>([:])

  /// - Throws: `outOfMemory`, `deviceLost`.
  init(_ context: OpenCLContext, byteCount: Int) throws(CinematicError) {
    // Fills take whole words, and a buffer must not be empty.
    let allocated = (max(byteCount, 1) + 255) & ~255
    self.byteCount = byteCount
    self.context = context
    handle = try context.makeBuffer(byteCount: allocated, flags: CL_MEM_READ_WRITE)
    try context.materialise(handle, byteCount: allocated)
  }

  /// What a kernel is bound to: the buffer from `offset` on.
  ///
  /// - Throws: `unsupported` where the device does not let a kernel begin there.
  func piece(from offset: Int) throws(CinematicError) -> OpenCLHandle<MemoryObject> {
    guard offset != 0 else { return handle }
    precondition(offset > 0 && offset < byteCount, "a binding starts past device memory")
    let alignment = context.info.baseAlignment
    guard offset % alignment == 0 else {
      throw CinematicError(
        .unsupported,
        "\(context.connection.description) binds memory at multiples of \(alignment) bytes, not at \(offset)"
      )
    }
    return try pieces.withLock { pieces throws(CinematicError) in
      if let piece = pieces[offset] { return piece }
      let piece: OpenCLHandle<MemoryObject> = try context.connection.make("clCreateSubBuffer") {
        functions, status in
        var region = cl_buffer_region(origin: offset, size: byteCount - offset)
        return functions.clCreateSubBuffer(
          handle.pointer, cl_mem_flags(CL_MEM_READ_WRITE),
          cl_buffer_create_type(CL_BUFFER_CREATE_TYPE_REGION), &region, status)
      }
      pieces[offset] = piece
      return piece
    }
  }

  func read(
    _ destination: UnsafeMutableRawBufferPointer, from offset: Int
  ) throws(CinematicError) {
    precondition(offset >= 0 && offset + destination.count <= byteCount, "read past device memory")
    try context.read(handle, from: offset, to: destination)
  }

  func write(_ source: UnsafeRawBufferPointer, at offset: Int) throws(CinematicError) {
    precondition(offset >= 0 && offset + source.count <= byteCount, "write past device memory")
    try context.write(source, to: handle, at: offset)
  }
}
