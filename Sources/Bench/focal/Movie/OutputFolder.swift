// SPDX-License-Identifier: Apache-2.0

import FocalCore
import Foundation

/// The folder that an output goes to, made where there is none.
struct OutputFolder {
  /// All that were made, the innermost first.
  private var folders: [String] = []

  /// - Throws: `unwritable` where a folder cannot be made.
  init(of path: String) throws(CinematicError) {
    let manager = FileManager.default
    var folder = Self.parent(of: path)
    let wanted = folder
    while !folder.isEmpty, folder != "/", !manager.fileExists(atPath: folder) {
      folders.append(folder)
      folder = Self.parent(of: folder)
    }
    guard !folders.isEmpty else { return }
    do {
      try manager.createDirectory(atPath: wanted, withIntermediateDirectories: true)
    } catch {
      removeIfEmpty()
      throw CinematicError(
        .unwritable, "cannot make the folder \(wanted) for \(path)",
        remedy: "choose a place that you may write to")
    }
  }

  /// The folder that a path lies in; empty for a bare name. Foundation's own traps on names of one letter.
  private static func parent(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "" }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  /// Removes what was made, where nothing was written into it.
  func removeIfEmpty() {
    for folder in folders { rmdir(folder) }
  }
}
