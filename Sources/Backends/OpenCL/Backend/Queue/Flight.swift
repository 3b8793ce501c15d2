// SPDX-License-Identifier: Apache-2.0

import COpenCL
import Dispatch
import FocalCore
import FocalRendering
import Synchronization

/// The device's queues: what comes in, what is computed and what goes out run side by side, and wait
/// for each other by events. On a queue of the caller's they follow each other.
struct DeviceQueues: Sendable {
  let upload: OpenCLHandle<QueueObject>
  let compute: OpenCLHandle<QueueObject>
  let download: OpenCLHandle<QueueObject>
  let isProfiling: Bool

  /// - Throws: `outOfMemory`, `deviceLost`.
  init(_ context: OpenCLContext, isProfiling: Bool) throws(CinematicError) {
    self.isProfiling = isProfiling
    if let queue = context.commandQueue {
      guard !isProfiling else {
        throw CinematicError(
          .unsupported, "kernels on a caller's OpenCL command queue are not timed",
          remedy: "hand over the context alone, or make the CommandQueue without isProfiling")
      }
      upload = queue
      compute = queue
      download = queue
      return
    }
    upload = try context.makeQueue(profiling: isProfiling)
    compute = try context.makeQueue(profiling: isProfiling)
    download = try context.makeQueue(profiling: isProfiling)
  }

  /// Blocks until nothing is left in any of them, whatever became of it, or the device does not answer.
  func drain(_ connection: OpenCLConnection) {
    for queue in [upload, compute, download] {
      try? connection.performWaiting("clFinish") { $0.clFinish(queue.pointer) }
    }
  }
}

/// A part of a submission on its way through the device, and all that it needs until it has landed.
// @unchecked Sendable: the queue's encoding thread fills it and then hands it to the waiting thread;
// after that the encoding thread looks only at `hasLanded` and `waitForLanding()`.
final class Flight: @unchecked Sendable {
  /// Rows on their way to the host.
  struct Download {
    let rows: HostPlane
    let address: UnsafeMutableRawPointer
    let event: OpenCLEvent
  }

  private let context: OpenCLContext
  private let queues: DeviceQueues
  /// Whether the submission asked for times; its queues may keep them for others.
  private let isTimed: Bool
  var error: CinematicError?
  var uploads: [OpenCLEvent] = []
  /// In the dispatches' order; events only where profiling.
  var kernels: [(kernel: Kernel, event: OpenCLEvent?)] = []
  var downloads: [Download] = []
  /// The end of the computation, and what else is to wait for.
  var awaited: [OpenCLEvent] = []
  var writes: [WritesInFlight.Write] = []
  /// Pool pieces, with the pool to give them back to.
  var pieces: [(BufferPool, BufferPool.Piece)] = []
  /// Buffers over pictures: they go before these, whose bytes they use.
  var hostBuffers: [HostBuffers.Buffer] = []
  /// Pictures and memory.
  var kept: [any Sendable] = []

  /// Called when the results are where they belong.
  private let landed: @Sendable () -> Void
  private let landing = DispatchGroup()
  private let landedFlag = Atomic(false)

  init(
    _ context: OpenCLContext, queues: DeviceQueues, isTimed: Bool,
    landed: @escaping @Sendable () -> Void
  ) {
    self.context = context
    self.queues = queues
    self.isTimed = isTimed
    self.landed = landed
    landing.enter()
  }

  var hasLanded: Bool { landedFlag.load(ordering: .acquiring) }

  /// Blocks until the flight has landed.
  func waitForLanding() { landing.wait() }

  /// Waits for the device, brings the results to where they belong, and lets go of everything.
  func land(into result: inout SubmissionResult) {
    if error == nil {
      do throws(CinematicError) {
        for download in downloads {
          try context.connection.wait(for: [download.event])
          download.rows.copy(from: download.address)
        }
        try context.connection.wait(for: awaited)
      } catch {
        self.error = error
      }
    }
    if result.error == nil { result.error = error }
    if error != nil, !context.connection.isHung { queues.drain(context.connection) }
    guard !context.connection.isHung else {
      // The device may still use all that it was given: that stays, as its driver's threads do.
      Self.abandoned.withLock { $0.append(self) }
      return finish()
    }
    if isTimed, error == nil { addTimings(to: &result) }

    for (pool, piece) in pieces { pool.giveBack([piece]) }
    pieces = []
    uploads = []
    kernels = []
    downloads = []
    awaited = []
    hostBuffers = []
    kept = []
    finish()
  }

  private static let abandoned = Mutex<[Flight]>([])

  private func finish() {
    landed()
    landedFlag.store(true, ordering: .releasing)
    landing.leave()
  }

  private func addTimings(to result: inout SubmissionResult) {
    func seconds(_ event: OpenCLEvent?) -> Double {
      event.flatMap { context.connection.seconds(of: $0) }.map { max($0.end - $0.start, 0) } ?? 0
    }
    result.timings += kernels.map {
      KernelTiming(kernel: $0.kernel.name, seconds: seconds($0.event))
    }
    result.uploadSeconds += uploads.reduce(0) { $0 + seconds($1) }
    result.downloadSeconds += downloads.reduce(0) { $0 + seconds($1.event) }
  }
}
