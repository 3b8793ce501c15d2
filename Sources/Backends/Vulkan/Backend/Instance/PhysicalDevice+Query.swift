// SPDX-License-Identifier: Apache-2.0

import CVulkan
import FocalCore
import FocalRendering

extension PhysicalDevice {
  /// Queries everything that the backend needs from a driver.
  init(_ handle: Handle<Vulkan.PhysicalDevice>, of instance: VulkanInstance) throws(CinematicError)
  {
    let functions = instance.functions
    self.handle = handle
    var base = VkPhysicalDeviceProperties()
    functions.getPhysicalDeviceProperties(handle.pointer, &base)
    name = text(base.deviceName)
    apiVersion = base.apiVersion
    kind =
      switch base.deviceType {
      case VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU: .discreteGPU
      case VK_PHYSICAL_DEVICE_TYPE_CPU: .softwareGPU
      case VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU: .integratedGPU
      // A virtual GPU or another: its memory may be anywhere, so it is treated as the remotest.
      default: .discreteGPU
      }
    let extensions = try Self.extensions(of: handle, instance, name)
    self.extensions = extensions

    let isCore = base.apiVersion >= Version.v1_2
    func has(_ name: String) -> Bool { isCore || extensions.contains(name) }

    var properties = VkPhysicalDeviceProperties2()
    let chain = StructureChain()
    defer { withExtendedLifetime(chain) {} }
    let allocation = chain.append(
      VkPhysicalDeviceMaintenance3Properties(),
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_3_PROPERTIES)
    let subgroup = chain.append(
      VkPhysicalDeviceSubgroupProperties(), VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_PROPERTIES)
    let driverName =
      has(VK_KHR_DRIVER_PROPERTIES_EXTENSION_NAME)
      ? chain.append(
        VkPhysicalDeviceDriverProperties(), VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES)
      : nil
    let floats =
      has(VK_KHR_SHADER_FLOAT_CONTROLS_EXTENSION_NAME)
      ? chain.append(
        VkPhysicalDeviceFloatControlsProperties(),
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FLOAT_CONTROLS_PROPERTIES) : nil

    var available = VkPhysicalDeviceFeatures2()
    let featureChain = StructureChain()
    defer { withExtendedLifetime(featureChain) {} }
    let storage16 = featureChain.append(
      VkPhysicalDevice16BitStorageFeatures(),
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_16BIT_STORAGE_FEATURES)
    let storage8 =
      has(VK_KHR_8BIT_STORAGE_EXTENSION_NAME)
      ? featureChain.append(
        VkPhysicalDevice8BitStorageFeatures(),
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_8BIT_STORAGE_FEATURES) : nil
    let timeline =
      has(VK_KHR_TIMELINE_SEMAPHORE_EXTENSION_NAME)
      ? featureChain.append(
        VkPhysicalDeviceTimelineSemaphoreFeatures(),
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TIMELINE_SEMAPHORE_FEATURES) : nil
    let half =
      has(VK_KHR_SHADER_FLOAT16_INT8_EXTENSION_NAME)
      ? featureChain.append(
        VkPhysicalDeviceShaderFloat16Int8Features(),
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_FLOAT16_INT8_FEATURES) : nil

    // A device of Vulkan 1.0 has none of these structures.
    if apiVersion >= Version.v1_1 {
      properties.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2
      properties.pNext = chain.first
      functions.getPhysicalDeviceProperties2(handle.pointer, &properties)
      available.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2
      available.pNext = featureChain.first
      functions.getPhysicalDeviceFeatures2(handle.pointer, &available)
    }
    let subgroupOperations = VK_SUBGROUP_FEATURE_ARITHMETIC_BIT.rawValue
    features = Features(
      timelineSemaphores: timeline?.pointee.timelineSemaphore == VK_TRUE,
      halfArithmetic: half?.pointee.shaderFloat16 == VK_TRUE,
      subgroupArithmetic: subgroup.pointee.supportedOperations & subgroupOperations != 0,
      preservesDenormals: floats?.pointee.shaderDenormPreserveFloat32 == VK_TRUE,
      preservesNaN: floats?.pointee.shaderSignedZeroInfNanPreserveFloat32 == VK_TRUE,
      roundsToNearest: floats?.pointee.shaderRoundingModeRTEFloat32 == VK_TRUE)
    storage = (
      storage8?.pointee.storageBuffer8BitAccess == VK_TRUE,
      storage16.pointee.storageBuffer16BitAccess == VK_TRUE
    )
    driver =
      driverName.map { "\(text($0.pointee.driverName)) \(text($0.pointee.driverInfo))" }
      ?? "version \(Version.text(base.driverVersion))"
    let identity = withUnsafeBytes(of: base.pipelineCacheUUID) { bytes in
      bytes.map { String($0, radix: 16) }.joined(separator: ".")
    }
    programIdentity = "\(base.vendorID) \(base.deviceID) \(base.driverVersion) \(identity)"
    let groups = base.limits.maxComputeWorkGroupCount
    limits = Limits(
      largestBinding: Int(base.limits.maxStorageBufferRange),
      largestAllocation: Int(clamping: allocation.pointee.maxMemoryAllocationSize),
      allocationCount: Int(base.limits.maxMemoryAllocationCount),
      storageBuffers: Int(
        min(
          base.limits.maxPerStageDescriptorStorageBuffers,
          base.limits.maxDescriptorSetStorageBuffers)),
      largestTexelCount: Int(base.limits.maxTexelBufferElements),
      texelBufferCount: Int(
        min(
          base.limits.maxPerStageDescriptorSampledImages,
          base.limits.maxDescriptorSetSampledImages)),
      groupCount: Grid(Int(groups.0), Int(groups.1), Int(groups.2)),
      timestampPeriod: Double(base.limits.timestampPeriod))

    families = Self.families(of: handle, functions)
    var memory = VkPhysicalDeviceMemoryProperties()
    functions.getPhysicalDeviceMemoryProperties(handle.pointer, &memory)
    memoryTypes = withUnsafeBytes(of: memory.memoryTypes) { bytes in
      let types = bytes.bindMemory(to: VkMemoryType.self)
      return (0..<Int(memory.memoryTypeCount)).map {
        MemoryType(
          index: UInt32($0), heap: Int(types[$0].heapIndex), flags: types[$0].propertyFlags)
      }
    }
    heapByteCounts = withUnsafeBytes(of: memory.memoryHeaps) { bytes in
      let heaps = bytes.bindMemory(to: VkMemoryHeap.self)
      return (0..<Int(memory.memoryHeapCount)).map { Int(clamping: heaps[$0].size) }
    }
  }

