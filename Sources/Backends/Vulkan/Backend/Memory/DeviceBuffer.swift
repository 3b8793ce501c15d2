// SPDX-License-Identifier: Apache-2.0

import CVulkan
import FocalCore
import Synchronization

/// The use of a buffer's memory.
enum MemoryUse {
  /// Kernels alone.
  case kernels
  /// Kernels, and the host directly.
  case sharedWithHost
  /// Written by the host, read once by the device.
  case upload
  /// Written once by the device, read by the host.
  case download

  private var required: [VkMemoryPropertyFlagBits] {
    let host = [
      VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT, VK_MEMORY_PROPERTY_HOST_COHERENT_BIT,
    ]
    return switch self {
    case .kernels: [VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT]
    case .sharedWithHost: [VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT] + host
    case .upload, .download: host
    }
  }

  func allows(_ type: PhysicalDevice.MemoryType) -> Bool {
    // Memory that exists only while something is drawn, and AMD's that is for looking into a program that hangs: it
    // needs a feature of its own, and no cache holds it.
    !type.has(VK_MEMORY_PROPERTY_LAZILY_ALLOCATED_BIT)
      && !type.has(VK_MEMORY_PROPERTY_PROTECTED_BIT)
      && !type.has(VK_MEMORY_PROPERTY_DEVICE_COHERENT_BIT_AMD)
      && !type.has(VK_MEMORY_PROPERTY_DEVICE_UNCACHED_BIT_AMD)
      && required.allSatisfy(type.has)
  }

  /// How well an allowed type suits; larger is better.
  private func suitability(_ type: PhysicalDevice.MemoryType) -> Int {
    let isLocal = type.has(VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT) ? 1 : 0
    let isVisible = type.has(VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT) ? 1 : 0
    let isCached = type.has(VK_MEMORY_PROPERTY_HOST_CACHED_BIT) ? 1 : 0
    return switch self {
    case .kernels: -isVisible
    // Reading memory that is not cached takes the host many times as long.
    case .sharedWithHost: isCached
    case .upload: -2 * isLocal - isCached
    case .download: 2 * isCached - isLocal
    }
  }

  var needsHost: Bool {
    switch self {
    case .kernels: false
    case .sharedWithHost, .upload, .download: true
    }
  }

  /// The types of `mask` that do, the best first.
  func types(
    _ types: [PhysicalDevice.MemoryType], in mask: UInt32
  ) -> [PhysicalDevice.MemoryType] {
    types.filter { mask >> $0.index & 1 == 1 && allows($0) }
      .enumerated().sorted {
        (-suitability($0.element), $0.offset) < (-suitability($1.element), $1.offset)
      }
      .map(\.element)
  }
}

/// An address in host memory that the device writes or reads as well.
// @unchecked Sendable: the address never changes; the order of the submissions decides when the host
// and the device may touch the bytes, as for any device memory.
struct HostAddress: @unchecked Sendable {
  let pointer: UnsafeMutableRawPointer
}

/// A buffer with memory of its own, or a caller's.
final class DeviceBuffer: Sendable {
  let device: VulkanDevice
  let byteCount: Int
  let buffer: Owned<Vulkan.Buffer>
  /// Where the host reaches the bytes; `nil` where only the device does.
  let address: HostAddress?
  /// Bytes that kernels can be bound to: at least `byteCount`.
  let bindableByteCount: Int
  /// Whether kernels may fetch texels of it: a caller's buffer need not be made for that.
  let isForTexels: Bool
  // Nothing of a caller's buffer.
  private let memory: Owned<Vulkan.Memory>?
  private let views = Mutex<[Texels: Owned<Vulkan.BufferView>]>([:])
  private let reservation: (byteCount: Int, heap: Int)?

  /// - Throws: `outOfMemory`, `deviceLost`.
  init(_ device: VulkanDevice, byteCount: Int, for use: MemoryUse) throws(CinematicError) {
    try device.checkAlive()
    // Kernels may read whole words at the end.
    let size = (max(byteCount, 1) + 255) & ~255
    let buffer = try device.makeBuffer(byteCount: size)
    var requirements = VkMemoryRequirements()
    device.functions.getBufferMemoryRequirements(
      device.handle.pointer, buffer.pointer, &requirements)
    let needed = Int(clamping: requirements.size)
    guard needed <= device.physical.limits.largestAllocation else {
      throw CinematicError(
        .outOfMemory, "\(device.physical.name) cannot allocate \(needed) bytes at once",
        remedy: "render at a smaller size")
    }
    var failure = CinematicError(
      .unsupported, "\(device.physical.name) has no memory of the kind that the engine needs")
    var found: (memory: Owned<Vulkan.Memory>, heap: Int)?
    for type in use.types(device.physical.memoryTypes, in: requirements.memoryTypeBits) {
      do throws(CinematicError) {
        found = (try device.allocate(needed, type), type.heap)
        break
      } catch {
        failure = error
        guard error.code == .outOfMemory else { break }
      }
    }
    guard let (memory, heap) = found else { throw failure }
    var address: UnsafeMutableRawPointer?
    do throws(CinematicError) {
      try device.call("vkBindBufferMemory") {
        device.functions.bindBufferMemory(
          device.handle.pointer, buffer.pointer, memory.pointer, 0)
      }
      if use.needsHost {
        try device.call("vkMapMemory") {
          device.functions.mapMemory(
            device.handle.pointer, memory.pointer, 0, VkDeviceSize(VK_WHOLE_SIZE), 0, &address)
        }
      }
    } catch {
      device.unreserve(needed, ofHeap: heap)
      throw error
    }
    self.device = device
    self.byteCount = byteCount
    bindableByteCount = size
    isForTexels = device.fetchesTexels
    self.buffer = buffer
    self.memory = memory
    self.address = address.map { HostAddress(pointer: $0) }
    reservation = (needed, heap)
  }

