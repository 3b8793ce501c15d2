// SPDX-License-Identifier: Apache-2.0

import CVulkan
import FocalCore

extension VulkanInstance {
  /// Makes a logical device with the features that the backend uses.
  ///
  /// - Parameter families: queue families and how many queues of each.
  /// - Throws: as the driver has it.
  func makeDevice(
    _ physical: PhysicalDevice, families: [(index: UInt32, count: Int)], timelines: Bool
  ) throws(CinematicError) -> Handle<Vulkan.Device> {
    let chain = StructureChain()
    defer { withExtendedLifetime(chain) {} }
    var storage16 = VkPhysicalDevice16BitStorageFeatures()
    storage16.storageBuffer16BitAccess = VkBool32(VK_TRUE)
    chain.append(storage16, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_16BIT_STORAGE_FEATURES)
    var storage8 = VkPhysicalDevice8BitStorageFeatures()
    storage8.storageBuffer8BitAccess = VkBool32(VK_TRUE)
    chain.append(storage8, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_8BIT_STORAGE_FEATURES)
    // Part of Vulkan 1.2, extensions before.
    var wanted = [
      VK_KHR_8BIT_STORAGE_EXTENSION_NAME, VK_KHR_STORAGE_BUFFER_STORAGE_CLASS_EXTENSION_NAME,
      VK_KHR_SHADER_FLOAT_CONTROLS_EXTENSION_NAME,
    ]
    if timelines {
      var timeline = VkPhysicalDeviceTimelineSemaphoreFeatures()
      timeline.timelineSemaphore = VkBool32(VK_TRUE)
      chain.append(timeline, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TIMELINE_SEMAPHORE_FEATURES)
      wanted.append(VK_KHR_TIMELINE_SEMAPHORE_EXTENSION_NAME)
    }
    if physical.apiVersion >= Version.v1_2 { wanted = [] }
    // A driver on top of another interface requires this acknowledgement of its limits.
    wanted.append("VK_KHR_portability_subset")
    let enabled = wanted.filter { physical.extensions.contains($0) }

    var device: VkDevice?
    let priorities: [Float] = [1, 1]
    let result = priorities.withUnsafeBufferPointer { priorities in
      let queues = families.map { family in
        var queue = VkDeviceQueueCreateInfo()
        queue.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO
        queue.queueFamilyIndex = family.index
        queue.queueCount = UInt32(min(family.count, priorities.count))
        queue.pQueuePriorities = priorities.baseAddress
        return queue
      }
      return queues.withUnsafeBufferPointer { queues in
        withCStrings(enabled) { names in
          var info = VkDeviceCreateInfo()
          info.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO
          info.pNext = UnsafeRawPointer(chain.first)
          info.queueCreateInfoCount = UInt32(queues.count)
          info.pQueueCreateInfos = queues.baseAddress
          info.enabledExtensionCount = UInt32(enabled.count)
          info.ppEnabledExtensionNames = names
          return options.call("vkCreateDevice") {
            functions.createDevice(physical.handle.pointer, &info, nil, &device)
          }
        }
      }
    }
    guard result == VK_SUCCESS, let device else {
      throw result.error("vkCreateDevice", on: physical.name)
    }
    return Handle(device)
  }
}
