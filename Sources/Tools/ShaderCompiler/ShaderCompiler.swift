// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Turns a folder of kernels into one Swift file that holds them.
///
///     ShaderCompiler vulkan|opencl OUTPUT [-I FOLDER]... KERNEL...
///
/// Kernels of `vulkan` are GLSL and become SPIR-V; those of `opencl` are OpenCL C and become text
/// without includes and comments, which the driver compiles.
@main
struct ShaderCompiler {
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
    var files: [String] = []
    var isFolder = false
    for argument in arguments.dropFirst(2) {
      if isFolder {
        folders.append(argument)
        isFolder = false
      } else if argument == "-I" {
        isFolder = true
      } else {
        files.append(argument)
      }
    }
    guard arguments.count >= 2, !isFolder, let language = KernelLanguage(rawValue: arguments[0])
    else {
      throw CompilerError(
        "usage: ShaderCompiler vulkan|opencl OUTPUT [-I FOLDER]... KERNEL...")
    }
    var kernels: [EmbeddedKernel] = []
    for path in files.sorted() {
      kernels.append(try language.compile(path, including: folders))
    }
    let text = swiftSource(of: kernels, language: language)
    do {
      try Data(text.utf8).write(to: URL(fileURLWithPath: arguments[1]), options: .atomic)
    } catch {
      throw CompilerError("\(arguments[1]) cannot be written: \(error.localizedDescription)")
    }
  }
}

/// What a kernel's file is written in, by the backend that runs it.
enum KernelLanguage: String {
  case vulkan
  case opencl

  func compile(_ path: String, including folders: [String]) throws(CompilerError) -> EmbeddedKernel
  {
    let name = URL(fileURLWithPath: path).deletingPathExtension().lastPathComponent
    switch self {
    case .vulkan:
      let source = try FlatSource(path, folders: folders, lineMarks: .numbers)
      var module = try SPIRVModule(try compileGLSL(source), of: path)
      module.removeDebugInformation()
      module.forbidContraction()
      try validateSPIRV(module.words, of: path)
      return EmbeddedKernel(name: name, bytes: module.bytes)
    case .opencl:
      let source = try FlatSource(path, folders: folders, lineMarks: .names)
      return EmbeddedKernel(name: name, bytes: Array(withoutComments(source.text).utf8))
    }
  }
}

/// A kernel ready to be part of the program.
struct EmbeddedKernel {
  var name: String
  var bytes: [UInt8]
}

/// Why a kernel does not compile; one complaint a line, each with file and line where it has one.
struct CompilerError: Error, CustomStringConvertible {
  var description: String
  init(_ description: String) { self.description = description }
}
