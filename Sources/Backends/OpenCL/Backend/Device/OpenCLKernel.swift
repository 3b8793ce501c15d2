// SPDX-License-Identifier: Apache-2.0

import COpenCL
import FocalCore
import FocalRendering

/// A kernel whose arguments one queue sets.
struct OpenCLKernel {
  private let handle: OpenCLHandle<KernelObject>
  private let kernel: Kernel
  private let connection: OpenCLConnection
  private let argumentCount: Int

  /// - Throws: `unsupported` where the program lacks it or the device cannot run its workgroups,
  ///   `outOfMemory`, `deviceLost`.
  init(
    _ kernel: Kernel, of program: OpenCLHandle<ProgramObject>, on context: OpenCLContext
  ) throws(CinematicError) {
    let connection = context.connection
    self.kernel = kernel
    self.connection = connection
    var object: OpaquePointer?
    let status = connection.library.call("clCreateKernel") { functions in
      var status = cl_int(CL_SUCCESS)
      object = functions.clCreateKernel(program.pointer, kernel.name, &status)
      return status
    }
    let made = object.map { OpenCLHandle<KernelObject>($0, library: connection.library) }
    if status == CL_INVALID_KERNEL_NAME {
      throw CinematicError(
        .unsupported, "the OpenCL source of the kernel \(kernel.name) does not define it")
    }
    guard status == CL_SUCCESS, let made else {
      throw connection.failure(of: "clCreateKernel", status: status)
    }
    handle = made

    var count = cl_uint(0)
    try connection.perform("clGetKernelInfo") {
      $0.clGetKernelInfo(
        made.pointer, cl_kernel_info(CL_KERNEL_NUM_ARGS), MemoryLayout<cl_uint>.size, &count, nil)
    }
    argumentCount = Int(count)

    var largest = 0
    try connection.perform("clGetKernelWorkGroupInfo") {
      $0.clGetKernelWorkGroupInfo(
        made.pointer, context.info.device.pointer,
        cl_kernel_work_group_info(CL_KERNEL_WORK_GROUP_SIZE), MemoryLayout<Int>.size, &largest, nil)
    }
    let workgroup = kernel.workgroup
    let invocations = workgroup.x * workgroup.y * workgroup.z
    guard invocations <= largest else {
      throw CinematicError(
        .unsupported,
        "\(connection.description) runs \(largest) invocations of the kernel \(kernel.name) together, not \(invocations)",
        remedy: "use another device")
    }
  }

  /// Sets the arguments: the buffers by binding index, `nil` for none, then the parameters.
  func setArguments(
    _ buffers: [OpenCLHandle<MemoryObject>?], parameters: [UInt8]
  ) throws(CinematicError) {
    guard argumentCount == buffers.count + 1 else {
      throw CinematicError(
        .unsupported,
        "the OpenCL kernel \(kernel.name) takes \(argumentCount) arguments, not \(buffers.count + 1)"
      )
    }
    for (index, buffer) in buffers.enumerated() {
      var pointer = buffer?.pointer
      try set(index, MemoryLayout<cl_mem?>.size, &pointer)
    }
    try set(buffers.count, parameters.count, parameters)
  }

  private func set(
    _ index: Int, _ byteCount: Int, _ value: UnsafeRawPointer?
  ) throws(CinematicError) {
    let status = connection.library.call("clSetKernelArg") {
      $0.clSetKernelArg(handle.pointer, cl_uint(index), byteCount, value)
    }
    switch status {
    case CL_SUCCESS: return
    case CL_INVALID_ARG_INDEX, CL_INVALID_ARG_VALUE, CL_INVALID_ARG_SIZE:
      throw CinematicError(
        .unsupported,
        "argument \(index) of the OpenCL kernel \(kernel.name) is not of \(byteCount) bytes (\(openCLName(ofStatus: status)))"
      )
    default: throw connection.failure(of: "clSetKernelArg", status: status)
    }
  }

  /// Starts an invocation for every element of `grid`, rounded up to whole workgroups.
  ///
  /// - Returns: the run's event, where it is asked for: one costs the device time.
  func enqueue(
    _ grid: Grid, in queue: OpenCLHandle<QueueObject>, after events: [OpenCLEvent],
    wantsEvent: Bool
  ) throws(CinematicError) -> OpenCLEvent? {
    let workgroup = kernel.workgroup
    let groups = grid.groups(of: workgroup)
    let local = [workgroup.x, workgroup.y, workgroup.z]
    let global = [groups.x * workgroup.x, groups.y * workgroup.y, groups.z * workgroup.z]
    func start(
      _ functions: OpenCLFunctions, _ event: UnsafeMutablePointer<cl_event?>?
    ) -> cl_int {
      withWaitList(events) { count, list in
        functions.clEnqueueNDRangeKernel(
          queue.pointer, handle.pointer, 3, nil, global, local, count, list, event)
      }
    }
    guard wantsEvent else {
      try connection.perform("clEnqueueNDRangeKernel") { start($0, nil) }
      return nil
    }
    return try connection.enqueue("clEnqueueNDRangeKernel") { start($0, $1) }
  }
}

extension Grid {
  /// Whether there is anything to start.
  var isFilled: Bool { x > 0 && y > 0 && z > 0 }
}
