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
    if let name = recording.look.unwritableNames.first {
      throw CinematicError(
        .invalidParameter, "no script can hold the \(name) \(recording.look[name] ?? "")",
        remedy: "choose a number that is finite")
    }
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
    for time in recording.cuts { try include(time) }
    for track in recording.detectionTracks {
      for time in track.samples.times { try include(time) }
      if let origin = (track as? FixedDetectionTrack)?.originalDetection {
        try include(origin.time)
      }
    }
    for decision in recording.baseDecisions + recording.userDecisions {
      try include(decision.time)
      if let transition = recording.transitions[decision] {
        try include(transition.duration)
        try include(transition.elapsed)
        try include(transition.remaining)
      }
    }
    timescale = Int32(scale)
  }

  private mutating func add(_ string: String) { text.append(contentsOf: string.utf8) }

  /// Ticks of a time whose timescale divides the script's.
  private func ticks(_ time: Time) throws(CinematicError) -> Int64 {
    let factor = Int64(timescale / time.timescale)
    let (ticks, overflow) = time.value.multipliedReportingOverflow(by: factor)
    guard !overflow else {
      throw CinematicError(
        .unsupported, "a time of \(time.secondsText) s has no 64 bits of ticks of 1/\(timescale) s",
        remedy: "use fewer different timescales, or times nearer to zero")
    }
    return ticks
  }

  /// - Throws: `unsupported` for a time that has no ticks of 64 bits.
  mutating func write() throws(CinematicError) -> Data {
    let range = recording.timeRange
    add("{\"format\": \"focal-script\", \"version\": 1, \"timescale\": \(timescale),\n")
    let (start, duration) = (try ticks(range.start), try ticks(range.duration))
    add(" \"timeRange\": {\"start\": \(start), \"duration\": \(duration)},\n")
    if let step = recording.frameTimes.frameDuration,
      recording.frameTimes.isEmpty || recording.frameTimes[0] == range.start,
      (try? FrameTimes(range: range, frameDuration: step))?.count == recording.frameTimes.count
    {
      let ticks = try ticks(step)
      add(" \"frameDuration\": \(ticks),")
    } else {
      add(" \"frameTimes\": [")
      try add(times: recording.frameTimes)
      add("],")
    }
    add(" \"fNumber\": \(recording.fNumber),")
    if let range = recording.disparityRange {
      add("\n \"disparityRange\": [\(range.lowerBound), \(range.upperBound)],")
    }
    if !recording.cuts.isEmpty {
      add("\n \"cuts\": [")
      try add(times: recording.cuts)
      add("],")
    }
    if !recording.look.isEmpty {
      add("\n \"look\": \(Self.object(recording.look)),")
    }
    add("\n \"tracks\": [")
    for (index, track) in recording.detectionTracks.enumerated() {
      add(index > 0 ? ",\n  " : "\n  ")
      try add(track)
    }
    add(recording.detectionTracks.isEmpty ? "],\n \"decisions\": [" : "\n ],\n \"decisions\": [")
    let decisions = Recording.ordered(recording.baseDecisions + recording.userDecisions)
    for (index, decision) in decisions.enumerated() {
      add(index > 0 ? ",\n  " : "\n  ")
      try add(decision)
    }
    add(decisions.isEmpty ? "]}\n" : "\n ]}\n")
    return text
  }

  private mutating func add(times: some Sequence<Time>) throws(CinematicError) {
    for (index, time) in times.enumerated() {
      let ticks = try ticks(time)
      add(index > 0 ? ", \(ticks)" : "\(ticks)")
    }
  }

  private mutating func add(_ track: DetectionTrack) throws(CinematicError) {
    add("{\"id\": \(track.detectionID?.rawValue ?? 0)")
    if let group = track.detectionGroupID { add(", \"group\": \(group)") }
    add(", \"type\": \"\(track.detectionType)\", ")
    if let fixed = track as? FixedDetectionTrack {
      add("\"kind\": \"fixed\", \"disparity\": \(fixed.focusDisparity)")
      if let origin = fixed.originalDetection {
        add(",\n   \"origin\": {\"type\": \"\(origin.detectionType)\", ")
        if let id = origin.detectionID { add("\"id\": \(id), ") }
        if let group = origin.detectionGroupID { add("\"group\": \(group), ") }
        try add(time: origin.time, rect: origin.normalizedRect, disparity: origin.focusDisparity)
        add("}")
      }
      add("}")
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
      add(index > 0 ? ",\n   {" : "\n   {")
      try add(
        time: samples.times[index], rect: samples.rects[index],
        disparity: samples.disparities[index])
      add("}")
    }
    add("]}")
  }

  private mutating func add(
    time: Time, rect: NormalizedRect, disparity: Float
  ) throws(CinematicError) {
    let ticks = try ticks(time)
    add("\"time\": \(ticks), ")
    add("\"rect\": [\(rect.x), \(rect.y), \(rect.width), \(rect.height)], ")
    add("\"disparity\": \(disparity)")
  }

  /// A look as a JSON object.
  static func object(_ look: Look) -> String {
    "{\(look.fields.map { "\(quoted($0.name)): \($0.json)" }.joined(separator: ", "))}"
  }

  /// A string as JSON has it.
  static func quoted(_ text: String) -> String {
    var result = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"", "\\": result += "\\\(scalar)"
      case _ where scalar.value < 0x20:
        let digits = String(scalar.value, radix: 16)
        result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result + "\""
  }

  private mutating func add(_ decision: Decision) throws(CinematicError) {
    let time = try ticks(decision.time)
    add("{\"time\": \(time), ")
    switch decision.focusDetectionID {
    case .single(let id): add("\"detection\": \(id), ")
    case .group(let id): add("\"group\": \(id), ")
    }
    add("\"strong\": \(decision.isStrongDecision), \"user\": \(decision.isUserDecision)")
    if let transition = recording.transitions[decision] {
      let duration = try ticks(transition.duration)
      add(", \"transition\": {\"duration\": \(duration), ")
      add("\"curve\": \"\(transition.curve)\"")
      if transition.isCut {
        let (elapsed, left) = (try ticks(transition.elapsed), try ticks(transition.remaining))
        add(", \"elapsed\": \(elapsed), \"remaining\": \(left)")
      }
      add("}")
    }
    add("}")
  }
}
