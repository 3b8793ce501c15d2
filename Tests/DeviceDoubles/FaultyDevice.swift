// SPDX-License-Identifier: Apache-2.0

import Dispatch
import FocalCPU
import FocalCore
import FocalRendering
import Synchronization

/// The fault of a device that is wrong on purpose.
public enum DeviceFault: Sendable {
  /// One bit of what a kernel wrote to a binding is turned over: `bit` of its first float.
  case flippedBit(kernel: String, binding: Int, bit: Int)
  /// A kernel leaves a not-a-number in a binding.
  case notANumber(kernel: String, binding: Int)
  /// A kernel writes just before a binding's memory.
  case writeBefore(kernel: String, binding: Int)
  /// A kernel writes between the rows of a picture.
  case writeBetweenRows
  /// Pictures of a format get another first element than they should.
  case wrongElement(of: PixelFormat)
  /// From this submission on, counted from 0, each fails.
  case lost(from: Int)
  /// From this submission on, counted from 0, each needs a kernel that the driver does not compile.
  case notCompiling(from: Int)
  /// From this allocation on, counted from 0, each fails.
  case outOfMemory(from: Int)
  /// Submissions of so many frames, a submission each, are held until all are there; the kernels of all then read the
  /// parameters of the newest frame.
  case newestParameters(inFlight: Int)
}

extension Device {
  /// The processor with a fault, as a graphics device.
  public static func faulty(
    _ fault: DeviceFault?, identifier: String = "double:0", name: String = "Faulty GPU",
    kind: Kind = .discreteGPU
  ) -> Device {
    Device(
      backend: FaultyBackend(
        base: Device.cpu(threadCount: 2).backend, fault: fault, identifier: identifier, name: name,
        kind: kind))
  }
}

private final class FaultyBackend: DeviceBackend {
  private let base: any DeviceBackend
  private let fault: DeviceFault?
  private let allocations = Atomic(0)
  let identifier: String
  let name: String
  let kind: Device.Kind

  init(
    base: any DeviceBackend, fault: DeviceFault?, identifier: String, name: String,
    kind: Device.Kind
  ) {
    self.base = base
    self.fault = fault
    self.identifier = identifier
    self.name = name
    self.kind = kind
  }

  var driver: String { "double 1.0" }
  var memoryByteCount: Int? { 1 << 30 }
  var missingFeatures: [String] { ["correctness"] }
  var largestBindingByteCount: Int { base.largestBindingByteCount }
  var fusesTiles: Bool { base.fusesTiles }
  var tilesAtOnce: Int { base.tilesAtOnce }

  func makeMemory(byteCount: Int) throws(CinematicError) -> any DeviceMemory {
    let count = allocations.add(1, ordering: .relaxed).oldValue
    if case .outOfMemory(let first) = fault, count >= first {
      throw CinematicError(.outOfMemory, "\(identifier) has no memory left")
    }
    return try base.makeMemory(byteCount: byteCount)
  }

  func makeQueue() throws(CinematicError) -> any DeviceQueue {
    FaultyQueue(try base.makeQueue(), fault, identifier)
  }
}

private final class FaultyQueue: DeviceQueue {
  private let base: any DeviceQueue
  private let fault: DeviceFault?
  private let identifier: String
  private let submissions = Atomic(0)
  private let held = Mutex<[Submission]>([])

  /// What a frame's command buffer hands over.
  private struct Submission: Sendable {
    var dispatches: [KernelDispatch]
    var profiling: Bool
    var completion: @Sendable (SubmissionResult) -> Void
  }

  init(_ base: any DeviceQueue, _ fault: DeviceFault?, _ identifier: String) {
    self.base = base
    self.fault = fault
    self.identifier = identifier
  }

