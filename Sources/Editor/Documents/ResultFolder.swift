// SPDX-License-Identifier: Apache-2.0

import FocalCore
import Foundation

/// Where results are written.
enum ResultFolder {
  /// The folder of a file or, where that takes no new ones, such as on a disk that can only be read, the first one that does.
  ///
  /// - Parameters:
  ///   - path: of the movie or the clip.
  ///   - folders: those of the command line, in order.
  ///   - isWritable: whether a folder takes new files.
  /// - Throws: `unwritable` where none does.
  static func of(
    _ path: String, folders: [String], isWritable: (String) -> Bool = { access($0, W_OK) == 0 }
  ) throws(CinematicError) -> String {
    let own = PathName.folder(of: path)
    if isWritable(own) { return own }
    guard let other = folders.first(where: isWritable) else {
      throw CinematicError(
        .unwritable, "\(own) takes no new files",
        remedy: "start the editor with \(parameter: .folders), a folder that does")
    }
    return other
  }
}
