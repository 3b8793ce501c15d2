// SPDX-License-Identifier: Apache-2.0

import CVulkan
import FocalCore

/// A list of commands for a queue family, recorded anew for each use.
struct CommandList: Sendable {
  let device: VulkanDevice
  let commands: Handle<Vulkan.CommandBuffer>
  private let pool: Owned<Vulkan.CommandPool>

  /// - Throws: `outOfMemory`, `deviceLost`.
  init(_ device: VulkanDevice, family: UInt32) throws(CinematicError) {
    self.device = device
    let pool = try device.make("vkCreateCommandPool", Vulkan.CommandPool.self) {
      functions, device, pointer in
      functions.destroyCommandPool(device, pointer, nil)
    } create: { pointer in
      var info = VkCommandPoolCreateInfo()
      info.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO
      info.queueFamilyIndex = family
      return device.functions.createCommandPool(device.handle.pointer, &info, nil, pointer)
    }
    var info = VkCommandBufferAllocateInfo()
    info.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO
    info.commandPool = pool.pointer
    info.level = VK_COMMAND_BUFFER_LEVEL_PRIMARY
    info.commandBufferCount = 1
    var buffer: VkCommandBuffer?
    try device.call("vkAllocateCommandBuffers") {
      device.functions.allocateCommandBuffers(device.handle.pointer, &info, &buffer)
    }
    guard let buffer else { throw device.failure("vkAllocateCommandBuffers", VK_ERROR_UNKNOWN) }
    self.pool = pool
    commands = Handle(buffer)
  }

  /// Forgets what was recorded and starts anew; only when the device is done with it.
  func begin() throws(CinematicError) {
    try device.call("vkResetCommandPool") {
      device.functions.resetCommandPool(device.handle.pointer, pool.pointer, 0)
    }
    var info = VkCommandBufferBeginInfo()
    info.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO
    info.flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT.rawValue
    try device.call("vkBeginCommandBuffer") {
      device.functions.beginCommandBuffer(commands.pointer, &info)
    }
  }

  func end() throws(CinematicError) {
    try device.call("vkEndCommandBuffer") {
      device.functions.endCommandBuffer(commands.pointer)
    }
  }

  /// The users of memory before or after a barrier.
  enum Users {
    case kernels
    case copies
    case kernelsAndCopies
    case host
    /// Any command of the queue.
    case everything

    fileprivate var stages: UInt32 {
      switch self {
      case .kernels: VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT.rawValue
      case .copies: VK_PIPELINE_STAGE_TRANSFER_BIT.rawValue
      case .kernelsAndCopies: Users.kernels.stages | Users.copies.stages
      case .host: VK_PIPELINE_STAGE_HOST_BIT.rawValue
      case .everything: VK_PIPELINE_STAGE_ALL_COMMANDS_BIT.rawValue
      }
    }

    fileprivate var writes: UInt32 {
      switch self {
      case .kernels: VK_ACCESS_SHADER_WRITE_BIT.rawValue
      case .copies: VK_ACCESS_TRANSFER_WRITE_BIT.rawValue
      case .kernelsAndCopies: Users.kernels.writes | Users.copies.writes
      case .host: VK_ACCESS_HOST_WRITE_BIT.rawValue
      case .everything: VK_ACCESS_MEMORY_WRITE_BIT.rawValue
      }
    }

    fileprivate var reads: UInt32 {
      switch self {
      case .kernels: VK_ACCESS_SHADER_READ_BIT.rawValue
      case .copies: VK_ACCESS_TRANSFER_READ_BIT.rawValue
      case .kernelsAndCopies: Users.kernels.reads | Users.copies.reads
      case .host: VK_ACCESS_HOST_READ_BIT.rawValue
      case .everything: VK_ACCESS_MEMORY_READ_BIT.rawValue
      }
    }
  }

  /// Later commands see the results of earlier ones, and overwrite nothing that is still read.
  func barrier(_ before: Users, _ after: Users) {
    var barrier = VkMemoryBarrier()
    barrier.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER
    barrier.srcAccessMask = before.writes
    barrier.dstAccessMask = after.reads | after.writes
    device.functions.cmdPipelineBarrier(
      commands.pointer, before.stages, after.stages, 0, 1, &barrier, 0, nil, 0, nil)
  }

  func copy(
    _ source: DeviceBuffer, at sourceOffset: Int, to destination: DeviceBuffer,
    at destinationOffset: Int, byteCount: Int
  ) {
    var region = VkBufferCopy(
      srcOffset: VkDeviceSize(sourceOffset), dstOffset: VkDeviceSize(destinationOffset),
      size: VkDeviceSize(byteCount))
    device.functions.cmdCopyBuffer(
      commands.pointer, source.buffer.pointer, destination.buffer.pointer, 1, &region)
  }

  /// Notes the time when everything before is done.
  func timestamp(_ index: Int, in queries: Owned<Vulkan.QueryPool>) {
    device.functions.cmdWriteTimestamp(
      commands.pointer, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, queries.pointer, UInt32(index))
  }
}
