// SPDX-License-Identifier: Apache-2.0

import Foundation
import KernelDeclarations
import Testing

@testable import ShaderCompiler

@Suite(.serialized) struct SPIRVTests {
  private func compile(_ body: String, header: String = "") throws -> SPIRVModule {
    let folder = try SourceFolder([
      "kernel.comp": """
      #version 450
      #include "maths.h"
      layout(local_size_x_id = 0) in;
      layout(binding = 0) buffer Values { float values[]; };
      void main() { \(body) }
      """,
      "maths.h": "\(header)\n",
    ])
    let source = try FlatSource(folder.path("kernel.comp"), folders: [], lineMarks: .numbers)
    return try SPIRVModule(try compileGLSL(source), of: "kernel.comp")
  }

  @Test func everyArithmeticResultIsUncontractedAndTheModuleValid() throws {
    var module = try compile(
      """
      vec2 v = vec2(values[0], values[1]) * values[2] - vec2(values[3]);
      values[4] = values[5] * values[6] + dot(v, v) - values[7];
      """)
    let before = module.words.count
    module.removeDebugInformation()
    #expect(module.words.count < before)
    #expect(module.uncontracted.isEmpty)
    module.forbidContraction()
    // A vector times a scalar, two subtractions, a product, a dot product, a sum.
    #expect(module.uncontracted.count == 6)
    try validateSPIRV(module.words, of: "kernel.comp")

    let once = module.words
    module.forbidContraction()
    #expect(module.words == once)
  }

  @Test func complaintsNameFileAndLine() throws {
    let inHeader = #expect(throws: CompilerError.self) {
      _ = try compile("", header: "\nfloat f(float x) { return x * y; }")
    }
    #expect(inHeader?.description.contains("maths.h:2: error:") == true)
    #expect(inHeader?.description.contains("'y'") == true)
    let inKernel = #expect(throws: CompilerError.self) { _ = try compile("f(1.0);") }
    #expect(inKernel?.description.contains("kernel.comp:5: error:") == true)
  }

  @Test func wordsThatAreNoModuleAreRefused() throws {
    let words = try compile("values[0] = 1.0;").words
    #expect(throws: CompilerError.self) { _ = try SPIRVModule([], of: "x") }
    #expect(throws: CompilerError.self) {
      _ = try SPIRVModule(words + [3 << 16 | 71], of: "x")
    }
    #expect(throws: CompilerError.self) { try validateSPIRV(Array(words.prefix(5)), of: "x") }
  }
}
