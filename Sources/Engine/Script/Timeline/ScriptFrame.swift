// SPDX-License-Identifier: Apache-2.0

import FocalCore

/// One frame of a script: two numbers for the renderer, and the detections in it.
///
/// A frame keeps the state of the script that it was looked up in; later edits do not change it.
public struct ScriptFrame: Sendable {
  /// When the frame is shown.
  public let time: Time
  /// The renderer's focus: relative disparity, larger is nearer. In a rack it lies between
  /// the two subjects. It may be changed: a caller's own correction goes here.
  public var focusDisparity: Float
  /// The renderer's f-number; it may be changed likewise.
  public var fNumber: Float
  /// The detection of the decision in force, in a rack of the one being left. Between detections it
  /// is the latest; `nil` before the subject's track starts and after it ends.
  public let focusDetection: Detection?
  let position: Int
  let snapshot: Snapshot

  init(
    time: Time, focusDisparity: Float, fNumber: Float, focusDetection: Detection?, position: Int,
    snapshot: Snapshot
  ) {
    self.time = time
    self.focusDisparity = focusDisparity
    self.fNumber = fNumber
    self.focusDetection = focusDetection
    self.position = position
    self.snapshot = snapshot
  }

  /// Everything found in this frame, in the order of tracks; fixed tracks are not found in any.
  public var allDetections: [Detection] {
    let recorded = snapshot.index.timelines.compactMap { $0.detection(inFrame: position) }
    return recorded
      + snapshot.addedTracks.compactMap { $0.timeline.detection(inFrame: position) }
  }

  /// The detection of a track in this frame; a fixed track has one in every frame.
  public func detection(for id: DetectionID) -> Detection? {
    guard let timeline = snapshot.timeline(for: id) else { return nil }
    return timeline.constant != nil
      ? timeline.detection(atFrame: position, time: time) : timeline.detection(inFrame: position)
  }

  /// The best detection of a group in this frame: face, then head, then torso.
  public func bestDetection(for id: DetectionGroupID) -> Detection? {
    guard let timeline = snapshot.index.groups[id] else { return nil }
    return timeline.constant != nil
      ? timeline.detection(atFrame: position, time: time) : timeline.detection(inFrame: position)
  }

  /// The decision in force; in a rack the one being left.
  public var primaryDecision: Decision? { snapshot.primaryDecision(at: time) }
  /// In a rack the decision approached.
  public var secondaryDecision: Decision? { snapshot.secondaryDecision(at: time) }
}

/// A rack: focus on its way from one decision's subject to the next one's.
public struct FocusTransition: Hashable, Sendable {
  /// Ends where the decision approached comes into force. Of a script that was cut within it, the part that is left.
  public let timeRange: TimeRange
  /// How focus moves.
  public let curve: Transition.Curve
  /// `nil` where no decision was in force before.
  public let from: Decision?
  /// The decision approached.
  public let to: Decision
}
