// SPDX-License-Identifier: Apache-2.0

import FocalCore
import Foundation

/// The permissions that files have with or without a lockdown.
enum PlainPermissions {
  /// Whether they are what refused a file.
  ///
  /// - Parameter message: of an error, such as `cannot read in.png: Permission denied`.
  static func refuse(_ message: String) -> Bool {
    let reason = ": " + String(cString: strerror(EACCES))
    let acts: [(words: String, mode: Int32)] = [
      ("cannot make the folder ", W_OK), ("cannot write ", W_OK), ("cannot read ", R_OK),
    ]
    for act in acts {
      guard let start = message.range(of: act.words)?.upperBound,
        let end = message.range(of: reason, range: start..<message.endIndex)?.lowerBound
      else { continue }
      let path = String(message[start..<end])
      let place = act.mode == R_OK ? path : folder(of: path)
      // Landlock has no say in this call.
      return access(place, act.mode) != 0 && errno == EACCES
    }
    return false
  }

  /// The innermost folder around a file that is there.
  private static func folder(of path: String) -> String {
    var folder = PathName.folder(of: path)
    while folder != ".", folder != "/", access(folder, F_OK) != 0, errno == ENOENT {
      folder = PathName.folder(of: folder)
    }
    return folder
  }
}
