// SPDX-License-Identifier: Apache-2.0

import FocalCore

/// The detections of one subject, as one type, over time.
///
/// There are three kinds: ``RecordedDetectionTrack`` comes with a recording, ``FixedDetectionTrack``
/// and ``CustomDetectionTrack`` are made by the caller. Tracks never change once made.
// @unchecked Sendable: every stored property of this class and of its three subclasses, which are
// final and the only ones, is an immutable value.
public class DetectionTrack: @unchecked Sendable, Equatable {
  /// The kind of thing that the track follows.
  public let detectionType: DetectionType
  /// Unique in its script; `nil` for a track that is in no script yet.
  public let detectionID: DetectionID?
  /// The subject that the track shares with tracks of related types.
  public let detectionGroupID: DetectionGroupID?
  /// Whether the caller made it, as opposed to the recording.
  public let isUserCreated: Bool
  let samples: DetectionSamples

  init(
    type: DetectionType, id: DetectionID?, group: DetectionGroupID?, userCreated: Bool,
    samples: DetectionSamples
  ) {
    detectionType = type
    detectionID = id
    detectionGroupID = group
    isUserCreated = userCreated
    self.samples = samples
  }

  /// Whether it has detections at times of its own, as opposed to one for any time.
  public var isDiscrete: Bool { true }

  /// The latest detection at or before a time.
  public func detection(atOrBefore time: Time) -> Detection? {
    samples.index(atOrBefore: time).map { detection(at: $0) }
  }

  /// The detection nearest to a time, the earlier of two as near.
  public func detection(nearest time: Time) -> Detection? {
    samples.index(nearest: time).map { detection(at: $0) }
  }

  /// The detections at the times of a range, in order.
  public func detections(in range: TimeRange) -> [Detection] {
    samples.indices(in: range).map { detection(at: $0) }
  }

  func detection(at index: Int) -> Detection {
    var detection = Detection(
      time: samples.times[index], detectionType: detectionType,
      normalizedRect: samples.rects[index], focusDisparity: samples.disparities[index])
    detection.detectionID = detectionID
    detection.detectionGroupID = detectionGroupID
    return detection
  }

  /// The same track under an id.
  func identified(as id: DetectionID, group: DetectionGroupID?) -> DetectionTrack { self }

  /// The part of the track in a range, which then starts at zero.
  ///
  /// - Parameter lastFrame: the time of the range's last frame.
  func trimmed(to range: TimeRange, lastFrame: Time?, shift offset: Time) -> DetectionTrack { self }

  func isEqual(to other: DetectionTrack) -> Bool {
    type(of: self) == type(of: other) && detectionType == other.detectionType
      && detectionID == other.detectionID && detectionGroupID == other.detectionGroupID
      && samples == other.samples
  }

  public static func == (a: DetectionTrack, b: DetectionTrack) -> Bool {
    a === b || a.isEqual(to: b)
  }
}
