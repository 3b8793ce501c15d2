// SPDX-License-Identifier: Apache-2.0

import CVulkan
import FocalCore

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

extension VulkanDevice {
  func makeFence() throws(CinematicError) -> Owned<Vulkan.Fence> {
    try make("vkCreateFence", Vulkan.Fence.self) { functions, device, pointer in
      functions.destroyFence(device, pointer, nil)
    } create: { pointer in
      var info = VkFenceCreateInfo()
      info.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO
      return functions.createFence(handle.pointer, &info, nil, pointer)
    }
  }

  /// A semaphore that counts up from 0.
  func makeTimeline() throws(CinematicError) -> Owned<Vulkan.Semaphore> {
    try make("vkCreateSemaphore", Vulkan.Semaphore.self) { functions, device, pointer in
      functions.destroySemaphore(device, pointer, nil)
    } create: { pointer in
      var type = VkSemaphoreTypeCreateInfo()
      type.sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO
      type.semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE
      return withUnsafePointer(to: type) { type in
        var info = VkSemaphoreCreateInfo()
        info.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO
        info.pNext = UnsafeRawPointer(type)
        return functions.createSemaphore(handle.pointer, &info, nil, pointer)
      }
    }
  }

  /// Makes a fence ready for its next use.
  func reset(_ fence: Owned<Vulkan.Fence>) throws(CinematicError) {
    var pointer: VkFence? = fence.pointer
    try call("vkResetFences") { functions.resetFences(handle.pointer, 1, &pointer) }
  }

  /// Blocks until a fence is signalled.
  ///
  /// - Throws: `deviceLost`.
  func wait(for fence: Owned<Vulkan.Fence>) throws(CinematicError) {
    var pointer: VkFence? = fence.pointer
    try wait("vkWaitForFences") { nanoseconds in
      functions.waitForFences(handle.pointer, 1, &pointer, VkBool32(VK_TRUE), nanoseconds)
    }
  }

  /// Blocks until a timeline has reached a point.
  ///
  /// - Throws: `deviceLost`.
  func wait(for point: SubmissionPort.Point) throws(CinematicError) {
    var semaphore: VkSemaphore? = point.semaphore.pointer
    var value = point.value
    guard let waitSemaphores = functions.waitSemaphores else {
      throw missingFunction("vkWaitSemaphores")
    }
    try wait("vkWaitSemaphores") { nanoseconds in
      withUnsafePointer(to: &semaphore) { semaphore in
        withUnsafePointer(to: &value) { value in
          var info = VkSemaphoreWaitInfo()
          info.sType = VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO
          info.semaphoreCount = 1
          info.pSemaphores = semaphore
          info.pValues = value
          return waitSemaphores(handle.pointer, &info, nanoseconds)
        }
      }
    }
  }

  /// Waits in steps, so that a device that never answers is taken for lost in the end.
  private func wait(
    _ function: StaticString, _ body: (UInt64) -> VkResult
  ) throws(CinematicError) {
    let step: UInt64 = 5_000_000_000
    let longest = 60
    // A wait that fails for want of memory tells nothing of the work: it is asked again, with pauses.
    let tries = 20
    var failures = 0
    for _ in 0..<longest + tries {
      try checkAlive()
      let result = options.call(function) { body(step) }
      switch result {
      case VK_SUCCESS: return
      case VK_TIMEOUT: continue
      case _ where result.code == .outOfMemory && failures < tries:
        failures += 1
        usleep(1000)
      case _ where result.code == .outOfMemory:
        throw failure(function, VK_ERROR_DEVICE_LOST)
      default: throw failure(function, result)
      }
    }
    throw lose(
      CinematicError(
        .deviceLost,
        "\(physical.name) has not answered for \(longest * Int(step / 1_000_000_000)) s",
        remedy: "use another device, or start again"), isHung: true)
  }
}
