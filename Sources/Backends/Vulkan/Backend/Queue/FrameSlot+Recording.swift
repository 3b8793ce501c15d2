// SPDX-License-Identifier: Apache-2.0

import CVulkan
import FocalCore
import FocalRendering

/// A submission as the device is to run it.
struct FrameWork: Sendable {
  let dispatches: ArraySlice<KernelDispatch>
  let planes: StagedPlanes
  let isProfiling: Bool
  /// The places of each job's dispatches.
  let jobs: [Range<Int>]
  /// Offsets of each dispatch's parameters in their buffer.
  let parameterOffsets: [Int]
  let parameterBytes: Int

  init(_ dispatches: ArraySlice<KernelDispatch>, isProfiling: Bool, largestJob: Int) {
    self.dispatches = dispatches
    self.isProfiling = isProfiling
    planes = StagedPlanes(PlanePlan(dispatches))
    jobs = DeviceJobs.jobs(of: dispatches, largest: largestJob)
    var offsets: [Int] = []
    var end = 0
    for dispatch in dispatches {
      offsets.append(end)
      end += (max(dispatch.parameters.count, 1) + 255) & ~255
    }
    parameterOffsets = offsets
    parameterBytes = end
  }

  /// Start, uploaded, after each dispatch, downloaded.
  var queryCount: Int { isProfiling ? dispatches.count + 3 : 0 }

  /// Checks what depends on the device's limits alone.
  ///
  /// - Throws: `unsupported` beyond them, `incompatible` for memory of another device.
  func validate(for device: VulkanDevice) throws(CinematicError) {
    let limits = device.physical.limits
    for dispatch in dispatches {
      let groups = dispatch.grid.groups(of: dispatch.kernel.workgroup)
      guard groups.x <= limits.groupCount.x, groups.y <= limits.groupCount.y,
        groups.z <= limits.groupCount.z
      else {
        throw CinematicError(
          .unsupported,
          "\(device.physical.name) cannot start as many workgroups as \(dispatch.kernel.name) needs",
          remedy: "render at a smaller size")
      }
      precondition(
        dispatch.bindings.count <= KernelBindings.buffers, "a kernel has at most 8 buffers")
      for case .memory(let memory, _) in dispatch.bindings {
        guard (memory as? VulkanMemory)?.buffer.device === device else {
          throw CinematicError(
            .incompatible, "memory of another device is bound to \(dispatch.kernel.name)",
            remedy: "make it with the queue's own device")
        }
      }
    }
    for use in planes.plan.uses where use.plane.byteCount > limits.largestBinding {
      throw CinematicError(
        .unsupported,
        "a plane of \(use.plane.byteCount) bytes is more than \(device.physical.name) binds (\(limits.largestBinding))",
        remedy: "render at a smaller size")
    }
  }
}

extension FrameSlot {
  /// Writes parameters and descriptors of a submission.
  func describe(_ work: FrameWork) {
    guard let parameters else { return }
    for (dispatch, offset) in zip(work.dispatches, work.parameterOffsets) {
      dispatch.parameters.withUnsafeBytes { bytes in
        UnsafeMutableRawBufferPointer(start: parameters.bytes + offset, count: bytes.count)
          .copyMemory(from: bytes)
      }
    }
    var infos: [VkDescriptorBufferInfo] = []
    infos.reserveCapacity(work.dispatches.count * KernelBindings.count)
    for (dispatch, offset) in zip(work.dispatches, work.parameterOffsets) {
      for index in 0..<KernelBindings.buffers {
        infos.append(piece(index, of: dispatch, work.planes).info)
      }
      let byteCount = (max(dispatch.parameters.count, 1) + 255) & ~255
      infos.append(Piece(buffer: parameters, offset: offset, byteCount: byteCount).info)
    }
    infos.withUnsafeBufferPointer { infos in
      let writes = (0..<work.dispatches.count).flatMap { index in
        // Bindings of one kind that follow each other are written together.
        KernelBindings.kinds(fetchesTexels: false).map { first, count in
          var write = VkWriteDescriptorSet()
          write.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET
          write.dstSet = sets[index].pointer
          write.dstBinding = UInt32(first)
          write.descriptorCount = UInt32(count)
          write.descriptorType = KernelBindings.type(of: first)
          write.pBufferInfo = infos.baseAddress.map { $0 + index * KernelBindings.count + first }
          return write
        }
      }
      device.functions.updateDescriptorSets(
        device.handle.pointer, UInt32(writes.count), writes, 0, nil)
    }
  }

