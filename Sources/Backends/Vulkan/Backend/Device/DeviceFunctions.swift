// SPDX-License-Identifier: Apache-2.0

import CVulkan
import FocalCore

/// The functions of a device.
// @unchecked Sendable: addresses of code, never changed.
struct DeviceFunctions: @unchecked Sendable {
  let destroyDevice: PFN_vkDestroyDevice
  let deviceWaitIdle: PFN_vkDeviceWaitIdle
  let getDeviceQueue: PFN_vkGetDeviceQueue
  let queueSubmit: PFN_vkQueueSubmit
  let queueWaitIdle: PFN_vkQueueWaitIdle

  let createBuffer: PFN_vkCreateBuffer
  let destroyBuffer: PFN_vkDestroyBuffer
  let createBufferView: PFN_vkCreateBufferView
  let destroyBufferView: PFN_vkDestroyBufferView
  let getBufferMemoryRequirements: PFN_vkGetBufferMemoryRequirements
  let allocateMemory: PFN_vkAllocateMemory
  let freeMemory: PFN_vkFreeMemory
  let bindBufferMemory: PFN_vkBindBufferMemory
  let mapMemory: PFN_vkMapMemory

  let createDescriptorSetLayout: PFN_vkCreateDescriptorSetLayout
  let destroyDescriptorSetLayout: PFN_vkDestroyDescriptorSetLayout
  let createDescriptorPool: PFN_vkCreateDescriptorPool
  let destroyDescriptorPool: PFN_vkDestroyDescriptorPool
  let allocateDescriptorSets: PFN_vkAllocateDescriptorSets
  let updateDescriptorSets: PFN_vkUpdateDescriptorSets
  let createPipelineLayout: PFN_vkCreatePipelineLayout
  let destroyPipelineLayout: PFN_vkDestroyPipelineLayout
  let createShaderModule: PFN_vkCreateShaderModule
  let destroyShaderModule: PFN_vkDestroyShaderModule
  let createPipelineCache: PFN_vkCreatePipelineCache
  let destroyPipelineCache: PFN_vkDestroyPipelineCache
  let getPipelineCacheData: PFN_vkGetPipelineCacheData
  let createComputePipelines: PFN_vkCreateComputePipelines
  let destroyPipeline: PFN_vkDestroyPipeline

  let createCommandPool: PFN_vkCreateCommandPool
  let destroyCommandPool: PFN_vkDestroyCommandPool
  let resetCommandPool: PFN_vkResetCommandPool
  let allocateCommandBuffers: PFN_vkAllocateCommandBuffers
  let beginCommandBuffer: PFN_vkBeginCommandBuffer
  let endCommandBuffer: PFN_vkEndCommandBuffer
  let cmdBindPipeline: PFN_vkCmdBindPipeline
  let cmdBindDescriptorSets: PFN_vkCmdBindDescriptorSets
  let cmdDispatch: PFN_vkCmdDispatch
  let cmdCopyBuffer: PFN_vkCmdCopyBuffer
  let cmdPipelineBarrier: PFN_vkCmdPipelineBarrier
  let cmdResetQueryPool: PFN_vkCmdResetQueryPool
  let cmdWriteTimestamp: PFN_vkCmdWriteTimestamp

  let createQueryPool: PFN_vkCreateQueryPool
  let destroyQueryPool: PFN_vkDestroyQueryPool
  let getQueryPoolResults: PFN_vkGetQueryPoolResults
  let createSemaphore: PFN_vkCreateSemaphore
  let destroySemaphore: PFN_vkDestroySemaphore
  let createFence: PFN_vkCreateFence
  let destroyFence: PFN_vkDestroyFence
  let resetFences: PFN_vkResetFences
  let waitForFences: PFN_vkWaitForFences
  /// `nil` on a device without timeline semaphores.
  let waitSemaphores: PFN_vkWaitSemaphores?

