// SPDX-License-Identifier: Apache-2.0

import COpenCL
import Dispatch
import FocalCore
import Synchronization

/// A device as one backend talks to it: every call checked, every failure a typed error, and the
/// loss of the device remembered.
final class OpenCLConnection: Sendable {
  let library: OpenCLLibrary
  let info: OpenCLDeviceInfo
  let identifier: String
  private let loss = Mutex<CinematicError?>(nil)
  /// After which a device that does not answer counts as lost.
  private let longestWait: Duration
  private let isSilent = Atomic(false)
  /// OpenCL's waits, reads, writes and maps have no limit: where the device never answers, a thread of these stays behind.
  private let waits = DispatchQueue(
    label: "focal.opencl.driver", qos: .userInitiated, attributes: .concurrent)

  init(
    library: OpenCLLibrary, info: OpenCLDeviceInfo, identifier: String,
    longestWait: Duration = .seconds(300)
  ) {
    self.library = library
    self.info = info
    self.identifier = identifier
    self.longestWait = longestWait
  }

  var description: String { "\(identifier) (\(info.name))" }

  /// Whether the device did not answer in time, so that it may still use whatever it was given.
  var isHung: Bool { isSilent.load(ordering: .acquiring) }

  /// - Throws: `deviceLost` once the device has been lost: what it would compute is not to be had.
  func checkPresence() throws(CinematicError) {
    if let error = loss.withLock({ $0 }) { throw error }
  }

  func perform(
    _ function: StaticString, _ body: (OpenCLFunctions) -> cl_int
  ) throws(CinematicError) {
    let status = library.call(function, body)
    guard status == CL_SUCCESS else { throw failure(of: function, status: status) }
  }

  /// An object from a call that returns it and gives a status.
  func make<Object>(
    _ function: StaticString,
    _ body: (OpenCLFunctions, UnsafeMutablePointer<cl_int>) -> OpaquePointer?
  ) throws(CinematicError) -> OpenCLHandle<Object> {
    var object: OpaquePointer?
    let status = library.call(function) { functions in
      var status = cl_int(CL_SUCCESS)
      object = body(functions, &status)
      return status
    }
    // Held also where the call failed, so that it is released.
    let handle = object.map { OpenCLHandle<Object>($0, library: library) }
    guard status == CL_SUCCESS, let handle else {
      throw failure(of: function, status: status == CL_SUCCESS ? cl_int(CL_INVALID_VALUE) : status)
    }
    return handle
  }

  /// A caller's object, retained by `function`.
  func retain<Object>(
    _ function: StaticString, _ pointer: OpaquePointer,
    _ body: (OpenCLFunctions, OpaquePointer) -> cl_int
  ) throws(CinematicError) -> OpenCLHandle<Object> {
    let status = library.call(function) { body($0, pointer) }
    guard status == CL_SUCCESS else {
      throw CinematicError(
        .invalidParameter,
        "an object that was handed over is not OpenCL's (\(function): \(openCLName(ofStatus: status)))",
        remedy: "hand over living objects of the machine's OpenCL loader")
    }
    return OpenCLHandle(pointer, library: library)
  }

  /// A command put into a queue, as its event.
  func enqueue(
    _ function: StaticString,
    _ body: (OpenCLFunctions, UnsafeMutablePointer<cl_event?>) -> cl_int
  ) throws(CinematicError) -> OpenCLEvent {
    var event: cl_event?
    let status = library.call(function) { body($0, &event) }
    let handle = event.map { OpenCLEvent($0, library: library) }
    guard status == CL_SUCCESS, let handle else {
      throw failure(
        of: function, status: status == CL_SUCCESS ? cl_int(CL_INVALID_EVENT) : status)
    }
    return handle
  }

  /// Blocks until the commands have run.
  ///
  /// - Throws: `outOfMemory`, `deviceLost`, also for a device that does not answer for minutes.
  func wait(for events: [OpenCLEvent]) throws(CinematicError) {
    guard !events.isEmpty else { return }
    let status = try answer(to: "clWaitForEvents") { functions in
      withWaitList(events) { functions.clWaitForEvents($0, $1) }
    }
    guard status != CL_SUCCESS else { return }
    // The wait says that a command failed; the command's own status says why.
    let cause = events.lazy.map { self.executionStatus(of: $0) }.first { $0 < 0 }
    throw failure(of: "clWaitForEvents", status: cause ?? status, ran: true)
  }

