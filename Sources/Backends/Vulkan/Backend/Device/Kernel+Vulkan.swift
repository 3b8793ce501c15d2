// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalRendering

extension Kernel {
  /// The kernel's SPIR-V module.
  ///
  /// - Throws: `unsupported` for a kernel that this build has no shader of.
  func spirv() throws(CinematicError) -> [UInt32] {
    guard let text = EmbeddedKernels.base64(name) else {
      throw CinematicError(
        .unsupported, "the kernel \(name) has no Vulkan shader in this build",
        remedy: "render on another device, such as the processor")
    }
    return words(ofLittleEndian: bytes(ofBase64: text))
  }
}
