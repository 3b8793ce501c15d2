// SPDX-License-Identifier: Apache-2.0

import Dispatch
import FocalCore
import FocalRendering
import Synchronization

/// Looks at each dispatch before and after it runs. Its memory bindings are ``GuardedMemory``.
package protocol DispatchWatcher: AnyObject, Sendable {
  /// Called with all dispatches of a submission before the first runs.
  func willSubmit(_ dispatches: [KernelDispatch]) throws(CinematicError)
  func willRun(_ index: Int, _ dispatch: KernelDispatch) throws(CinematicError)
  func didRun(_ index: Int, _ dispatch: KernelDispatch) throws(CinematicError)
}

/// A device whose allocations lie between guard bands, so that a write out of bounds is caught, and
/// hold a known pattern at first, so that unwritten memory reads as not-a-numbers.
///
/// With a watcher, dispatches run one by one.
package final class GuardedBackend: DeviceBackend {
  private let base: any DeviceBackend
  private let watcher: (any DispatchWatcher)?
  private let memories = Mutex<[Reference]>([])
  private let breaches = Breaches()
  /// How many pieces of work are in flight at once; the base's unless told otherwise, so that two
  /// devices can be given the same buffers.
  package let tilesAtOnce: Int

  private struct Reference {
    weak var memory: GuardedMemory?
  }

  package init(
    _ base: any DeviceBackend, tilesAtOnce: Int? = nil, watcher: (any DispatchWatcher)? = nil
  ) {
    self.base = base
    self.watcher = watcher
    self.tilesAtOnce = tilesAtOnce ?? base.tilesAtOnce
  }

  package var name: String { base.name }
  package var identifier: String { base.identifier }
  package var kind: Device.Kind { base.kind }
  package var driver: String { base.driver }
  package var memoryByteCount: Int? { base.memoryByteCount }
  package var missingFeatures: [String] { base.missingFeatures }
  package var fusesTiles: Bool { base.fusesTiles }
  package var largestBindingByteCount: Int {
    base.largestBindingByteCount - 2 * GuardedMemory.bandByteCount
  }

  package func makeMemory(byteCount: Int) throws(CinematicError) -> any DeviceMemory {
    let memory = try GuardedMemory(byteCount: byteCount, on: base, breaches: breaches)
    memories.withLock {
      $0.removeAll { $0.memory == nil }
      $0.append(Reference(memory: memory))
    }
    return memory
  }

  package func makeQueue() throws(CinematicError) -> any DeviceQueue {
    GuardedQueue(try base.makeQueue(), watcher: watcher)
  }

  /// The guard bands that do not hold their pattern any more, also of memory that is gone; call it
  /// when nothing is in flight. Each is told once.
  package func takeBreaches() -> [String] {
    for memory in memories.withLock({ $0.compactMap(\.memory) }) { memory.inspect() }
    return breaches.take()
  }
}

/// The findings of guard bands.
package final class Breaches: Sendable {
  private let texts = Mutex<[String]>([])
  func add(_ text: String) { texts.withLock { $0.append(text) } }
  func take() -> [String] {
    texts.withLock { texts in
      defer { texts = [] }
      return texts
    }
  }
}

