// SPDX-License-Identifier: Apache-2.0

import CPUKernels
import FocalRendering

extension Kernel {
  typealias CPUEntryPoint =
    @convention(c) (
      UnsafePointer<UnsafeMutableRawPointer?>?, UnsafeRawPointer?, UInt32, UInt32
    ) -> Void

  /// The C function that runs the kernel over a range of its items.
  var cpuEntryPoint: CPUEntryPoint {
    switch self {
    case .unpack: focal_unpack
    case .unpackDisparity: focal_unpackDisparity
    case .resample: focal_resample
    case .pack: focal_pack
    case .packBiPlanar: focal_packBiPlanar
    }
  }
}