  /// Writes the views of the buffers that the kernels fetch; those that are new are made.
  ///
  /// - Throws: `outOfMemory`, `deviceLost`.
  func describeFetches(
    _ work: FrameWork, _ kernels: [KernelPrograms.Variant: KernelPrograms.Program]
  ) throws(CinematicError) {
    guard let nothing = programs.nothingFetched else { return }
    views = []
    // All bindings: Mesa reads the descriptors of unused ones as well, and a view that they held may be destroyed.
    var pointers = [VkBufferView?](
      repeating: nothing.pointer, count: work.dispatches.count * KernelBindings.buffers)
    for (index, dispatch) in work.dispatches.enumerated() {
      for fetch in kernels[programs.variant(dispatch)]?.fetches ?? [] {
        let piece = piece(fetch.binding, of: dispatch, work.planes)
        let view = try piece.buffer.view(
          of: .init(offset: piece.offset, byteCount: piece.byteCount, element: fetch.element))
        views.append(view)
        pointers[index * KernelBindings.buffers + fetch.binding] = view.pointer
      }
    }
    pointers.withUnsafeBufferPointer { pointers in
      let writes = (0..<work.dispatches.count).map { index in
        var write = VkWriteDescriptorSet()
        write.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET
        write.dstSet = sets[index].pointer
        write.dstBinding = UInt32(KernelBindings.texels)
        write.descriptorCount = UInt32(KernelBindings.buffers)
        write.descriptorType = KernelBindings.type(of: KernelBindings.texels)
        write.pTexelBufferView = pointers.baseAddress.map { $0 + index * KernelBindings.buffers }
        return write
      }
      device.functions.updateDescriptorSets(
        device.handle.pointer, UInt32(writes.count), writes, 0, nil)
    }
  }

  /// A piece of a buffer.
  private struct Piece {
    var buffer: DeviceBuffer
    var offset: Int
    var byteCount: Int

    var info: VkDescriptorBufferInfo {
      VkDescriptorBufferInfo(
        buffer: buffer.buffer.pointer, offset: VkDeviceSize(offset), range: VkDeviceSize(byteCount))
    }
  }

  /// The piece of memory at binding `index` of a dispatch.
  private func piece(_ index: Int, of dispatch: KernelDispatch, _ staged: StagedPlanes) -> Piece {
    switch index < dispatch.bindings.count ? dispatch.bindings[index] : .none {
    case .memory(let memory, let offset):
      guard let memory = memory as? VulkanMemory else { break }
      // The last binding may share a larger piece of memory: what is beyond the limit is not its.
      let count = min((memory.byteCount + 255) & ~255, memory.buffer.bindableByteCount) - offset
      return Piece(
        buffer: memory.buffer, offset: offset,
        byteCount: min(count, device.physical.limits.largestBinding))
    case .pixels(let buffer, let index, _):
      let plane = HostPlane(buffer, plane: index)
      guard let offset = staged.offset(of: plane), let planes else { break }
      return Piece(buffer: planes, offset: offset, byteCount: (plane.byteCount + 255) & ~255)
    case .none: break
    }
    return Piece(buffer: programs.nothing, offset: 0, byteCount: 256)
  }

  /// Records the copies to the device, for a queue of their own.
  func recordUpload(_ work: FrameWork, in list: CommandList) throws(CinematicError) {
    try list.begin()
    copyUp(work, in: list)
    try list.end()
  }

  /// Records the copies from the device, for a queue of their own.
  func recordDownload(_ work: FrameWork, in list: CommandList) throws(CinematicError) {
    try list.begin()
    copyDown(work, in: list)
    list.barrier(.copies, .host)
    try list.end()
  }

  /// Records the kernels, job by job, and the copies that no queue of their own takes.
  func recordKernels(
    _ work: FrameWork, _ kernels: [KernelPrograms.Variant: KernelPrograms.Program], uploads: Bool,
    downloads: Bool
  ) throws(CinematicError) {
    let queries = work.isProfiling ? queries : nil
    for (list, job) in zip(jobs, work.jobs) {
      let isFirst = job.lowerBound == work.dispatches.startIndex
      let isLast = job.upperBound == work.dispatches.endIndex
      try list.begin()
      if isFirst, let queries {
        device.functions.cmdResetQueryPool(
          list.commands.pointer, queries.pointer, 0, UInt32(work.queryCount))
      }
      // After the job before, and the frames before, which share this one's working memory; on a
      // caller's queue after whatever the caller does there.
      list.barrier(device.isBorrowed ? .everything : .kernelsAndCopies, .kernelsAndCopies)
      if isFirst { recordStart(work, uploads: uploads, queries, in: list) }
      record(job, of: work, kernels, queries, in: list)
      if isLast { recordEnd(work, downloads: downloads, queries, in: list) }
      try list.end()
    }
  }

