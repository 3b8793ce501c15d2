// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalEyes
import FocalScript
import Synchronization

/// A frame of which all is known that outputs need.
struct AnalyzedFrame: Sendable {
  var picture: CapturedPicture
  /// As the picture is stored; of a provider's, shares of the range.
  var map: PixelBuffer
  var mapInfo: DisparityMapInfo
  var metadata: CaptureMetadata
  /// The detections that a recording keeps: those of the metadata, and that of the map's own subject.
  var recorded: [Detection]
  var made: [FocusPuller.Made]
  /// The decisions in force.
  var standing: [FocusPuller.Made]
  var subject: Decision.FocusDetectionID
  /// Where they changed.
  var statuses: Set<CaptureSceneMonitoringStatus>?
  /// Whether a provider made the map.
  var isEstimated: Bool
  /// The provider's disparities that are 0 and 1 in the map; `nil` as long as no picture showed any distance.
  var range: EstimatedRange?
  /// Whether another scene begins with it.
  var isCut = false
  /// What the caller should know.
  var notes: [String] = []
}

/// A call that changes the focus, on its way to the next frame.
struct CaptureOrder: Sendable {
  var focus: FocusPuller.Order
  /// A new subject to follow.
  var salient: (id: DetectionID, rect: NormalizedRect)?
  /// The range of the frame at which it was given.
  var range: EstimatedRange?

  /// The focus on the scale of another frame.
  func focus(in other: EstimatedRange?) -> FocusPuller.Order {
    guard case .fixed(let id, let disparity, let mode) = focus, let range, let other else {
      return focus
    }
    return .fixed(id, disparity: range.share(disparity, in: other), mode)
  }
}

/// Gives ids, none of them twice.
final class DetectionIDs: Sendable {
  private let latest = Atomic<Int64>(0)

  func next() -> Int64 { latest.add(1, ordering: .relaxed).newValue }
}
