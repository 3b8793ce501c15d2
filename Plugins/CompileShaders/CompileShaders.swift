// SPDX-License-Identifier: Apache-2.0

import Foundation
import PackagePlugin

/// Compiles the kernels of a graphics backend into a Swift file of its module.
@main
struct CompileShaders: BuildToolPlugin {
  func createBuildCommands(context: PluginContext, target: Target) throws -> [Command] {
    let shaders = context.package.directoryURL.appending(path: "Shaders")
    let (language, folder, kernelExtension) =
      target.name == "FocalVulkan" ? ("vulkan", "Vulkan", "comp") : ("opencl", "OpenCL", "cl")
    let own = shaders.appending(path: folder)
    let shared = [
      shaders.appending(path: "Kernels"), shaders.appending(path: "Shared/include"),
    ]
    let kernels = files(in: own).filter { $0.pathExtension == kernelExtension }
    let headers = ([own] + shared).flatMap(files(in:)).filter { $0.pathExtension == "h" }
    let output = context.pluginWorkDirectoryURL.appending(path: "EmbeddedKernels.swift")
    return [
      .buildCommand(
        displayName: "Compiling \(kernels.count) \(folder) kernels",
        executable: try context.tool(named: "ShaderCompiler").url,
        arguments: [language, output.path] + shared.flatMap { ["-I", $0.path] }
          + kernels.map(\.path),
        inputFiles: kernels + headers, outputFiles: [output])
    ]
  }

  private func files(in folder: URL) -> [URL] {
    let found = try? FileManager.default.contentsOfDirectory(
      at: folder, includingPropertiesForKeys: nil)
    return (found ?? []).sorted { $0.path < $1.path }
  }
}
