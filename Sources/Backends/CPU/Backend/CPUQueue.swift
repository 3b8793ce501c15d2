// SPDX-License-Identifier: Apache-2.0

import Dispatch
import FocalCore
import FocalRendering
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

extension Kernel {
  /// A kernel in C: the buffers, the parameters, the items of a row, and the range of rows or other
  /// pieces of work.
  typealias CPUEntryPoint =
    @convention(c) (
      UnsafePointer<UnsafeMutableRawPointer?>?, UnsafeRawPointer?, UInt32, UInt32, UInt32
    ) -> Void
}

/// Runs submissions one after the other, each kernel spread over the threads.
final class CPUQueue: DeviceQueue {
  private let threadCount: Int
  private let execution = DispatchQueue(label: "focal.cpu.execution", qos: .userInitiated)
  private let completions = DispatchQueue(label: "focal.cpu.completion", qos: .userInitiated)

  init(threadCount: Int) { self.threadCount = threadCount }

  func submit(
    _ dispatches: [KernelDispatch], profiling: Bool,
    completion: @escaping @Sendable (SubmissionResult) -> Void
  ) {
    execution.async { [self] in
      var result = SubmissionResult()
      for dispatch in dispatches {
        let start = DispatchTime.now().uptimeNanoseconds
        run(dispatch)
        if profiling {
          let elapsed = DispatchTime.now().uptimeNanoseconds - start
          result.timings.append(
            KernelTiming(kernel: dispatch.kernel.name, seconds: Double(elapsed) * 1e-9))
        }
      }
      // Handlers may take their time: the next submission starts meanwhile.
      completions.async { [result] in completion(result) }
    }
  }

  private func run(_ dispatch: KernelDispatch) {
    let addresses = Addresses(dispatch.bindings)
    let entryPoint = dispatch.kernel.entryPoint
    let columns = UInt32(dispatch.grid.x)
    let count = dispatch.items
    let threads = min(threadCount, count)
    guard threads > 1 else {
      dispatch.parameters.withUnsafeBytes { parameters in
        entryPoint(addresses.base, parameters.baseAddress, columns, 0, UInt32(count))
      }
      return
    }
    // Several pieces a thread, so that an expensive region does not leave the others idle.
    let step = max(1, count / (threads * 8))
    let next = Atomic<Int>(0)
    DispatchQueue.concurrentPerform(iterations: threads) { _ in
      dispatch.parameters.withUnsafeBytes { parameters in
        while true {
          let begin = next.add(step, ordering: .relaxed).oldValue
          guard begin < count else { return }
          entryPoint(
            addresses.base, parameters.baseAddress, columns, UInt32(begin),
            UInt32(min(begin + step, count)))
        }
      }
    }
  }
}

/// The addresses of a dispatch's bindings, as the kernels take them.
// @unchecked Sendable: the table is written once, before any thread reads it, and each address is
// kept valid by its dispatch, which outlives the run.
private final class Addresses: @unchecked Sendable {
  let base: UnsafeMutablePointer<UnsafeMutableRawPointer?>
  private let bindings: [Binding]

  init(_ bindings: [Binding]) {
    self.bindings = bindings
    base = .allocate(capacity: max(bindings.count, 1))
    for (index, binding) in bindings.enumerated() {
      switch binding {
      case .memory(let memory, let offset):
        guard let memory = memory as? CPUMemory else {
          preconditionFailure("memory of another device is bound to a CPU kernel")
        }
        (base + index).initialize(to: memory.base + offset)
      case .pixels(let buffer, let plane, _):
        (base + index).initialize(
          to: buffer.withUnsafeMutableBytes(ofPlane: plane) { $0.baseAddress })
      case .none:
        (base + index).initialize(to: nil)
      }
    }
  }

  deinit { base.deallocate() }
}

/// Cores that are switched on.
func activeProcessorCount() -> Int { max(1, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN)))) }
