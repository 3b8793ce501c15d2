// SPDX-License-Identifier: Apache-2.0

import COpenCL
import FocalCore
import Synchronization

/// A device opened for work, and what its queues share.
final class OpenCLContext: Sendable {
  let connection: OpenCLConnection
  let handle: OpenCLHandle<ContextObject>
  /// For what belongs to no queue: copies to and from memory, filling it.
  private let service: OpenCLHandle<QueueObject>
  /// The caller's queue, on which everything is copied and computed; `nil` for queues of the engine's
  /// own.
  let commandQueue: OpenCLHandle<QueueObject>?
  let hostBuffers = HostBuffers()

  var info: OpenCLDeviceInfo { connection.info }

  /// - Throws: `outOfMemory`, `deviceLost`.
  init(_ connection: OpenCLConnection) throws(CinematicError) {
    self.connection = connection
    let info = connection.info
    let handle: OpenCLHandle<ContextObject> = try connection.make("clCreateContext") {
      functions, status in
      let properties = [
        cl_context_properties(CL_CONTEXT_PLATFORM),
        cl_context_properties(bitPattern: UInt(bitPattern: info.platform.pointer)), 0,
      ]
      var device: cl_device_id? = info.device.pointer
      return functions.clCreateContext(properties, 1, &device, nil, nil, status)
    }
    self.handle = handle
    commandQueue = nil
    service = try Self.makeQueue(connection, handle, profiling: false)
  }

  /// A context of the caller's, and a queue of it.
  ///
  /// - Throws: `invalidParameter` for what is no object of OpenCL's, `incompatible` for a queue that does
  ///   not run in order or is of another context, `outOfMemory`, `deviceLost`.
  init(
    _ connection: OpenCLConnection, borrowing context: OpaquePointer, commandQueue: OpaquePointer?
  ) throws(CinematicError) {
    self.connection = connection
    let handle: OpenCLHandle<ContextObject> = try connection.retain("clRetainContext", context) {
      $0.clRetainContext($1)
    }
    self.handle = handle
    if let commandQueue {
      let queue: OpenCLHandle<QueueObject> = try connection.retain(
        "clRetainCommandQueue", commandQueue
      ) { $0.clRetainCommandQueue($1) }
      try Self.check(queue, of: context, connection)
      self.commandQueue = queue
    } else {
      self.commandQueue = nil
    }
    service = try Self.makeQueue(connection, handle, profiling: false)
  }

  private static func check(
    _ queue: OpenCLHandle<QueueObject>, of context: OpaquePointer, _ connection: OpenCLConnection
  ) throws(CinematicError) {
    func info<Value: BitwiseCopyable>(_ parameter: cl_int, _ initial: Value) throws(CinematicError)
      -> Value
    {
      var value = initial
      try connection.perform("clGetCommandQueueInfo") {
        $0.clGetCommandQueueInfo(
          queue.pointer, cl_command_queue_info(parameter), MemoryLayout<Value>.size, &value, nil)
      }
      return value
    }
    let properties = try info(CL_QUEUE_PROPERTIES, cl_command_queue_properties(0))
    guard
      properties & cl_command_queue_properties(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE) == 0
    else {
      throw CinematicError(
        .incompatible, "the OpenCL command queue does not run in order",
        remedy: "make it without CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE")
    }
    let owner = try info(CL_QUEUE_CONTEXT, OpaquePointer?.none)
    let device = try info(CL_QUEUE_DEVICE, OpaquePointer?.none)
    guard owner == context, device == connection.info.device.pointer
    else {
      throw CinematicError(
        .incompatible, "the OpenCL command queue is of another context or device",
        remedy: "hand over a queue of the context and the device")
    }
  }

  func makeQueue(profiling: Bool) throws(CinematicError) -> OpenCLHandle<QueueObject> {
    try Self.makeQueue(connection, handle, profiling: profiling)
  }

  // The call of OpenCL 1.2, which every later version has too.
  private static func makeQueue(
    _ connection: OpenCLConnection, _ context: OpenCLHandle<ContextObject>, profiling: Bool
  ) throws(CinematicError) -> OpenCLHandle<QueueObject> {
    try connection.make("clCreateCommandQueue") { functions, status in
      functions.clCreateCommandQueue(
        context.pointer, connection.info.device.pointer,
        profiling ? cl_command_queue_properties(CL_QUEUE_PROFILING_ENABLE) : 0, status)
    }
  }

