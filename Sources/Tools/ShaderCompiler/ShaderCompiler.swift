// SPDX-License-Identifier: Apache-2.0

import Foundation
import KernelDeclarations

/// Turns the kernels that a graphics device runs into one Swift file that holds them.
///
///     ShaderCompiler vulkan|opencl OUTPUT [-I FOLDER]... HEADER...
///
/// The headers declare the kernels; their bodies, `name.c` or `name.h`, are in the folders. For
/// `vulkan` a kernel is read as GLSL and becomes SPIR-V; for `opencl` it becomes OpenCL C without
/// includes and comments, which the driver compiles.
@main
struct ShaderCompiler {
  static func main() { runGenerator(run) }

  static func run(_ words: [String]) throws(CompilerError) {
    let arguments = try GeneratorArguments<KernelLanguage>(words, program: "ShaderCompiler")
    let declarations = try KernelDeclarations(headers: arguments.headers)
    var kernels: [EmbeddedKernel] = []
    for kernel in declarations.kernels where kernel.role != .fused {
      kernels.append(try arguments.kind.compile(kernel, including: arguments.folders))
    }
    try arguments.write(swiftSource(of: kernels, language: arguments.kind))
  }
}

/// The language that a kernel is read in, by the backend that runs it.
enum KernelLanguage: String, CaseIterable {
  case vulkan
  case opencl

  /// The language's header, a twin by name in Shaders/OpenCL and Shaders/Vulkan.
  static let header = "language.h"

  func compile(
    _ kernel: KernelDeclaration, including folders: [String]
  ) throws(CompilerError) -> EmbeddedKernel {
    let source = try source(of: kernel, including: folders)
    switch self {
    case .vulkan:
      var module = try SPIRVModule(try compileGLSL(source), of: kernel.name)
      module.removeDebugInformation()
      module.forbidContraction()
      try validateSPIRV(module.words, of: kernel.name)
      return EmbeddedKernel(name: kernel.name, bytes: module.bytes)
    case .opencl:
      return EmbeddedKernel(name: kernel.name, bytes: Array(withoutComments(source.text).utf8))
    }
  }

  /// The kernel whole: the language's dialect, the header that declares it, its buffers, its body.
  func source(
    of kernel: KernelDeclaration, including folders: [String]
  ) throws(CompilerError) -> FlatSource {
    var source: FlatSource
    switch self {
    case .vulkan:
      source = FlatSource(
        beginning: "#version 450\n", name: kernel.name, folders: folders, lineMarks: .numbers)
      try source.include(Self.header)
      try source.include(kernel.path)
      for (line, text) in glslBuffers(of: kernel) { source.add(text, at: line, of: kernel.path) }
    case .opencl:
      source = FlatSource(beginning: "", name: kernel.name, folders: folders, lineMarks: .names)
      try source.include(Self.header)
      try source.include(kernel.path)
      for text in openCLArguments(of: kernel) { source.add(text, at: kernel.line, of: kernel.path) }
    }
    let body = try body(of: kernel, in: folders)
    try source.include(body)
    return source
  }

  private func body(
    of kernel: KernelDeclaration, in folders: [String]
  ) throws(CompilerError) -> String {
    let names = ["\(kernel.name).c", "\(kernel.name).h"]
    let found = folders.flatMap { folder in names.map { "\(folder)/\($0)" } }
      .filter { FileManager.default.fileExists(atPath: $0) }
    guard let body = found.first, found.count == 1 else {
      throw CompilerError(
        "\(kernel.path):\(kernel.line): error: the kernel \(kernel.name) has "
          + (found.isEmpty
            ? "no body: there is no \(names[0]) and no \(names[1]) in "
              + folders.joined(separator: ", ")
            : "several bodies: \(found.joined(separator: ", "))"))
    }
    return body
  }
}

/// A kernel ready to be part of the program.
struct EmbeddedKernel {
  var name: String
  var bytes: [UInt8]
}
