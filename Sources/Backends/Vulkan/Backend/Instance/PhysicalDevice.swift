// SPDX-License-Identifier: Apache-2.0

import CVulkan
import FocalCore
import FocalRendering

/// A driver's description of a device, read once.
struct PhysicalDevice: Sendable {
  let handle: Handle<Vulkan.PhysicalDevice>
  let name: String
  let driver: String
  let kind: Device.Kind
  var apiVersion: UInt32
  let limits: Limits
  let extensions: Set<String>
  var families: [QueueFamily]
  let memoryTypes: [MemoryType]
  let heapByteCounts: [Int]
  var storage: (bits8: Bool, bits16: Bool)
  let features: Features
  /// Everything that decides whether the driver takes back a compiled pipeline.
  let programIdentity: String

  struct Limits: Sendable {
    var largestBinding: Int
    var largestAllocation: Int
    var allocationCount: Int
    var storageBuffers: Int
    /// Elements of a texel buffer.
    var largestTexelCount: Int
    /// Texel buffers of a kernel.
    var texelBufferCount: Int
    var groupCount: Grid
    /// Nanoseconds of a tick of the timestamps.
    var timestampPeriod: Double
  }

  struct QueueFamily: Sendable {
    var index: UInt32
    var count: Int
    var flags: UInt32
    var timestampBits: UInt32

    func can(_ flag: VkQueueFlagBits) -> Bool { flags & flag.rawValue != 0 }
  }

  struct MemoryType: Sendable {
    var index: UInt32
    var heap: Int
    var flags: UInt32

    func has(_ flag: VkMemoryPropertyFlagBits) -> Bool { flags & flag.rawValue != 0 }
  }

  /// Features that some devices have and the backend uses or reports.
  struct Features: Sendable {
    var timelineSemaphores: Bool
    var halfArithmetic: Bool
    var subgroupArithmetic: Bool
    var preservesDenormals: Bool
    var preservesNaN: Bool
    var roundsToNearest: Bool
  }

  /// Why the engine cannot run on it; `nil` where it can.
  var obstacle: String? {
    if apiVersion < Version.v1_1 {
      return "it has Vulkan \(Version.text(apiVersion)), and 1.1 is needed; update its driver"
    }
    if computeFamily == nil { return "it has no queue that computes" }
    if !storage.bits16 { return "it cannot store 16-bit numbers in buffers" }
    if !storage.bits8 { return "it cannot store 8-bit numbers in buffers" }
    if limits.storageBuffers < KernelBindings.count {
      return
        "a kernel needs \(KernelBindings.count) buffers, and it binds \(limits.storageBuffers)"
    }
    return nil
  }

  /// Whether kernels read by texel fetches: where that is faster, and any buffer can be read so.
  var prefersTexelFetches: Bool {
    kind == .softwareGPU && limits.largestTexelCount >= limits.largestBinding
      && limits.texelBufferCount >= KernelBindings.buffers
  }

  /// The family that runs the kernels: one that tells the time where there is one.
  var computeFamily: QueueFamily? {
    let families = families.filter { $0.can(VK_QUEUE_COMPUTE_BIT) }
    return families.first { $0.timestampBits > 0 } ?? families.first
  }

  /// A family that only copies, beside the kernels; `nil` where there is none.
  var transferFamily: QueueFamily? {
    let families = families.filter {
      $0.can(VK_QUEUE_TRANSFER_BIT) && !$0.can(VK_QUEUE_COMPUTE_BIT)
        && !$0.can(VK_QUEUE_GRAPHICS_BIT)
    }
    // Families that decode and encode video copy too, on engines that are not made for it: the fewer
    // other things one can do, the better.
    let plain =
      VK_QUEUE_TRANSFER_BIT.rawValue | VK_QUEUE_SPARSE_BINDING_BIT.rawValue
      | VK_QUEUE_PROTECTED_BIT.rawValue
    func others(_ family: QueueFamily) -> Int { (family.flags & ~plain).nonzeroBitCount }
    return families.min { others($0) < others($1) }
  }

  /// Whether the device's memory is the host's: a processor, or a GPU beside one.
  var sharesHostMemory: Bool { kind != .discreteGPU }

  /// Bytes of the device's own memory; `nil` where it is the host's.
  var memoryByteCount: Int? {
    guard !sharesHostMemory else { return nil }
    return memoryTypes.filter { $0.has(VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT) }
      .map { heapByteCounts[$0.heap] }.max()
  }

  /// Features that it lacks and the backend does without, for people to read.
  var missingFeatures: [String] {
    var missing: [String] = []
    if !features.timelineSemaphores { missing.append("timeline semaphores") }
    if transferFamily == nil && !sharesHostMemory { missing.append("a transfer queue") }
    if !features.halfArithmetic { missing.append("half arithmetic") }
    if !features.subgroupArithmetic { missing.append("subgroup arithmetic") }
    if !features.preservesDenormals { missing.append("a promise to keep denormals") }
    if (computeFamily?.timestampBits ?? 0) == 0 { missing.append("timestamps") }
    return missing
  }
}

/// The bindings of every kernel.
enum KernelBindings {
  /// Buffers of a dispatch at most.
  static let buffers = 8
  /// Where the parameter struct is bound.
  static let parameters = 8
  /// Buffers and parameters: the bindings of every device.
  static let count = 9
  /// Where, on a device that fetches texels, the views of the buffers follow.
  static let texels = 9

  static func type(of binding: Int) -> VkDescriptorType {
    switch binding {
    case ..<parameters: VK_DESCRIPTOR_TYPE_STORAGE_BUFFER
    case parameters: VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER
    default: VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER
    }
  }

  /// Bindings of one kind that follow each other, the kind's first and how many.
  static func kinds(fetchesTexels: Bool) -> [(first: Int, count: Int)] {
    [(0, buffers), (parameters, 1)] + (fetchesTexels ? [(texels, buffers)] : [])
  }
}
