// SPDX-License-Identifier: Apache-2.0

import FocalCore

/// Something that can run the renderer's kernels: the processor, or a graphics device.
///
/// Devices come from a backend module: `Device.cpu()` from FocalCPU, `Device.vulkan()` from FocalVulkan,
/// `Device.openCL()` from FocalOpenCL; or from FocalDevices, which lists them all.
public struct Device: Sendable, CustomStringConvertible {
  /// The kind of hardware.
  public enum Kind: String, Sendable {
    case cpu
    case integratedGPU
    case discreteGPU
    /// A graphics driver that computes on the processor.
    case softwareGPU
  }

  package let backend: any DeviceBackend

  package init(backend: any DeviceBackend) { self.backend = backend }

  /// The name that the backend gives it, for people to read.
  public var name: String { backend.name }
  public var kind: Kind { backend.kind }
  /// The backend's identifier, as `--device` takes it: `cpu`, `vulkan:1`.
  public var identifier: String { backend.identifier }
  /// The driver's name and version; empty where there is none.
  public var driver: String { backend.driver }
  /// Bytes of the device's own memory; `nil` where it shares the host's.
  public var memoryByteCount: Int? { backend.memoryByteCount }
  /// Features that the device lacks and the engine does without, for people to read.
  public var missingFeatures: [String] { backend.missingFeatures }
  public var description: String { "\(identifier) (\(name))" }
}
