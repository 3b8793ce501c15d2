// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalScript
import Synchronization

/// A frame of which all is known that outputs need.
struct AnalyzedFrame: Sendable {
  var picture: CapturedPicture
  /// As the picture is stored.
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
}

/// A call that changes the focus, on its way to the next frame.
struct CaptureOrder: Sendable {
  var focus: FocusPuller.Order
  /// A new subject to follow.
  var salient: (id: DetectionID, rect: NormalizedRect)?
}

/// Gives ids, none of them twice.
final class DetectionIDs: Sendable {
  private let latest = Atomic<Int64>(0)

  func next() -> Int64 { latest.add(1, ordering: .relaxed).newValue }
}
