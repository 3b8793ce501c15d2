// SPDX-License-Identifier: Apache-2.0

import FocalVulkan
import VulkanHeaders

/// A Vulkan program's device, queue and buffers, as it would have them for work of its own.
///
/// Instance, device and buffers live until the process ends.
struct Program {
  let instance: VkInstance
  let physicalDevice: VkPhysicalDevice
  let device: VkDevice
  let queue: VkQueue
  let family: UInt32

  /// A buffer in memory that the host reaches as well.
  struct Buffer {
    let handle: VkBuffer
    let bytes: UnsafeMutableRawPointer
  }

  /// The engine's description of them.
  var handles: VulkanHandles {
    VulkanHandles(
      instance: instance, physicalDevice: physicalDevice, device: device, queue: queue,
      queueFamilyIndex: family, hasTimelineSemaphores: true)
  }

  /// `nil` if there is no device of Vulkan 1.2.
  init?() {
    var application = VkApplicationInfo()
    application.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO
    application.apiVersion = 1 << 22 | 2 << 12
    var instance: VkInstance?
    withUnsafePointer(to: application) { application in
      var info = VkInstanceCreateInfo()
      info.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO
      info.pApplicationInfo = application
      _ = vkCreateInstance(&info, nil, &instance)
    }
    guard let instance else { return nil }
    var count: UInt32 = 1
    var found: VkPhysicalDevice?
    let listed = vkEnumeratePhysicalDevices(instance, &count, &found)
    guard listed == VK_SUCCESS || listed == VK_INCOMPLETE, let found else { return nil }
    var properties = VkPhysicalDeviceProperties()
    vkGetPhysicalDeviceProperties(found, &properties)
    guard properties.apiVersion >= application.apiVersion else { return nil }

    var familyCount: UInt32 = 0
    vkGetPhysicalDeviceQueueFamilyProperties(found, &familyCount, nil)
    var families = Array(repeating: VkQueueFamilyProperties(), count: Int(familyCount))
    vkGetPhysicalDeviceQueueFamilyProperties(found, &familyCount, &families)
    guard
      let family = families.firstIndex(where: {
        $0.queueFlags & VK_QUEUE_COMPUTE_BIT.rawValue != 0
      })
    else { return nil }

    // The extensions that the engine needs of a device.
    var features = VkPhysicalDeviceVulkan12Features()
    features.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES
    features.storageBuffer8BitAccess = VkBool32(VK_TRUE)
    features.timelineSemaphore = VkBool32(VK_TRUE)
    var features11 = VkPhysicalDeviceVulkan11Features()
    features11.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES
    features11.storageBuffer16BitAccess = VkBool32(VK_TRUE)
    let priority: Float = 1
    var device: VkDevice?
    withUnsafeMutablePointer(to: &features) { features in
      features11.pNext = UnsafeMutableRawPointer(features)
      withUnsafePointer(to: features11) { features11 in
        withUnsafePointer(to: priority) { priority in
          var queue = VkDeviceQueueCreateInfo()
          queue.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO
          queue.queueFamilyIndex = UInt32(family)
          queue.queueCount = 1
          queue.pQueuePriorities = priority
          withUnsafePointer(to: queue) { queue in
            var info = VkDeviceCreateInfo()
            info.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO
            info.pNext = UnsafeRawPointer(features11)
            info.queueCreateInfoCount = 1
            info.pQueueCreateInfos = queue
            _ = vkCreateDevice(found, &info, nil, &device)
          }
        }
      }
    }
    guard let device else { return nil }
    var queue: VkQueue?
    vkGetDeviceQueue(device, UInt32(family), 0, &queue)
    guard let queue else { return nil }
    self.instance = instance
    physicalDevice = found
    self.device = device
    self.queue = queue
    self.family = UInt32(family)
  }

  /// A buffer that kernels and copies may use.
  func makeBuffer(byteCount: Int) -> Buffer {
    var info = VkBufferCreateInfo()
    info.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO
    info.size = VkDeviceSize(byteCount)
    info.usage =
      VK_BUFFER_USAGE_STORAGE_BUFFER_BIT.rawValue | VK_BUFFER_USAGE_TRANSFER_SRC_BIT.rawValue
      | VK_BUFFER_USAGE_TRANSFER_DST_BIT.rawValue
    var buffer: VkBuffer?
    var memory: VkDeviceMemory?
    var bytes: UnsafeMutableRawPointer?
    guard vkCreateBuffer(device, &info, nil, &buffer) == VK_SUCCESS, let buffer else {
      fatalError("no buffer of \(byteCount) bytes")
    }
    var requirements = VkMemoryRequirements()
    vkGetBufferMemoryRequirements(device, buffer, &requirements)
    var allocation = VkMemoryAllocateInfo()
    allocation.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO
    allocation.allocationSize = requirements.size
    allocation.memoryTypeIndex = hostMemoryType(of: requirements.memoryTypeBits)
    guard vkAllocateMemory(device, &allocation, nil, &memory) == VK_SUCCESS, let memory,
      vkBindBufferMemory(device, buffer, memory, 0) == VK_SUCCESS,
      vkMapMemory(device, memory, 0, VkDeviceSize(byteCount), 0, &bytes) == VK_SUCCESS, let bytes
    else { fatalError("no memory of \(byteCount) bytes that the host reaches") }
    return Buffer(handle: buffer, bytes: bytes)
  }

  /// A type of memory that the host reaches, of those in `mask`.
  private func hostMemoryType(of mask: UInt32) -> UInt32 {
    var memory = VkPhysicalDeviceMemoryProperties()
    vkGetPhysicalDeviceMemoryProperties(physicalDevice, &memory)
    let wanted =
      VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT.rawValue | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT.rawValue
    return withUnsafeBytes(of: memory.memoryTypes) { bytes in
      let types = bytes.bindMemory(to: VkMemoryType.self)
      let found = (0..<memory.memoryTypeCount).first {
        mask >> $0 & 1 == 1 && types[Int($0)].propertyFlags & wanted == wanted
      }
      guard let found else { fatalError("the device has no memory that the host reaches") }
      return found
    }
  }
}
