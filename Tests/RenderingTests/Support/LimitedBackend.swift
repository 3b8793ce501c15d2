// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalRendering
import Synchronization

/// Another device with less memory, and with faults on demand.
final class LimitedBackend: DeviceBackend {
  /// The requests to the device, and their outcomes.
  struct State {
    /// Bytes of all memory; more is refused.
    var memoryLimit = Int.max
    /// How many more pieces of memory are given before one is refused; `nil` for no end.
    var givenBeforeRefusal: Int?
    /// How many more submissions run before the device is lost; `nil` for no end.
    var submissionsBeforeLoss: Int?

    var memoryInUse = 0
    var submissionCount = 0
    /// Bytes of the largest piece of memory or plane that a kernel was bound to.
    var largestBinding = 0
  }

  let inner: any DeviceBackend
  let largestBindingByteCount: Int
  private let state = Mutex(State())

  init(_ device: Device, largestBinding: Int = .max, memoryLimit: Int = .max) {
    inner = device.backend
    largestBindingByteCount = min(largestBinding, inner.largestBindingByteCount)
    state.withLock { $0.memoryLimit = memoryLimit }
  }

  var name: String { inner.name }
  var identifier: String { inner.identifier }
  var kind: Device.Kind { inner.kind }
  var driver: String { inner.driver }
  var memoryByteCount: Int? { inner.memoryByteCount }
  var missingFeatures: [String] { inner.missingFeatures }
  var tilesAtOnce: Int { inner.tilesAtOnce }
  var fusesTiles: Bool { inner.fusesTiles }

  var device: Device { Device(backend: self) }
  var submissionCount: Int { state.withLock { $0.submissionCount } }
  var largestBinding: Int { state.withLock { $0.largestBinding } }
  func change(_ body: (inout sending State) -> Void) { state.withLock { body(&$0) } }

  func makeMemory(byteCount: Int) throws(CinematicError) -> any DeviceMemory {
    let isGiven = state.withLock { state in
      if let left = state.givenBeforeRefusal {
        state.givenBeforeRefusal = left > 0 ? left - 1 : nil
        if left == 0 { return false }
      }
      guard byteCount <= state.memoryLimit - state.memoryInUse else { return false }
      state.memoryInUse += byteCount
      return true
    }
    guard isGiven else {
      throw CinematicError(.outOfMemory, "the test's device has no \(byteCount) bytes left")
    }
    return LimitedMemory(try inner.makeMemory(byteCount: byteCount), owner: self)
  }

  func makeQueue() throws(CinematicError) -> any DeviceQueue {
    LimitedQueue(try inner.makeQueue(), owner: self)
  }

  fileprivate func free(_ byteCount: Int) { state.withLock { $0.memoryInUse -= byteCount } }

  /// Notes a submission; whether the device is still there to run it.
  fileprivate func note(_ dispatches: [KernelDispatch]) -> Bool {
    let largest = dispatches.lazy.flatMap(\.bindings).map { binding in
      switch binding {
      case .memory(let memory, _): memory.byteCount
      case .pixels(let buffer, let plane, _): buffer.planes[plane].byteCount
      case .none: 0
      }
    }.max()
    return state.withLock { state in
      state.submissionCount += 1
      state.largestBinding = max(state.largestBinding, largest ?? 0)
      guard let left = state.submissionsBeforeLoss else { return true }
      state.submissionsBeforeLoss = max(left - 1, 0)
      return left > 0
    }
  }
}

private final class LimitedMemory: DeviceMemory {
  let inner: any DeviceMemory
  private let owner: LimitedBackend

  init(_ inner: any DeviceMemory, owner: LimitedBackend) {
    self.inner = inner
    self.owner = owner
  }

  deinit { owner.free(byteCount) }

  var byteCount: Int { inner.byteCount }
  func read(
    _ destination: UnsafeMutableRawBufferPointer, from offset: Int
  ) throws(CinematicError) { try inner.read(destination, from: offset) }
  func write(_ source: UnsafeRawBufferPointer, at offset: Int) throws(CinematicError) {
    try inner.write(source, at: offset)
  }
}

private final class LimitedQueue: DeviceQueue {
  private let inner: any DeviceQueue
  private let owner: LimitedBackend

  init(_ inner: any DeviceQueue, owner: LimitedBackend) {
    self.inner = inner
    self.owner = owner
  }

  func submit(
    _ dispatches: [KernelDispatch], profiling: Bool,
    completion: @escaping @Sendable (SubmissionResult) -> Void
  ) {
    let isThere = owner.note(dispatches)
    let unwrapped = dispatches.map { dispatch in
      var dispatch = dispatch
      dispatch.bindings = dispatch.bindings.map { binding in
        guard case .memory(let memory, let offset) = binding,
          let memory = memory as? LimitedMemory
        else { return binding }
        return .memory(memory.inner, offset: offset)
      }
      return dispatch
    }
    // A lost device runs nothing, and says so in the queue's order. Its memory stays counted until
    // the submission is done.
    inner.submit(isThere ? unwrapped : [], profiling: profiling) { result in
      withExtendedLifetime(dispatches) {}
      completion(
        isThere
          ? result
          : SubmissionResult(
            error: CinematicError(
              .deviceLost, "the test's device is gone", remedy: "use another device")))
    }
  }
}
