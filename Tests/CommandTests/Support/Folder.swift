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

  /// Writes `helper.py`, which makes a map of every picture that it is given.
  ///
  /// - Parameters:
  ///   - value: the disparity in Python, by `x`, `y`, and the picture's width `w`, height `h` and RGB bytes `p`.
  ///   - cell: pixels of the picture across a pixel of the map.
  ///   - kind: the meaning of the values.
  func writeMapHelper(_ value: String, cell: Int = 1, kind: String = "disparity") {
    write(
      Array(
        """
        import array, sys
        i, o, n = sys.stdin.buffer, sys.stdout.buffer, \(cell)
        while line := i.readline():
            word, w, h = line.split()
            w, h = int(w), int(h)
            p = i.read(3 * w * h)
            v = array.array('f', [\(value) for y in range(0, h // n * n, n) for x in range(0, w // n * n, n)])
            o.write(b'map %d %d \(kind)\\n' % (w // n, h // n) + v.tobytes())
            o.flush()
        """.utf8), to: "helper.py")
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
