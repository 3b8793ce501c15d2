// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalRendering
import FocalScript
import Foundation

/// A command of a client. Nothing in it is a path: movies, maps and tasks are numbers of lists that the server made.
struct Command: Decodable, Sendable {
  enum Name: String, Decodable, Sendable {
    case open, tap, fix, follow, cancelFollowing
    case decide, strength, move, takeBack, restore, removeTrack, rack
    case fNumber, range, look, direct, revert, undo, redo, save, saveAs
    case curve, export, apply, still, importClip, cancelJob
  }

  var name: Name
  /// Of the movie in the list: the one to open, or the one that the page shows.
  var movie: Int?
  var frame: Int?
  /// A place in the picture as shown, in shares.
  var x: Double?
  var y: Double?
  /// Of a box around an object, whose upper left corner the place is then.
  var width: Double?
  var height: Double?
  var strong: Bool?
  var decision: DecisionKey?
  /// Of a rack; none is the automatic one.
  var seconds: Double?
  var curve: String?
  var value: Float?
  /// The first frame, and the one behind the last.
  var start: Int?
  var end: Int?
  var look: LookValues?
  var track: Int64?
  var group: Int64?
  /// A file's name without a folder.
  var file: String?
  var preset: String?
  var task: Int?
  /// Of clips and maps in the list.
  var clip: Int?
  var map: Int?
  var gesture: String?
  var replace: Bool?
}

extension Command {
  /// Whether another one points to the same place, as the clicks of a double click do.
  func isNear(_ other: Command) -> Bool {
    guard let x, let y, let otherX = other.x, let otherY = other.y else { return false }
    return max(abs(x - otherX), abs(y - otherY)) < 0.02
  }
}

/// Names a decision of a script.
struct DecisionKey: Codable, Hashable, Sendable {
  /// `value/timescale`.
  var time: String
  var detection: Int64?
  var group: Int64?

  init(_ decision: Decision) {
    time = decision.time.description
    detection = decision.detectionID?.rawValue
    group = decision.detectionGroupID?.rawValue
  }

  /// - Throws: `invalidParameter` where the script has no such decision any more.
  func decision(in script: Script) throws(CinematicError) -> Decision {
    try decision(among: script.decisions(in: script.timeRange))
  }

  /// - Throws: as ``decision(in:)``.
  func decision(among all: [Decision]) throws(CinematicError) -> Decision {
    guard let found = all.first(where: { DecisionKey($0) == self }) else {
      throw CinematicError(
        .invalidParameter, "this decision is gone", remedy: "look at the timeline once more")
    }
    return found
  }
}

/// Blur scale and aperture as the page shows them.
struct LookValues: Codable, Equatable, Sendable {
  var blurScale: Float?
  var blades: Int?
  var roundness: Float?
  /// In degrees.
  var rotation: Float?
  var squeeze: Float?

  init(_ look: Look) {
    blurScale = look.blurScale
    blades = look.apertureBlades
    roundness = look.apertureRoundness
    rotation = look.apertureRotation.map { $0 * 180 / .pi }
    squeeze = look.apertureSqueeze
  }

  /// A look with these values in place of its own. Values that are as they were, and those that a page does not show,
  /// stay.
  ///
  /// - Parameter recorded: in force where this look says nothing.
  /// - Throws: `invalidParameter` for a value outside its range.
  func look(over known: Look, recorded: Look = Look()) throws(CinematicError) -> Look {
    let before = LookValues(known)
    var look = known
    if blurScale != before.blurScale {
      try Self.check("blur scale", blurScale, 0...RenderingSession.Attributes.maximumBlurScale)
      look.blurScale = blurScale
    }
    if blades != before.blades {
      guard blades.map({ $0 == 0 || (3...16).contains($0) }) ?? true else {
        throw CinematicError(
          .invalidParameter, "an aperture has no \(blades ?? 0) blades",
          remedy: "choose 3 to 16, or 0 for a disc")
      }
      look.apertureBlades = blades
    }
    if squeeze != before.squeeze {
      try Self.check("squeeze", squeeze, 1...2)
      look.apertureSqueeze = squeeze
    }
    if blades != before.blades, (blades ?? 0) < 3 {
      // They were of the blades that were chosen.
      look.apertureRoundness = nil
      look.apertureRotation = nil
      return look
    }
    guard (blades ?? recorded.apertureBlades ?? 0) >= 3 else { return look }
    if roundness != before.roundness {
      try Self.check("roundness", roundness, 0...1)
      look.apertureRoundness = roundness
    }
    if rotation != before.rotation {
      try Self.check("rotation", rotation, -360...360)
      look.apertureRotation = rotation.map { $0 * .pi / 180 }
    }
    return look
  }

  private static func check(
    _ name: String, _ value: Float?, _ range: ClosedRange<Float>
  ) throws(CinematicError) {
    guard let value, !range.contains(value) else { return }
    throw CinematicError(
      .invalidParameter, "the \(name) cannot be \(value)",
      remedy: "choose \(range.lowerBound) to \(range.upperBound)")
  }
}
