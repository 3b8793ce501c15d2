// SPDX-License-Identifier: Apache-2.0

import FocalCommands
import FocalCore
import FocalScript

/// What `show --json` prints.
struct ScriptShowReport {
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

  private let tracks: [Track]
  /// When other shots begin.
  private let cuts: [Ticks]
  private let transitions: [Rack]
  private let timescale: Int32
  private let turn: QuarterTurn

  init(_ opened: OpenedScript, _ transitions: [FocusTransition]) {
    let (timescale, turn) = (opened.script.timescale, opened.turn)
    (self.timescale, self.turn) = (timescale, turn)
    tracks = opened.script.detectionTracks.map { track in
      let fixed = track as? FixedDetectionTrack
      let place = fixed?.originalDetection.flatMap { $0.hasPlace ? $0.normalizedRect : nil }
      return Track(
        id: track.detectionID?.rawValue ?? 0, group: OrNull(track.detectionGroupID?.rawValue),
        type: "\(track.detectionType)",
        label: Detection.accessibilityLabel(for: track.detectionType),
        isAdded: track.isUserCreated, disparity: fixed?.focusDisparity,
        rect: place.map { Self.numbers($0, turn) })
    }
    cuts = opened.script.recording.cuts.map { Ticks(time: $0, timescale: timescale) }
    self.transitions = transitions.map { transition in
      Rack(
        start: Ticks(time: transition.timeRange.start, timescale: timescale),
        end: Ticks(time: transition.timeRange.end, timescale: timescale),
        from: Self.choice(transition.from, timescale), to: Self.choice(transition.to, timescale))
    }
  }

  /// Prints one line with the keys in order, frame by frame: memory does not grow with them.
  func print(_ frames: some Sequence<ScriptFrame>) throws {
    let cuts = try jsonLine(self.cuts)
    let tracks = try jsonLine(self.tracks)
    let transitions = try jsonLine(self.transitions)
    var text = "{\"cuts\":\(cuts),\"frames\":["
    var separator = ""
    for frame in frames {
      text += separator
      text += try jsonLine(described(frame))
      separator = ","
      if text.utf8.count > 1 << 16 {
        printPart(text)
        text = ""
      }
    }
    text += "],\"tracks\":\(tracks),\"transitions\":\(transitions)}"
    printLine(text)
  }

  private func described(_ frame: ScriptFrame) -> Frame {
    Frame(
      time: Ticks(time: frame.time, timescale: timescale), focusDisparity: frame.focusDisparity,
      focusDetection: OrNull(frame.focusDetection?.detectionID?.rawValue),
      primary: Self.choice(frame.primaryDecision, timescale),
      secondary: Self.choice(frame.secondaryDecision, timescale), fNumber: frame.fNumber,
      detections: frame.allDetections.map { detection in
        Found(
          id: detection.detectionID?.rawValue ?? 0,
          rect: Self.numbers(detection.normalizedRect, turn),
          disparity: detection.focusDisparity)
      })
  }

  private static func numbers(_ rect: NormalizedRect, _ turn: QuarterTurn) -> [Double] {
    let shown = turn.applied(to: rect)
    return [shown.x, shown.y, shown.width, shown.height]
  }

  private static func choice(_ decision: Decision?, _ timescale: Int32) -> OrNull<Choice> {
    OrNull(
      decision.map { decision in
        Choice(
          time: Ticks(time: decision.time, timescale: timescale),
          detection: decision.detectionID?.rawValue, group: decision.detectionGroupID?.rawValue,
          strong: decision.isStrongDecision, user: decision.isUserDecision)
      })
  }
}
