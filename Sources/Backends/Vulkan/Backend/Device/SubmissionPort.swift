// SPDX-License-Identifier: Apache-2.0

import CVulkan
import FocalCore
import Synchronization

/// A hardware queue; one thread at a time may submit to it.
final class SubmissionPort: Sendable {
  let family: PhysicalDevice.QueueFamily
  let handle: Handle<Vulkan.Queue>
  private let queue: Mutex<Handle<Vulkan.Queue>>
  private let access: VulkanQueueAccess

  /// - Parameter access: keeps the users of a queue apart that is not the engine's alone.
  init(
    family: PhysicalDevice.QueueFamily, queue: Handle<Vulkan.Queue>,
    access: @escaping VulkanQueueAccess = { $0() }
  ) {
    self.family = family
    handle = queue
    self.queue = Mutex(queue)
    self.access = access
  }

  /// Blocks until the driver is done with all submissions, as far as a device that answers is: one that
  /// does not is taken for lost.
  ///
  /// - Throws: `outOfMemory`, `deviceLost`.
  func settle(on device: VulkanDevice) throws(CinematicError) {
    let fence = try device.makeFence()
    try submit(nil, fence: fence.handle, on: device)
    try device.wait(for: fence)
  }

  /// Blocks until the driver is done with all submissions, its own bookkeeping included.
  func drain(on device: VulkanDevice) {
    access { queue.withLock { queue in _ = device.functions.queueWaitIdle(queue.pointer) } }
  }

  /// A value of a timeline semaphore, waited for or reached.
  struct Point {
    var semaphore: Handle<Vulkan.Semaphore>
    var value: UInt64
  }

  /// Runs commands after `wait`; reaches `signal` and signals `fence` when they are done.
  ///
  /// - Throws: `outOfMemory`: nothing runs then; `deviceLost`.
  func submit(
    _ commands: Handle<Vulkan.CommandBuffer>?, wait: Point? = nil, signal: Point? = nil,
    fence: Handle<Vulkan.Fence>? = nil, on device: VulkanDevice
  ) throws(CinematicError) {
    var commandBuffer: VkCommandBuffer? = commands?.pointer
    var waitSemaphore = wait?.semaphore.pointer
    var signalSemaphore = signal?.semaphore.pointer
    var waitValue = wait?.value ?? 0
    var signalValue = signal?.value ?? 0
    var stage = VkPipelineStageFlags(VK_PIPELINE_STAGE_ALL_COMMANDS_BIT.rawValue)
    var timeline = VkTimelineSemaphoreSubmitInfo()
    timeline.sType = VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO
    timeline.waitSemaphoreValueCount = wait == nil ? 0 : 1
    timeline.signalSemaphoreValueCount = signal == nil ? 0 : 1
    var info = VkSubmitInfo()
    info.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO
    info.commandBufferCount = commands == nil ? 0 : 1
    info.waitSemaphoreCount = timeline.waitSemaphoreValueCount
    info.signalSemaphoreCount = timeline.signalSemaphoreValueCount
    let result = withUnsafePointer(to: &commandBuffer) { commandBuffer in
      withUnsafePointer(to: &waitSemaphore) { waitSemaphore in
        withUnsafePointer(to: &signalSemaphore) { signalSemaphore in
          withUnsafePointer(to: &waitValue) { waitValue in
            withUnsafePointer(to: &signalValue) { signalValue in
              withUnsafePointer(to: &stage) { stage in
                timeline.pWaitSemaphoreValues = waitValue
                timeline.pSignalSemaphoreValues = signalValue
                return withUnsafePointer(to: &timeline) { timeline in
                  info.pNext = wait == nil && signal == nil ? nil : UnsafeRawPointer(timeline)
                  info.pCommandBuffers = commandBuffer
                  info.pWaitSemaphores = waitSemaphore
                  info.pSignalSemaphores = signalSemaphore
                  info.pWaitDstStageMask = stage
                  return device.options.call("vkQueueSubmit") {
                    var result = VK_SUCCESS
                    access {
                      result = queue.withLock { queue in
                        device.functions.queueSubmit(queue.pointer, 1, &info, fence?.pointer)
                      }
                    }
                    return result
                  }
                }
              }
            }
          }
        }
      }
    }
    guard result == VK_SUCCESS else { throw device.failure("vkQueueSubmit", result) }
  }
}
