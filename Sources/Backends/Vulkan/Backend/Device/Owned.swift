// SPDX-License-Identifier: Apache-2.0

import CVulkan

/// A Vulkan object, destroyed with the last reference.
final class Owned<Kind>: Sendable {
  let handle: Handle<Kind>
  private let device: VulkanDevice
  private let destroy: @Sendable (DeviceFunctions, VkDevice, OpaquePointer) -> Void

  init(
    _ handle: Handle<Kind>, of device: VulkanDevice,
    destroy: @escaping @Sendable (DeviceFunctions, VkDevice, OpaquePointer) -> Void
  ) {
    self.handle = handle
    self.device = device
    self.destroy = destroy
  }

  var pointer: OpaquePointer { handle.pointer }

  deinit {
    // The closure may outlive this object, in the device's own keeping: it must not hold the device.
    device.discard { [functions = device.functions, owner = device.handle, handle, destroy] in
      destroy(functions, owner.pointer, handle.pointer)
    }
  }
}
