// SPDX-License-Identifier: Apache-2.0

import FocalCPU
import FocalOpenCL
import FocalRendering
import FocalVulkan

/// A backend in the catalogue: a name, and how to list what it finds on this machine.
package struct BackendModule: Sendable {
  /// As identifiers begin: `vulkan` of `vulkan:1`.
  package let name: String
  /// Whether code that is not the engine's own runs when its devices are listed or used: a driver,
  /// which may crash or hang.
  package let usesDrivers: Bool
  /// The devices, in the driver's order, and what was left out.
  package let list: @Sendable () -> DeviceListing

  package init(
    name: String, usesDrivers: Bool = true, list: @escaping @Sendable () -> DeviceListing
  ) {
    self.name = name
    self.usesDrivers = usesDrivers
    self.list = list
  }

  /// The processor.
  package static func cpu(threadCount: Int? = nil) -> BackendModule {
    BackendModule(name: "cpu", usesDrivers: false) {
      DeviceListing(devices: [.cpu(threadCount: threadCount)])
    }
  }

  /// Every backend that this build has; of two that reach the same device, the better one first.
  package static func all(threadCount: Int? = nil) -> [BackendModule] {
    [
      cpu(threadCount: threadCount),
      BackendModule(name: "vulkan") { .vulkan() },
      BackendModule(name: "opencl") { .openCL() },
    ]
  }
}