  func submit(
    _ dispatches: [KernelDispatch], profiling: Bool,
    completion: @escaping @Sendable (SubmissionResult) -> Void
  ) {
    if case .newestParameters(let count) = fault {
      hold(
        Submission(dispatches: dispatches, profiling: profiling, completion: completion),
        until: count)
      return
    }
    let number = submissions.add(1, ordering: .relaxed).oldValue
    if let error = failure(ofSubmission: number) {
      // In the order of submissions: behind what the base still has to do.
      base.submit([], profiling: profiling) { _ in completion(SubmissionResult(error: error)) }
      return
    }
    // Damage is done between dispatches, so that later ones read it.
    guard let index = dispatches.firstIndex(where: isAffected) else {
      base.submit(dispatches, profiling: profiling, completion: completion)
      return
    }
    let rest = Array(dispatches[(index + 1)...])
    base.submit(Array(dispatches[...index]), profiling: profiling) { [self] first in
      damage(dispatches[index])
      base.submit(rest, profiling: profiling) { second in
        completion(
          SubmissionResult(
            error: first.error ?? second.error, timings: first.timings + second.timings))
      }
    }
  }

  private func hold(_ submission: Submission, until count: Int) {
    let ready = held.withLock { held -> [Submission] in
      held.append(submission)
      guard held.count == count else { return [] }
      defer { held = [] }
      return held
    }
    guard let newest = ready.last?.dispatches else { return }
    for submission in ready {
      var dispatches = submission.dispatches
      for (index, dispatch) in newest.enumerated()
      where dispatches.indices.contains(index) && dispatches[index].kernel == dispatch.kernel {
        dispatches[index].parameters = dispatch.parameters
      }
      base.submit(
        dispatches, profiling: submission.profiling, completion: submission.completion)
    }
  }

  private func failure(ofSubmission number: Int) -> CinematicError? {
    switch fault {
    case .lost(let first) where number >= first:
      CinematicError(.deviceLost, "\(identifier) does not answer any more")
    case .notCompiling(let first) where number >= first:
      CinematicError(.unsupported, "a kernel does not compile on \(identifier)")
    default: nil
    }
  }

  private func isAffected(_ dispatch: KernelDispatch) -> Bool {
    switch fault {
    case .flippedBit(let kernel, _, _), .notANumber(let kernel, _), .writeBefore(let kernel, _):
      dispatch.kernel.name == kernel
    case .writeBetweenRows:
      dispatch.bindings.contains { if case .pixels(_, _, .write) = $0 { true } else { false } }
    case .wrongElement(let format):
      dispatch.bindings.contains {
        if case .pixels(let picture, _, .write) = $0 { picture.format == format } else { false }
      }
    default: false
    }
  }

  private func damage(_ dispatch: KernelDispatch) {
    switch fault {
    case .flippedBit(_, let binding, let bit):
      change(dispatch.bindings[binding], by: 0) { $0 ^ 1 << UInt32(bit) }
    case .notANumber(_, let binding):
      change(dispatch.bindings[binding], by: 0) { _ in Float.nan.bitPattern }
    case .writeBefore(_, let binding):
      change(dispatch.bindings[binding], by: -4) { ~$0 }
    case .writeBetweenRows:
      for case .pixels(let picture, let plane, .write) in dispatch.bindings {
        let layout = picture.planes[plane]
        picture.withUnsafeMutableBytes(ofPlane: plane) {
          $0[layout.dimensions.width * layout.bytesPerElement] ^= 0xFF
        }
      }
    case .wrongElement:
      for case .pixels(let picture, let plane, .write) in dispatch.bindings {
        // The upper byte of an element of two.
        picture.withUnsafeMutableBytes(ofPlane: plane) { $0[1] ^= 0x40 }
      }
    default: break
    }
  }

  private func change(_ binding: Binding, by distance: Int, _ body: (UInt32) -> UInt32) {
    guard case .memory(let memory, let offset) = binding, offset + distance >= 0 else { return }
    var word: UInt32 = 0
    withUnsafeMutableBytes(of: &word) { try? memory.read($0, from: offset + distance) }
    word = body(word)
    withUnsafeBytes(of: word) { try? memory.write($0, at: offset + distance) }
  }
}
