// SPDX-License-Identifier: Apache-2.0

import FocalCore

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Paths behind which bytes come or go once, one after another: `-` for the program's own input and
/// output, named pipes, character devices such as `/dev/null`, and what a shell makes of `<(command)`.
public enum PipePath {
  /// The program's standard input or output. A file of this name is `./-`.
  public static let standard = "-"

  /// Whether a path is such a one. Files that are not there are none.
  public static func isPipe(_ path: String) -> Bool {
    if path == standard { return true }
    var status = stat()
    guard stat(path, &status) == 0 else { return false }
    return [S_IFIFO, S_IFSOCK, S_IFCHR].contains(status.st_mode & S_IFMT)
  }

  /// - Throws: `unreadable` for the program's own input where the program was started without one.
  package static func checkInput(_ path: String) throws(CinematicError) {
    guard path == standard, !isOpen(STDIN_FILENO, to: O_RDONLY) else { return }
    throw CinematicError(
      .unreadable, "standard input is closed", remedy: "pipe something into it, or name a file")
  }

  /// - Throws: `unwritable` for the program's own output where the program was started without one.
  static func checkOutput(_ path: String) throws(CinematicError) {
    guard path == standard, !isOpen(STDOUT_FILENO, to: O_WRONLY) else { return }
    throw CinematicError(
      .unwritable, "standard output is closed",
      remedy: "lead it into a file or a program, or name a file")
  }

  /// Whether a descriptor is there, and for an access. Programs that are started without a stream may keep its place
  /// by one of the other direction.
  private static func isOpen(_ descriptor: Int32, to access: Int32) -> Bool {
    let flags = fcntl(descriptor, F_GETFL)
    guard flags >= 0 else { return false }
    let given = flags & (O_WRONLY | O_RDWR)
    return given == access || given == O_RDWR
  }

  /// An input's name in messages.
  public static func inputName(_ path: String) -> String {
    path == standard ? "standard input" : path
  }

  /// An output's name in messages.
  public static func outputName(_ path: String) -> String {
    path == standard ? "standard output" : path
  }
}
