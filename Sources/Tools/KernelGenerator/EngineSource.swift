// SPDX-License-Identifier: Apache-2.0

import KernelDeclarations

/// The closed list of kernels, and a type for the arguments of each.
func engineSource(_ declarations: KernelDeclarations) throws(CompilerError) -> String {
  let kernels = declarations.kernels
  var text = generatedHeading
  text += """

    import ShaderTypes

    /// The closed list of kernels. A backend runs all of those that are common, and either the fused
    /// ones or their parts, as ``DeviceBackend/fusesTiles`` says.
    package enum Kernel: String, CaseIterable, Sendable {

    """
  for kernel in kernels {
    for line in kernel.documentation { text += "  /// \(line)\n" }
    text += "  case \(kernel.name)\n"
  }
  text += "\n  package var role: Role {\n    switch self {\n"
  for kernel in kernels { text += "    case .\(kernel.name): .\(kernel.role)\n" }
  text += "    }\n  }\n\n  package var workgroup: Grid {\n    switch self {\n"
  for kernel in kernels {
    let sides = kernel.workgroup.map { "Int(\($0))" }.joined(separator: ", ")
    text += "    case .\(kernel.name): Grid(\(sides))\n"
  }
  text += "    }\n  }\n\n  package var buffers: [KernelBuffer] {\n    switch self {\n"
  for kernel in kernels {
    text += "    case .\(kernel.name): [\n"
    for buffer in kernel.buffers {
      text += "      \(try contents(of: buffer, in: kernel, declarations.records)),\n"
    }
    text += "    ]\n"
  }
  text += "    }\n  }\n}\n"
  for kernel in kernels { text += argumentsType(of: kernel) }
  return text
}

/// The buffers of a kernel, by name.
private func argumentsType(of kernel: KernelDeclaration) -> String {
  var text = """

    extension Kernel {
      /// The buffers of ``\(kernel.name)``.
      struct \(kernel.typeName): KernelArguments {
        typealias Parameters = \(kernel.parameters)
        static let kernel = Kernel.\(kernel.name)

    """
  for buffer in kernel.buffers { text += "    var \(buffer.name): PassList.Argument\n" }
  let names = kernel.buffers.map(\.name).joined(separator: ", ")
  return text + "    var list: [PassList.Argument] { [\(names)] }\n  }\n}\n"
}

/// A buffer's content, for those that compare it.
private func contents(
  of buffer: KernelDeclaration.Buffer, in kernel: KernelDeclaration,
  _ records: [String: RecordDeclaration]
) throws(CompilerError) -> String {
  let record = records[buffer.type]
  let scalars = [
    "float": "float", "float4": "float", "uint8_t": "byte", "uint16_t": "byte",
    "uint32_t": "integer", "int32_t": "integer",
  ]
  guard let element = scalars[record?.type ?? buffer.type] else {
    throw CompilerError(
      "\(kernel.path):\(buffer.line): error: what a buffer of \(buffer.type) holds is not known: a "
        + "number, or a struct with fields of one type")
  }
  var text = "KernelBuffer(\"\(buffer.name)\", .\(element), .\(buffer.access)"
  // Fields that no kernel reads.
  let unused = record?.fields.indices.filter { record!.fields[$0].hasPrefix("unused") } ?? []
  if !unused.isEmpty {
    text += ", recordLength: \(record!.fields.count), unused: \(unused)"
  }
  return text + ")"
}
