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

  /// An input's name in messages.
  public static func inputName(_ path: String) -> String {
    path == standard ? "standard input" : path
  }

  /// An output's name in messages.
  public static func outputName(_ path: String) -> String {
    path == standard ? "standard output" : path
  }
}
