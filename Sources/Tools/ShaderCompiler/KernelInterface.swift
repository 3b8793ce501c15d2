// SPDX-License-Identifier: Apache-2.0

import KernelDeclarations

/// A kernel's buffers as GLSL has them, global, by the macros of the language's header; each with the
/// line of its declaration.
func glslBuffers(of kernel: KernelDeclaration) -> [(line: Int, text: String)] {
  let vectors = (kernel.parameterWords.count + 3) / 4
  var lines = [
    (line: kernel.line, text: "FOCAL_PARAMETERS(\(kernel.parameters), \(vectors))"),
    (line: kernel.line, text: glslParameters(of: kernel)),
  ]
  for (binding, buffer) in kernel.buffers.enumerated() {
    let word = buffer.access == .reads ? "FOCAL_READS" : "FOCAL_WRITES"
    lines.append((buffer.line, "\(word)(\(binding), \(buffer.type), \(buffer.name))"))
    for view in buffer.views {
      lines.append((view.line, "\(word)(\(binding), \(view.type), \(view.name))"))
    }
  }
  for array in kernel.shared {
    lines.append((array.line, "FOCAL_SHARED_ARRAY(\(array.type), \(array.name), \(array.count))"))
  }
  return lines
}

/// The function that puts the parameters together of the words of a uniform block. A block of the struct itself would
/// have another layout than C: its arrays and structs begin at multiples of 16 bytes.
private func glslParameters(of kernel: KernelDeclaration) -> String {
  let readers = ["int32_t": "int", "uint32_t": "uint", "float": "uintBitsToFloat"]
  let statements = kernel.parameterWords.enumerated().map { index, word in
    let component = ["x", "y", "z", "w"][index % 4]
    return "p.\(word.path) = \(readers[word.type]!)(focal_words[\(index / 4)].\(component));"
  }
  return "void focal_readParameters() { \(statements.joined(separator: " ")) }"
}

/// A kernel's buffers as OpenCL C has them, arguments of every function: the macros that
/// the language's header expects.
func openCLArguments(of kernel: KernelDeclaration) -> [String] {
  func pointer(_ access: KernelDeclaration.Buffer.Access, _ type: String) -> String {
    access == .reads ? "__global const \(type) *" : "__global \(type) *"
  }
  let parameters = "const \(kernel.parameters) p"
  let arguments = kernel.buffers.map { buffer in
    pointer(buffer.access, buffer.type) + (buffer.access == .reads ? "restrict " : "") + buffer.name
  }
  let views = kernel.buffers.flatMap { buffer in
    buffer.views.map { (pointer(buffer.access, $0.type), $0.name, buffer.name) }
  }
  let takes =
    arguments + views.map { "\($0.0)\($0.1)" }
    + kernel.shared.map { "__local \($0.type) *\($0.name)" } + [parameters]
  let passes = kernel.buffers.map(\.name) + views.map(\.1) + kernel.shared.map(\.name) + ["p"]
  let locals =
    views.map { "\($0.0)\($0.1) = (\($0.0))\($0.2);" }
    + kernel.shared.map { "__local \($0.type) \($0.name)[\($0.count)];" }
  func list(_ items: [String]) -> String { items.joined(separator: ", ") }
  return [
    "#define FOCAL_ARGUMENTS \(list(arguments + [parameters]))",
    "#define FOCAL_TAKES \(list(takes)),",
    "#define FOCAL_PASSES \(list(passes)),",
    "#define FOCAL_LOCALS \(locals.joined(separator: " "))",
  ]
}
