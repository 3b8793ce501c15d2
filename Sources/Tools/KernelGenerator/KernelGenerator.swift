// SPDX-License-Identifier: Apache-2.0

import KernelDeclarations

/// Turns the kernels' declarations into Swift.
///
///     KernelGenerator engine|processor OUTPUT [-I FOLDER]... HEADER...
///
/// For the `engine`: the closed list of kernels, a type with named buffers for each, and what they
/// hold. For the `processor`: the C function of each kernel, which must be in one of the folders.
@main
struct KernelGenerator {
  enum Output: String, CaseIterable {
    case engine, processor
  }

  static func main() { runGenerator(run) }

  static func run(_ words: [String]) throws(CompilerError) {
    let arguments = try GeneratorArguments<Output>(words, program: "KernelGenerator")
    let declarations = try KernelDeclarations(headers: arguments.headers)
    switch arguments.kind {
    case .engine:
      try arguments.write(engineSource(declarations))
    case .processor:
      try arguments.write(processorSource(declarations, folders: arguments.folders))
    }
  }
}

/// The start of every generated file.
let generatedHeading = """
  // SPDX-License-Identifier: Apache-2.0
  //
  // Made by KernelGenerator from the kernels' declarations; changes here are lost.

  """
