// SPDX-License-Identifier: Apache-2.0

import Foundation
import PackagePlugin

/// Compiles the kernels for a graphics backend into a Swift file of its module.
@main
struct CompileShaders: BuildToolPlugin {
  func createBuildCommands(context: PluginContext, target: Target) throws -> [Command] {
    let shaders = context.package.directoryURL.appending(path: "Shaders")
    let (language, name) =
      target.name == "FocalVulkan" ? ("vulkan", "Vulkan") : ("opencl", "OpenCL")
    let shared = shaders.appending(path: "Shared/include")
    let kernels = shaders.appending(path: "Kernels")
    let folders = [shaders.appending(path: name), shared, kernels] + folders(in: kernels)
    let headers = files(in: shared).filter { $0.pathExtension == "h" }
    let output = context.pluginWorkDirectoryURL.appending(path: "EmbeddedKernels.swift")
    return [
      .buildCommand(
        displayName: "Compiling the kernels for \(name)",
        executable: try context.tool(named: "ShaderCompiler").url,
        arguments: [language, output.path] + folders.flatMap { ["-I", $0.path] }
          + headers.map(\.path),
        inputFiles: folders.flatMap(files(in:)).filter { ["c", "h"].contains($0.pathExtension) },
        outputFiles: [output])
    ]
  }

  private func folders(in folder: URL) -> [URL] { files(in: folder).filter(\.hasDirectoryPath) }

  private func files(in folder: URL) -> [URL] {
    let found = try? FileManager.default.contentsOfDirectory(
      at: folder, includingPropertiesForKeys: [.isDirectoryKey])
    return (found ?? []).sorted { $0.path < $1.path }
  }
}
