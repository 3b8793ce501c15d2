// SPDX-License-Identifier: Apache-2.0

/// Paths as text. The system's own functions take them as they come; those of Foundation trap on some.
package enum PathName {
  /// The folder that a path's last name is in: `.` for a name alone.
  package static func folder(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }
}
