// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalScript

/// What `show --json` prints.
struct ScriptShowReport: Encodable {
  /// A value that is told as `null` where there is none.
  struct OrNull<Value: Encodable>: Encodable {
    var value: Value?

    init(_ value: Value?) { self.value = value }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      guard let value else { return try container.encodeNil() }
      try container.encode(value)
    }
  }

  /// A time in ticks of the script's timescale: whole where it is a multiple of a tick.
  struct Ticks: Encodable {
    var time: Time
    var timescale: Int32

    func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      let whole = time.converted(to: timescale)
      if whole == time {
        try container.encode(whole.value)
      } else {
        try container.encode(time.seconds * Double(timescale))
      }
    }
  }

  struct Track: Encodable {
    var id: Int64
    var group: OrNull<Int64>
    var type: String
    var label: String
    var isAdded: Bool
    /// Of a fixed focus; others have detections of their own.
    var disparity: Float?
    var rect: [Double]?
  }

  struct Found: Encodable {
    var id: Int64
    var rect: [Double]
    var disparity: Float
  }

  struct Choice: Encodable {
    var time: Ticks
    var detection: Int64?
    var group: Int64?
    var strong: Bool
    var user: Bool
  }

  struct Frame: Encodable {
    var time: Ticks
    var focusDisparity: Float
    var focusDetection: OrNull<Int64>
    var primary: OrNull<Choice>
    var secondary: OrNull<Choice>
    var fNumber: Float
    var detections: [Found]
  }

  struct Rack: Encodable {
    var start: Ticks
    var end: Ticks
    var from: OrNull<Choice>
    var to: OrNull<Choice>
  }

  var tracks: [Track]
  /// When other shots begin.
  var cuts: [Ticks]
  var frames: [Frame]
  var transitions: [Rack]

  init(_ opened: OpenedScript, _ frames: [ScriptFrame], _ transitions: [FocusTransition]) {
    let timescale = opened.script.timescale
    func ticks(_ time: Time) -> Ticks { Ticks(time: time, timescale: timescale) }
    func rect(_ rect: NormalizedRect) -> [Double] {
      let shown = opened.turn.applied(to: rect)
      return [shown.x, shown.y, shown.width, shown.height]
    }
    func choice(_ decision: Decision?) -> OrNull<Choice> {
      OrNull(
        decision.map { decision in
          Choice(
            time: ticks(decision.time), detection: decision.detectionID?.rawValue,
            group: decision.detectionGroupID?.rawValue, strong: decision.isStrongDecision,
            user: decision.isUserDecision)
        })
    }
    tracks = opened.script.detectionTracks.map { track in
      let fixed = track as? FixedDetectionTrack
      let place = fixed?.originalDetection.flatMap { $0.hasPlace ? $0.normalizedRect : nil }
      return Track(
        id: track.detectionID?.rawValue ?? 0, group: OrNull(track.detectionGroupID?.rawValue),
        type: "\(track.detectionType)",
        label: Detection.accessibilityLabel(for: track.detectionType),
        isAdded: track.isUserCreated, disparity: fixed?.focusDisparity, rect: place.map(rect))
    }
    cuts = opened.script.recording.cuts.map(ticks)
    self.frames = frames.map { frame in
      Frame(
        time: ticks(frame.time), focusDisparity: frame.focusDisparity,
        focusDetection: OrNull(frame.focusDetection?.detectionID?.rawValue),
        primary: choice(frame.primaryDecision), secondary: choice(frame.secondaryDecision),
        fNumber: frame.fNumber,
        detections: frame.allDetections.map { detection in
          Found(
            id: detection.detectionID?.rawValue ?? 0, rect: rect(detection.normalizedRect),
            disparity: detection.focusDisparity)
        })
    }
    self.transitions = transitions.map { transition in
      Rack(
        start: ticks(transition.timeRange.start), end: ticks(transition.timeRange.end),
        from: choice(transition.from), to: choice(transition.to))
    }
  }
}
