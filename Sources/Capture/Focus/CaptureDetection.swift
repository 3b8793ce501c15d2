// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalScript

/// How firmly focus follows a subject. Raw values are those of the capture interface that this one mirrors.
public enum CinematicVideoFocusMode: Int, Hashable, Sendable, CaseIterable {
  /// Not in focus; only reported, never set.
  case none = 0
  /// Focus stays although others would win.
  case strong = 1
  /// The director may move on.
  case weak = 2
}

/// Something that was found in a frame, and whether focus is on it.
public struct CaptureDetection: Hashable, Sendable {
  /// With ids that are never given again in the session.
  public var detection: Detection
  public var cinematicVideoFocusMode: CinematicVideoFocusMode

  public init(detection: Detection, cinematicVideoFocusMode: CinematicVideoFocusMode) {
    self.detection = detection
    self.cinematicVideoFocusMode = cinematicVideoFocusMode
  }
}

/// The session's data on a frame beside its pixels.
public struct CaptureMetadata: Hashable, Sendable {
  /// On the session's clock.
  public var time: Time
  public var detections: [CaptureDetection]
  /// The disparity that is sharp, on the scale of the frame's map.
  public var focusDisparity: Float
  public var fNumber: Float
  /// How firmly focus is where it is: `weak` for what the director chose.
  public var focusMode: CinematicVideoFocusMode

  /// The best detection at a point: the smallest of those that hold it, so that a face is found before its body.
  public func detection(at point: NormalizedPoint) -> CaptureDetection? {
    detections.filter { $0.detection.normalizedRect.contains(point) }
      .min { $0.detection.normalizedRect.area < $1.detection.normalizedRect.area }
  }
}
