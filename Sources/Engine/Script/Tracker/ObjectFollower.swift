// SPDX-License-Identifier: Apache-2.0

import FocalCore

/// Follows the object at a point, or in a box, from frame to frame.
public struct ObjectFollower {
  /// Where the object is first, in the picture as shown.
  public enum Place: Hashable, Sendable {
    case point(NormalizedPoint)
    case rect(NormalizedRect)
  }

  private let place: Place
  /// From how pictures are stored to how they are shown.
  private let turn: QuarterTurn
  private let tracker: ObjectTracker
  private let failure: () -> CinematicError?
  /// The first frame that was followed.
  public private(set) var start: Time?
  /// Where the object was, frame by frame.
  public private(set) var boxes: [FollowedBox] = []

  /// - Parameters:
  ///   - turn: from how pictures are stored to how they are shown.
  ///   - tracker: finds the object from frame to frame.
  ///   - failure: asked where the tracker finds nothing: why it cannot go on, `nil` where it can.
  public init(
    _ place: Place, turn: QuarterTurn, tracker: ObjectTracker = ObjectTracker(),
    failure: @escaping () -> CinematicError? = { nil }
  ) {
    self.place = place
    self.turn = turn
    self.tracker = tracker
    self.failure = failure
  }

  /// Takes the next frame; in the first one the object is where it was said to be.
  ///
  /// - Parameters:
  ///   - number: of the frame, from 0.
  ///   - detected: boxes of what was found in the frame, as stored.
  /// - Throws: `invalidParameter` where no object stands out there.
  public mutating func follow(
    _ picture: PixelBuffer, _ map: PixelBuffer, at time: Time, number: Int,
    detected: [NormalizedRect] = []
  ) throws(CinematicError) {
    if start != nil {
      let found = tracker.continueTracking(
        at: time, sourceImage: picture, sourceDisparity: map, detected: detected)
      if let failure = failure() { throw failure }
      boxes.append(
        FollowedBox(
          frame: number, time: time, rect: found.map { turn.applied(to: $0.normalizedBounds) },
          confidence: found?.confidence ?? 0))
      return
    }
    let stored: NormalizedRect? =
      switch place {
      case .rect(let rect): turn.inverse.applied(to: rect)
      case .point(let point):
        tracker.findObject(
          at: turn.inverse.applied(to: point), sourceImage: picture, sourceDisparity: map)?
          .normalizedBounds
      }
    guard let stored,
      tracker.startTracking(
        at: time, within: stored, sourceImage: picture, sourceDisparity: map)
    else {
      if let failure = failure() { throw failure }
      throw nothing(at: time)
    }
    boxes.append(
      FollowedBox(frame: number, time: time, rect: turn.applied(to: stored), confidence: 1))
    start = time
  }

  private func nothing(at time: Time) -> CinematicError {
    switch place {
    case .point(let point):
      CinematicError(
        .invalidParameter,
        "no object stands out at \(point.x),\(point.y) at \(time.secondsText) s",
        remedy: "choose a point inside the object")
    case .rect:
      CinematicError(
        .invalidParameter, "no object stands out in the box at \(time.secondsText) s",
        remedy: "give a box of 4 pixels and more")
    }
  }

  /// The followed track; `nil` if there was no frame.
  public func finish() -> FollowedObject? {
    guard let start, let track = tracker.finishDetectionTrack() else { return nil }
    return FollowedObject(track: track, start: start, boxes: boxes)
  }
}

/// Where an object was in a frame; without a box it was lost.
public struct FollowedBox: Sendable {
  public var frame: Int
  public var time: Time
  /// In the picture as shown.
  public var rect: NormalizedRect?
  /// 0 to 1.
  public var confidence: Float

  public init(frame: Int, time: Time, rect: NormalizedRect?, confidence: Float) {
    self.frame = frame
    self.time = time
    self.rect = rect
    self.confidence = confidence
  }
}

/// The track of an object that was followed.
public struct FollowedObject: Sendable {
  public var track: CustomDetectionTrack
  /// The first frame's.
  public var start: Time
  public var boxes: [FollowedBox]

  public init(track: CustomDetectionTrack, start: Time, boxes: [FollowedBox]) {
    self.track = track
    self.start = start
    self.boxes = boxes
  }
}
