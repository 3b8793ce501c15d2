// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The command line of a program that makes Swift from kernels:
///
///     PROGRAM KIND OUTPUT [-I FOLDER]... HEADER...
package struct GeneratorArguments<Kind: CaseIterable & RawRepresentable<String>> {
  package var kind: Kind
  package var output: String
  /// Where the bodies of kernels and included files are looked for.
  package var folders: [String] = []
  /// In the order of their names, so that the output does not depend on the caller's.
  package var headers: [String] = []

  /// - Throws: the usage, if the kind is unknown or a part is missing.
  package init(_ arguments: [String], program: String) throws(CompilerError) {
    var rest = arguments[...]
    guard let kind = rest.popFirst().flatMap(Kind.init), let output = rest.popFirst() else {
      let kinds = Kind.allCases.map(\.rawValue).joined(separator: "|")
      throw CompilerError("usage: \(program) \(kinds) OUTPUT [-I FOLDER]... HEADER...")
    }
    self.kind = kind
    self.output = output
    while let argument = rest.popFirst() {
      if argument == "-I" {
        folders.append(rest.popFirst() ?? "")
      } else {
        headers.append(argument)
      }
    }
    headers.sort()
  }

  /// Writes the generated text whole. A file that holds it already keeps its date, or every module
  /// above would be compiled again.
  package func write(_ text: String) throws(CompilerError) {
    let (data, url) = (Data(text.utf8), URL(fileURLWithPath: output))
    if let present = try? Data(contentsOf: url), present == data { return }
    do {
      try data.write(to: url, options: .atomic)
    } catch {
      throw CompilerError("\(output) cannot be written: \(error.localizedDescription)")
    }
  }
}

/// Runs a generator on its arguments. An error is printed and ends the program with status 1.
package func runGenerator(_ work: ([String]) throws(CompilerError) -> Void) {
  do {
    try work(Array(CommandLine.arguments.dropFirst()))
  } catch {
    FileHandle.standardError.write(Data("\(error)\n".utf8))
    exit(1)
  }
}
