// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalRendering
import Synchronization

/// A device of a Vulkan driver. The driver's own device is made when something is first made on it.
final class VulkanBackend: DeviceBackend {
  let physical: PhysicalDevice
  let identifier: String
  private let instance: VulkanInstance
  /// The caller's device; `nil` for one of the engine's own.
  private let borrowed: BorrowedDevice?
  private let opened = Mutex<Opened?>(nil)

  private struct Opened: Sendable {
    var device: VulkanDevice
    var programs: KernelPrograms
    var channel: TransferChannel
  }

  init(
    _ physical: PhysicalDevice, of instance: VulkanInstance, identifier: String,
    borrowed: BorrowedDevice? = nil
  ) {
    self.physical = physical
    self.instance = instance
    self.identifier = identifier
    self.borrowed = borrowed
  }

  var name: String { physical.name }
  var kind: Device.Kind { physical.kind }
  var driver: String { physical.driver }
  var memoryByteCount: Int? { physical.memoryByteCount }
  var missingFeatures: [String] { physical.missingFeatures }
  var largestBindingByteCount: Int {
    min(physical.limits.largestBinding, physical.limits.largestAllocation)
  }
  /// A graphics device runs the parts of the fused kernels, a pixel an invocation.
  var fusesTiles: Bool { false }
  /// Enough to fill the device; a processor has few cores to fill.
  var tilesAtOnce: Int { physical.kind == .softwareGPU ? 64 : 1024 }

  func makeMemory(byteCount: Int) throws(CinematicError) -> any DeviceMemory {
    try VulkanMemory(byteCount: byteCount, open().channel)
  }

  func makeQueue() throws(CinematicError) -> any DeviceQueue {
    let opened = try open()
    return try VulkanQueue(opened.programs)
  }

  /// The device, opened if it is not.
  func openDevice() throws(CinematicError) -> VulkanDevice { try open().device }

  /// Memory over a buffer of a caller's.
  func adopt(
    _ buffer: Handle<Vulkan.Buffer>, byteCount: Int, release: @escaping @Sendable () -> Void
  ) throws(CinematicError) -> any DeviceMemory {
    let opened = try open()
    return VulkanMemory(
      DeviceBuffer(opened.device, adopting: buffer, byteCount: byteCount, release: release),
      opened.channel)
  }

  private func open() throws(CinematicError) -> Opened {
    let result = opened.withLock { opened -> Result<Opened, CinematicError> in
      do throws(CinematicError) {
        if let opened {
          try opened.device.checkAlive()
          return .success(opened)
        }
        let device = try VulkanDevice(physical, of: instance, borrowed: borrowed)
        let new = Opened(
          device: device,
          programs: try KernelPrograms(
            device, cache: ProgramCache(folder: instance.options.cacheFolder)),
          channel: TransferChannel(device))
        opened = new
        return .success(new)
      } catch {
        return .failure(error)
      }
    }
    return try result.get()
  }
}

extension Device {
  /// The graphics devices that Vulkan drivers offer and that can run the engine, in the order of the
  /// loader; none where there is no loader, no driver or no device.
  ///
  /// Each call opens devices anew: also one that was lost before.
  public static func vulkan() -> [Device] { DeviceListing.vulkan().devices }
}

extension DeviceListing {
  /// The machine's Vulkan devices, and those that cannot run the engine with the reason.
  package static func vulkan() -> DeviceListing { vulkan(VulkanOptions()) }

  static func vulkan(_ options: VulkanOptions) -> DeviceListing {
    var listing = DeviceListing()
    do throws(CinematicError) {
      let instance = try VulkanInstance(options)
      if options.validates && !instance.isValidating {
        listing.skipped.append(
          SkippedDevice(
            name: "Vulkan validation",
            reason: "the layer \(ValidationLog.layer) is not installed"))
      }
      let found = try instance.physicalDevices()
      for handle in found {
        do throws(CinematicError) {
          let physical = try PhysicalDevice(handle, of: instance)
          if let obstacle = physical.obstacle {
            listing.skipped.append(SkippedDevice(name: physical.name, reason: obstacle))
          } else {
            let backend = VulkanBackend(
              physical, of: instance, identifier: "vulkan:\(listing.devices.count)")
            listing.devices.append(Device(backend: backend))
          }
        } catch {
          listing.skipped.append(SkippedDevice(name: "a Vulkan device", reason: "\(error)"))
        }
      }
      if found.isEmpty {
        listing.skipped.append(
          SkippedDevice(
            name: "Vulkan",
            reason: "there is a loader, but no driver lists a device; install the graphics driver"))
      }
    } catch {
      listing.skipped.append(SkippedDevice(name: "Vulkan", reason: "\(error)"))
    }
    return listing
  }
}
