// SPDX-License-Identifier: Apache-2.0

import FocalBoxes
import FocalCore
import Foundation

/// The file of a movie as it was when it was opened. Another one may take its place while it is edited: its pictures are not
/// those that the edits are about.
struct MovieFile: Sendable {
  private struct Place: Equatable, Sendable {
    var device: UInt64
    var number: UInt64
  }

  let path: String
  /// `nil` where there was no file.
  private let opened: (place: Place, version: FileVersion)?

  /// - Parameter path: of a movie that is opened after this.
  init(_ path: String) {
    self.path = path
    opened = Self.present(path)
  }

  private static func present(_ path: String) -> (place: Place, version: FileVersion)? {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    let place = Place(
      device: UInt64(truncatingIfNeeded: status.st_dev),
      number: UInt64(truncatingIfNeeded: status.st_ino))
    return (place, FileVersion(status))
  }

  /// Whether another file is at the path, or other bytes are in the file. A file that is gone leaves what is open as it is.
  var isReplaced: Bool {
    guard let opened, let now = Self.present(path) else { return false }
    return now.place != opened.place || !opened.version.isSame(as: now.version)
  }

  /// - Throws: `invalidState` where the file was replaced.
  func check() throws(CinematicError) {
    guard isReplaced else { return }
    let name = URL(fileURLWithPath: path).lastPathComponent
    throw CinematicError(
      .invalidState, "\(name) was replaced by another movie, or changed, since it was opened",
      remedy: "open it again")
  }
}
