// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalMedia
import Foundation

/// What numbered maps are of, in a file beside them from the first one until every frame of the clip has one: maps of two
/// estimations are not one sequence.
struct EstimationRecord: Sendable {
  /// The beginning of every record.
  private static let heading = "focal estimate "

  /// Of a record of maps that lie among those of another estimation: what is there then is not of this one.
  private static let mark = "over others"

  private let pattern: NumberedPattern
  private let key: [String]
  /// Whether maps of another estimation, or of none that is known, are being replaced one by one.
  private var isOverOthers = false
  private var data: Data {
    let lines = [Self.heading + programVersion] + (isOverOthers ? [Self.mark] : []) + key
    return Data(lines.map { $0 + "\n" }.joined().utf8)
  }
  private var path: String { "\(pattern).estimate" }
  /// The map that others go on from.
  let anchor: KeptAnchor

  /// - Parameter key: all that decides about the maps.
  /// - Returns: `nil` for an output that is no numbered files.
  init?(_ format: OutputFormat, key: [String]) {
    guard case .numbered(let pattern, _) = format else { return nil }
    self.pattern = pattern
    self.key = key
    anchor = KeptAnchor("\(pattern).anchor", key: key)
  }

  /// Looks at what is there. Where maps of others are replaced, the record says so until all are: nothing goes on with a
  /// mixture.
  ///
  /// - Parameters:
  ///   - overwrite: whether maps that are there may be of another estimation.
  ///   - resumes: whether they stay.
  /// - Throws: `incompatible` for maps of another estimation that is not whole, and for those that are to stay and of which
  ///   no record says what they are of; `unwritable` for a file of another's in the record's place.
  mutating func check(overwrite: Bool, resumes: Bool) throws(CinematicError) {
    guard !anchor.isAnothers else { throw Self.isAnothers(anchor.path) }
    let hasMaps = (try? pattern.existingNumbers())?.isEmpty == false
    guard let found = FileManager.default.contents(atPath: path) else {
      isOverOthers = overwrite && hasMaps
      guard resumes, hasMaps else { return }
      throw CinematicError(
        .incompatible,
        "\(pattern) holds maps, and no record of the estimation that they are of: it is whole, or they are others",
        remedy: "make all maps anew with \(parameter: .overwrite), or choose another output")
    }
    guard found != data else { return }
    guard found.isEmpty || found.starts(with: Self.heading.utf8) else {
      throw Self.isAnothers(path)
    }
    isOverOthers = overwrite && hasMaps
    guard !overwrite, hasMaps else { return }
    throw CinematicError(
      .incompatible,
      "\(pattern) holds maps of an estimation that is not whole, of another input, with other options or by another version",
      remedy: "make all maps anew with \(parameter: .overwrite), or choose another output"
    )
  }

  private static func isAnothers(_ path: String) -> CinematicError {
    CinematicError(
      .unwritable, "\(path) is there, and not as this program makes it",
      remedy: "move it away, or choose another output")
  }

  /// - Returns: whether it was not there.
  /// - Throws: `unwritable`.
  func write() throws(CinematicError) -> Bool {
    guard FileManager.default.contents(atPath: path) != data else { return false }
    do {
      try data.write(to: URL(fileURLWithPath: path), options: .atomic)
    } catch {
      throw CinematicError(
        .unwritable, "cannot write \(path): \(error.localizedDescription)",
        remedy: "choose a folder that you may write to")
    }
    return true
  }

  /// Removes it: the maps are whole, or none was made.
  func remove() {
    guard FileManager.default.contents(atPath: path) == data else { return }
    unlink(path)
    anchor.remove()
  }
}
