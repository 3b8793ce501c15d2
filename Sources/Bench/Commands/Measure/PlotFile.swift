// SPDX-License-Identifier: Apache-2.0

import FocalCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The file of a drawing that a measurement ends with. Its name is tried before anything is measured.
struct PlotFile {
  private let path: String
  private let overwrite: Bool

  /// - Parameter overwrite: whether an existing file is replaced.
  /// - Throws: `unwritable` for a file that is there, and where none can be made.
  init(_ path: String, overwrite: Bool) throws(CinematicError) {
    (self.path, self.overwrite) = (path, overwrite)
    try checkName()
    let trial = "\(path).\(getpid()).tmp"
    let descriptor = open(trial, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw failure(String(cString: strerror(errno))) }
    close(descriptor)
    unlink(trial)
  }

  /// The file appears whole.
  ///
  /// - Throws: `unwritable`.
  func write(_ text: String) throws(CinematicError) {
    try checkName()
    do {
      try Data(text.utf8).write(to: URL(fileURLWithPath: path), options: .atomic)
    } catch {
      throw failure("no room, or the folder is gone")
    }
  }

  private func checkName() throws(CinematicError) {
    var status = stat()
    guard lstat(path, &status) == 0 else { return }
    guard overwrite else {
      throw CinematicError(
        .unwritable, "\(path) exists already",
        remedy: "choose another name, or overwrite with --force")
    }
    guard [S_IFREG, S_IFLNK].contains(status.st_mode & S_IFMT) else {
      throw failure("it is no file")
    }
  }

  private func failure(_ reason: String) -> CinematicError {
    CinematicError(
      .unwritable, "cannot write \(path): \(reason)",
      remedy: "choose a file in a folder that you may write to")
  }
}
