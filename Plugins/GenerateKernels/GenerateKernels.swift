// SPDX-License-Identifier: Apache-2.0

import Foundation
import PackagePlugin

/// Makes Swift of the kernels' declarations: for the engine the list of kernels and types for their
/// arguments, for the processor's backend the C functions.
@main
struct GenerateKernels: BuildToolPlugin {
  func createBuildCommands(context: PluginContext, target: Target) throws -> [Command] {
    let root = context.package.directoryURL
    let headers = files(in: root.appending(path: "Shaders/Shared/include"), "h")
    let isEngine = target.name == "FocalRendering"
    let kernels = [
      "Shaders/Kernels", "Sources/Backends/CPU/Kernels", "Sources/Engine/PixelConversion",
    ].flatMap { folders(under: root.appending(path: $0)) }
    let output = context.pluginWorkDirectoryURL.appending(
      path: isEngine ? "Kernel.swift" : "Kernel+EntryPoint.swift")
    return [
      .buildCommand(
        displayName: "Reading the kernels' declarations for \(target.name)",
        executable: try context.tool(named: "KernelGenerator").url,
        arguments: [isEngine ? "engine" : "processor", output.path]
          + (isEngine ? [] : kernels.flatMap { ["-I", $0.path] }) + headers.map(\.path),
        inputFiles: headers + (isEngine ? [] : kernels.flatMap { files(in: $0, "c") }),
        outputFiles: [output])
    ]
  }

  private func files(in folder: URL, _ pathExtension: String) -> [URL] {
    contents(of: folder).filter { $0.pathExtension == pathExtension }
  }

  private func folders(under folder: URL) -> [URL] {
    [folder] + contents(of: folder).filter { $0.hasDirectoryPath }
  }

  private func contents(of folder: URL) -> [URL] {
    let found = try? FileManager.default.contentsOfDirectory(
      at: folder, includingPropertiesForKeys: [.isDirectoryKey])
    return (found ?? []).sorted { $0.path < $1.path }
  }
}