  private static func extensions(
    of handle: Handle<Vulkan.PhysicalDevice>, _ instance: VulkanInstance, _ name: String
  ) throws(CinematicError) -> Set<String> {
    let enumerate = instance.functions.enumerateDeviceExtensionProperties
    let function: StaticString = "vkEnumerateDeviceExtensionProperties"
    var count: UInt32 = 0
    var result = instance.options.call(function) { enumerate(handle.pointer, nil, &count, nil) }
    var properties = Array(repeating: VkExtensionProperties(), count: Int(count))
    if result == VK_SUCCESS {
      result = instance.options.call(function) {
        enumerate(handle.pointer, nil, &count, &properties)
      }
    }
    guard result == VK_SUCCESS || result == VK_INCOMPLETE else {
      throw result.error(function, on: name)
    }
    return Set(properties.prefix(Int(count)).map { text($0.extensionName) })
  }

  private static func families(
    of handle: Handle<Vulkan.PhysicalDevice>, _ functions: InstanceFunctions
  ) -> [QueueFamily] {
    var count: UInt32 = 0
    functions.getPhysicalDeviceQueueFamilyProperties(handle.pointer, &count, nil)
    var properties = Array(repeating: VkQueueFamilyProperties(), count: Int(count))
    functions.getPhysicalDeviceQueueFamilyProperties(handle.pointer, &count, &properties)
    return properties.prefix(Int(count)).enumerated().map { index, family in
      QueueFamily(
        index: UInt32(index), count: Int(family.queueCount), flags: family.queueFlags,
        timestampBits: family.timestampValidBits)
    }
  }
}
