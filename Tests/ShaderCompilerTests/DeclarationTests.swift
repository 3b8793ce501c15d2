// SPDX-License-Identifier: Apache-2.0

import KernelDeclarations
import Testing

@testable import ShaderCompiler

/// Reading a kernel's declaration; its faults are told with file and line.
@Suite(.serialized) struct DeclarationTests {
  private static let header = """
    #pragma once
    FOCAL_STRUCT(Inner) { float a, b[2]; };  FOCAL_STRUCT(Parameters) { int32_t count; Inner inner, more[2]; };

    /// Doubles what it reads.
    /// Items.
    #define FOCAL_KERNEL_double(_)                            \\
      _(parameters, Parameters) _(workgroup, WIDTH, HEIGHT)   \\
      _(reads, uint8_t, bytes) _(view, uint16_t, words, bytes) \\
      _(writes, float, result)                                \\
      _(workspace, float, pool)                               \\
      _(shares, float, sums, 2 * WIDTH)
    FOCAL_KERNEL(double)

    """

  private func declarations(_ text: String) throws -> (KernelDeclarations, SourceFolder) {
    let folder = try SourceFolder(["shared.h": text])
    return (try KernelDeclarations(headers: [folder.path("shared.h")]), folder)
  }

  @Test func aDeclarationIsReadWhole() throws {
    let (declarations, _) = try declarations(Self.header)
    let kernel = try #require(declarations.kernels.first)
    #expect(declarations.kernels.count == 1)
    #expect(kernel.name == "double")
    #expect(kernel.typeName == "Double")
    #expect(kernel.role == .common)
    #expect(kernel.documentation == ["Doubles what it reads.", "Items."])
    #expect(kernel.parameters == "Parameters")
    let paths = ["count", "inner.a", "inner.b[0]", "inner.b[1]"]
    #expect(kernel.parameterWords.prefix(4).map(\.path) == paths)
    #expect(kernel.parameterWords.count == 10)
    #expect(kernel.parameterWords.last?.path == "more[1].b[1]")
    #expect(kernel.parameterWords.last?.type == "float")
    #expect(kernel.workgroup == ["WIDTH", "HEIGHT"])
    #expect(kernel.buffers.map(\.name) == ["bytes", "result", "pool"])
    #expect(kernel.buffers.map(\.access) == [.reads, .writes, .workspace])
    #expect(kernel.buffers.map(\.line) == [8, 9, 10])
    #expect(kernel.buffers[0].views.map(\.name) == ["words"])
    #expect(kernel.shared.map(\.count) == ["2 * WIDTH"])
  }

  @Test func eachLanguageGetsItsBuffers() throws {
    let (declarations, _) = try declarations(Self.header)
    let kernel = try #require(declarations.kernels.first)
    let lines = glslBuffers(of: kernel).map(\.text)
    #expect(lines[1].contains("p.count = int(focal_words[0].x);"))
    #expect(lines[1].contains("p.more[1].b[1] = uintBitsToFloat(focal_words[2].y);"))
    #expect(
      [lines[0]] + lines[2...] == [
        "FOCAL_PARAMETERS(Parameters, 3)", "FOCAL_READS(0, uint8_t, bytes)",
        "FOCAL_READS(0, uint16_t, words)", "FOCAL_WRITES(1, float, result)",
        "FOCAL_WRITES(2, float, pool)", "FOCAL_SHARED_ARRAY(float, sums, 2 * WIDTH)",
      ])
    #expect(
      openCLArguments(of: kernel) == [
        "#define FOCAL_ARGUMENTS __global const uint8_t *restrict bytes, __global float *result, "
          + "__global float *pool, const Parameters p",
        "#define FOCAL_TAKES __global const uint8_t *restrict bytes, __global float *result, "
          + "__global float *pool, __global const uint16_t *words, __local float *sums, "
          + "const Parameters p,",
        "#define FOCAL_PASSES bytes, result, pool, words, sums, p,",
        "#define FOCAL_LOCALS __global const uint16_t *words = (__global const uint16_t *)bytes; "
          + "__local float sums[2 * WIDTH];",
      ])
  }

  @Test(
    arguments: [
      ("_(reads, uint8_t, bytes)", "_(read, uint8_t, bytes)", ":8: error: no entry of a kernel"),
      ("_(reads, uint8_t, bytes)", "reads(uint8_t, bytes)", ":8: error: entries of the form"),
      ("words, bytes)", "words, other)", ":8: error: there is no buffer other before"),
      ("FOCAL_KERNEL(double)", "FOCAL_KERNEL(single)", ":12: error: after the buffers of double"),
      ("_(parameters, Parameters) ", "", ":6: error: the kernel double has no entry _(parameters"),
      ("/// Items.", "", ":6: error: the kernel double has no comment"),
    ] as [(String, String, String)])
  func whatIsWrongIsToldWithItsLine(_ old: String, _ new: String, _ text: String) throws {
    let broken = Self.header.replacing(old, with: new)
    let error = #expect(throws: CompilerError.self) { _ = try declarations(broken) }
    #expect(error?.description.contains("shared.h\(text)") == true, "\(error?.description ?? "")")
  }

  @Test func aKernelHasAsManyBuffersAsEveryDeviceBinds() throws {
    let many = (0..<7).map { "_(reads, float, b\($0))" }.joined(separator: " ")
    let broken = Self.header.replacing("_(workspace, float, pool)", with: many)
    let error = #expect(throws: CompilerError.self) { _ = try declarations(broken) }
    #expect(error?.description.contains(":6: error: the kernel double has 9 buffers") == true)
  }

  @Test func aNameIsDeclaredOnce() throws {
    let folder = try SourceFolder(["a.h": Self.header, "b.h": Self.header])
    let error = #expect(throws: CompilerError.self) {
      _ = try KernelDeclarations(headers: [folder.path("a.h"), folder.path("b.h")])
    }
    #expect(error?.description.contains("b.h:6: error: the kernel double is declared at") == true)
  }

  @Test func aKernelWithoutABodyAndOneOfTypesThatAreNoneAreNamed() throws {
    let (declarations, folder) = try declarations(Self.header)
    let kernel = try #require(declarations.kernels.first)
    let missing = #expect(throws: CompilerError.self) {
      _ = try KernelLanguage.opencl.compile(kernel, including: [folder.path("")])
    }
    #expect(missing?.description.contains("there is no language.h") == true)

    let shaders = try SourceFolder([
      "shared.h": Self.header.replacing("uint8_t", with: "nonsense"),
      "language.h":
        "#define FOCAL_KERNEL(name)\n#define FOCAL_STRUCT(name) struct name\n#define int32_t int\n"
        + "#define FOCAL_PARAMETERS(type, vectors) uvec4 focal_words[vectors]; type p;\n#define FOCAL_READS(i, type, name) type name;",
    ])
    let broken = try #require(
      try KernelDeclarations(headers: [shaders.path("shared.h")]).kernels.first)
    let noBody = #expect(throws: CompilerError.self) {
      _ = try KernelLanguage.vulkan.compile(broken, including: [shaders.url.path])
    }
    #expect(
      noBody?.description.contains("shared.h:6: error: the kernel double has no body") == true)
    try "void main() {}\n".write(
      to: shaders.url.appending(path: "double.h"), atomically: true, encoding: .utf8)
    let noType = #expect(throws: CompilerError.self) {
      _ = try KernelLanguage.vulkan.compile(broken, including: [shaders.url.path])
    }
    #expect(
      noType?.description.contains("shared.h:8: error:") == true, "\(noType?.description ?? "")")
  }
}
