// SPDX-License-Identifier: Apache-2.0

import Foundation
import KernelDeclarations

/// Turns the kernels' declarations into Swift.
///
///     KernelGenerator engine|processor OUTPUT [-I FOLDER]... HEADER...
///
/// For the `engine`: the closed list of kernels, a type with named buffers for each, and what they
/// hold. For the `processor`: the C function of each kernel, which must be in one of the folders.
@main
struct KernelGenerator {
  static func main() {
    do {
      try run(Array(CommandLine.arguments.dropFirst()))
    } catch {
      FileHandle.standardError.write(Data("\(error)\n".utf8))
      exit(1)
    }
  }

  static func run(_ arguments: [String]) throws(CompilerError) {
    var folders: [String] = []
    var headers: [String] = []
    var rest = arguments.dropFirst(2)
    while let argument = rest.popFirst() {
      if argument == "-I" {
        folders.append(rest.popFirst() ?? "")
      } else {
        headers.append(argument)
      }
    }
    guard arguments.count > 2, ["engine", "processor"].contains(arguments[0]) else {
      throw CompilerError(
        "usage: KernelGenerator engine|processor OUTPUT [-I FOLDER]... HEADER...")
    }
    let declarations = try KernelDeclarations(headers: headers.sorted())
    let text =
      arguments[0] == "engine"
      ? try engineSource(declarations) : try processorSource(declarations, folders: folders)
    do {
      try Data(text.utf8).write(to: URL(fileURLWithPath: arguments[1]), options: .atomic)
    } catch {
      throw CompilerError("\(arguments[1]) cannot be written: \(error.localizedDescription)")
    }
  }
}

/// The start of every generated file.
let generatedHeading = """
  // SPDX-License-Identifier: Apache-2.0
  //
  // Made by KernelGenerator from the kernels' declarations; changes here are lost.

  """