  /// A buffer of a caller's, which only the device reaches; `release` is called when nothing uses it
  /// any more.
  init(
    _ device: VulkanDevice, adopting buffer: Handle<Vulkan.Buffer>, byteCount: Int,
    release: @escaping @Sendable () -> Void
  ) {
    self.device = device
    self.byteCount = byteCount
    self.buffer = device.adopt(buffer, release: release)
    bindableByteCount = byteCount
    isForTexels = false
    address = nil
    memory = nil
    reservation = nil
  }

  deinit {
    if let reservation { device.unreserve(reservation.byteCount, ofHeap: reservation.heap) }
  }

  /// The whole buffer's bytes as the host sees them.
  ///
  /// - Precondition: The memory is of a use that the host takes part in.
  var bytes: UnsafeMutableRawPointer {
    guard let address else { preconditionFailure("the host cannot reach this memory") }
    return address.pointer
  }
}

extension VulkanDevice {
  fileprivate func makeBuffer(byteCount: Int) throws(CinematicError) -> Owned<Vulkan.Buffer> {
    var families = [compute.family.index]
    for port in [upload, download] {
      if let index = port?.family.index, !families.contains(index) { families.append(index) }
    }
    return try make("vkCreateBuffer", Vulkan.Buffer.self) { functions, device, pointer in
      functions.destroyBuffer(device, pointer, nil)
    } create: { pointer in
      families.withUnsafeBufferPointer { families in
        var info = VkBufferCreateInfo()
        info.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO
        info.size = VkDeviceSize(byteCount)
        info.usage =
          VK_BUFFER_USAGE_STORAGE_BUFFER_BIT.rawValue | VK_BUFFER_USAGE_TRANSFER_SRC_BIT.rawValue
          | VK_BUFFER_USAGE_TRANSFER_DST_BIT.rawValue | VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT.rawValue
          | (fetchesTexels ? VK_BUFFER_USAGE_UNIFORM_TEXEL_BUFFER_BIT.rawValue : 0)
        // Buffers, unlike images, lose nothing by being shared between families.
        info.sharingMode =
          families.count > 1 ? VK_SHARING_MODE_CONCURRENT : VK_SHARING_MODE_EXCLUSIVE
        info.queueFamilyIndexCount = UInt32(families.count)
        info.pQueueFamilyIndices = families.baseAddress
        return functions.createBuffer(handle.pointer, &info, nil, pointer)
      }
    }
  }

  /// Memory that is booked; freeing it takes it off the books.
  fileprivate func allocate(
    _ byteCount: Int, _ type: PhysicalDevice.MemoryType
  ) throws(CinematicError) -> Owned<Vulkan.Memory> {
    try reserve(byteCount, ofHeap: type.heap)
    do throws(CinematicError) {
      return try make("vkAllocateMemory", Vulkan.Memory.self) { functions, device, pointer in
        functions.freeMemory(device, pointer, nil)
      } create: { pointer in
        var info = VkMemoryAllocateInfo()
        info.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO
        info.allocationSize = VkDeviceSize(byteCount)
        info.memoryTypeIndex = type.index
        return functions.allocateMemory(handle.pointer, &info, nil, pointer)
      }
    } catch {
      unreserve(byteCount, ofHeap: type.heap)
      throw error
    }
  }
}

extension DeviceBuffer {
  /// Where texels lie in a buffer.
  struct Texels: Hashable, Sendable {
    var offset: Int
    /// A part of a texel at the end is left out.
    var byteCount: Int
    var element: FetchingModule.Element
  }

  /// A view of the buffer, kept for the next frame; the caller keeps it while a submission uses it.
  ///
  /// - Throws: `outOfMemory`, `deviceLost`.
  func view(of texels: Texels) throws(CinematicError) -> Owned<Vulkan.BufferView> {
    if let known = views.withLock({ $0[texels] }) { return known }
    let size = texels.element.byteCount
    let view = try device.make("vkCreateBufferView", Vulkan.BufferView.self) {
      functions, device, pointer in
      functions.destroyBufferView(device, pointer, nil)
    } create: { pointer in
      var info = VkBufferViewCreateInfo()
      info.sType = VK_STRUCTURE_TYPE_BUFFER_VIEW_CREATE_INFO
      info.buffer = buffer.pointer
      info.format = texels.element.format
      info.offset = VkDeviceSize(texels.offset)
      info.range = VkDeviceSize(texels.byteCount / size * size)
      return device.functions.createBufferView(device.handle.pointer, &info, nil, pointer)
    }
    views.withLock {
      // Frames of one size need a few dozen; of very many sizes, they begin anew.
      if $0.count >= 1024 { $0 = [:] }
      $0[texels] = view
    }
    return view
  }
}
