// SPDX-License-Identifier: Apache-2.0

import Foundation
import KernelDeclarations

/// The C function of each kernel that a processor runs.
///
/// - Throws: the declaration of a kernel of which no folder has the file `name.c`, whatever it holds:
///   the body that every device runs, or a version tuned for the processor.
func processorSource(
  _ declarations: KernelDeclarations, folders: [String]
) throws(CompilerError) -> String {
  var text = generatedHeading
  text += """

    import FocalRendering
    import ShaderTypes

    extension Kernel {
      /// The C function that runs the kernel over a range of its items.
      var entryPoint: CPUEntryPoint {
        switch self {

    """
  for kernel in declarations.kernels where kernel.role != .part {
    let file = "\(kernel.name).c"
    guard folders.contains(where: { FileManager.default.fileExists(atPath: "\($0)/\(file)") })
    else {
      throw CompilerError(
        "\(kernel.path):\(kernel.line): error: the processor has no \(file) of this kernel in "
          + folders.joined(separator: ", "))
    }
    text += "    case .\(kernel.name): focal_\(kernel.name)\n"
  }
  let parts = declarations.kernels.filter { $0.role == .part }.map { ".\($0.name)" }
  if !parts.isEmpty {
    text += """
          case \(parts.joined(separator: ", ")):
            preconditionFailure("\\(name) is a part of a kernel that the processor runs fused")

      """
  }
  return text + "    }\n  }\n}\n"
}
