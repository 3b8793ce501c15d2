// SPDX-License-Identifier: Apache-2.0

import FocalCore

/// The contents of a script's JSON, gathered key by key.
struct ScriptParser {
  private var format: String?
  private var version: Int64?
  private var timescale: Int32?
  private var range: (start: Int64, duration: Int64)?
  private var frameDuration: Int64?
  private var frameTicks: [Int64]?
  private var fNumber: Float = 2.8
  private var disparityRange: ClosedRange<Float>?
  private var cutTicks: [Int64] = []
  private var look = Look()
  private var tracks: [DetectionTrack] = []
  private var decisions: [Decision] = []
  private var transitions: [Decision: Transition] = [:]
  /// Where parts start that came before the timescale.
  private var deferred: [(key: String, scanner: JSONScanner)] = []
  /// Keys that were passed over, each once.
  private(set) var unknownKeys: [String] = []

  mutating func parse(_ bytes: UnsafeBufferPointer<UInt8>) throws(CinematicError) -> Recording {
    var scanner = JSONScanner(bytes)
    try scanner.object { (scanner, key) throws(CinematicError) in
      switch key {
      case "format": format = try scanner.string()
      case "version": version = try scanner.integer()
      case "timescale":
        guard let value = Int32(exactly: try scanner.integer()), value > 0 else {
          throw scanner.malformed("the timescale is not 1 to 2147483647")
        }
        timescale = value
      case "timeRange": range = try Self.timeRange(&scanner)
      case "frameDuration": frameDuration = scanner.null() ? nil : try scanner.integer()
      case "frameTimes": frameTicks = try Self.ticks(&scanner)
      case "cuts": cutTicks = scanner.null() ? [] : try Self.ticks(&scanner)
      case "fNumber": fNumber = try scanner.float()
      case "disparityRange": disparityRange = scanner.null() ? nil : try Self.disparities(&scanner)
      case "look": look = scanner.null() ? Look() : try Self.look(&scanner)
      case "tracks", "decisions":
        if timescale == nil {
          deferred.append((key, scanner))
          try scanner.skip()
        } else {
          try list(key, &scanner)
        }
      default: try scanner.skip(unknown: key)
      }
    }
    try scanner.end()
    defer { unknownKeys = scanner.unknownKeys.names }
    return try recording()
  }

  private mutating func recording() throws(CinematicError) -> Recording {
    guard format == "focal-script" else {
      throw CinematicError(
        .malformed, "the JSON is not a focus script: its format is not \"focal-script\"")
    }
    guard let version else { throw CinematicError(.malformed, "the script has no version") }
    guard version == 1 else {
      throw CinematicError(
        .unsupported, "the script has version \(version), this program reads 1",
        remedy: "use a newer program")
    }
    guard let timescale, let range else {
      throw CinematicError(.malformed, "the script has no timescale or no timeRange")
    }
    for var part in deferred { try list(part.key, &part.scanner) }
    let timeRange = TimeRange(
      start: Time(value: range.start, timescale: timescale),
      duration: Time(value: range.duration, timescale: timescale))
    let frameTimes: FrameTimes
    do throws(CinematicError) {
      if let frameTicks {
        frameTimes = try FrameTimes(frameTicks.map { Time(value: $0, timescale: timescale) })
      } else if let frameDuration {
        frameTimes = try FrameTimes(
          range: timeRange, frameDuration: Time(value: frameDuration, timescale: timescale))
      } else {
        throw CinematicError(.malformed, "the script has no frameDuration and no frameTimes")
      }
      return try Recording(
        timeRange: timeRange, frameTimes: frameTimes, fNumber: fNumber, detectionTracks: tracks,
        decisions: decisions, transitions: transitions, disparityRange: disparityRange,
        cuts: cutTicks.map { Time(value: $0, timescale: timescale) }, look: look)
    } catch {
      // what is a wrong argument of a call is damage in a file
      throw error.replacing(
        message: "the script: \(error.message)",
        code: error.code == .invalidParameter ? .malformed : error.code)
    }
  }

  private mutating func list(
    _ key: String, _ scanner: inout JSONScanner
  ) throws(CinematicError) {
    let timescale = timescale ?? 1
    try scanner.array { (scanner) throws(CinematicError) in
      if key == "tracks" {
        tracks.append(try track(&scanner, timescale))
      } else {
        try decision(&scanner, timescale)
      }
    }
  }

