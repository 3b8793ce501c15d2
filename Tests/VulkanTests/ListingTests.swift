// SPDX-License-Identifier: Apache-2.0

import CVulkan
import FocalCore
import FocalRendering
import Testing

@testable import FocalVulkan

/// The content of a listing, on machines with and without Vulkan.
@Suite struct ListingTests {
  @Test func withoutALoaderTheListingSaysSo() {
    var options = VulkanOptions()
    options.libraryNames = ["libno-such-vulkan.so.1"]
    let listing = DeviceListing.vulkan(options)
    #expect(listing.devices.isEmpty)
    #expect(listing.skipped.count == 1)
    #expect(listing.skipped.first?.reason.contains("libno-such-vulkan.so.1") == true)
    #expect(listing.skipped.first?.reason.contains("install") == true)
  }

  /// A library of that name that is no loader.
  @Test func aLibraryThatIsNoLoaderIsNone() {
    var options = VulkanOptions()
    options.libraryNames = ["libc.so.6"]
    let listing = DeviceListing.vulkan(options)
    #expect(listing.devices.isEmpty && listing.skipped.count == 1)
  }

  @Test(.enabled(if: hasDevice, skipReason)) func aDeviceSaysWhatItIs() throws {
    let listing = DeviceListing.vulkan()
    for (index, device) in listing.devices.enumerated() {
      #expect(device.identifier == "vulkan:\(index)")
      #expect(!device.name.isEmpty && !device.driver.isEmpty)
      #expect(device.kind != .cpu)
      #expect((device.memoryByteCount == nil) == (device.kind != .discreteGPU))
      #expect(device.backend.largestBindingByteCount >= 1 << 27)
    }
    for skipped in listing.skipped { #expect(!skipped.name.isEmpty && !skipped.reason.isEmpty) }
    #expect(Device.vulkan().map(\.name) == listing.devices.map(\.name))
  }

  @Test(.enabled(if: hasDevice, skipReason)) func whatADeviceLacksIsNamed() throws {
    let device = try #require(makeDevice())
    let backend = try #require(device.backend as? VulkanBackend)
    let physical = backend.physical
    #expect(physical.obstacle == nil)
    #expect(physical.with(apiVersion: Version.v1_0).obstacle?.contains("1.0.0") == true)
    #expect(physical.with(storage: (true, false)).obstacle?.contains("16-bit") == true)
    #expect(physical.with(storage: (false, true)).obstacle?.contains("8-bit") == true)
    #expect(physical.with(families: []).obstacle?.contains("queue") == true)
  }

  @Test(.enabled(if: hasDevice, skipReason)) func copiesGoToTheFamilyThatDoesLeastElse() throws {
    let backend = try #require(makeDevice()?.backend as? VulkanBackend)
    let copies = VK_QUEUE_TRANSFER_BIT.rawValue
    let everything = VK_QUEUE_GRAPHICS_BIT.rawValue | VK_QUEUE_COMPUTE_BIT.rawValue | copies
    // A family that decodes video, then one that binds sparse memory.
    let families = [everything, copies | 0x20, copies | VK_QUEUE_SPARSE_BINDING_BIT.rawValue]
      .enumerated().map { index, flags in
        PhysicalDevice.QueueFamily(
          index: UInt32(index), count: 1, flags: flags, timestampBits: 64)
      }
    #expect(backend.physical.with(families: families).transferFamily?.index == 2)
    #expect(backend.physical.with(families: [families[0]]).transferFamily == nil)
  }
}

extension PhysicalDevice {
  fileprivate func with(
    apiVersion: UInt32? = nil, storage: (bits8: Bool, bits16: Bool)? = nil,
    families: [QueueFamily]? = nil
  ) -> PhysicalDevice {
    var copy = self
    if let apiVersion { copy.apiVersion = apiVersion }
    if let storage { copy.storage = storage }
    if let families { copy.families = families }
    return copy
  }
}
