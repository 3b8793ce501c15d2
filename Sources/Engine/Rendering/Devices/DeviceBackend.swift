// SPDX-License-Identifier: Apache-2.0

import FocalCore

/// The abilities of a backend: hold memory, and run kernels of the closed list ``Kernel`` in
/// order. Everything else, from the order of passes to the sizes of buffers, stands above it.
package protocol DeviceBackend: AnyObject, Sendable {
  var name: String { get }
  var identifier: String { get }
  var kind: Device.Kind { get }
  /// The driver's name and version; empty where there is none.
  var driver: String { get }
  /// Bytes of the device's own memory; `nil` where it is the host's.
  var memoryByteCount: Int? { get }
  /// Features that the device lacks and the backend can do without, for people to read.
  var missingFeatures: [String] { get }
  /// The largest piece of memory that a kernel can be bound to.
  var largestBindingByteCount: Int { get }

  /// Whether it runs the fused kernels, a tile at a time, and not their parts, a pixel at a time: see
  /// ``Kernel/Role``.
  var fusesTiles: Bool { get }

  /// How many tiles of a blur it is best to have in work at once: each needs scratch memory of its
  /// own.
  var tilesAtOnce: Int { get }

  /// Memory whose contents are undefined.
  ///
  /// - Throws: `outOfMemory`.
  func makeMemory(byteCount: Int) throws(CinematicError) -> any DeviceMemory
  /// - Throws: `deviceLost`.
  func makeQueue() throws(CinematicError) -> any DeviceQueue
}

/// A piece of a device's memory; freed when the last reference goes.
package protocol DeviceMemory: AnyObject, Sendable {
  var byteCount: Int { get }
  /// Copies bytes to or from host memory; only while no submission uses them.
  ///
  /// - Throws: `deviceLost`.
  func read(_ destination: UnsafeMutableRawBufferPointer, from offset: Int) throws(CinematicError)
  func write(_ source: UnsafeRawBufferPointer, at offset: Int) throws(CinematicError)
}

/// An in-order queue of a device.
package protocol DeviceQueue: AnyObject, Sendable {
  /// Runs `dispatches` after everything submitted before, each seeing what the ones before it
  /// wrote. `completion` is called once, in the order of submissions, on a thread of the queue's
  /// that may be kept waiting. The submission keeps alive whatever its bindings name.
  func submit(
    _ dispatches: [KernelDispatch], profiling: Bool,
    completion: @escaping @Sendable (SubmissionResult) -> Void)
}

/// One run of one kernel.
package struct KernelDispatch: Sendable {
  package var kernel: Kernel
  /// By binding index.
  package var bindings: [Binding]
  /// The bytes of the kernel's parameter struct.
  package var parameters: [UInt8]
  /// How many items (rows or tiles, as the kernel has it) there are to work on: the range that a
  /// kernel of the processor is called with.
  package var items: Int
  /// How many invocations a graphics device starts each way, before rounding up to whole workgroups.
  package var grid: Grid

  package init<Parameters: BitwiseCopyable>(
    _ kernel: Kernel, _ bindings: [Binding], _ parameters: Parameters, items: Int, grid: Grid
  ) {
    self.kernel = kernel
    self.bindings = bindings
    self.parameters = withUnsafeBytes(of: parameters) { Array($0) }
    self.items = items
    self.grid = grid
  }
}

/// Invocations, or the size of a workgroup, each way.
package struct Grid: Sendable, Hashable {
  package var x: Int
  package var y: Int
  package var z: Int

  package init(_ x: Int, _ y: Int = 1, _ z: Int = 1) {
    self.x = x
    self.y = y
    self.z = z
  }

  /// How many workgroups cover it each way.
  package func groups(of workgroup: Grid) -> Grid {
    Grid(
      (x + workgroup.x - 1) / workgroup.x, (y + workgroup.y - 1) / workgroup.y,
      (z + workgroup.z - 1) / workgroup.z)
  }
}

/// The kind of a kernel's buffer argument.
package enum Binding: Sendable {
  /// Device memory from a byte offset on: 0, or a multiple of 4096, which every device can bind at
  /// (many at 256).
  case memory(any DeviceMemory, offset: Int = 0)
  /// A plane of a picture in host memory; a backend that cannot reach it copies.
  case pixels(PixelBuffer, plane: Int, access: Access)
  /// Nothing: the kernel does not touch this binding with these parameters.
  case none

  package enum Access: Sendable {
    case read
    case write
  }
}

/// How a submission ended.
package struct SubmissionResult: Sendable {
  package var error: CinematicError?
  /// One for each dispatch where profiling was asked for, else empty.
  package var timings: [KernelTiming]
  /// Seconds that copies to and from the device took there; 0 where pictures are not copied or
  /// profiling was not asked for.
  package var uploadSeconds: Double
  package var downloadSeconds: Double

  package init(
    error: CinematicError? = nil, timings: [KernelTiming] = [], uploadSeconds: Double = 0,
    downloadSeconds: Double = 0
  ) {
    self.error = error
    self.timings = timings
    self.uploadSeconds = uploadSeconds
    self.downloadSeconds = downloadSeconds
  }

  /// Adds a submission that ended after this one; the first error stands.
  package mutating func add(_ later: SubmissionResult) {
    error = error ?? later.error
    timings += later.timings
    uploadSeconds += later.uploadSeconds
    downloadSeconds += later.downloadSeconds
  }
}
