// SPDX-License-Identifier: Apache-2.0

import COpenCL

/// A kind of object that OpenCL counts references of.
protocol OpenCLObject {
  static func release(_ pointer: OpaquePointer, _ library: OpenCLLibrary) -> cl_int
}

/// An object of the driver's; released when the last reference goes. The driver keeps what commands
/// still use until they have finished.
// @unchecked Sendable: the pointer never changes, and OpenCL's calls may come from any thread, except
// for a kernel's arguments, which only the queue that made the kernel sets.
final class OpenCLHandle<Object: OpenCLObject>: @unchecked Sendable {
  let pointer: OpaquePointer
  private let library: OpenCLLibrary

  init(_ pointer: OpaquePointer, library: OpenCLLibrary) {
    self.pointer = pointer
    self.library = library
  }

  deinit { _ = Object.release(pointer, library) }
}

typealias OpenCLEvent = OpenCLHandle<EventObject>

enum ContextObject: OpenCLObject {
  static func release(_ pointer: OpaquePointer, _ library: OpenCLLibrary) -> cl_int {
    library.call("clReleaseContext") { $0.clReleaseContext(pointer) }
  }
}

enum QueueObject: OpenCLObject {
  static func release(_ pointer: OpaquePointer, _ library: OpenCLLibrary) -> cl_int {
    library.call("clReleaseCommandQueue") { $0.clReleaseCommandQueue(pointer) }
  }
}

enum MemoryObject: OpenCLObject {
  static func release(_ pointer: OpaquePointer, _ library: OpenCLLibrary) -> cl_int {
    library.call("clReleaseMemObject") { $0.clReleaseMemObject(pointer) }
  }
}

enum ProgramObject: OpenCLObject {
  static func release(_ pointer: OpaquePointer, _ library: OpenCLLibrary) -> cl_int {
    library.call("clReleaseProgram") { $0.clReleaseProgram(pointer) }
  }
}

enum KernelObject: OpenCLObject {
  static func release(_ pointer: OpaquePointer, _ library: OpenCLLibrary) -> cl_int {
    library.call("clReleaseKernel") { $0.clReleaseKernel(pointer) }
  }
}

enum EventObject: OpenCLObject {
  static func release(_ pointer: OpaquePointer, _ library: OpenCLLibrary) -> cl_int {
    library.call("clReleaseEvent") { $0.clReleaseEvent(pointer) }
  }
}

/// Calls `body` with events as OpenCL takes a wait list: none is no list at all.
func withWaitList<Result>(
  _ events: [OpenCLEvent], _ body: (cl_uint, UnsafePointer<cl_event?>?) -> Result
) -> Result {
  guard !events.isEmpty else { return body(0, nil) }
  // The handles outlive the call: `events` does.
  return withExtendedLifetime(events) {
    events.map { Optional($0.pointer) }.withUnsafeBufferPointer {
      body(cl_uint($0.count), $0.baseAddress)
    }
  }
}
