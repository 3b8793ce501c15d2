// SPDX-License-Identifier: Apache-2.0

import Dispatch
import FocalCore
import FocalRendering

/// Runs submissions in order; the next comes in and the last goes out while one is computed.
final class OpenCLQueue: DeviceQueue {
  private let encoder: FlightEncoder
  // A thread each for filling the device's queues, for waiting for the device, and for what waits
  // for the results: none holds up another.
  private let encoding = DispatchQueue(label: "focal.opencl.encoding", qos: .userInitiated)
  private let waiting = DispatchQueue(label: "focal.opencl.waiting", qos: .userInitiated)
  private let completions = DispatchQueue(label: "focal.opencl.completion", qos: .userInitiated)

  /// - Throws: `outOfMemory`, `deviceLost`.
  init(
    _ context: OpenCLContext, programs: KernelPrograms, usesHostMemory: Bool
  ) throws(CinematicError) {
    encoder = try FlightEncoder(context, programs: programs, usesHostMemory: usesHostMemory)
  }

  func submit(
    _ dispatches: [KernelDispatch], profiling: Bool,
    completion: @escaping @Sendable (SubmissionResult) -> Void
  ) {
    encoding.async { [self] in
      let journey = Journey()
      for part in PlanePlan.stages(of: dispatches) {
        let flight = encoder.encode(part, profiling: profiling)
        waiting.async { flight.land(into: &journey.result) }
      }
      waiting.async { [completions] in
        let result = journey.result
        // Handlers may take their time: the next flight lands meanwhile.
        completions.async { completion(result) }
      }
    }
  }

  /// The course of a submission, from its first flight to its last.
  // @unchecked Sendable: only the waiting thread touches the result.
  private final class Journey: @unchecked Sendable {
    var result = SubmissionResult()
  }
}