/// Device memory with a guard band on either side.
package final class GuardedMemory: DeviceMemory {
  /// More than a row of a small frame, and a multiple of every alignment that a binding may need.
  package static let bandByteCount = 4096

  package let byteCount: Int
  let base: any DeviceMemory
  private let breaches: Breaches
  private let isBroken = Atomic(false)

  /// A byte that no kernel writes by chance into a whole band.
  private static let band = (0..<bandByteCount).map { UInt8(truncatingIfNeeded: $0 &* 167 &+ 91) }

  fileprivate init(
    byteCount: Int, on backend: any DeviceBackend, breaches: Breaches
  ) throws(CinematicError) {
    self.byteCount = byteCount
    self.breaches = breaches
    base = try backend.makeMemory(byteCount: byteCount + 2 * Self.bandByteCount)
    // Every float a not-a-number, every integer out of range.
    try Self.write([UInt8](repeating: 0xFF, count: byteCount), to: base, at: Self.bandByteCount)
    try Self.write(Self.band, to: base, at: 0)
    try Self.write(Self.band, to: base, at: Self.bandByteCount + byteCount)
  }

  deinit { inspect() }

  private static func write(
    _ bytes: [UInt8], to memory: any DeviceMemory, at offset: Int
  ) throws(CinematicError) {
    try bytes.withUnsafeBytes { bytes in
      Result { () throws(CinematicError) in try memory.write(bytes, at: offset) }
    }.get()
  }

  package func read(
    _ destination: UnsafeMutableRawBufferPointer, from offset: Int
  ) throws(CinematicError) {
    try base.read(destination, from: Self.bandByteCount + offset)
  }

  package func write(_ source: UnsafeRawBufferPointer, at offset: Int) throws(CinematicError) {
    try base.write(source, at: Self.bandByteCount + offset)
  }

  /// The bytes from an offset on.
  func bytes(from offset: Int) throws(CinematicError) -> [UInt8] {
    try Self.bytes(of: self, from: offset, count: byteCount - offset)
  }

  private static func bytes(
    of memory: any DeviceMemory, from offset: Int, count: Int
  ) throws(CinematicError) -> [UInt8] {
    var result = [UInt8](repeating: 0, count: count)
    try result.withUnsafeMutableBytes { bytes in
      Result { () throws(CinematicError) in try memory.read(bytes, from: offset) }
    }.get()
    return result
  }

  /// The first byte outside that changed, counted from the memory's start (below 0 before it).
  private func firstBreach() throws(CinematicError) -> Int? {
    for start in [0, Self.bandByteCount + byteCount] {
      let bytes = try Self.bytes(of: base, from: start, count: Self.bandByteCount)
      if bytes != Self.band {
        let index = zip(bytes, Self.band).enumerated().first { $0.element.0 != $0.element.1 }
        return start + (index?.offset ?? 0) - Self.bandByteCount
      }
    }
    return nil
  }

  /// ``firstBreach()``, the first time that there is one.
  func takeBreach() throws(CinematicError) -> Int? {
    guard !isBroken.load(ordering: .relaxed), let offset = try firstBreach() else { return nil }
    isBroken.store(true, ordering: .relaxed)
    return offset
  }

  /// Adds a changed band to the breaches, unless it is reported already.
  func inspect() {
    guard let offset = try? takeBreach() else { return }
    breaches.add("byte \(offset) of a buffer of \(byteCount) bytes was written")
  }
}

/// Hands dispatches to the base's queue, one by one where an observer is set.
private final class GuardedQueue: DeviceQueue {
  private let base: any DeviceQueue
  private let watcher: (any DispatchWatcher)?
  private let steps = DispatchQueue(label: "focal.conformance.steps")

  init(_ base: any DeviceQueue, watcher: (any DispatchWatcher)?) {
    self.base = base
    self.watcher = watcher
  }

  func submit(
    _ dispatches: [KernelDispatch], profiling: Bool,
    completion: @escaping @Sendable (SubmissionResult) -> Void
  ) {
    guard let watcher else {
      base.submit(dispatches.map(Self.bare), profiling: profiling, completion: completion)
      return
    }
    steps.async { [self] in
      var result = SubmissionResult()
      do throws(CinematicError) {
        try watcher.willSubmit(dispatches)
        for (index, dispatch) in dispatches.enumerated() {
          try watcher.willRun(index, dispatch)
          let one = run(Self.bare(dispatch), profiling: profiling)
          if let error = one.error { throw error }
          result.timings += one.timings
          result.uploadSeconds += one.uploadSeconds
          result.downloadSeconds += one.downloadSeconds
          try watcher.didRun(index, dispatch)
        }
      } catch {
        result.error = error
      }
      completion(result)
    }
  }

  private func run(_ dispatch: KernelDispatch, profiling: Bool) -> SubmissionResult {
    let done = DispatchSemaphore(value: 0)
    let outcome = Outcome()
    base.submit([dispatch], profiling: profiling) { result in
      outcome.result.withLock { $0 = result }
      done.signal()
    }
    done.wait()
    return outcome.result.withLock { $0 }
  }

  private final class Outcome: Sendable {
    let result = Mutex(SubmissionResult())
  }

  /// The dispatch with the memory behind the guards.
  private static func bare(_ dispatch: KernelDispatch) -> KernelDispatch {
    var dispatch = dispatch
    dispatch.bindings = dispatch.bindings.map { binding in
      guard case .memory(let memory, let offset) = binding, let memory = memory as? GuardedMemory
      else { return binding }
      return .memory(memory.base, offset: GuardedMemory.bandByteCount + offset)
    }
    return dispatch
  }
}
