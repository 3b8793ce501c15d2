// SPDX-License-Identifier: Apache-2.0

import FocalBoxes
import FocalCore
import FocalMedia
import FocalScript

extension MovieScript {
  /// Follows an object from a time on.
  ///
  /// - Parameters:
  ///   - make: makes the follower, which is told each frame that has a map.
  ///   - end: the time before which to stop; `nil` for the movie's end.
  ///   - progress: told after each frame: how many were looked at, of how many, and where the object is.
  /// - Returns: `nil` where no frame from `time` on has a map.
  /// - Throws: `cancelled` where the calling task is, and what reading and following throw.
  public func follow(
    _ make: () throws(CinematicError) -> ObjectFollower, from time: Time, until end: Time?,
    progress: (_ done: Int, _ total: Int, FollowedBox?) -> Void = { _, _, _ in }
  ) async throws(CinematicError) -> FollowedObject? {
    var follower = try make()
    let first = frameNumber(at: time)
    for number in first..<reader.frameCount {
      guard !Task.isCancelled else {
        throw CinematicError(.cancelled, "following an object was cancelled")
      }
      let frame = try await reader.frame(number: number)
      if let end, frame.time >= end { break }
      // A frame without a map says nothing of where the object is.
      guard let map = frame.disparity else { continue }
      try follower.follow(frame.image, map, at: frame.time, number: number)
      progress(number - first + 1, reader.frameCount - first, follower.boxes.last)
    }
    return follower.finish()
  }
}
