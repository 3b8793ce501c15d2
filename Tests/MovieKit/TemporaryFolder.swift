// SPDX-License-Identifier: Apache-2.0

import Foundation

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A new folder of the test's own, where the system keeps what does not stay.
public enum TemporaryFolder {
  /// - Returns: its path; the caller removes it with ``remove(_:)``.
  public static func make() -> String {
    let parent = getenv("TMPDIR").map { String(cString: $0) } ?? P_tmpdir
    var template = Array("\(parent)/focal-test-XXXXXX".utf8CString)
    return template.withUnsafeMutableBufferPointer { template in
      guard let path = mkdtemp(template.baseAddress!) else {
        preconditionFailure("no folder can be made in \(parent)")
      }
      return String(cString: path)
    }
  }

  /// Removes a folder with all that is in it.
  public static func remove(_ path: String) { try? FileManager.default.removeItem(atPath: path) }
}
