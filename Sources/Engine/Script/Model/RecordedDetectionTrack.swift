// SPDX-License-Identifier: Apache-2.0

import FocalCore

/// A track that was made while recording, or read from a script's JSON. A script's user cannot
/// remove it.
// @unchecked Sendable: as its superclass, it holds nothing but immutable values.
public final class RecordedDetectionTrack: DetectionTrack, @unchecked Sendable {
  /// - Parameter detections: in any order; of several at one time the last counts. They may be
  ///   none.
  /// - Throws: `invalidParameter` for an id or a group that is not valid, or a rectangle or a disparity that
  ///   is not finite.
  public init(
    detectionID: DetectionID, detectionGroupID: DetectionGroupID? = nil,
    detectionType: DetectionType, detections: [Detection]
  ) throws(CinematicError) {
    guard detectionID.isValid else {
      throw CinematicError(
        .invalidParameter, "a detection track cannot have the id \(detectionID)",
        remedy: "ids are positive")
    }
    if let detectionGroupID, !detectionGroupID.isValid {
      throw CinematicError(
        .invalidParameter,
        "the detection track \(detectionID) cannot have the group \(detectionGroupID)",
        remedy: "ids are positive")
    }
    super.init(
      type: detectionType, id: detectionID, group: detectionGroupID, userCreated: false,
      samples: try DetectionSamples.sorted(detections))
  }

  init(
    id: DetectionID?, group: DetectionGroupID?, type: DetectionType, samples: DetectionSamples
  ) {
    super.init(type: type, id: id, group: group, userCreated: false, samples: samples)
  }

  /// Every detection, in the order of time.
  public var allDetections: [Detection] { (0..<samples.count).map { detection(at: $0) } }

  override func identified(as id: DetectionID, group: DetectionGroupID?) -> DetectionTrack {
    RecordedDetectionTrack(id: id, group: group, type: detectionType, samples: samples)
  }

  override func trimmed(
    to range: TimeRange, lastFrame: Time?, shift offset: Time
  ) -> DetectionTrack {
    RecordedDetectionTrack(
      id: detectionID, group: detectionGroupID, type: detectionType,
      samples: samples.trimmed(to: range, lastFrame: lastFrame, shift: offset))
  }
}
