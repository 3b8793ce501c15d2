// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A Swift file with the kernels as base64 texts: static strings compile in no time and cost nothing
/// at launch, where arrays of bytes would take the compiler minutes.
func swiftSource(of kernels: [EmbeddedKernel], language: KernelLanguage) -> String {
  var text = """
    // SPDX-License-Identifier: Apache-2.0
    //
    // Made by ShaderCompiler from the kernels' declarations and bodies; changes here are lost.

    /// The kernels' programs, by their names.
    enum EmbeddedKernels {
      static let names: [String] = [

    """
  for kernel in kernels { text += "    \"\(kernel.name)\",\n" }
  text += """
      ]

      /// Base64 of \(language == .vulkan ? "the SPIR-V module" : "the OpenCL C source").
      static func base64(_ name: String) -> StaticString? {
        switch name {

    """
  for kernel in kernels {
    let base64 = Data(kernel.bytes).base64EncodedString()
    text += "    case \"\(kernel.name)\":\n      return \"\(base64)\"\n"
  }
  text += """
        default: return nil
        }
      }
    }

    """
  return text
}
