// SPDX-License-Identifier: Apache-2.0

import COpenCL
import FocalCore

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The OpenCL loader, found at run time: a machine without one runs everything else.
final class OpenCLLibrary: Sendable {
  /// Stands around every call of a function of the table: makes the call, or returns a status
  /// without it. How tests see to it that any call fails.
  typealias Interceptor = @Sendable (_ function: StaticString, _ call: () -> cl_int) -> cl_int

  /// Under which names the loader is installed.
  static let names = ["libOpenCL.so.1", "libOpenCL.so"]

  private let functions: OpenCLFunctions
  private let interceptor: Interceptor?

  /// - Throws: `deviceLost`, naming what was looked for.
  init(
    names: [String] = OpenCLLibrary.names, interceptor: Interceptor? = nil
  ) throws(CinematicError) {
    // Never closed: drivers leave threads and exit handlers behind.
    guard let handle = names.lazy.compactMap({ dlopen($0, RTLD_NOW | RTLD_LOCAL) }).first else {
      throw CinematicError(
        .deviceLost, "there is no OpenCL loader (\(names.joined(separator: ", ")))",
        remedy: "install one (ocl-icd-libopencl1) and the device's driver")
    }
    functions = try OpenCLFunctions { name throws(CinematicError) in
      guard let address = dlsym(handle, "\(name)") else {
        throw CinematicError(
          .deviceLost, "the OpenCL loader lacks \(name)",
          remedy: "install a loader for OpenCL 1.2 or newer")
      }
      return address
    }
    self.interceptor = interceptor
  }

  /// Calls a function of the table; every call goes this way.
  func call(_ function: StaticString, _ body: (OpenCLFunctions) -> cl_int) -> cl_int {
    guard let interceptor else { return body(functions) }
    return interceptor(function) { body(functions) }
  }
}

/// The name of a status, as the headers have it.
func openCLName(ofStatus status: cl_int) -> String {
  switch status {
  case CL_DEVICE_NOT_FOUND: "CL_DEVICE_NOT_FOUND"
  case CL_DEVICE_NOT_AVAILABLE: "CL_DEVICE_NOT_AVAILABLE"
  case CL_COMPILER_NOT_AVAILABLE: "CL_COMPILER_NOT_AVAILABLE"
  case CL_MEM_OBJECT_ALLOCATION_FAILURE: "CL_MEM_OBJECT_ALLOCATION_FAILURE"
  case CL_OUT_OF_RESOURCES: "CL_OUT_OF_RESOURCES"
  case CL_OUT_OF_HOST_MEMORY: "CL_OUT_OF_HOST_MEMORY"
  case CL_BUILD_PROGRAM_FAILURE: "CL_BUILD_PROGRAM_FAILURE"
  case CL_MAP_FAILURE: "CL_MAP_FAILURE"
  case CL_MISALIGNED_SUB_BUFFER_OFFSET: "CL_MISALIGNED_SUB_BUFFER_OFFSET"
  case CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST: "CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST"
  case CL_INVALID_VALUE: "CL_INVALID_VALUE"
  case CL_INVALID_PLATFORM: "CL_INVALID_PLATFORM"
  case CL_INVALID_DEVICE: "CL_INVALID_DEVICE"
  case CL_INVALID_CONTEXT: "CL_INVALID_CONTEXT"
  case CL_INVALID_COMMAND_QUEUE: "CL_INVALID_COMMAND_QUEUE"
  case CL_INVALID_HOST_PTR: "CL_INVALID_HOST_PTR"
  case CL_INVALID_MEM_OBJECT: "CL_INVALID_MEM_OBJECT"
  case CL_INVALID_BINARY: "CL_INVALID_BINARY"
  case CL_INVALID_BUILD_OPTIONS: "CL_INVALID_BUILD_OPTIONS"
  case CL_INVALID_PROGRAM: "CL_INVALID_PROGRAM"
  case CL_INVALID_PROGRAM_EXECUTABLE: "CL_INVALID_PROGRAM_EXECUTABLE"
  case CL_INVALID_KERNEL_NAME: "CL_INVALID_KERNEL_NAME"
  case CL_INVALID_KERNEL: "CL_INVALID_KERNEL"
  case CL_INVALID_ARG_INDEX: "CL_INVALID_ARG_INDEX"
  case CL_INVALID_ARG_VALUE: "CL_INVALID_ARG_VALUE"
  case CL_INVALID_ARG_SIZE: "CL_INVALID_ARG_SIZE"
  case CL_INVALID_KERNEL_ARGS: "CL_INVALID_KERNEL_ARGS"
  case CL_INVALID_WORK_GROUP_SIZE: "CL_INVALID_WORK_GROUP_SIZE"
  case CL_INVALID_WORK_ITEM_SIZE: "CL_INVALID_WORK_ITEM_SIZE"
  case CL_INVALID_EVENT_WAIT_LIST: "CL_INVALID_EVENT_WAIT_LIST"
  case CL_INVALID_EVENT: "CL_INVALID_EVENT"
  case CL_INVALID_OPERATION: "CL_INVALID_OPERATION"
  case CL_INVALID_BUFFER_SIZE: "CL_INVALID_BUFFER_SIZE"
  case CL_INVALID_GLOBAL_WORK_SIZE: "CL_INVALID_GLOBAL_WORK_SIZE"
  // The loader found no driver.
  case -1001: "CL_PLATFORM_NOT_FOUND_KHR"
  default: "status \(status)"
  }
}
