// SPDX-License-Identifier: Apache-2.0

import Dispatch
import FocalCore
import FocalRendering

extension Device {
  /// The processor as a device.
  ///
  /// - Parameter threadCount: threads that work on a frame, at least 1; `nil` for one a core. The
  ///   result's bits do not depend on it.
  public static func cpu(threadCount: Int? = nil) -> Device {
    Device(backend: CPUBackend(threadCount: threadCount ?? activeProcessorCount()))
  }
}

/// The kernels on all cores, in host memory.
final class CPUBackend: DeviceBackend {
  let threadCount: Int

  init(threadCount: Int) { self.threadCount = max(threadCount, 1) }

  var name: String { "\(threadCount) thread\(threadCount == 1 ? "" : "s")" }
  var identifier: String { "cpu" }
  var kind: Device.Kind { .cpu }
  var driver: String { "" }
  var memoryByteCount: Int? { nil }
  var missingFeatures: [String] { [] }
  var largestBindingByteCount: Int { .max }
  var fusesTiles: Bool { true }
  /// A few a thread, so that a thread with easy tiles can take over another's.
  var tilesAtOnce: Int { 8 * min(threadCount, 8) }

  func makeMemory(byteCount: Int) throws(CinematicError) -> any DeviceMemory {
    guard let memory = CPUMemory(byteCount: byteCount) else {
      throw CinematicError(
        .outOfMemory, "no memory for \(byteCount) bytes of a frame's working buffers",
        remedy: "render at a smaller size")
    }
    return memory
  }

  func makeQueue() throws(CinematicError) -> any DeviceQueue { CPUQueue(threadCount: threadCount) }
}

/// Host memory, aligned for vector instructions.
// @unchecked Sendable: the address never changes; a queue's dispatches, which run one after the
// other, and the host while none runs are the only ones that reach the bytes.
final class CPUMemory: DeviceMemory, @unchecked Sendable {
  let byteCount: Int
  let base: UnsafeMutableRawPointer

  init?(byteCount: Int) {
    guard let base = allocateAligned(byteCount: byteCount + 64) else { return nil }
    self.byteCount = byteCount
    self.base = base
  }

  deinit { base.deallocate() }

  func read(_ destination: UnsafeMutableRawBufferPointer, from offset: Int) {
    precondition(offset >= 0 && offset + destination.count <= byteCount, "read past device memory")
    destination.copyMemory(
      from: UnsafeRawBufferPointer(start: base + offset, count: destination.count))
  }

  func write(_ source: UnsafeRawBufferPointer, at offset: Int) {
    precondition(offset >= 0 && offset + source.count <= byteCount, "write past device memory")
    UnsafeMutableRawBufferPointer(start: base + offset, count: source.count).copyMemory(
      from: source)
  }
}
