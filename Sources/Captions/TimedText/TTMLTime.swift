// SPDX-License-Identifier: Apache-2.0

import FocalCore

/// The unit in which a TTML document's times count.
struct TTMLClock {
  var isSMPTE = false
  var framesPerSecond = 30
  /// Frames a second are `framesPerSecond · multiplier.0 / multiplier.1`.
  var multiplier = (1, 1)
  var dropMode = TimeCodeRate.DropMode.nonDrop
  var subframes = 1
  var ticksPerSecond = 1

  /// The file's time code; `nil` where its numbers are beyond all rates.
  var rate: TimeCodeRate? {
    let (value, overflow) = framesPerSecond.multipliedReportingOverflow(by: multiplier.0)
    guard !overflow, let timescale = Int32(exactly: value), timescale > 0 else { return nil }
    return try? TimeCodeRate(
      framesPerSecond: framesPerSecond,
      frameDuration: Time(value: Int64(multiplier.1), timescale: timescale), dropMode: dropMode)
  }

  /// A time expression: `01:02:03`, `.5` or `:12` behind it, `;` for `:`, `12.5s`, `90f`, with a minus
  /// before in Apple's divisions.
  func time(_ text: String) -> Time? {
    var text = Substring(text.trimmed)
    var sign = 1
    if text.first == "-" {
      sign = -1
      text = text.dropFirst()
    }
    guard let first = text.first, first.isASCII, first.isNumber else { return nil }
    let time =
      text.contains(":") || text.contains(";") ? clockTime(text) : offsetTime(text)
    return time.map { $0 * sign }
  }

  /// A label of frames that the file's time code does not have, though a time can be made of it: frames beyond the
  /// rate (TTML1, 10.3.1), those that drop frame leaves out (6.2.3).
  func fault(of text: String) -> String? {
    var text = Substring(text.trimmed)
    if text.first == "-" { text = text.dropFirst() }
    let fields = text.split(omittingEmptySubsequences: false) { $0 == ":" || $0 == ";" }
    guard fields.count == 4, let minutes = Self.number(fields[1]),
      let seconds = Self.number(fields[2]),
      let frames = Self.number(fields[3].prefix { $0 != "." })
    else { return nil }
    if frames >= framesPerSecond {
      return "frames count from 0 to \(framesPerSecond - 1)"
    }
    let isDropped: Bool
    switch dropMode {
    case .nonDrop: isDropped = false
    case .dropNTSC: isDropped = minutes % 10 != 0 && frames < 2 * max(1, framesPerSecond / 30)
    case .dropPAL: isDropped = minutes % 2 == 0 && minutes % 20 != 0 && frames < 4
    }
    return isSMPTE && seconds == 0 && isDropped
      ? "drop-frame counting has no such time code" : nil
  }

  private func clockTime(_ text: Substring) -> Time? {
    let fields = text.split(omittingEmptySubsequences: false) { $0 == ":" || $0 == ";" }
    guard (3...4).contains(fields.count), let hours = Self.number(fields[0]), hours < 1_000_000,
      let minutes = Self.number(fields[1]), minutes < 60
    else { return nil }
    if fields.count == 3 {
      guard let seconds = Self.decimal(fields[2]), seconds < Time(value: 61, timescale: 1) else {
        return nil
      }
      return Time(value: Int64(hours * 3600 + minutes * 60), timescale: 1) + seconds
    }
    guard let seconds = Self.number(fields[2]), seconds < 60, let rate else { return nil }
    let parts = fields[3].split(separator: ".", omittingEmptySubsequences: false)
    guard (1...2).contains(parts.count), let frames = Self.number(parts[0]), frames < 1_000_000
    else { return nil }
    var sub = Time.zero
    if parts.count == 2 {
      guard let number = Self.number(parts[1]), number < 1_000_000, (1...10000).contains(subframes)
      else { return nil }
      sub = Time(
        seconds: rate.frameDuration.seconds * Double(number) / Double(subframes),
        preferredTimescale: 1_000_000)
    }
    if isSMPTE {
      let frame = rate.frame(hours: hours, minutes: minutes, seconds: seconds, frames: frames)
      return rate.time(ofFrame: frame) + sub
    }
    return Time(value: Int64(hours * 3600 + minutes * 60 + seconds), timescale: 1)
      + rate.time(ofFrame: frames) + sub
  }

  private func offsetTime(_ text: Substring) -> Time? {
    let digits = text.prefix { $0.isASCII && $0.isNumber || $0 == "." }
    guard let value = Self.decimal(digits) else { return nil }
    switch text[digits.endIndex...] {
    case "h": return value * 3600
    case "m": return value * 60
    case "s": return value
    case "ms": return Self.divided(value, by: 1000)
    case "f": return rate.flatMap { Self.scaled(value, $0.frameDuration) }
    case "t": return ticksPerSecond > 0 ? Self.divided(value, by: ticksPerSecond) : nil
    default: return nil
    }
  }

  private static func divided(_ value: Time, by count: Int) -> Time? {
    guard let count = Int32(exactly: count) else { return nil }
    return scaled(value, Time(value: 1, timescale: count))
  }

  /// A product, exact where 32 bits hold its timescale.
  private static func scaled(_ value: Time, _ unit: Time) -> Time {
    let timescale = Int64(value.timescale) * Int64(unit.timescale)
    let (product, overflow) = value.value.multipliedReportingOverflow(by: unit.value)
    if !overflow, let timescale = Int32(exactly: timescale) {
      return Time(value: product, timescale: timescale)
    }
    return Time(seconds: value.seconds * unit.seconds, preferredTimescale: 1_000_000)
  }

  static func number(_ text: Substring) -> Int? {
    guard !text.isEmpty, text.count <= 9, text.utf8.allSatisfy({ (0x30...0x39).contains($0) })
    else {
      return nil
    }
    return Int(text)
  }

  /// A decimal number, exact to nine digits after its point.
  static func decimal(_ text: Substring) -> Time? {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard (1...2).contains(parts.count), let whole = number(parts[0]) else { return nil }
    guard parts.count == 2 else { return Time(value: Int64(whole), timescale: 1) }
    let digits = parts[1].prefix(9)
    guard !digits.isEmpty, parts[1].utf8.allSatisfy({ (0x30...0x39).contains($0) }),
      let fraction = Int64(digits)
    else { return nil }
    var scale: Int32 = 1
    for _ in digits { scale *= 10 }
    return Time(value: Int64(whole) * Int64(scale) + fraction, timescale: scale)
  }
}

extension StringProtocol {
  /// Without white space at both ends.
  var trimmed: String {
    var part = self[...]
    while let first = part.first, first.isWhitespace { part = part.dropFirst() }
    while let last = part.last, last.isWhitespace { part = part.dropLast() }
    return String(part)
  }

  /// Words between white space.
  var words: [String] {
    Substring(self).split(maxSplits: .max, omittingEmptySubsequences: true) { $0.isWhitespace }
      .map { String($0) }
  }
}
