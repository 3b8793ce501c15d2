// SPDX-License-Identifier: Apache-2.0

import Foundation
import KernelDeclarations
import Testing

@testable import ShaderCompiler

/// Source files in a folder of their own, removed with it.
final class SourceFolder {
  let url = FileManager.default.temporaryDirectory.appending(path: "focal-\(UUID().uuidString)")

  init(_ files: [String: String]) throws {
    for (name, text) in files {
      let file = url.appending(path: name)
      try FileManager.default.createDirectory(
        at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try text.write(to: file, atomically: true, encoding: .utf8)
    }
  }

  deinit { try? FileManager.default.removeItem(at: url) }

  func path(_ name: String) -> String { url.appending(path: name).path }
}

@Suite struct FlatSourceTests {
  @Test func includedFilesStandInPlaceAndLinesKeepTheirNumbers() throws {
    let folder = try SourceFolder([
      "main.comp": "#version 450\n#include \"a.h\"\nlast\n",
      "shared/a.h": "#pragma once\n#include \"b.h\"\na\n",
      "shared/b.h": "b\n",
    ])
    let source = try FlatSource(
      folder.path("main.comp"), folders: [folder.path("shared")], lineMarks: .numbers)
    #expect(
      source.text.split(separator: "\n") == [
        "#version 450", "#line 1 1", "#line 1 2", "b", "#line 3 1", "a", "#line 3 0", "last",
      ])
    #expect(
      source.files.map { URL(fileURLWithPath: $0).lastPathComponent } == [
        "main.comp", "a.h", "b.h",
      ])
  }

  @Test func aFileIsIncludedOnceAndSystemHeadersStay() throws {
    let folder = try SourceFolder([
      "main.cl": "#include \"a.h\"\n# include \"a.h\"\n#include <stdint.h>\n", "a.h": "a\n",
    ])
    let source = try FlatSource(folder.path("main.cl"), folders: [], lineMarks: .names)
    let lines = source.text.split(separator: "\n")
    #expect(lines.filter { $0 == "a" }.count == 1)
    #expect(lines.contains("#include <stdint.h>"))
    #expect(lines.contains("#line 2 \"main.cl\""))
  }

  @Test func aMissingFileIsNamedWithThePlaceThatWantsIt() throws {
    let folder = try SourceFolder(["main.comp": "#version 450\n\n#include \"nowhere.h\"\n"])
    let path = folder.path("main.comp")
    let error = #expect(throws: CompilerError.self) {
      _ = try FlatSource(path, folders: ["/shaders"], lineMarks: .numbers)
    }
    #expect(error?.description.hasPrefix("\(path):3: error: there is no nowhere.h") == true)
  }

  @Test func commentsGoAndLinesStay() {
    let text = "a // b\n/* c\n d */ e\nf/**/g\n"
    #expect(withoutComments(text) == "a\n\n e\nf g\n")
  }
}
