// SPDX-License-Identifier: Apache-2.0

import COpenCL
import FocalCore
import FocalRendering

/// The OpenCL objects behind a ``FocalRendering/Device``.
// @unchecked Sendable: the pointers are names that are only compared and passed on.
public struct OpenCLHandles: @unchecked Sendable {
  /// The `cl_context`.
  public let context: OpaquePointer
  /// The `cl_device_id`.
  public let device: OpaquePointer
}

extension Device {
  /// A device that works in the caller's own OpenCL context.
  ///
  /// Objects handed over are retained as long as they are used.
  ///
  /// Order with `commandQueue`: commands that were enqueued there before a command buffer is committed
  /// run before its kernels, and commands that are enqueued after it has completed see what it wrote.
  /// Without it the engine makes queues of its own: what it is to see must have finished before the
  /// commit.
  ///
  /// - Parameters:
  ///   - context: a `cl_context` of the machine's loader.
  ///   - device: a `cl_device_id` of that context.
  ///   - commandQueue: a `cl_command_queue` of both that runs in order; `nil` for queues of the engine's
  ///     own, which copy and compute side by side.
  /// - Throws: `unsupported` if the device cannot run the engine, with the reason, `incompatible` for a
  ///   queue that runs out of order or is of another context, `deviceLost` if there is no loader.
  public static func openCL(
    context: OpaquePointer, device: OpaquePointer, commandQueue: OpaquePointer? = nil
  ) throws(CinematicError) -> Device {
    try openCL(
      context: context, device: device, commandQueue: commandQueue,
      options: OpenCLBackend.Options(sources: { $0.openCLSource }))
  }

  static func openCL(
    context: OpaquePointer, device: OpaquePointer, commandQueue: OpaquePointer?,
    interceptor: OpenCLLibrary.Interceptor? = nil, options: OpenCLBackend.Options
  ) throws(CinematicError) -> Device {
    let library = try OpenCLLibrary(interceptor: interceptor)
    let identifier = OpenCLDeviceInfo.Identifier(pointer: device)
    var platform: cl_platform_id?
    let status = library.call("clGetDeviceInfo") {
      $0.clGetDeviceInfo(
        device, cl_device_info(CL_DEVICE_PLATFORM), MemoryLayout<cl_platform_id?>.size, &platform,
        nil)
    }
    guard status == CL_SUCCESS, let platform else {
      throw CinematicError(
        .unsupported,
        "the OpenCL device does not say what platform it is of (\(openCLName(ofStatus: status)))",
        remedy: "hand over a device of the machine's OpenCL loader")
    }
    let info = OpenCLDeviceInfo(
      identifier, platform: OpenCLDeviceInfo.Identifier(pointer: platform), library: library)
    if let obstacle = info.obstacle {
      throw CinematicError(
        .unsupported, "the OpenCL device \(info.name) cannot run the engine: \(obstacle)")
    }
    let connection = OpenCLConnection(library: library, info: info, identifier: "opencl")
    let opened = try OpenCLContext(
      connection, borrowing: context, commandQueue: commandQueue)
    return FocalRendering.Device(
      backend: OpenCLBackend(connection, options: options, context: opened))
  }

  /// The OpenCL objects behind the device; `nil` if it is no OpenCL device. A context of the engine's
  /// own is opened for it, and lives as long as the `Device` or something made on it, or as long as the
  /// caller retains it.
  ///
  /// - Throws: `outOfMemory`, `deviceLost`, as opening the device does.
  public func openCLHandles() throws(CinematicError) -> OpenCLHandles? {
    guard let backend = backend as? OpenCLBackend else { return nil }
    let context = try backend.openContext()
    return OpenCLHandles(
      context: context.handle.pointer, device: context.info.device.pointer)
  }
}
