// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalRendering

extension Device {
  /// The devices of the machine's OpenCL drivers that can run the engine, in the loader's order; none
  /// where there is no loader, no driver or no device.
  ///
  /// Each call opens devices anew: also one that was lost before.
  public static func openCL() -> [Device] { DeviceListing.openCL().devices }
}

extension DeviceListing {
  /// The machine's OpenCL devices, and those that cannot run the engine with the reason.
  package static func openCL() -> DeviceListing {
    // A driver's compiler installs handlers of its own when the driver starts, once in a process.
    let dispositions = SignalDispositions()
    defer { dispositions.restore() }
    return listOpenCLDevices(options: OpenCLBackend.Options(sources: { $0.openCLSource }))
  }
}

extension Kernel {
  /// The kernel's OpenCL C; `nil` for one that this build has no source of.
  var openCLSource: String? {
    EmbeddedKernels.base64(name).map { String(decoding: bytes(ofBase64: $0), as: UTF8.self) }
  }
}
