// SPDX-License-Identifier: Apache-2.0

import CVulkan
import FocalCore
import Synchronization

/// A logical device: the driver's side of everything that the backend makes on a device.
final class VulkanDevice: Sendable {
  let instance: VulkanInstance
  let physical: PhysicalDevice
  let handle: Handle<Vulkan.Device>
  let functions: DeviceFunctions
  /// Whether submissions signal timeline semaphores; fences where not.
  let hasTimelines: Bool
  /// Whether kernels' buffers are memory that the host reaches as well.
  let isUnified: Bool
  /// Whether kernels read by texel fetches.
  let fetchesTexels: Bool
  let compute: SubmissionPort
  /// Queues that copy beside the kernels; `nil` where copies stand between the kernels.
  let upload: SubmissionPort?
  let download: SubmissionPort?

  /// Whether the device belongs to the caller, which destroys it.
  let isBorrowed: Bool

  private let state: Mutex<State>

  private struct State {
    var loss: CinematicError?
    var isHung = false
    var discarded: [@Sendable () -> Void] = []
    var heapUse: [Int]
    var allocationCount = 0
  }

  var options: VulkanOptions { instance.options }

  /// - Throws: `unsupported`, `outOfMemory` or `deviceLost`, as the driver has it.
  init(
    _ physical: PhysicalDevice, of instance: VulkanInstance, borrowed: BorrowedDevice? = nil
  ) throws(CinematicError) {
    guard let family = physical.computeFamily else {
      throw CinematicError(.unsupported, "\(physical.name) has no queue that computes")
    }
    let avoided = instance.options.avoided
    hasTimelines =
      (borrowed?.hasTimelines ?? true) && physical.features.timelineSemaphores
      && !avoided.contains(.timelineSemaphores)
    isUnified =
      physical.sharesHostMemory && !avoided.contains(.unifiedMemory)
      && physical.memoryTypes.contains {
        // Without a cache the host reads results many times as slowly as it copies them.
        MemoryUse.sharedWithHost.allows($0) && $0.has(VK_MEMORY_PROPERTY_HOST_CACHED_BIT)
      }
    fetchesTexels = physical.prefersTexelFetches && !avoided.contains(.texelFetches)
    // Without timeline semaphores copies stand between the kernels: one queue, one fence.
    let transfer =
      borrowed == nil && hasTimelines && !isUnified && !avoided.contains(.transferQueues)
      ? physical.transferFamily : nil

    isBorrowed = borrowed != nil
    let device: Handle<Vulkan.Device>
    if let borrowed {
      device = borrowed.device
    } else {
      device = try instance.makeDevice(
        physical,
        families: [(family.index, 1)] + (transfer.map { [($0.index, min($0.count, 2))] } ?? []),
        timelines: hasTimelines)
    }
    let functions: DeviceFunctions
    do throws(CinematicError) {
      functions = try DeviceFunctions(instance.functions, device)
    } catch {
      if !isBorrowed,
        let symbol = instance.functions.getDeviceProcAddr(device.pointer, "vkDestroyDevice")
      {
        unsafeBitCast(symbol, to: PFN_vkDestroyDevice.self)(device.pointer, nil)
      }
      throw error
    }
    if let borrowed {
      self.instance = instance
      self.physical = physical
      self.functions = functions
      handle = device
      state = Mutex(State(heapUse: Array(repeating: 0, count: physical.heapByteCounts.count)))
      compute = SubmissionPort(
        family: family, queue: borrowed.queue, access: borrowed.queueAccess)
      upload = nil
      download = nil
      return
    }
    func port(_ family: PhysicalDevice.QueueFamily, _ index: UInt32) -> SubmissionPort? {
      var queue: VkQueue?
      functions.getDeviceQueue(device.pointer, family.index, index, &queue)
      return queue.map { SubmissionPort(family: family, queue: Handle($0)) }
    }
    self.instance = instance
    self.physical = physical
    self.functions = functions
    handle = device
    state = Mutex(State(heapUse: Array(repeating: 0, count: physical.heapByteCounts.count)))
    guard let compute = port(family, 0) else {
      functions.destroyDevice(device.pointer, nil)
      throw CinematicError(.unsupported, "\(physical.name) gives no queue")
    }
    self.compute = compute
    let splits = instance.options.splitsTransfers && hasTimelines && !isUnified
    upload = transfer.flatMap { port($0, 0) } ?? (splits ? compute : nil)
    // On one queue a download that waits for its kernels would hold up the next frame's upload.
    download = transfer.flatMap { $0.count > 1 ? port($0, 1) : nil } ?? (splits ? compute : nil)
  }

