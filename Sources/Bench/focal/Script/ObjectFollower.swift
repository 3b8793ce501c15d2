// SPDX-License-Identifier: Apache-2.0

import FocalCommands
import FocalCore
import FocalScript
import Foundation

/// Follows the object at a point from frame to frame.
struct ObjectFollower {
  /// In the picture as shown.
  private let point: NormalizedPoint
  private let place: NormalizedPoint
  private let tracker = ObjectTracker()
  /// The first frame that was followed.
  private(set) var start: Time?
  private var missed = 0

  /// - Parameter turn: from how pictures are stored to how they are shown.
  init(point: NormalizedPoint, turn: QuarterTurn) {
    self.point = point
    place = turn.inverse.applied(to: point)
  }

  /// Takes the next frame; in the first one the object is at the point.
  ///
  /// - Throws: `invalidParameter` where no object stands out there.
  mutating func follow(
    _ picture: PixelBuffer, _ map: PixelBuffer, at time: Time
  ) throws(CinematicError) {
    if start != nil {
      if tracker.continueTracking(at: time, sourceImage: picture, sourceDisparity: map) == nil {
        missed += 1
      }
      return
    }
    guard
      let object = tracker.findObject(at: place, sourceImage: picture, sourceDisparity: map),
      tracker.startTracking(
        at: time, within: object.normalizedBounds, sourceImage: picture, sourceDisparity: map)
    else {
      throw CinematicError(
        .invalidParameter,
        "no object stands out at \(point.x),\(point.y) at \(time.seconds) s",
        remedy: "choose a point inside the object")
    }
    start = time
  }

  /// The followed track; `nil` if there was no frame.
  func finish() -> FollowedObject? {
    guard let start, let track = tracker.finishDetectionTrack() else { return nil }
    return FollowedObject(track: track, start: start, missed: missed)
  }
}

/// The track of an object that was followed.
struct FollowedObject: Sendable {
  var track: CustomDetectionTrack
  /// The first frame's.
  var start: Time
  /// In how many frames it was not found.
  var missed: Int

  /// Says what was found.
  func tell(_ id: DetectionID) {
    printLine(
      "track \(id): \(counted(track.allDetections.count, "detection")) from "
        + String(format: "%.3f s on", start.seconds))
    if missed > 0 { note("the object was not found in \(counted(missed, "frame"))") }
  }
}
