// SPDX-License-Identifier: Apache-2.0

import CVulkan
import FocalCore
import FocalRendering

/// Where a texture's elements lie in a `VkBuffer`.
// @unchecked Sendable: the pointer is a name that is only compared and passed on.
public struct VulkanBufferHandle: @unchecked Sendable {
  /// The `VkBuffer`.
  public let buffer: OpaquePointer
  /// Bytes from the buffer's start to the first element.
  public let offset: Int
  /// Bytes of the buffer.
  public let byteCount: Int
}

extension Texture {
  /// A texture over a `VkBuffer` of the caller's: what is rendered from it or into it is not copied.
  ///
  /// - Parameters:
  ///   - vulkanBuffer: of the device behind `device`, made with `VK_BUFFER_USAGE_STORAGE_BUFFER_BIT`,
  ///     for ``Texture/getBytes(_:)`` and ``Texture/setBytes(_:)`` with `VK_BUFFER_USAGE_TRANSFER_SRC_BIT`
  ///     and `VK_BUFFER_USAGE_TRANSFER_DST_BIT` as well. It belongs to the queue's family or is shared.
  ///   - byteCount: bytes of the buffer.
  ///   - offset: bytes to the first element, a multiple of 256.
  ///   - bytesPerRow: from a row to the next; `nil` for rows without padding. Padding is not written.
  ///   - release: called once when nothing uses the buffer any more; not called when the initialiser
  ///     throws. Until then the buffer must not be destroyed.
  /// - Throws: `incompatible` for a device that is not Vulkan's, `invalidParameter` for a size, an offset
  ///   or rows that do not fit the buffer, `unsupported` for a buffer larger than the device binds.
  public convenience init(
    device: Device, vulkanBuffer: OpaquePointer, byteCount: Int, offset: Int = 0,
    format: Format, dimensions: Dimensions, bytesPerRow: Int? = nil,
    release: @escaping @Sendable () -> Void = {}
  ) throws(CinematicError) {
    guard let backend = device.backend as? VulkanBackend else {
      throw CinematicError(
        .incompatible, "\(device) is not a Vulkan device, so a VkBuffer cannot be its texture",
        remedy: "make the device with Device.vulkan(_:)")
    }
    let layout = try Layout(
      format: format, dimensions: dimensions, bytesPerRow: bytesPerRow, offset: offset,
      byteCount: byteCount)
    let largest = backend.largestBindingByteCount
    guard byteCount - offset <= largest else {
      throw CinematicError(
        .unsupported,
        "a buffer of \(byteCount) bytes is more than \(backend.name) binds (\(largest))",
        remedy: "use a smaller buffer for each picture")
    }
    try self.init(
      device: device, layout: layout,
      memory: backend.adopt(Handle(vulkanBuffer), byteCount: byteCount, release: release))
  }

  /// The `VkBuffer` that holds the texture's elements, row by row ``Texture/bytesPerRow`` apart; `nil` if
  /// it is no texture of a Vulkan device.
  ///
  /// It lives as long as the texture. Its elements are there for other commands once the command buffer
  /// that writes them has completed, and may be written once those that read them have. A buffer of the
  /// engine's is made for storage and for copies in both directions, and shared by the families that
  /// the engine uses, or exclusive to the family of its queue where that is the only one.
  public var vulkanBuffer: VulkanBufferHandle? {
    guard let memory = memory as? VulkanMemory else { return nil }
    return VulkanBufferHandle(
      buffer: memory.buffer.buffer.pointer, offset: offset, byteCount: memory.buffer.byteCount)
  }
}
