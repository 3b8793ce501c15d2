// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A folder of one test that goes away with its last reference.
final class Folder: Sendable {
  let path: String

  init() {
    path = NSTemporaryDirectory() + "/focal-command-\(UUID().uuidString)"
    try? FileManager.default.createDirectory(
      atPath: path, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  func file(_ name: String) -> String { "\(path)/\(name)" }

  func write(_ bytes: [UInt8], to name: String) {
    _ = FileManager.default.createFile(atPath: file(name), contents: Data(bytes))
  }

  func read(_ name: String) -> [UInt8] {
    FileManager.default.contents(atPath: file(name)).map { [UInt8]($0) } ?? []
  }

  func make(_ name: String) {
    try? FileManager.default.createDirectory(
      atPath: file(name), withIntermediateDirectories: true)
  }

  /// The first share of a file under another name.
  func cut(_ name: String, to cut: String, share: Double = 0.6) {
    let bytes = read(name)
    write(Array(bytes.prefix(Int(Double(bytes.count) * share))), to: cut)
  }

  /// Every file and folder below, hidden ones too.
  var names: [String] {
    (FileManager.default.enumerator(atPath: path)?.allObjects as? [String] ?? []).sorted()
  }

  /// With a folder in it.
  func with(_ name: String) -> Folder {
    make(name)
    return self
  }

  /// Every name in a folder of it.
  func names(in folder: String) -> [String] {
    names.filter { $0.hasPrefix(folder + "/") }.map { String($0.dropFirst(folder.count + 1)) }
  }

  /// Every file with its bytes; folders have none.
  var contents: [String: [UInt8]] {
    Dictionary(uniqueKeysWithValues: names.map { ($0, read($0)) })
  }

  /// Files that a program left half-written.
  var unfinished: [String] { names.filter { $0.hasSuffix(".tmp") } }
}
