// SPDX-License-Identifier: Apache-2.0

import CVulkan
import FocalCore
import FocalRendering

/// The objects that one submission in flight needs of a device, kept for the next: commands, parameters,
/// descriptors, and the memory that pictures are copied through. Everything only grows, so that a
/// steady stream of frames allocates nothing.
// @unchecked Sendable: a slot belongs to one submission at a time, whose stages follow each other:
// prepared, run by the device, finished, given back to the pool.
final class FrameSlot: @unchecked Sendable {
  let device: VulkanDevice
  let programs: KernelPrograms
  /// One for each job of the kernels.
  private(set) var jobs: [CommandList]
  let upload: CommandList?
  let download: CommandList?
  /// Signalled when the submission is done, on a device without timelines.
  let fence: Owned<Vulkan.Fence>?

  private(set) var parameters: DeviceBuffer?
  /// The pictures as kernels see them.
  private(set) var planes: DeviceBuffer?
  private var uploadStaging: DeviceBuffer?
  private var downloadStaging: DeviceBuffer?
  private(set) var sets: [Handle<Vulkan.DescriptorSet>] = []
  private var descriptorPool: Owned<Vulkan.DescriptorPool>?
  /// Views that the submission's kernels fetch from.
  var views: [Owned<Vulkan.BufferView>] = []
  private(set) var queries: Owned<Vulkan.QueryPool>?
  private var queryCapacity = 0

  init(_ programs: KernelPrograms) throws(CinematicError) {
    self.programs = programs
    device = programs.device
    jobs = [try CommandList(device, family: device.compute.family.index)]
    if let port = device.upload {
      upload = try CommandList(device, family: port.family.index)
    } else {
      upload = nil
    }
    if let port = device.download {
      download = try CommandList(device, family: port.family.index)
    } else {
      download = nil
    }
    fence = device.hasTimelines ? nil : try device.makeFence()
  }

  /// Where the host puts pictures for the device.
  var uploadBuffer: DeviceBuffer? { device.isUnified ? planes : uploadStaging }
  /// Where the host finds pictures of the device.
  var downloadBuffer: DeviceBuffer? { device.isUnified ? planes : downloadStaging }

  /// Makes room for the pictures in `staged`, `parameterBytes` of parameters and as many dispatches
  /// and jobs.
  ///
  /// - Throws: `outOfMemory`, `deviceLost`.
  func prepare(
    for staged: StagedPlanes, parameterBytes: Int, dispatchCount: Int, jobCount: Int,
    queryCount: Int
  ) throws(CinematicError) {
    try grow(&parameters, to: parameterBytes, device.isUnified ? .sharedWithHost : .upload)
    try grow(&planes, to: staged.byteCount, device.isUnified ? .sharedWithHost : .kernels)
    if !device.isUnified {
      try grow(&uploadStaging, to: staged.upload.count, .upload)
      try grow(&downloadStaging, to: staged.download.count, .download)
    }
    while jobs.count < jobCount {
      jobs.append(try CommandList(device, family: device.compute.family.index))
    }
    if sets.count < dispatchCount { try makeSets(max(dispatchCount, 2 * sets.count, 32)) }
    if queryCapacity < queryCount { try makeQueries(max(queryCount, 64)) }
  }

  private func grow(
    _ buffer: inout DeviceBuffer?, to byteCount: Int, _ use: MemoryUse
  ) throws(CinematicError) {
    guard byteCount > buffer?.byteCount ?? 0 else { return }
    // The old one goes first: together they may not fit.
    buffer = nil
    buffer = try DeviceBuffer(device, byteCount: byteCount, for: use)
  }

  /// Frees the memory that frames of any size need; only while no submission uses the slot.
  func freeMemory() {
    views = []
    parameters = nil
    planes = nil
    uploadStaging = nil
    downloadStaging = nil
  }

  private func makeSets(_ count: Int) throws(CinematicError) {
    sets = []
    descriptorPool = nil
    let pool = try device.make("vkCreateDescriptorPool", Vulkan.DescriptorPool.self) {
      functions, device, pointer in
      functions.destroyDescriptorPool(device, pointer, nil)
    } create: { pointer in
      let sizes = KernelBindings.kinds(fetchesTexels: device.fetchesTexels).map { first, bindings in
        VkDescriptorPoolSize(
          type: KernelBindings.type(of: first), descriptorCount: UInt32(count * bindings))
      }
      return sizes.withUnsafeBufferPointer { sizes in
        var info = VkDescriptorPoolCreateInfo()
        info.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO
        info.maxSets = UInt32(count)
        info.poolSizeCount = UInt32(sizes.count)
        info.pPoolSizes = sizes.baseAddress
        return device.functions.createDescriptorPool(device.handle.pointer, &info, nil, pointer)
      }
    }
    let layouts = [VkDescriptorSetLayout?](repeating: programs.setLayout.pointer, count: count)
    var new = [VkDescriptorSet?](repeating: nil, count: count)
    try device.call("vkAllocateDescriptorSets") {
      layouts.withUnsafeBufferPointer { layouts in
        var info = VkDescriptorSetAllocateInfo()
        info.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO
        info.descriptorPool = pool.pointer
        info.descriptorSetCount = UInt32(count)
        info.pSetLayouts = layouts.baseAddress
        return device.functions.allocateDescriptorSets(device.handle.pointer, &info, &new)
      }
    }
    descriptorPool = pool
    sets = new.compactMap { $0.map { Handle($0) } }
  }

  private func makeQueries(_ count: Int) throws(CinematicError) {
    queries = nil
    queryCapacity = 0
    queries = try device.make("vkCreateQueryPool", Vulkan.QueryPool.self) {
      functions, device, pointer in
      functions.destroyQueryPool(device, pointer, nil)
    } create: { pointer in
      var info = VkQueryPoolCreateInfo()
      info.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO
      info.queryType = VK_QUERY_TYPE_TIMESTAMP
      info.queryCount = UInt32(count)
      return device.functions.createQueryPool(device.handle.pointer, &info, nil, pointer)
    }
    queryCapacity = count
  }

  /// The first `count` timestamps of a finished submission, seconds from an arbitrary start.
  func timestamps(_ count: Int) throws(CinematicError) -> [Double] {
    guard let queries, count > 0 else { return [] }
    var ticks = [UInt64](repeating: 0, count: count)
    try device.call("vkGetQueryPoolResults") {
      device.functions.getQueryPoolResults(
        device.handle.pointer, queries.pointer, 0, UInt32(count), 8 * count, &ticks, 8,
        VK_QUERY_RESULT_64_BIT.rawValue | VK_QUERY_RESULT_WAIT_BIT.rawValue)
    }
    // Counters of few bits start again at 0 in between.
    let bits = UInt64(device.compute.family.timestampBits)
    let mask = bits < 64 ? (1 << bits) - 1 : UInt64.max
    return ticks.map {
      Double(($0 &- ticks[0]) & mask) * device.physical.limits.timestampPeriod * 1e-9
    }
  }
}
