// SPDX-License-Identifier: Apache-2.0

import COpenCL
import FocalCore
import FocalRendering
import Synchronization

/// A buffer of the device's, or a caller's.
final class OpenCLMemory: DeviceMemory {
  let byteCount: Int
  let context: OpenCLContext
  let handle: OpenCLHandle<MemoryObject>
  /// With what flags pieces are made: none for a caller's buffer, whose own they take.
  private let pieceFlags: cl_mem_flags
  /// The pieces that kernels have been bound to so far, by their offset.
  private let pieces = Mutex<[Int: OpenCLHandle<MemoryObject>]>([:])

  /// - Throws: `outOfMemory`, `deviceLost`.
  init(_ context: OpenCLContext, byteCount: Int) throws(CinematicError) {
    // Fills take whole words, and a buffer must not be empty.
    let allocated = (max(byteCount, 1) + 255) & ~255
    self.byteCount = byteCount
    self.context = context
    pieceFlags = cl_mem_flags(CL_MEM_READ_WRITE)
    handle = try context.makeBuffer(byteCount: allocated, flags: CL_MEM_READ_WRITE)
    try context.materialise(handle, byteCount: allocated)
  }

  /// A buffer of the caller's, retained.
  ///
  /// - Parameter offset: where kernels are to be bound.
  /// - Throws: `invalidParameter` for what is no buffer, or an offset into one that is a part of another,
  ///   `incompatible` for one of another context.
  init(
    _ context: OpenCLContext, retaining buffer: OpaquePointer, offset: Int
  ) throws(CinematicError) {
    let connection = context.connection
    handle = try connection.retain("clRetainMemObject", buffer) { $0.clRetainMemObject($1) }
    self.context = context
    pieceFlags = 0
    func info<Value: BitwiseCopyable>(_ parameter: cl_int, _ initial: Value) throws(CinematicError)
      -> Value
    {
      var value = initial
      try connection.perform("clGetMemObjectInfo") {
        $0.clGetMemObjectInfo(
          buffer, cl_mem_info(parameter), MemoryLayout<Value>.size, &value, nil)
      }
      return value
    }
    byteCount = try info(CL_MEM_SIZE, 0)
    guard try info(CL_MEM_TYPE, cl_mem_object_type(0)) == cl_mem_object_type(CL_MEM_OBJECT_BUFFER)
    else {
      throw CinematicError(
        .invalidParameter, "the OpenCL memory object is not a buffer",
        remedy: "copy an image into a buffer with clEnqueueCopyImageToBuffer")
    }
    guard try info(CL_MEM_CONTEXT, OpaquePointer?.none) == context.handle.pointer else {
      throw CinematicError(
        .incompatible, "the OpenCL buffer is of another context than the device",
        remedy: "make it in the context that the device was made from")
    }
    let whole = try info(CL_MEM_ASSOCIATED_MEMOBJECT, OpaquePointer?.none)
    guard offset == 0 || whole == nil else {
      throw CinematicError(
        .invalidParameter,
        "an OpenCL buffer that is a part of another cannot be used from byte \(offset)",
        remedy: "make the part begin where the texture begins")
    }
  }

  /// The binding of a kernel: the buffer from `offset` on.
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
          handle.pointer, pieceFlags,
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
