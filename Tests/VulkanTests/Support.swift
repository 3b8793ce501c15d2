// SPDX-License-Identifier: Apache-2.0

import ConformanceKit
import Dispatch
import FocalCPU
import FocalCore
import FocalRendering
import ShaderTypes
import Synchronization
import Testing

@testable import FocalVulkan

/// A way in which the backend can use a device: every machine's default, and what it does on devices
/// that have less.
enum Way: String, CaseIterable, Sendable, CustomTestStringConvertible {
  case everything
  case withoutTimelines
  case withoutSharedMemory
  case withoutBoth
  /// Copies as on a device that has queues for them, one submission each.
  case withTransfersApart
  /// Loads from storage buffers alone, as graphics devices do.
  case withoutTexelFetches
  /// Every kernel a job of its own, pictures a stage each.
  case inSmallJobs

  var avoided: Set<VulkanOptions.Feature> {
    switch self {
    case .everything, .inSmallJobs: []
    case .withoutTimelines: [.timelineSemaphores]
    case .withoutSharedMemory, .withTransfersApart: [.unifiedMemory]
    case .withoutBoth: [.timelineSemaphores, .unifiedMemory]
    case .withoutTexelFetches: [.texelFetches]
    }
  }

  var testDescription: String { rawValue }

  func options(hook: CallHook? = nil) -> VulkanOptions {
    var options = VulkanOptions()
    options.avoided = avoided
    options.splitsTransfers = self == .withTransfersApart
    if self == .inSmallJobs { (options.largestJob, options.largestStage) = (1, 1) }
    options.hook = hook
    return options
  }
}

/// The machine's first Vulkan device, used in a way; `nil` where there is none.
func makeDevice(_ way: Way = .everything, hook: CallHook? = nil) -> Device? {
  DeviceListing.vulkan(way.options(hook: hook)).devices.first
}

/// Whether the machine has a Vulkan device, for tests that need one.
let hasDevice = makeDevice() != nil
let skipReason: Comment = "no Vulkan driver lists a device that can run the engine"

extension Device {
  func memory(_ floats: [Float]) throws -> any DeviceMemory {
    let memory = try backend.makeMemory(byteCount: floats.count * 4)
    try memory.write(floats, at: 0)
    return memory
  }
}

extension DeviceMemory {
  func write(_ floats: [Float], at offset: Int) throws {
    let copy = UnsafeMutableBufferPointer<Float>.allocate(capacity: floats.count)
    defer { copy.deallocate() }
    _ = copy.initialize(from: floats)
    try write(UnsafeRawBufferPointer(copy), at: offset)
  }

  /// `count` floats from a byte offset on.
  func floats(_ count: Int, at offset: Int) throws -> [Float] {
    let copy = UnsafeMutableBufferPointer<Float>.allocate(capacity: count)
    defer { copy.deallocate() }
    copy.initialize(repeating: .nan)
    try read(UnsafeMutableRawBufferPointer(copy), from: offset)
    return Array(copy)
  }

  func floats() throws -> [Float] { try floats(byteCount / 4, at: 0) }
}

extension DeviceQueue {
  /// Runs dispatches and waits for their end.
  @discardableResult
  func run(_ dispatches: [KernelDispatch], profiling: Bool = false) -> SubmissionResult {
    let result = Mutex<SubmissionResult?>(nil)
    let done = DispatchSemaphore(value: 0)
    submit(dispatches, profiling: profiling) { ended in
      result.withLock { $0 = ended }
      done.signal()
    }
    done.wait()
    return result.withLock { $0 } ?? SubmissionResult()
  }
}

/// Disparities of `input` to radii in `output`: radius = (disparity - focus) * scale, clamped.
func circle(
  _ input: Binding, _ output: Binding, _ width: Int, _ height: Int, focus: Float = 0,
  scale: Float = 1, maximum: Float = 1e9
) -> KernelDispatch {
  var parameters = FocalCircleOfConfusionParameters()
  parameters.width = Int32(width)
  parameters.height = Int32(height)
  parameters.circles.focusDisparity = focus
  (parameters.circles.nearScale, parameters.circles.farScale) = (scale, scale)
  parameters.circles.maximumRadius = maximum
  return KernelDispatch(
    .circleOfConfusion, [input, output], parameters, items: height, grid: Grid(width, height))
}

func randomFloats(_ count: Int, seed: UInt64) -> [Float] {
  var generator = SeededGenerator(seed: seed)
  return (0..<count).map { _ in Float.random(in: -2...2, using: &generator) }
}
