// SPDX-License-Identifier: Apache-2.0

import FocalCore
import Foundation
import Synchronization

/// The folders that this process has made, so that it can take them back when it does not succeed.
package final class MadeFolders: Sendable {
  package static let shared = MadeFolders()

  private struct State {
    var paths: [String] = []
    var isClosed = false
  }

  private let state = Mutex(State())

  /// Makes a folder and those above it where they are missing.
  ///
  /// - Throws: `unwritable` where that is not possible, `cancelled` after an interruption.
  package func make(_ path: String) throws(CinematicError) {
    var current = path.hasPrefix("/") ? "/" : ""
    for part in path.split(separator: "/") {
      current += (current.isEmpty || current.hasSuffix("/") ? "" : "/") + part
      let next = current
      // In one step: one that is made and not entered yet would outlive an interruption.
      let number = try state.withLock { state throws(CinematicError) -> Int32 in
        guard !state.isClosed else { throw CinematicError(.cancelled, "interrupted") }
        guard mkdir(next, 0o777) == 0 else { return errno }
        state.paths.append(next)
        return 0
      }
      if number == 0 { continue }
      var status = stat()
      if stat(current, &status) == 0 {
        if status.st_mode & S_IFMT == S_IFDIR { continue }
        throw CinematicError(
          .unwritable, "cannot make the folder \(path): \(current) is a file",
          remedy: "choose another folder")
      }
      // A link bears the name, and leads to no folder.
      if number == EEXIST {
        let reason =
          errno == ENOENT
          ? "\(current) is a link that leads nowhere" : String(cString: strerror(errno))
        throw CinematicError(
          .unwritable, "cannot make the folder \(path): \(reason)", remedy: "choose another folder")
      }
      throw CinematicError(
        .unwritable, "cannot make the folder \(path): \(String(cString: strerror(number)))",
        remedy: "choose a folder that you may write to")
    }
  }

  /// Makes the folder that a file goes to.
  package func makeFolder(of file: String) throws(CinematicError) {
    guard let slash = file.lastIndex(of: "/"), slash > file.startIndex else { return }
    do throws(CinematicError) {
      try make(String(file[..<slash]))
    } catch {
      guard error.code != .cancelled else { throw error }
      throw error.replacing(
        message: "cannot write \(file): \(error.message)", code: .unwritable)
    }
  }

  /// Removes those that hold nothing, the innermost first.
  ///
  /// - Parameter closing: whether none is made any more: the program ends while its work goes on.
  package func removeEmpty(closing: Bool = false) {
    state.withLock { state in
      for path in state.paths.reversed() { rmdir(path) }
      state.paths = []
      if closing { state.isClosed = true }
    }
  }
}
