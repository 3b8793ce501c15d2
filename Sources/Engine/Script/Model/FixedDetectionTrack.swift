// SPDX-License-Identifier: Apache-2.0

import FocalCore

/// One disparity at any time: focus that stays where it is put.
// @unchecked Sendable: as its superclass, it holds nothing but immutable values.
public final class FixedDetectionTrack: DetectionTrack, @unchecked Sendable {
  /// The disparity to focus at: relative, larger is nearer.
  public let focusDisparity: Float
  /// Where the disparity was taken from. It is not part of the track, and keeps its own ids.
  public let originalDetection: Detection?

  /// - Throws: `invalidParameter` for a disparity that is not finite, as that of a place without
  ///   valid disparities is.
  public convenience init(focusDisparity: Float) throws(CinematicError) {
    try Self.check(focusDisparity)
    self.init(focusDisparity: focusDisparity, original: nil, id: nil, group: nil, recorded: false)
  }

  /// Holds the focus of a detection.
  ///
  /// - Throws: `invalidParameter` for a disparity or a rectangle that is not finite.
  public convenience init(originalDetection: Detection) throws(CinematicError) {
    try Self.check(originalDetection.focusDisparity)
    guard originalDetection.normalizedRect.isFinite else {
      throw CinematicError(
        .invalidParameter, "the detection that focus is held on has a rectangle that is not finite",
        remedy: "give a rectangle, or a disparity alone")
    }
    self.init(
      focusDisparity: originalDetection.focusDisparity, original: originalDetection, id: nil,
      group: nil, recorded: false)
  }

  init(
    focusDisparity: Float, original: Detection?, id: DetectionID?, group: DetectionGroupID?,
    recorded: Bool
  ) {
    precondition(focusDisparity.isFinite, "a fixed focus disparity is finite")
    self.focusDisparity = focusDisparity
    self.originalDetection = original
    super.init(
      type: .fixedFocus, id: id, group: group, userCreated: !recorded, samples: .empty)
  }

  /// A track that was put at its place while recording.
  ///
  /// - Throws: `invalidParameter` for a disparity that is not finite, or an id that is not valid.
  package static func recorded(
    focusDisparity: Float, detectionID: DetectionID
  ) throws(CinematicError) -> FixedDetectionTrack {
    try check(focusDisparity)
    guard detectionID.isValid else {
      throw CinematicError(
        .invalidParameter, "a detection track cannot have the id \(detectionID)",
        remedy: "ids are positive")
    }
    return FixedDetectionTrack(
      focusDisparity: focusDisparity, original: nil, id: detectionID, group: nil, recorded: true)
  }

  private static func check(_ focusDisparity: Float) throws(CinematicError) {
    guard focusDisparity.isFinite else {
      throw CinematicError(
        .invalidParameter, "focus cannot be held at a disparity of \(focusDisparity)",
        remedy: "choose a place where the map has disparities")
    }
  }

  public override var isDiscrete: Bool { false }

  /// A detection of the whole picture at the asked time.
  public override func detection(atOrBefore time: Time) -> Detection? { detection(stamped: time) }

  /// A detection of the whole picture at the asked time.
  public override func detection(nearest time: Time) -> Detection? { detection(stamped: time) }

  /// Always empty: the track has no detections of its own.
  public override func detections(in range: TimeRange) -> [Detection] { [] }

  func detection(stamped time: Time) -> Detection {
    var detection = Detection(
      time: time, detectionType: .fixedFocus,
      normalizedRect: originalDetection?.normalizedRect
        ?? NormalizedRect(x: 0, y: 0, width: 1, height: 1),
      focusDisparity: focusDisparity)
    detection.detectionID = detectionID
    detection.detectionGroupID = detectionGroupID
    return detection
  }

  override func identified(as id: DetectionID, group: DetectionGroupID?) -> DetectionTrack {
    FixedDetectionTrack(
      focusDisparity: focusDisparity, original: originalDetection, id: id, group: group,
      recorded: !isUserCreated)
  }

  /// The same track as part of a recording.
  func recorded() -> FixedDetectionTrack {
    FixedDetectionTrack(
      focusDisparity: focusDisparity, original: originalDetection, id: detectionID,
      group: detectionGroupID, recorded: true)
  }

  override func isEqual(to other: DetectionTrack) -> Bool {
    guard super.isEqual(to: other), let other = other as? FixedDetectionTrack else { return false }
    return focusDisparity == other.focusDisparity && originalDetection == other.originalDetection
  }
}
