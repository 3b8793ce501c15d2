// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalRendering

extension Device {
  /// The devices of the machine's OpenCL drivers that can run the engine, in the loader's order; none
  /// where there is no loader, no driver or no device.
  ///
  /// Each call opens devices anew: also one that was lost before.
  public static func openCL() -> [Device] { openCLListing().devices }

  /// The devices, together with what cannot be used and why.
  package static func openCLListing() -> DeviceListing {
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
