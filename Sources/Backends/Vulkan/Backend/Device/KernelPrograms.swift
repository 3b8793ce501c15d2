// SPDX-License-Identifier: Apache-2.0

import CVulkan
import Dispatch
import FocalCore
import FocalRendering
import Synchronization

/// The kernels as a device runs them, each compiled when it is first needed.
final class KernelPrograms: Sendable {
  let device: VulkanDevice
  let setLayout: Owned<Vulkan.DescriptorSetLayout>
  let layout: Owned<Vulkan.PipelineLayout>
  /// The buffer bound where a kernel touches nothing.
  let nothing: DeviceBuffer
  private let cache: Owned<Vulkan.PipelineCache>
  private let pipelines = Mutex<[KernelVariant: Owned<Vulkan.Pipeline>]>([:])

  init(_ device: VulkanDevice) throws(CinematicError) {
    self.device = device
    let setLayout = try device.makeSetLayout()
    self.setLayout = setLayout
    layout = try device.makePipelineLayout(setLayout)
    nothing = try DeviceBuffer(device, byteCount: 256, for: .kernels)
    cache = try device.make("vkCreatePipelineCache", Vulkan.PipelineCache.self) {
      functions, device, pointer in
      functions.destroyPipelineCache(device, pointer, nil)
    } create: { pointer in
      var info = VkPipelineCacheCreateInfo()
      info.sType = VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO
      return device.functions.createPipelineCache(device.handle.pointer, &info, nil, pointer)
    }
  }

  /// The pipelines of `kernels`; those that are new are compiled side by side.
  ///
  /// - Throws: `unsupported` for a kernel that the driver does not compile, `outOfMemory`,
  ///   `deviceLost`.
  func prepare(
    _ kernels: Set<KernelVariant>
  ) throws(CinematicError) -> [KernelVariant: Owned<Vulkan.Pipeline>] {
    let known = pipelines.withLock { $0 }
    let new = kernels.filter { known[$0] == nil }
    guard !new.isEmpty else { return known }
    let order = Array(new)
    let failure = Mutex<CinematicError?>(nil)
    DispatchQueue.concurrentPerform(iterations: order.count) { index in
      do throws(CinematicError) {
        let pipeline = try compile(order[index])
        // Of two queues that compile the same, the first one's stays: it may be in use already.
        pipelines.withLock { if $0[order[index]] == nil { $0[order[index]] = pipeline } }
      } catch {
        failure.withLock { $0 = $0 ?? error }
      }
    }
    if let error = failure.withLock({ $0 }) { throw error }
    return pipelines.withLock { $0 }
  }

  private func compile(
    _ variant: KernelVariant
  ) throws(CinematicError) -> Owned<Vulkan.Pipeline> {
    let kernel = variant.kernel
    let words = withFloatControls(try kernel.spirv(), device.physical.features)
    let functions = device.functions
    let owner = device.handle.pointer
    var shader: VkShaderModule?
    try device.call("vkCreateShaderModule") {
      words.withUnsafeBufferPointer { words in
        var info = VkShaderModuleCreateInfo()
        info.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO
        info.codeSize = words.count * 4
        info.pCode = words.baseAddress
        return functions.createShaderModule(owner, &info, nil, &shader)
      }
    }
    defer { functions.destroyShaderModule(owner, shader, nil) }
    // Constants 0, 1, 2 are the size of a workgroup, 3 and on the variant's; a kernel that has fewer
    // takes those that it has.
    let workgroup = kernel.workgroup
    let values = [workgroup.x, workgroup.y, workgroup.z].map { Int32($0) } + variant.constants
    let entries = values.indices.map {
      VkSpecializationMapEntry(constantID: UInt32($0), offset: UInt32(4 * $0), size: 4)
    }
    do throws(CinematicError) {
      return try device.make("vkCreateComputePipelines", Vulkan.Pipeline.self) {
        functions, device, pointer in
        functions.destroyPipeline(device, pointer, nil)
      } create: { pointer in
        values.withUnsafeBytes { values in
          entries.withUnsafeBufferPointer { entries in
            var constants = VkSpecializationInfo(
              mapEntryCount: UInt32(entries.count), pMapEntries: entries.baseAddress,
              dataSize: values.count,
              pData: values.baseAddress)
            return withUnsafePointer(to: &constants) { constants in
              "main".withCString { main in
                var info = VkComputePipelineCreateInfo()
                info.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO
                info.layout = layout.pointer
                info.stage.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO
                info.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT
                info.stage.module = shader
                info.stage.pName = main
                info.stage.pSpecializationInfo = constants
                return functions.createComputePipelines(
                  owner, cache.pointer, 1, &info, nil, pointer)
              }
            }
          }
        }
      }
    } catch {
      guard error.code == .unsupported else { throw error }
      throw CinematicError(
        .unsupported, "the kernel \(kernel.name) does not compile: \(error.message)",
        remedy: error.remedy)
    }
  }
}

extension VulkanDevice {
  /// Every kernel's buffers and, behind them, its parameters.
  fileprivate func makeSetLayout() throws(CinematicError) -> Owned<Vulkan.DescriptorSetLayout> {
    let bindings = (0..<KernelBindings.count).map { index in
      var binding = VkDescriptorSetLayoutBinding()
      binding.binding = UInt32(index)
      binding.descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER
      binding.descriptorCount = 1
      binding.stageFlags = VK_SHADER_STAGE_COMPUTE_BIT.rawValue
      return binding
    }
    return try make("vkCreateDescriptorSetLayout", Vulkan.DescriptorSetLayout.self) {
      functions, device, pointer in
      functions.destroyDescriptorSetLayout(device, pointer, nil)
    } create: { pointer in
      bindings.withUnsafeBufferPointer { bindings in
        var info = VkDescriptorSetLayoutCreateInfo()
        info.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO
        info.bindingCount = UInt32(bindings.count)
        info.pBindings = bindings.baseAddress
        return functions.createDescriptorSetLayout(handle.pointer, &info, nil, pointer)
      }
    }
  }

  fileprivate func makePipelineLayout(
    _ setLayout: Owned<Vulkan.DescriptorSetLayout>
  ) throws(CinematicError) -> Owned<Vulkan.PipelineLayout> {
    try make("vkCreatePipelineLayout", Vulkan.PipelineLayout.self) { functions, device, pointer in
      functions.destroyPipelineLayout(device, pointer, nil)
    } create: { pointer in
      var set: VkDescriptorSetLayout? = setLayout.pointer
      return withUnsafePointer(to: &set) { set in
        var info = VkPipelineLayoutCreateInfo()
        info.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO
        info.setLayoutCount = 1
        info.pSetLayouts = set
        return functions.createPipelineLayout(handle.pointer, &info, nil, pointer)
      }
    }
  }
}