  private func track(
    _ scanner: inout JSONScanner, _ timescale: Int32
  ) throws(CinematicError) -> DetectionTrack {
    var (id, group): (Int64?, Int64?) = (nil, nil)
    var (type, kind, smooth) = (DetectionType.unknown, "recorded", true)
    var disparity: Float?
    var origin: Detection?
    var samples: DetectionSamples?
    try scanner.object { (scanner, key) throws(CinematicError) in
      switch key {
      case "id": id = try scanner.integer()
      case "group": group = scanner.null() ? nil : try scanner.integer()
      case "type":
        let name = try scanner.string()
        guard let known = DetectionType(name: name) else {
          throw scanner.malformed("\"\(name.prefix(40))\" is no type of detection")
        }
        type = known
      case "kind": kind = try scanner.string()
      case "smooth": smooth = try scanner.bool()
      case "disparity": disparity = try scanner.float()
      case "origin": origin = scanner.null() ? nil : try Self.origin(&scanner, timescale)
      case "detections": samples = try detections(&scanner, timescale)
      default: try scanner.skip(unknown: key)
      }
    }
    guard let id, id > 0, group ?? 1 > 0 else {
      throw scanner.malformed("a track has no id, or an id or a group that is not positive")
    }
    let groupID = group.map { DetectionGroupID($0) }
    switch kind {
    case "recorded":
      return RecordedDetectionTrack(
        id: DetectionID(id), group: groupID, type: type, samples: samples ?? .empty)
    case "custom":
      return CustomDetectionTrack(
        type: type, id: DetectionID(id), group: groupID, samples: samples ?? .empty,
        smooth: smooth, recorded: true)
    case "fixed":
      guard let disparity else {
        throw scanner.malformed("the fixed track \(id) has no disparity")
      }
      return FixedDetectionTrack(
        focusDisparity: disparity, original: origin, id: DetectionID(id), group: groupID,
        recorded: true)
    default: throw scanner.malformed("\"\(kind.prefix(40))\" is no kind of track")
    }
  }

  private func detections(
    _ scanner: inout JSONScanner, _ timescale: Int32
  ) throws(CinematicError) -> DetectionSamples {
    var samples = DetectionSamples()
    // what does not come in the order of time is sorted in the end
    var unsorted: [Detection] = []
    try scanner.array { (scanner) throws(CinematicError) in
      var (ticks, disparity): (Int64?, Float?) = (nil, nil)
      var rect: NormalizedRect?
      try scanner.object { (scanner, key) throws(CinematicError) in
        switch key {
        case "time": ticks = try scanner.integer()
        case "rect": rect = try Self.rectangle(&scanner)
        case "disparity": disparity = try scanner.float()
        default: try scanner.skip(unknown: key)
        }
      }
      guard let ticks, let rect, let disparity else {
        throw scanner.malformed("a detection has no time, rect or disparity")
      }
      let time = Time(value: ticks, timescale: timescale)
      if unsorted.isEmpty, samples.times.last.map({ $0 < time }) ?? true {
        samples.append(time: time, rect: rect, disparity: disparity)
      } else {
        unsorted.append(
          Detection(
            time: time, detectionType: .unknown, normalizedRect: rect, focusDisparity: disparity))
      }
    }
    if unsorted.isEmpty { return samples }
    let sorted = (0..<samples.count).map { index in
      Detection(
        time: samples.times[index], detectionType: .unknown, normalizedRect: samples.rects[index],
        focusDisparity: samples.disparities[index])
    }
    return try DetectionSamples.sorted(sorted + unsorted)
  }

  private mutating func decision(
    _ scanner: inout JSONScanner, _ timescale: Int32
  ) throws(CinematicError) {
    var (ticks, detection, group): (Int64?, Int64?, Int64?) = (nil, nil, nil)
    var (strong, user) = (false, false)
    var transition: Transition?
    try scanner.object { (scanner, key) throws(CinematicError) in
      switch key {
      case "time": ticks = try scanner.integer()
      case "detection": detection = scanner.null() ? nil : try scanner.integer()
      case "group": group = scanner.null() ? nil : try scanner.integer()
      case "strong": strong = try scanner.bool()
      case "user": user = try scanner.bool()
      case "transition":
        transition = scanner.null() ? nil : try Self.transition(&scanner, timescale)
      default: try scanner.skip(unknown: key)
      }
    }
    guard let ticks, (detection == nil) != (group == nil) else {
      throw scanner.malformed("a decision needs a time, and a detection or a group")
    }
    let focus: Decision.FocusDetectionID =
      detection.map { .single(DetectionID($0)) } ?? .group(DetectionGroupID(group ?? 0))
    let decision = Decision(
      time: Time(value: ticks, timescale: timescale), focus: focus, strong: strong, user: user)
    decisions.append(decision)
    if let transition { transitions[decision] = transition }
  }
}
