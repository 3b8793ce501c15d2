// SPDX-License-Identifier: Apache-2.0

import FocalCinematic
import FocalCore
import FocalEditing
import FocalMedia
import FocalScript

/// Objects that are followed from a place on.
extension MovieDocument {
  func follow(_ command: Command) throws(CinematicError) {
    if let known = following, known.start.name == .tap, command.name == .tap,
      known.start.frame == command.frame, known.start.isNear(command)
    {
      // The second click of a double one.
      following?.isStrong = true
      return
    }
    guard following == nil else {
      throw CinematicError(
        .invalidState, "another object is being followed",
        remedy: "wait until it is done, or cancel it")
    }
    let place = try place(command)
    let time = try time(command.frame)
    taskCount += 1
    let task = taskCount
    // As it is now: what is edited meanwhile is no part of it.
    let script = session.document.current.script
    let work = Task { [path] in
      let result: Result<FollowedObject?, CinematicError>
      do throws(CinematicError) {
        result = .success(try await self.followed(place, among: script, from: time, path, task))
      } catch {
        result = .failure(error)
      }
      self.finishFollowing(task, result)
    }
    following = Following(
      task: task, work: work, start: command, isStrong: command.strong ?? false)
  }

  /// The point or the box of a command.
  private func place(_ command: Command) throws(CinematicError) -> ObjectFollower.Place {
    let point = try point(command)
    guard let width = command.width, let height = command.height else { return .point(point) }
    let rect = NormalizedRect(x: point.x, y: point.y, width: width, height: height)
    guard width > 0, height > 0, rect.maxX <= 1.001, rect.maxY <= 1.001 else {
      throw CinematicError(
        .invalidParameter, "the box leaves the picture", remedy: "draw it inside")
    }
    return .rect(rect)
  }

  /// By a reader of its own, so that scrubbing and following do not take each other's place.
  private nonisolated func followed(
    _ place: ObjectFollower.Place, among script: Script, from time: Time, _ path: String,
    _ task: Int
  ) async throws(CinematicError) -> FollowedObject? {
    let movie = try await MovieScript(asset: Asset.named(path))
    var last = ContinuousClock.now - .seconds(1)
    return try await movie.follow(
      { () throws(CinematicError) in
        ObjectFollower(place, turn: movie.info.preferredTransform)
      }, among: script, from: time, until: nil
    ) { done, total, box in
      let now = ContinuousClock.now
      guard now - last > .milliseconds(100) || done == total else { return }
      last = now
      send(
        Message.data(
          Message.Following(
            movie: number, task: task, done: done, total: total,
            rect: box?.rect.map { [$0.x, $0.y, $0.width, $0.height] }, frame: box?.frame)),
        "following")
    }
  }

  private func finishFollowing(
    _ task: Int, _ result: Result<FollowedObject?, CinematicError>
  ) {
    let strong = following?.isStrong ?? false
    following = nil
    var message = Message.Following(movie: number, task: task, done: 0, total: 0)
    do throws(CinematicError) {
      // It may have been another movie's pictures that were looked at.
      try file.check()
      guard let followed = try result.get() else {
        throw CinematicError(.incomplete, "the movie has no disparity from here on")
      }
      let start = scriptStarts[frame(at: followed.start)]
      try session.perform(.follow(followed.track, at: start, strong: strong))
      let missed = followed.boxes.count { $0.rect == nil }
      message.outcome =
        "followed in \(followed.boxes.count - missed) frames"
        + (missed > 0 ? ", not found in \(missed)" : "")
    } catch {
      message.outcome =
        error.code == .cancelled
        ? "cancelled" : words.text(of: error)
    }
    send(Message.data(message), nil)
    tell()
  }
}
