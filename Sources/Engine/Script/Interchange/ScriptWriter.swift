// SPDX-License-Identifier: Apache-2.0

import FocalCore
import Foundation

/// Writes a recording as JSON: a line a detection and a decision, keys always in the same order, so
/// that two scripts compare with the tools for text.
struct ScriptWriter {
  private let recording: Recording
  private let timescale: Int32
  private var text = Data()

  init(_ recording: Recording) throws(CinematicError) {
    self.recording = recording
    var scale: Int64 = 1
    func include(_ time: Time) throws(CinematicError) {
      let other = Int64(time.timescale)
      guard scale % other != 0 else { return }
      let divisor = Int64(Time.greatestCommonDivisor(UInt64(scale), UInt64(other)))
      scale = scale / divisor * other
      guard scale <= Int64(Int32.max) else {
        throw CinematicError(
          .unsupported, "the script's times have no common timescale of 32 bits",
          remedy: "use fewer different timescales")
      }
    }
    try include(recording.timeRange.start)
    try include(recording.timeRange.duration)
    if let step = recording.frameTimes.frameDuration { try include(step) }
    for time in recording.frameTimes { try include(time) }
    for track in recording.detectionTracks {
      for time in track.samples.times { try include(time) }
    }
    for decision in recording.baseDecisions + recording.userDecisions {
      try include(decision.time)
      if let transition = recording.transitions[decision] { try include(transition.duration) }
    }
    timescale = Int32(scale)
  }

  private mutating func add(_ string: String) { text.append(contentsOf: string.utf8) }

  /// Ticks of a time whose timescale divides the script's.
  private func ticks(_ time: Time) -> Int64 { time.converted(to: timescale).value }

  mutating func write() -> Data {
    let range = recording.timeRange
    add("{\"format\": \"focal-script\", \"version\": 1, \"timescale\": \(timescale),\n")
    add(" \"timeRange\": {\"start\": \(ticks(range.start)), ")
    add("\"duration\": \(ticks(range.duration))},\n")
    if let step = recording.frameTimes.frameDuration,
      recording.frameTimes.isEmpty || recording.frameTimes[0] == range.start,
      (try? FrameTimes(range: range, frameDuration: step))?.count == recording.frameTimes.count
    {
      add(" \"frameDuration\": \(ticks(step)),")
    } else {
      let times = recording.frameTimes.map { "\(ticks($0))" }.joined(separator: ", ")
      add(" \"frameTimes\": [\(times)],")
    }
    add(" \"fNumber\": \(recording.fNumber),\n \"tracks\": [")
    for (index, track) in recording.detectionTracks.enumerated() {
      add(index > 0 ? ",\n  " : "\n  ")
      add(track)
    }
    add(recording.detectionTracks.isEmpty ? "],\n \"decisions\": [" : "\n ],\n \"decisions\": [")
    let decisions = Recording.ordered(recording.baseDecisions + recording.userDecisions)
    for (index, decision) in decisions.enumerated() {
      add(index > 0 ? ",\n  " : "\n  ")
      add(decision)
    }
    add(decisions.isEmpty ? "]}\n" : "\n ]}\n")
    return text
  }

  private mutating func add(_ track: DetectionTrack) {
    add("{\"id\": \(track.detectionID?.rawValue ?? 0)")
    if let group = track.detectionGroupID { add(", \"group\": \(group)") }
    add(", \"type\": \"\(track.detectionType)\", ")
    if let fixed = track as? FixedDetectionTrack {
      add("\"kind\": \"fixed\", \"disparity\": \(fixed.focusDisparity)}")
      return
    }
    var samples = track.samples
    if let custom = track as? CustomDetectionTrack {
      samples = custom.givenSamples
      add("\"kind\": \"custom\", \"smooth\": \(custom.isSmoothed), \"detections\": [")
    } else {
      add("\"kind\": \"recorded\", \"detections\": [")
    }
    for index in 0..<samples.count {
      let rect = samples.rects[index]
      add(index > 0 ? ",\n   " : "\n   ")
      add("{\"time\": \(ticks(samples.times[index])), ")
      add("\"rect\": [\(rect.x), \(rect.y), \(rect.width), \(rect.height)], ")
      add("\"disparity\": \(samples.disparities[index])}")
    }
    add("]}")
  }

  private mutating func add(_ decision: Decision) {
    add("{\"time\": \(ticks(decision.time)), ")
    switch decision.focusDetectionID {
    case .single(let id): add("\"detection\": \(id), ")
    case .group(let id): add("\"group\": \(id), ")
    }
    add("\"strong\": \(decision.isStrongDecision), \"user\": \(decision.isUserDecision)")
    if let transition = recording.transitions[decision] {
      add(", \"transition\": {\"duration\": \(ticks(transition.duration)), ")
      add("\"curve\": \"\(transition.curve)\"}")
    }
    add("}")
  }
}