  private func recordStart(
    _ work: FrameWork, uploads: Bool, _ queries: Owned<Vulkan.QueryPool>?, in list: CommandList
  ) {
    if let queries { list.timestamp(0, in: queries) }
    if uploads {
      copyUp(work, in: list)
      list.barrier(.copies, .kernels)
    }
    if let queries { list.timestamp(1, in: queries) }
  }

  private func record(
    _ job: Range<Int>, of work: FrameWork,
    _ kernels: [KernelPrograms.Variant: KernelPrograms.Program],
    _ queries: Owned<Vulkan.QueryPool>?, in list: CommandList
  ) {
    var touched: Set<TouchedMemory> = []
    for place in job {
      let index = place - work.dispatches.startIndex, dispatch = work.dispatches[place]
      let used = memoryTouched(by: dispatch)
      // With the clock running each kernel runs alone.
      if place > job.lowerBound, work.isProfiling || !touched.isDisjoint(with: used) {
        list.barrier(.kernels, .kernels)
        touched = []
      }
      touched.formUnion(used)
      record(dispatch, sets[index], kernels, in: list)
      if let queries { list.timestamp(2 + index, in: queries) }
    }
  }

  private func recordEnd(
    _ work: FrameWork, downloads: Bool, _ queries: Owned<Vulkan.QueryPool>?, in list: CommandList
  ) {
    if downloads {
      list.barrier(.kernels, .copies)
      copyDown(work, in: list)
      list.barrier(.copies, .host)
    }
    if device.isUnified { list.barrier(.kernels, .host) }
    if device.isBorrowed { list.barrier(.kernelsAndCopies, .everything) }
    if let queries { list.timestamp(2 + work.dispatches.count, in: queries) }
  }

  private func record(
    _ dispatch: KernelDispatch, _ set: Handle<Vulkan.DescriptorSet>,
    _ kernels: [KernelPrograms.Variant: KernelPrograms.Program], in list: CommandList
  ) {
    guard let pipeline = kernels[programs.variant(dispatch)]?.pipeline else { return }
    let groups = dispatch.grid.groups(of: dispatch.kernel.workgroup)
    device.functions.cmdBindPipeline(
      list.commands.pointer, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline.pointer)
    var pointer: VkDescriptorSet? = set.pointer
    device.functions.cmdBindDescriptorSets(
      list.commands.pointer, VK_PIPELINE_BIND_POINT_COMPUTE, programs.layout.pointer, 0, 1,
      &pointer, 0, nil)
    device.functions.cmdDispatch(
      list.commands.pointer, UInt32(groups.x), UInt32(groups.y), UInt32(groups.z))
  }

  /// Memory that kernels may write and read.
  private enum TouchedMemory: Hashable {
    /// Callers' textures may lie in one buffer.
    case buffer(Handle<Vulkan.Buffer>)
    case plane(HostPlane)
  }

  /// The memory that a dispatch may read or write.
  private func memoryTouched(by dispatch: KernelDispatch) -> Set<TouchedMemory> {
    Set(
      dispatch.bindings.compactMap { binding in
        switch binding {
        case .memory(let memory, _):
          (memory as? VulkanMemory).map { .buffer($0.buffer.buffer.handle) }
        case .pixels(let buffer, let plane, _): .plane(HostPlane(buffer, plane: plane))
        case .none: nil
        }
      })
  }

  private func copyUp(_ work: FrameWork, in list: CommandList) {
    guard !work.planes.upload.isEmpty, let source = uploadBuffer, let planes else { return }
    list.copy(
      source, at: 0, to: planes, at: work.planes.upload.lowerBound,
      byteCount: work.planes.upload.count)
  }

  private func copyDown(_ work: FrameWork, in list: CommandList) {
    guard !work.planes.download.isEmpty, let destination = downloadBuffer, let planes else {
      return
    }
    list.copy(
      planes, at: work.planes.download.lowerBound, to: destination, at: 0,
      byteCount: work.planes.download.count)
  }
}