  /// ``perform(_:_:)`` for calls that return when the device has done what they ask for.
  ///
  /// - Parameter body: called on another thread, where it may still be when this has thrown: it holds all that the
  ///   driver then uses.
  /// - Throws: `outOfMemory`, `deviceLost`, also for a device that does not answer for minutes.
  func performWaiting(
    _ function: StaticString, _ body: @escaping @Sendable (OpenCLFunctions) -> cl_int
  ) throws(CinematicError) {
    let status = try answer(to: function, body)
    guard status == CL_SUCCESS else { throw failure(of: function, status: status) }
  }

  private func answer(
    to function: StaticString, _ body: @escaping @Sendable (OpenCLFunctions) -> cl_int
  ) throws(CinematicError) -> cl_int {
    // It has been waited for once.
    if isHung { try checkPresence() }
    let answer = Answer()
    waits.async { [library] in
      answer.status.store(library.call(function, body), ordering: .releasing)
      answer.isThere.signal()
    }
    let limit = DispatchTime.now() + .nanoseconds(Int(longestWait / .nanoseconds(1)))
    guard answer.isThere.wait(timeout: limit) == .success else { throw silence() }
    return answer.status.load(ordering: .acquiring)
  }

  private final class Answer: Sendable {
    let status = Atomic(cl_int(CL_SUCCESS))
    let isThere = DispatchSemaphore(value: 0)
  }

  /// The loss of a device that does not answer.
  private func silence() -> CinematicError {
    isSilent.store(true, ordering: .releasing)
    let error = CinematicError(
      .deviceLost, "\(description) has not answered for \(longestWait.components.seconds) s",
      remedy: "use another device, or start again")
    return loss.withLock { loss in
      if loss == nil { loss = error }
      return loss ?? error
    }
  }

  private func executionStatus(of event: OpenCLEvent) -> cl_int {
    var value = cl_int(CL_COMPLETE)
    let status = library.call("clGetEventInfo") {
      $0.clGetEventInfo(
        event.pointer, cl_event_info(CL_EVENT_COMMAND_EXECUTION_STATUS), MemoryLayout<cl_int>.size,
        &value, nil)
    }
    return status == CL_SUCCESS ? value : status
  }

  /// When a command ran, in seconds of the device's clock.
  func seconds(of event: OpenCLEvent) -> (start: Double, end: Double)? {
    func time(_ parameter: cl_int) -> Double? {
      var value = cl_ulong(0)
      let status = library.call("clGetEventProfilingInfo") {
        $0.clGetEventProfilingInfo(
          event.pointer, cl_profiling_info(parameter), MemoryLayout<cl_ulong>.size, &value, nil)
      }
      return status == CL_SUCCESS ? Double(value) * 1e-9 : nil
    }
    guard let start = time(CL_PROFILING_COMMAND_START), let end = time(CL_PROFILING_COMMAND_END)
    else { return nil }
    return (start, end)
  }

  /// The error that a failed call amounts to. A failure other than a lack of memory leaves the device
  /// in an unknown state, and counts as its loss.
  ///
  /// - Parameter ran: whether the status is that of a command that ran. Drivers then report a fault
  ///   of the device as a lack of resources.
  func failure(of function: StaticString, status: cl_int, ran: Bool = false) -> CinematicError {
    let name = openCLName(ofStatus: status)
    switch status {
    case CL_MEM_OBJECT_ALLOCATION_FAILURE, CL_OUT_OF_HOST_MEMORY, CL_INVALID_BUFFER_SIZE:
      return outOfMemory("\(function): \(name)")
    case CL_OUT_OF_RESOURCES where !ran:
      return outOfMemory("\(function): \(name)")
    default:
      let error = CinematicError(
        .deviceLost, "\(description) stopped working (\(function): \(name))",
        remedy: "list the devices again to use it once more, or take another")
      return loss.withLock { loss in
        // The first failure is the cause of those that follow.
        if loss == nil { loss = error }
        return loss ?? error
      }
    }
  }

  func outOfMemory(_ detail: String) -> CinematicError {
    CinematicError(
      .outOfMemory, "\(description) has no memory left (\(detail))",
      remedy: "render at a smaller size, or on another device")
  }
}
