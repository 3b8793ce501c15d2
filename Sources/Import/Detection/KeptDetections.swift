// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalEyes
import FocalMedia
import FocalScript
import Foundation

/// What a detector saw in the pictures of a clip so far, in a file, so that work that was ended goes on.
///
/// A line of JSON for each picture, behind one that says of which detector they are.
final class KeptDetections {
  /// One picture.
  struct Line: Codable {
    /// From 0, without a gap.
    var frame: Int
    /// Whether another scene begins with it.
    var isCut: Bool
    /// How many pictures further the detector is asked; `nil` while its speed is being measured.
    var every: Int?
    /// `nil` where the detector was not asked.
    var seen: [Seen]?
  }

  /// A thing in a picture.
  struct Seen: Codable {
    var type: Int
    var x: Double
    var y: Double
    var width: Double
    var height: Double
    var confidence: Float

    init(_ object: FoundObject) {
      type = object.type.rawValue
      (x, y) = (object.rect.x, object.rect.y)
      (width, height) = (object.rect.width, object.rect.height)
      confidence = object.confidence
    }

    var object: FoundObject? {
      DetectionType(rawValue: type).map { type in
        FoundObject(
          type: type, rect: NormalizedRect(x: x, y: y, width: width, height: height),
          confidence: confidence)
      }
    }
  }

  private static var encoder: JSONEncoder {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    return encoder
  }

  /// The pictures that are there already.
  let lines: [Line]
  private let path: String
  private let file: FileHandle

  /// - Parameters:
  ///   - path: of the file, which is made, or taken if it is of this key.
  ///   - key: all that decides about detections beside the pictures.
  /// - Throws: `unwritable`.
  init(_ path: String, key: [String]) throws(CinematicError) {
    self.path = path
    let encoder = Self.encoder
    guard let head = try? encoder.encode([programVersion] + key) else {
      throw CinematicError(.unknown, "the detectors of \(path) cannot be written down")
    }
    var lines: [Line] = []
    let rows = (FileManager.default.contents(atPath: path) ?? Data())
      .split(separator: 0x0A, omittingEmptySubsequences: false)
    // What a kill cut off has no end of line: the last row is empty, or none.
    if rows.first == head {
      for row in rows.dropFirst().dropLast() {
        guard let line = try? JSONDecoder().decode(Line.self, from: row),
          line.frame == lines.count,
          line.seen?.allSatisfy({ $0.object != nil }) ?? true
        else { break }
        lines.append(line)
      }
    }
    self.lines = lines
    var whole = head + [0x0A]
    for line in lines { whole += ((try? encoder.encode(line)) ?? Data()) + [0x0A] }
    // The same lines again, without what was cut off.
    let writer = try DataWriter(path: path, overwrite: true)
    try writer.write([UInt8](whole))
    try writer.finish()
    let refused = CinematicError(
      .unwritable, "cannot write \(path)", remedy: "choose a folder that you may write to")
    guard let file = FileHandle(forWritingAtPath: path) else { throw refused }
    self.file = file
    do { try file.seekToEnd() } catch { throw refused }
  }

  deinit { try? file.close() }

  /// Adds the next picture.
  ///
  /// - Throws: `unwritable`.
  func add(_ line: Line) throws(CinematicError) {
    do {
      try file.write(contentsOf: try Self.encoder.encode(line) + [0x0A])
    } catch {
      throw CinematicError(
        .unwritable, "cannot write \(path): \(error.localizedDescription)",
        remedy: "make room, and begin again: it goes on")
    }
  }
}
