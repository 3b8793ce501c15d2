// SPDX-License-Identifier: Apache-2.0

import Foundation
import PackagePlugin

/// Puts the files of the editor's page into a Swift file of its module, so that a program needs nothing beside it.
@main
struct EmbedPage: BuildToolPlugin {
  func createBuildCommands(context: PluginContext, target: Target) throws -> [Command] {
    let folder = context.package.directoryURL.appending(path: "Sources/Editor/Page")
    let found = try FileManager.default.contentsOfDirectory(
      at: folder, includingPropertiesForKeys: nil)
    let files = found.filter { ["html", "css", "js", "svg"].contains($0.pathExtension) }
      .sorted { $0.path < $1.path }
    let output = context.pluginWorkDirectoryURL.appending(path: "EmbeddedPage.swift")
    return [
      .buildCommand(
        displayName: "Embedding the editor's page",
        executable: try context.tool(named: "PageEmbedder").url,
        arguments: [output.path] + files.map(\.path), inputFiles: files, outputFiles: [output])
    ]
  }
}
