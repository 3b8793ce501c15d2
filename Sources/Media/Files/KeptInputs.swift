// SPDX-License-Identifier: Apache-2.0

import FocalCore
import Foundation

/// Refuses an output that is one of the files a command reads: what was filmed cannot be filmed again.
package enum KeptInputs {
  /// - Parameters:
  ///   - output: a path, or the pattern of numbered pictures.
  ///   - inputs: the same; addresses are no files, and stay.
  /// - Throws: `invalidParameter` where anything that is written over is read, however it is spelled.
  package static func check(_ output: String, inputs: [String?]) throws(CinematicError) {
    let targets = files(output, lstat)
    guard !targets.isEmpty else { return }
    for case let input? in inputs {
      guard let (read, written) = files(input, stat).firstShared(with: targets) else { continue }
      throw CinematicError(
        .invalidParameter,
        written == read
          ? "\(written) is read, and never written over"
          : "\(written) is \(read), which is read and never written over",
        remedy: "choose another name for the output")
    }
  }

  /// Refuses two outputs that are one file or one pipe: the second would end in the place of the first, or in it.
  ///
  /// - Parameter option: of the second.
  /// - Throws: `invalidParameter`, however they are spelled.
  package static func checkApart(
    _ output: String, from other: String, of option: String
  ) throws(CinematicError) {
    guard Place(output) == Place(other) else { return }
    throw CinematicError(
      .invalidParameter,
      "\(PipePath.outputName(other)) is to hold two outputs, that of -o and that of \(option)",
      remedy: "choose another name for \(option)")
  }

  /// Whether two inputs are the same files, however they are spelled. Pipes and addresses are none.
  package static func areSame(_ input: String, _ other: String) -> Bool {
    let found = files(input, stat)
    return !found.isEmpty && Set(found.keys) == Set(files(other, stat).keys)
  }

  /// Whether two outputs would be one file, however they are spelled.
  package static func isOnePlace(_ output: String, _ other: String) -> Bool {
    Place(output) == Place(other)
  }

  /// Where an output ends, however it is spelled. Links are replaced, and so are names of their own.
  private struct Place: Equatable {
    /// A pipe, or the deepest folder that there is.
    var identity: Identity?
    /// The names from there on, of folders that will be made and of the file; none of a pipe.
    var names: [String] = []

    init(_ path: String) {
      var status = stat()
      if PipePath.isPipe(path) {
        let found = path == PipePath.standard ? fstat(STDOUT_FILENO, &status) : stat(path, &status)
        if found == 0 { identity = Identity(status) }
        return
      }
      var folder = URL(fileURLWithPath: path).standardizedFileURL
      repeat {
        names.insert(folder.lastPathComponent, at: 0)
        folder.deleteLastPathComponent()
      } while stat(folder.path, &status) != 0 && folder.pathComponents.count > 1
      identity = Identity(status)
    }
  }

  fileprivate struct Identity: Hashable {
    var device: UInt64
    var number: UInt64

    init(_ status: stat) {
      (device, number) = (UInt64(status.st_dev), UInt64(status.st_ino))
    }
  }

  /// The files at a path, or with a pattern's numbers, that there are.
  ///
  /// - Parameter look: `stat` for what is read, through links; `lstat` for what is written, since a link
  ///   is replaced, and what it leads to stays.
  private static func files(
    _ path: String, _ look: (UnsafePointer<CChar>, UnsafeMutablePointer<stat>) -> Int32
  ) -> [Identity: String] {
    var names = [path]
    // A file may have a name like a pattern.
    if let pattern = try? NumberedPattern(path), let numbers = try? pattern.existingNumbers() {
      names += numbers.map(pattern.path)
    }
    var found: [Identity: String] = [:]
    for name in names {
      if let identity = identity(name, look) { found[identity] = found[identity] ?? name }
    }
    return found
  }

  private static func identity(
    _ path: String, _ look: (UnsafePointer<CChar>, UnsafeMutablePointer<stat>) -> Int32
  ) -> Identity? {
    var status = stat()
    guard look(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
    return Identity(status)
  }
}

extension [KeptInputs.Identity: String] {
  /// The names of the first file, by name, that is in both.
  fileprivate func firstShared(with other: Self) -> (String, String)? {
    compactMap { identity, name in other[identity].map { (name, $0) } }.min { $0.1 < $1.1 }
  }
}
