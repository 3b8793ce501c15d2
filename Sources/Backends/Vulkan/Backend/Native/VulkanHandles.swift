// SPDX-License-Identifier: Apache-2.0

import CVulkan
import FocalCore
import FocalRendering

/// The Vulkan objects of a device, as a program hands over its own or gets those of a ``FocalRendering/Device``.
///
/// A handle is the pointer that Vulkan's functions take: `VkInstance`, `VkPhysicalDevice`, `VkDevice` and
/// `VkQueue`.
// @unchecked Sendable: the pointers are names that are only compared and passed on; the calls that they
// are passed to follow Vulkan's rules of external synchronisation.
public struct VulkanHandles: @unchecked Sendable {
  public var instance: OpaquePointer
  public var physicalDevice: OpaquePointer
  public var device: OpaquePointer
  /// A queue of `device` that computes.
  public var queue: OpaquePointer
  /// The family of `queue`.
  public var queueFamilyIndex: UInt32
  /// Whether `device` was made with `timelineSemaphore` enabled, by Vulkan 1.2.
  public var hasTimelineSemaphores: Bool

  public init(
    instance: OpaquePointer, physicalDevice: OpaquePointer, device: OpaquePointer,
    queue: OpaquePointer, queueFamilyIndex: UInt32, hasTimelineSemaphores: Bool = false
  ) {
    self.instance = instance
    self.physicalDevice = physicalDevice
    self.device = device
    self.queue = queue
    self.queueFamilyIndex = queueFamilyIndex
    self.hasTimelineSemaphores = hasTimelineSemaphores
  }
}

/// Runs `body`, which uses a queue, while nothing else uses the queue.
public typealias VulkanQueueAccess = @Sendable (_ body: () -> Void) -> Void

extension Device {
  /// A device that works on the caller's own Vulkan device and queue.
  ///
  /// The instance must be of Vulkan 1.1 or later and of the machine's loader, the device made with
  /// `storageBuffer8BitAccess` and `storageBuffer16BitAccess`; before Vulkan 1.2 with the extensions
  /// `VK_KHR_8bit_storage`, `VK_KHR_storage_buffer_storage_class` and, if it is there,
  /// `VK_KHR_shader_float_controls` as well. Nothing of it is destroyed; all of it must outlive what is
  /// made on the device, and calls of `vkDestroyDevice` wait until that is gone.
  ///
  /// Order: commands that were submitted to the queue before a command buffer is committed run, and are
  /// seen, before its kernels. Commands that are submitted after it has completed see what it wrote,
  /// without a barrier of their own. Work on other queues needs a semaphore or a fence of the caller's.
  ///
  /// - Parameter queueAccess: called around every use of the queue, which comes from other threads.
  ///   Vulkan lets only one thread use a queue at a time: a caller that uses it while frames are in
  ///   flight takes the same lock here and there.
  /// - Throws: `unsupported` if the device cannot run the engine, with the reason.
  public static func vulkan(
    _ handles: VulkanHandles, queueAccess: @escaping VulkanQueueAccess = { $0() }
  ) throws(CinematicError) -> Device {
    try vulkan(handles, queueAccess: queueAccess, VulkanOptions())
  }

  static func vulkan(
    _ handles: VulkanHandles, queueAccess: @escaping VulkanQueueAccess, _ options: VulkanOptions
  ) throws(CinematicError) -> Device {
    let instance = try VulkanInstance(borrowing: Handle(handles.instance), options)
    var physical = try PhysicalDevice(Handle(handles.physicalDevice), of: instance)
    physical.families = physical.families.filter { $0.index == handles.queueFamilyIndex }
    if let obstacle = physical.obstacle {
      throw CinematicError(
        .unsupported, "the Vulkan device \(physical.name) cannot run the engine: \(obstacle)")
    }
    let borrowed = BorrowedDevice(
      device: Handle(handles.device), queue: Handle(handles.queue),
      hasTimelines: handles.hasTimelineSemaphores, queueAccess: queueAccess)
    return Device(
      backend: VulkanBackend(physical, of: instance, identifier: "vulkan", borrowed: borrowed))
  }

  /// The Vulkan objects behind the device; `nil` if it is no Vulkan device. A device of the engine's own
  /// is opened for it, and stays open as long as the `Device` or something made on it.
  ///
  /// The queue is the one that the kernels run on. It is used from threads of the engine's whenever
  /// frames are in flight: submit to it only when none is, or make a queue of your own device's and
  /// hand it over with ``vulkan(_:queueAccess:)``.
  ///
  /// - Throws: `outOfMemory`, `deviceLost`, as opening the device does.
  public func vulkanHandles() throws(CinematicError) -> VulkanHandles? {
    guard let backend = backend as? VulkanBackend else { return nil }
    let device = try backend.openDevice()
    return VulkanHandles(
      instance: device.instance.handle.pointer, physicalDevice: device.physical.handle.pointer,
      device: device.handle.pointer, queue: device.compute.handle.pointer,
      queueFamilyIndex: device.compute.family.index, hasTimelineSemaphores: device.hasTimelines)
  }
}

/// A caller's device and the queue of it that may be used.
struct BorrowedDevice: Sendable {
  var device: Handle<Vulkan.Device>
  var queue: Handle<Vulkan.Queue>
  var hasTimelines: Bool
  var queueAccess: VulkanQueueAccess
}
