// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalScript

/// A recording's data on a frame beside its pixels: a line of the journal. Times count from the movie's start.
struct RecordingEntry: Codable, Sendable {
  /// `Time` as it is written: ticks, and ticks a second.
  struct Moment: Codable, Sendable {
    var value: Int64
    var timescale: Int32

    init(_ time: Time) { (value, timescale) = (time.value, time.timescale) }
    var time: Time { Time(value: value, timescale: max(1, timescale)) }
  }

  struct Found: Codable, Sendable {
    var id: Int64
    var group: Int64?
    var type: Int
    var x: Double
    var y: Double
    var width: Double
    var height: Double
    var disparity: Float
  }

  struct Choice: Codable, Sendable {
    /// When focus begins to move, and when it arrives if no other choice turns it away before.
    var start: Moment
    var arrival: Moment
    var id: Int64
    var isGroup: Bool
    var isStrong: Bool
    var isUser: Bool
    /// Of a fixed focus.
    var disparity: Float?
  }

  var time: Moment
  var duration: Moment
  var focusDisparity: Float
  var found: [Found]
  var choices: [Choice]
  /// Where another scene begins with it; `nil` for the others, and in journals of older programs.
  var isCut: Bool?

  /// - Parameters:
  ///   - start: of the movie, on the session's clock.
  ///   - isFirst: whether the decisions in force are new to the recording.
  init(_ frame: AnalyzedFrame, start: Time, isFirst: Bool) {
    time = Moment(frame.picture.time - start)
    duration = Moment(frame.picture.duration)
    focusDisparity = frame.metadata.focusDisparity
    isCut = frame.isCut ? true : nil
    found = frame.recorded.compactMap { detection in
      guard let id = detection.detectionID else { return nil }
      let rect = detection.normalizedRect
      return Found(
        id: id.rawValue, group: detection.detectionGroupID?.rawValue,
        type: detection.detectionType.rawValue, x: rect.x, y: rect.y, width: rect.width,
        height: rect.height, disparity: detection.focusDisparity)
    }
    choices = (isFirst ? frame.standing : frame.made).map { made in
      let decision = made.decision
      return Choice(
        start: Moment(made.start - start), arrival: Moment(decision.time - start),
        id: decision.detectionID?.rawValue ?? decision.detectionGroupID?.rawValue ?? 0,
        isGroup: decision.isGroupDecision, isStrong: decision.isStrongDecision,
        isUser: decision.isUserDecision, disparity: made.disparity)
    }
  }
}

extension RecordingEntry.Found {
  func detection(at time: Time) -> Detection {
    Detection(
      time: time, detectionType: DetectionType(rawValue: type) ?? .unknown,
      normalizedRect: NormalizedRect(x: x, y: y, width: width, height: height),
      focusDisparity: disparity)
  }
}