  deinit {
    let (isHung, discarded) = state.withLock { ($0.isHung, $0.discarded) }
    // A device that never answers may still use what it was given: that is not taken away, nor is the
    // instance that it is part of.
    guard !isHung else {
      _ = Unmanaged.passRetained(instance)
      return
    }
    ProgramEnd.destroy {
      // Other queues of a caller's device are not for the engine to wait for.
      if isBorrowed {
        compute.drain(on: self)
      } else {
        _ = functions.deviceWaitIdle(handle.pointer)
      }
      for destroy in discarded { destroy() }
      if !isBorrowed { functions.destroyDevice(handle.pointer, nil) }
    }
  }

  // MARK: - Errors

  /// - Throws: `deviceLost`, once the device has stopped answering: always the same error.
  func checkAlive() throws(CinematicError) {
    if let loss = state.withLock({ $0.loss }) { throw loss }
  }

  /// Calls a function of the driver.
  ///
  /// - Throws: `outOfMemory`, `unsupported`, `deviceLost`; the last is remembered.
  func call(_ function: StaticString, _ body: () -> VkResult) throws(CinematicError) {
    let result = options.call(function, body)
    guard result != VK_SUCCESS else { return }
    throw failure(function, result)
  }

  func failure(_ function: StaticString, _ result: VkResult) -> CinematicError {
    let error = result.error(function, on: physical.name)
    return error.code == .deviceLost ? lose(error) : error
  }

  /// Remembers that the device is lost; returns the error that everything fails with from now on.
  func lose(_ error: CinematicError, isHung: Bool = false) -> CinematicError {
    state.withLock { state in
      let loss = state.loss ?? error
      state.loss = loss
      state.isHung = state.isHung || isHung
      return loss
    }
  }

  // MARK: - Objects

  /// Makes an object that is destroyed with its last reference.
  func make<Kind>(
    _ function: StaticString, _ kind: Kind.Type,
    destroy: @escaping @Sendable (DeviceFunctions, VkDevice, OpaquePointer) -> Void,
    create: (UnsafeMutablePointer<OpaquePointer?>) -> VkResult
  ) throws(CinematicError) -> Owned<Kind> {
    var pointer: OpaquePointer?
    try call(function) { create(&pointer) }
    guard let pointer else { throw failure(function, VK_ERROR_UNKNOWN) }
    return Owned(Handle(pointer), of: self, destroy: destroy)
  }

  /// A caller's object; `release` is called when nothing uses it any more.
  func adopt<Kind>(
    _ handle: Handle<Kind>, release: @escaping @Sendable () -> Void
  ) -> Owned<Kind> {
    Owned(handle, of: self) { _, _, _ in release() }
  }

  /// Destroys an object that nothing uses any more. Of a lost device that cannot be known: then it
  /// waits until the device itself goes.
  func discard(_ destroy: @escaping @Sendable () -> Void) {
    let isDeferred = state.withLock { state in
      if state.loss != nil { state.discarded.append(destroy) }
      return state.loss != nil
    }
    if !isDeferred { ProgramEnd.destroy(destroy) }
  }

  // MARK: - Bookkeeping of memory

  /// Books memory of a heap before it is allocated: drivers that compute on the processor promise
  /// more than there is.
  ///
  /// - Throws: `outOfMemory` beyond the heap's size or the largest number of allocations.
  func reserve(_ byteCount: Int, ofHeap heap: Int) throws(CinematicError) {
    let isFree = state.withLock { state in
      guard state.allocationCount < physical.limits.allocationCount,
        byteCount <= physical.heapByteCounts[heap] - state.heapUse[heap]
      else { return false }
      state.allocationCount += 1
      state.heapUse[heap] += byteCount
      return true
    }
    guard isFree else {
      throw CinematicError(
        .outOfMemory, "\(physical.name) has no memory left for \(byteCount) bytes",
        remedy: "render at a smaller size, or close what else uses the device")
    }
  }

  func unreserve(_ byteCount: Int, ofHeap heap: Int) {
    state.withLock { state in
      state.allocationCount -= 1
      state.heapUse[heap] -= byteCount
    }
  }

  /// How many pieces of memory are allocated on the device now.
  var allocationCount: Int { state.withLock { $0.allocationCount } }
}