  /// A buffer of the device's, or over `host`.
  func makeBuffer(
    byteCount: Int, flags: cl_int, host: UnsafeMutableRawPointer? = nil
  ) throws(CinematicError) -> OpenCLHandle<MemoryObject> {
    try connection.make("clCreateBuffer") { functions, status in
      functions.clCreateBuffer(handle.pointer, cl_mem_flags(flags), byteCount, host, status)
    }
  }

  /// Has the driver find the memory of a buffer now: most wait for the first use, where a lack of it
  /// comes too late.
  ///
  /// - Throws: `outOfMemory`, `deviceLost`.
  func materialise(
    _ buffer: OpenCLHandle<MemoryObject>, byteCount: Int
  ) throws(CinematicError) {
    let filled = try connection.enqueue("clEnqueueFillBuffer") { functions, event in
      var pattern = UInt32(0)
      return functions.clEnqueueFillBuffer(
        service.pointer, buffer.pointer, &pattern, 4, 0, byteCount, 0, nil, event)
    }
    try connection.wait(for: [filled])
  }

  /// - Throws: `outOfMemory`, `deviceLost`.
  func read(
    _ buffer: OpenCLHandle<MemoryObject>, from offset: Int,
    to destination: UnsafeMutableRawBufferPointer
  ) throws(CinematicError) {
    try connection.checkPresence()
    guard let base = destination.baseAddress, destination.count > 0 else { return }
    let bytes = TransferredBytes(destination.count)
    try connection.performWaiting("clEnqueueReadBuffer") { [service] in
      $0.clEnqueueReadBuffer(
        service.pointer, buffer.pointer, cl_bool(CL_TRUE), offset, bytes.count, bytes.base, 0, nil,
        nil)
    }
    base.copyMemory(from: bytes.base, byteCount: bytes.count)
  }

  /// - Throws: `outOfMemory`, `deviceLost`.
  func write(
    _ source: UnsafeRawBufferPointer, to buffer: OpenCLHandle<MemoryObject>, at offset: Int
  ) throws(CinematicError) {
    try connection.checkPresence()
    guard let base = source.baseAddress, source.count > 0 else { return }
    let bytes = TransferredBytes(source.count)
    bytes.base.copyMemory(from: base, byteCount: bytes.count)
    try connection.performWaiting("clEnqueueWriteBuffer") { [service] in
      $0.clEnqueueWriteBuffer(
        service.pointer, buffer.pointer, cl_bool(CL_TRUE), offset, bytes.count, bytes.base, 0, nil,
        nil)
    }
  }

  /// Bytes on their way between the host and a device. One that does not answer may use them when nobody waits for it any
  /// more: the caller's own may be gone by then.
  // @unchecked Sendable: the call that waits touches them before the driver's call begins and after it has returned.
  private final class TransferredBytes: @unchecked Sendable {
    let base: UnsafeMutableRawPointer
    let count: Int

    init(_ count: Int) {
      self.count = count
      base = .allocate(byteCount: count, alignment: 64)
    }

    deinit { base.deallocate() }
  }

  /// A host pointer to all of a buffer, for as long as it stays mapped.
  ///
  /// - Throws: `outOfMemory`, `deviceLost`.
  func map(
    _ buffer: OpenCLHandle<MemoryObject>, byteCount: Int
  ) throws(CinematicError) -> UnsafeMutableRawPointer {
    let place = Place()
    try connection.performWaiting("clEnqueueMapBuffer") { [service] functions in
      var status = cl_int(CL_SUCCESS)
      let address = functions.clEnqueueMapBuffer(
        service.pointer, buffer.pointer, cl_bool(CL_TRUE), cl_map_flags(CL_MAP_READ | CL_MAP_WRITE),
        0, byteCount, 0, nil, nil, &status)
      place.address.store(UInt(bitPattern: address), ordering: .releasing)
      return status
    }
    let found = place.address.load(ordering: .acquiring)
    guard let address = UnsafeMutableRawPointer(bitPattern: found) else {
      throw connection.failure(of: "clEnqueueMapBuffer", status: cl_int(CL_MAP_FAILURE))
    }
    return address
  }

  /// Where a driver has mapped a buffer.
  private final class Place: Sendable {
    let address = Atomic<UInt>(0)
  }

  func unmap(_ buffer: OpenCLHandle<MemoryObject>, _ address: UnsafeMutableRawPointer) {
    _ = connection.library.call("clEnqueueUnmapMemObject") {
      $0.clEnqueueUnmapMemObject(service.pointer, buffer.pointer, address, 0, nil, nil)
    }
    _ = connection.library.call("clFlush") { $0.clFlush(service.pointer) }
  }
}