  init(
    _ functions: InstanceFunctions, _ device: Handle<Vulkan.Device>
  ) throws(CinematicError) {
    func find<Function>(_ name: String) -> Function? {
      functions.getDeviceProcAddr(device.pointer, name).map {
        unsafeBitCast($0, to: Function.self)
      }
    }
    func load<Function>(_ name: String) throws(CinematicError) -> Function {
      guard let function: Function = find(name) else { throw missingFunction(name) }
      return function
    }
    destroyDevice = try load("vkDestroyDevice")
    deviceWaitIdle = try load("vkDeviceWaitIdle")
    getDeviceQueue = try load("vkGetDeviceQueue")
    queueSubmit = try load("vkQueueSubmit")
    queueWaitIdle = try load("vkQueueWaitIdle")

    createBuffer = try load("vkCreateBuffer")
    destroyBuffer = try load("vkDestroyBuffer")
    createBufferView = try load("vkCreateBufferView")
    destroyBufferView = try load("vkDestroyBufferView")
    getBufferMemoryRequirements = try load("vkGetBufferMemoryRequirements")
    allocateMemory = try load("vkAllocateMemory")
    freeMemory = try load("vkFreeMemory")
    bindBufferMemory = try load("vkBindBufferMemory")
    mapMemory = try load("vkMapMemory")

    createDescriptorSetLayout = try load("vkCreateDescriptorSetLayout")
    destroyDescriptorSetLayout = try load("vkDestroyDescriptorSetLayout")
    createDescriptorPool = try load("vkCreateDescriptorPool")
    destroyDescriptorPool = try load("vkDestroyDescriptorPool")
    allocateDescriptorSets = try load("vkAllocateDescriptorSets")
    updateDescriptorSets = try load("vkUpdateDescriptorSets")
    createPipelineLayout = try load("vkCreatePipelineLayout")
    destroyPipelineLayout = try load("vkDestroyPipelineLayout")
    createShaderModule = try load("vkCreateShaderModule")
    destroyShaderModule = try load("vkDestroyShaderModule")
    createPipelineCache = try load("vkCreatePipelineCache")
    destroyPipelineCache = try load("vkDestroyPipelineCache")
    getPipelineCacheData = try load("vkGetPipelineCacheData")
    createComputePipelines = try load("vkCreateComputePipelines")
    destroyPipeline = try load("vkDestroyPipeline")

    createCommandPool = try load("vkCreateCommandPool")
    destroyCommandPool = try load("vkDestroyCommandPool")
    resetCommandPool = try load("vkResetCommandPool")
    allocateCommandBuffers = try load("vkAllocateCommandBuffers")
    beginCommandBuffer = try load("vkBeginCommandBuffer")
    endCommandBuffer = try load("vkEndCommandBuffer")
    cmdBindPipeline = try load("vkCmdBindPipeline")
    cmdBindDescriptorSets = try load("vkCmdBindDescriptorSets")
    cmdDispatch = try load("vkCmdDispatch")
    cmdCopyBuffer = try load("vkCmdCopyBuffer")
    cmdPipelineBarrier = try load("vkCmdPipelineBarrier")
    cmdResetQueryPool = try load("vkCmdResetQueryPool")
    cmdWriteTimestamp = try load("vkCmdWriteTimestamp")

    createQueryPool = try load("vkCreateQueryPool")
    destroyQueryPool = try load("vkDestroyQueryPool")
    getQueryPoolResults = try load("vkGetQueryPoolResults")
    createSemaphore = try load("vkCreateSemaphore")
    destroySemaphore = try load("vkDestroySemaphore")
    createFence = try load("vkCreateFence")
    destroyFence = try load("vkDestroyFence")
    resetFences = try load("vkResetFences")
    waitForFences = try load("vkWaitForFences")
    waitSemaphores = find("vkWaitSemaphores") ?? find("vkWaitSemaphoresKHR")
  }
}
