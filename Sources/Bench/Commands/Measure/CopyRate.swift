// SPDX-License-Identifier: Apache-2.0

import Dispatch
import FocalCore
import FocalRendering
import ShaderTypes
import Synchronization

/// How fast a device moves memory, by its own measure: the kernel that does least with what it reads
/// and writes.
enum CopyRate {
  /// Larger than any cache, smaller than what any device can bind.
  private static let largestCount = 1 << 24
  private static let runs = 4

  /// Bytes read plus bytes written a second.
  ///
  /// - Throws: `outOfMemory`, `deviceLost`.
  static func measure(_ device: Device) throws(CinematicError) -> Double {
    let backend = device.backend
    let size = MemoryLayout<Float>.stride
    let side = 4096
    let rows = min(largestCount, backend.largestBindingByteCount / size) / side
    let byteCount = rows * side * size
    let source = try backend.makeMemory(byteCount: byteCount)
    let destination = try backend.makeMemory(byteCount: byteCount)
    // Memory that was never written may not be resident.
    let ones = [Float](repeating: 1, count: side)
    for row in 0..<rows {
      try ones.withUnsafeBytes { bytes in
        Result { () throws(CinematicError) in
          try source.write(bytes, at: row * side * size)
        }
      }.get()
    }
    var parameters = FocalCircleOfConfusionParameters()
    parameters.width = Int32(side)
    parameters.height = Int32(rows)
    parameters.circles.focusDisparity = 0.5
    (parameters.circles.nearScale, parameters.circles.farScale) = (3, 3)
    parameters.circles.maximumRadius = 64
    let dispatch = KernelDispatch(
      .circleOfConfusion, [.memory(source), .memory(destination)], parameters, items: rows,
      grid: Grid(side, rows))
    let queue = try backend.makeQueue()
    let outcome = Outcome()
    let done = DispatchSemaphore(value: 0)
    // The first run touches the destination and compiles the kernel.
    queue.submit([KernelDispatch](repeating: dispatch, count: runs), profiling: true) {
      result in
      outcome.result.withLock { $0 = result }
      done.signal()
    }
    done.wait()
    let result = outcome.result.withLock { $0 }
    if let error = result.error { throw error }
    let best = result.timings.dropFirst().map(\.seconds).min() ?? 0
    return 2 * Double(byteCount) / max(best, 1e-9)
  }

  private final class Outcome: Sendable {
    let result = Mutex(SubmissionResult())
  }
}
