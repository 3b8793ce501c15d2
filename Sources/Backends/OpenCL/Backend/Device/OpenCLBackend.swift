// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalRendering
import Synchronization

/// A device of an OpenCL driver's.
final class OpenCLBackend: DeviceBackend {
  /// How a backend is made, beyond its device.
  struct Options: Sendable {
    var sources: KernelPrograms.Sources
    /// Where compiled programs are kept; `nil` for nowhere.
    var cacheFolder: String? = CacheFolder.path
    /// Whether a device that works in the host's memory computes in the pictures' own.
    var usesHostMemory = true
    /// After which a device that does not answer counts as lost.
    var longestWait: Duration = .seconds(300)
  }

  private struct Opened {
    let context: OpenCLContext
    let programs: KernelPrograms
  }

  private let connection: OpenCLConnection
  private let options: Options
  private let callersContext: OpenCLContext?
  /// Opened when first needed: a list of devices is had without.
  private let opened = Mutex<Opened?>(nil)

  /// - Parameter context: a caller's; `nil` for one that is opened when first needed.
  init(_ connection: OpenCLConnection, options: Options, context: OpenCLContext? = nil) {
    self.connection = connection
    self.options = options
    callersContext = context
  }

  private var info: OpenCLDeviceInfo { connection.info }

  var name: String { info.name }
  var identifier: String { connection.identifier }
  var kind: Device.Kind { info.kind }
  var driver: String { "\(info.platformName) \(info.driverVersion)" }
  var memoryByteCount: Int? { info.isUnified ? nil : info.memoryByteCount }
  var missingFeatures: [String] { info.missingFeatures }
  /// Kernels count floats in 32 bits: no more than that can be bound, whatever a device allows.
  var largestBindingByteCount: Int {
    min(info.largestAllocation, Int(Int32.max) * MemoryLayout<Float>.stride)
  }
  var fusesTiles: Bool { false }
  var tilesAtOnce: Int { min(8 * max(info.computeUnits, 1), info.isProcessor ? 64 : 1024) }

  func makeMemory(byteCount: Int) throws(CinematicError) -> any DeviceMemory {
    try connection.checkPresence()
    guard byteCount <= largestBindingByteCount else {
      throw connection.outOfMemory(
        "\(byteCount) bytes in a piece, where it gives \(largestBindingByteCount) at most")
    }
    return try OpenCLMemory(open().context, byteCount: byteCount)
  }

  func makeQueue() throws(CinematicError) -> any DeviceQueue {
    try connection.checkPresence()
    let opened = try open()
    return try OpenCLQueue(
      opened.context, programs: opened.programs, usesHostMemory: options.usesHostMemory)
  }

  /// The context, opened if it is not.
  func openContext() throws(CinematicError) -> OpenCLContext { try open().context }

  private func open() throws(CinematicError) -> Opened {
    try opened.withLock { opened throws(CinematicError) in
      if let opened { return opened }
      let context: OpenCLContext
      if let callersContext {
        context = callersContext
      } else {
        context = try OpenCLContext(connection)
      }
      let made = Opened(
        context: context,
        programs: KernelPrograms(
          context, sources: options.sources, cache: ProgramCache(folder: options.cacheFolder)))
      opened = made
      return made
    }
  }
}
