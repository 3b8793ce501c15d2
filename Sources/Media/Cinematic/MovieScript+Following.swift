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
  ///   - script: an object that was lost is looked for first among what is detected in it; the movie's own by default.
  ///   - end: the time before which to stop; `nil` for the movie's end.
  ///   - progress: told after each frame: how many were looked at, of how many, and where the object is.
  /// - Returns: `nil` where no frame from `time` on has a map.
  /// - Throws: `cancelled` where the calling task is, and what reading and following throw.
  public func follow(
    _ make: () throws(CinematicError) -> ObjectFollower, among script: Script? = nil,
    from time: Time, until end: Time?,
    progress: (_ done: Int, _ total: Int, FollowedBox?) -> Void = { _, _, _ in }
  ) async throws(CinematicError) -> FollowedObject? {
    var follower = try make()
    var known = script
    if known == nil, let recording = try recording() { known = try Script(recording: recording) }
    let first = frameNumber(at: time)
    for number in first..<reader.frameCount {
      guard !Task.isCancelled else {
        throw CinematicError(.cancelled, "following an object was cancelled")
      }
      let frame = try await reader.frame(number: number)
      if let end, frame.time >= end { break }
      // A frame without a map says nothing of where the object is.
      guard let map = frame.disparity else { continue }
      let there = known?.frame(ofPicture: reader.timeRange(ofFrame: number))?.allDetections ?? []
      try follower.follow(
        frame.image, map, at: frame.time, number: number,
        detected: there.filter(\.hasPlace).map(\.normalizedRect))
      progress(number - first + 1, reader.frameCount - first, follower.boxes.last)
    }
    return follower.finish()
  }
}
