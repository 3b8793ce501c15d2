// SPDX-License-Identifier: Apache-2.0

import FocalCore

/// The values of a script's JSON that stand by themselves.
extension ScriptParser {
  static func timeRange(
    _ scanner: inout JSONScanner
  ) throws(CinematicError) -> (start: Int64, duration: Int64) {
    var (start, duration): (Int64, Int64?) = (0, nil)
    try scanner.object { (scanner, key) throws(CinematicError) in
      switch key {
      case "start": start = try scanner.integer()
      case "duration": duration = try scanner.integer()
      default: try scanner.skip(unknown: key)
      }
    }
    guard let duration, duration >= 0 else {
      throw scanner.malformed("the timeRange has no duration, or a negative one")
    }
    return (start, duration)
  }

  static func ticks(_ scanner: inout JSONScanner) throws(CinematicError) -> [Int64] {
    var ticks: [Int64] = []
    try scanner.array { (scanner) throws(CinematicError) in ticks.append(try scanner.integer()) }
    return ticks
  }

  static func disparities(
    _ scanner: inout JSONScanner
  ) throws(CinematicError) -> ClosedRange<Float> {
    var bounds: [Float] = []
    try scanner.array { (scanner) throws(CinematicError) in
      guard bounds.count < 2 else { throw scanner.malformed("a disparityRange has two numbers") }
      bounds.append(try scanner.float())
    }
    guard bounds.count == 2, bounds[0] <= bounds[1] else {
      throw scanner.malformed("the disparityRange is not two numbers, the smaller one first")
    }
    return bounds[0]...bounds[1]
  }

  /// A look by itself.
  static func look(_ text: [UInt8]) throws(CinematicError) -> Look {
    try text.withUnsafeBufferPointer { bytes in
      Result { () throws(CinematicError) in
        var scanner = JSONScanner(bytes)
        let look = try look(&scanner)
        try scanner.end()
        return look
      }
    }.get()
  }

  /// Whether a text is one value.
  static func isValue(_ text: String) -> Bool {
    Array(text.utf8).withUnsafeBufferPointer { bytes in
      var scanner = JSONScanner(bytes)
      guard (try? scanner.skip()) != nil else { return false }
      return (try? scanner.end()) != nil
    }
  }

  static func look(_ scanner: inout JSONScanner) throws(CinematicError) -> Look {
    var fields: [Look.Field] = []
    try scanner.object { (scanner, name) throws(CinematicError) in
      fields.append(Look.Field(name: name, json: try lookValue(name, &scanner)))
    }
    return Look(fields)
  }

  /// The value of a look under a name, in the form that looks have: one number is one text, however it is written.
  private static func lookValue(
    _ name: String, _ scanner: inout JSONScanner
  ) throws(CinematicError) -> String {
    if Look.Name.numbers.contains(name) { return "\(try scanner.float())" }
    if Look.Name.wholeNumbers.contains(name) { return "\(try scanner.integer())" }
    if Look.Name.texts.contains(name) { return ScriptWriter.quoted(try scanner.string()) }
    return try scanner.text()
  }

  /// The same of a text that is the value alone; `nil` for one that is no value of its kind, or more than it.
  static func lookValue(_ name: String, _ text: String) -> String? {
    Array(text.utf8).withUnsafeBufferPointer { bytes in
      var scanner = JSONScanner(bytes)
      guard let value = try? lookValue(name, &scanner), (try? scanner.end()) != nil else {
        return nil
      }
      return value
    }
  }

  /// The detection that a fixed focus was taken from.
  static func origin(
    _ scanner: inout JSONScanner, _ timescale: Int32
  ) throws(CinematicError) -> Detection {
    var (ticks, disparity): (Int64?, Float?) = (nil, nil)
    var (id, group): (Int64?, Int64?) = (nil, nil)
    var rect: NormalizedRect?
    var type = DetectionType.unknown
    try scanner.object { (scanner, key) throws(CinematicError) in
      switch key {
      case "type":
        let name = try scanner.string()
        guard let known = DetectionType(name: name) else {
          throw scanner.malformed("\"\(name.prefix(40))\" is no type of detection")
        }
        type = known
      case "id": id = scanner.null() ? nil : try scanner.integer()
      case "group": group = scanner.null() ? nil : try scanner.integer()
      case "time": ticks = try scanner.integer()
      case "rect": rect = try rectangle(&scanner)
      case "disparity": disparity = try scanner.float()
      default: try scanner.skip(unknown: key)
      }
    }
    guard let ticks, let rect, let disparity else {
      throw scanner.malformed("the origin of a fixed focus has no time, rect or disparity")
    }
    var detection = Detection(
      time: Time(value: ticks, timescale: timescale), detectionType: type, normalizedRect: rect,
      focusDisparity: disparity)
    detection.detectionID = id.map { DetectionID($0) }
    detection.detectionGroupID = group.map { DetectionGroupID($0) }
    return detection
  }

  static func rectangle(_ scanner: inout JSONScanner) throws(CinematicError) -> NormalizedRect {
    var sides: [Double] = []
    try scanner.array { (scanner) throws(CinematicError) in
      guard sides.count < 4 else { throw scanner.malformed("a rect has more than four numbers") }
      let side = try scanner.double()
      guard abs(side) <= NormalizedRect.largestNumber else {
        throw scanner.malformed("a rect has a number beyond \(Int(NormalizedRect.largestNumber))")
      }
      sides.append(side)
    }
    guard sides.count == 4 else { throw scanner.malformed("a rect has not four numbers") }
    return NormalizedRect(x: sides[0], y: sides[1], width: sides[2], height: sides[3])
  }

  static func transition(
    _ scanner: inout JSONScanner, _ timescale: Int32
  ) throws(CinematicError) -> Transition {
    var (duration, elapsed, remaining): (Int64?, Int64, Int64) = (nil, 0, 0)
    var curve = Transition.Curve.minimumJerk
    try scanner.object { (scanner, key) throws(CinematicError) in
      switch key {
      case "duration": duration = try scanner.integer()
      case "elapsed": elapsed = try scanner.integer()
      case "remaining": remaining = try scanner.integer()
      case "curve":
        let name = try scanner.string()
        guard let known = Transition.Curve.allCases.first(where: { $0.description == name }) else {
          throw scanner.malformed("\"\(name.prefix(40))\" is no curve of a transition")
        }
        curve = known
      default: try scanner.skip(unknown: key)
      }
    }
    guard let duration, duration >= 0 else {
      throw scanner.malformed("a transition has no duration, or a negative one")
    }
    guard elapsed >= 0, remaining >= 0 else {
      throw scanner.malformed("a part of a transition that a cut took away is negative")
    }
    return Transition(duration: Time(value: duration, timescale: timescale), curve: curve).cut(
      elapsed: Time(value: elapsed, timescale: timescale),
      remaining: Time(value: remaining, timescale: timescale))
  }
}
