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
  /// The same for what a kernel does not fetch; `nil` on a device where kernels fetch nothing.
  let nothingFetched: Owned<Vulkan.BufferView>?
  private let cache: ProgramCache
  private let programs = Mutex<[Variant: Program]>([:])

  /// A kernel's program by what it depends on.
  struct Variant: Hashable, Sendable {
    let kernel: KernelVariant
    /// Whether it reads by texel fetches what it can.
    let fetchesTexels: Bool
  }

  /// A compiled kernel.
  struct Program: Sendable {
    let pipeline: Owned<Vulkan.Pipeline>
    /// The buffers that it reads by texel fetches.
    let fetches: [FetchingModule.Fetch]
  }

  /// The key of a dispatch's program. A caller's own buffer may lack the usage for texels: a dispatch that binds one
  /// loads from all of its buffers.
  func variant(_ dispatch: KernelDispatch) -> Variant {
    let fetchesTexels =
      device.fetchesTexels
      && dispatch.bindings.allSatisfy {
        guard case .memory(let memory, _) = $0 else { return true }
        return (memory as? VulkanMemory)?.buffer.isForTexels ?? false
      }
    return Variant(kernel: KernelVariant(dispatch), fetchesTexels: fetchesTexels)
  }

  /// - Parameter cache: where compiled pipelines are kept.
  init(
    _ device: VulkanDevice, cache: ProgramCache = ProgramCache(folder: nil)
  ) throws(CinematicError) {
    self.device = device
    self.cache = cache
    let setLayout = try device.makeSetLayout()
    self.setLayout = setLayout
    layout = try device.makePipelineLayout(setLayout)
    nothing = try DeviceBuffer(device, byteCount: 256, for: .kernels)
    nothingFetched =
      device.fetchesTexels
      ? try nothing.view(of: .init(offset: 0, byteCount: 256, element: .float)) : nil
  }

  /// A driver's cache for one pipeline, which begins with what was kept of it.
  ///
  /// Drivers check what they are given, and compile where it is not their own.
  private func makeCache(
    _ kept: [UInt8]
  ) throws(CinematicError) -> Owned<Vulkan.PipelineCache> {
    let device = device
    return try device.make("vkCreatePipelineCache", Vulkan.PipelineCache.self) {
      functions, device, pointer in
      functions.destroyPipelineCache(device, pointer, nil)
    } create: { pointer in
      kept.withUnsafeBytes { bytes in
        var info = VkPipelineCacheCreateInfo()
        info.sType = VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO
        info.initialDataSize = bytes.count
        info.pInitialData = bytes.baseAddress
        return device.functions.createPipelineCache(device.handle.pointer, &info, nil, pointer)
      }
    }
  }

  /// Keeps a compiled pipeline, if the driver gives it and it is another than what was kept.
  private func keep(
    _ pipelineCache: Owned<Vulkan.PipelineCache>, for key: ProgramCache.Key, unlike kept: [UInt8]
  ) {
    let owner = device.handle.pointer
    let functions = device.functions
    var count = 0
    guard
      device.options.call(
        "vkGetPipelineCacheData",
        { functions.getPipelineCacheData(owner, pipelineCache.pointer, &count, nil) })
        == VK_SUCCESS, count > 0
    else { return }
    var bytes = [UInt8](repeating: 0, count: count)
    let result = device.options.call("vkGetPipelineCacheData") {
      bytes.withUnsafeMutableBytes {
        functions.getPipelineCacheData(owner, pipelineCache.pointer, &count, $0.baseAddress)
      }
    }
    guard result == VK_SUCCESS, count <= bytes.count else { return }
    bytes.removeLast(bytes.count - count)
    if bytes != kept { cache.store(bytes, for: key) }
  }

  /// The programs of `kernels`; those that are new are compiled side by side.
  ///
  /// - Throws: `unsupported` for a kernel that the driver does not compile, `outOfMemory`,
  ///   `deviceLost`.
  func prepare(
    _ kernels: Set<Variant>
  ) throws(CinematicError) -> [Variant: Program] {
    let known = programs.withLock { $0 }
    let new = kernels.filter { known[$0] == nil }
    guard !new.isEmpty else { return known }
    let order = Array(new)
    let failure = Mutex<CinematicError?>(nil)
    DispatchQueue.concurrentPerform(iterations: order.count) { index in
      do throws(CinematicError) {
        let program = try compile(order[index])
        // Of two queues that compile the same, the first one's stays: it may be in use already.
        programs.withLock { if $0[order[index]] == nil { $0[order[index]] = program } }
      } catch {
        failure.withLock { $0 = $0 ?? error }
      }
    }
    if let error = failure.withLock({ $0 }) { throw error }
    return programs.withLock { $0 }
  }

  private func compile(_ variant: Variant) throws(CinematicError) -> Program {
    precondition(
      device.fetchesTexels || !variant.fetchesTexels, "the layout has no bindings for texels")
    let kernel = variant.kernel.kernel
    var words = withFloatControls(try kernel.spirv(), device.physical.features)
    var fetches: [FetchingModule.Fetch] = []
    if variant.fetchesTexels {
      let module = FetchingModule(words)
      (words, fetches) = (module.words, module.fetches)
    }
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
    let values =
      [workgroup.x, workgroup.y, workgroup.z].map { Int32($0) }
      + variant.kernel.constants
    let key = words.withUnsafeBytes { words in
      ProgramCache.Key(
        interface: "vulkan", source: words,
        circumstances: [kernel.name, device.physical.programIdentity]
          + values.map(String.init))
    }
    let kept = cache.load(key) ?? []
    let pipelineCache = try makeCache(kept)
    let entries = values.indices.map {
      VkSpecializationMapEntry(constantID: UInt32($0), offset: UInt32(4 * $0), size: 4)
    }
    do throws(CinematicError) {
      let pipeline = try device.make("vkCreateComputePipelines", Vulkan.Pipeline.self) {
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
                  owner, pipelineCache.pointer, 1, &info, nil, pointer)
              }
            }
          }
        }
      }
      keep(pipelineCache, for: key, unlike: kept)
      return Program(pipeline: pipeline, fetches: fetches)
    } catch {
      guard error.code == .unsupported else { throw error }
      throw error.replacing(
        message: "the kernel \(kernel.name) does not compile: \(error.message)")
    }
  }
}

extension VulkanDevice {
  /// Every kernel's buffers and, behind them, its parameters and the views of its buffers.
  fileprivate func makeSetLayout() throws(CinematicError) -> Owned<Vulkan.DescriptorSetLayout> {
    let kinds = KernelBindings.kinds(fetchesTexels: fetchesTexels)
    let bindings = kinds.flatMap { $0.first..<$0.first + $0.count }.map { index in
      var binding = VkDescriptorSetLayoutBinding()
      binding.binding = UInt32(index)
      binding.descriptorType = KernelBindings.type(of: index)
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
