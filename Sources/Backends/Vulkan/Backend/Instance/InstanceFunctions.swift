// SPDX-License-Identifier: Apache-2.0

import CVulkan
import FocalCore

/// The functions that need no device.
// @unchecked Sendable: addresses of code, never changed.
struct InstanceFunctions: @unchecked Sendable {
  let destroyInstance: PFN_vkDestroyInstance
  let enumeratePhysicalDevices: PFN_vkEnumeratePhysicalDevices
  let enumerateDeviceExtensionProperties: PFN_vkEnumerateDeviceExtensionProperties
  let getPhysicalDeviceProperties: PFN_vkGetPhysicalDeviceProperties
  let getPhysicalDeviceProperties2: PFN_vkGetPhysicalDeviceProperties2
  let getPhysicalDeviceFeatures2: PFN_vkGetPhysicalDeviceFeatures2
  let getPhysicalDeviceMemoryProperties: PFN_vkGetPhysicalDeviceMemoryProperties
  let getPhysicalDeviceQueueFamilyProperties: PFN_vkGetPhysicalDeviceQueueFamilyProperties
  let createDevice: PFN_vkCreateDevice
  let getDeviceProcAddr: PFN_vkGetDeviceProcAddr

  init(_ library: Library, _ instance: Handle<Vulkan.Instance>) throws(CinematicError) {
    destroyInstance = try library.load("vkDestroyInstance", instance)
    enumeratePhysicalDevices = try library.load("vkEnumeratePhysicalDevices", instance)
    enumerateDeviceExtensionProperties = try library.load(
      "vkEnumerateDeviceExtensionProperties", instance)
    getPhysicalDeviceProperties = try library.load("vkGetPhysicalDeviceProperties", instance)
    getPhysicalDeviceProperties2 = try library.load("vkGetPhysicalDeviceProperties2", instance)
    getPhysicalDeviceFeatures2 = try library.load("vkGetPhysicalDeviceFeatures2", instance)
    getPhysicalDeviceMemoryProperties = try library.load(
      "vkGetPhysicalDeviceMemoryProperties", instance)
    getPhysicalDeviceQueueFamilyProperties = try library.load(
      "vkGetPhysicalDeviceQueueFamilyProperties", instance)
    createDevice = try library.load("vkCreateDevice", instance)
    getDeviceProcAddr = try library.load("vkGetDeviceProcAddr", instance)
  }
}
