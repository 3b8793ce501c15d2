// SPDX-License-Identifier: Apache-2.0

import FocalCore
import Foundation

/// Refuses an output that is one of the files a command on movies or scripts reads: what was filmed
/// cannot be filmed again.
enum KeptInputs {
  /// - Parameter inputs: paths; addresses and patterns of numbered pictures are no files, and stay.
  /// - Throws: `invalidParameter` where the output is the same file, however it is spelled.
  static func check(_ output: String, inputs: [String?]) throws(CinematicError) {
    guard let target = identity(output, lstat) else { return }
    for case let input? in inputs where identity(input, stat) == target {
      throw CinematicError(
        .invalidParameter,
        output == input
          ? "\(output) is read, and never written over"
          : "\(output) is \(input), which is read and never written over",
        remedy: "choose another name for the output")
    }
  }

  private struct Identity: Equatable {
    var device: UInt64
    var number: UInt64
  }

  /// - Parameter look: `stat` for what is read, through links; `lstat` for what is written, since a link
  ///   is replaced, and what it leads to stays.
  private static func identity(
    _ path: String, _ look: (UnsafePointer<CChar>, UnsafeMutablePointer<stat>) -> Int32
  ) -> Identity? {
    var status = stat()
    guard look(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
    return Identity(device: UInt64(status.st_dev), number: UInt64(status.st_ino))
  }
}
