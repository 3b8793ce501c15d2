// SPDX-License-Identifier: Apache-2.0

import FocalCore

/// The parameters that times and lengths count by.
extension TTMLReader {
  mutating func readParameters(_ root: XMLElement) {
    var hasFrameRate = false
    var ticks: Int?
    for attribute in root.attributes
    where TTMLNames.current(attribute.namespace) == TTMLNames.parameter {
      let value = attribute.value.trimmed
      switch attribute.name {
      case "timeBase":
        clock.isSMPTE = value == "smpte"
        if value != "smpte", value != "media" {
          log.add(
            line: root.line, "ttp:timeBase '\(value.prefix(40))' is not read; taken for media")
        }
      case "frameRate":
        hasFrameRate = true
        if let rate = Int(value), (1...1000).contains(rate) {
          clock.framesPerSecond = rate
        } else if let rate = Double(value), rate >= 1, rate <= 1000,
          let isReduced = Self.isReduced(rate)
        {
          clock.framesPerSecond = Int(rate.rounded(.up))
          if isReduced { clock.multiplier = (1000, 1001) }
          log.add(
            line: root.line,
            "ttp:frameRate '\(value)' is no whole number; read as \(clock.framesPerSecond)"
              + (isReduced ? "·1000/1001" : ""))
        } else {
          log.add(line: root.line, "ttp:frameRate '\(value)' is none; read as 30")
        }
      case "frameRateMultiplier":
        let numbers = value.split { " :/,\t".contains($0) }.compactMap { Int($0) }
        if numbers.count == 2, (1...100_000).contains(numbers[0]),
          (1...100_000).contains(numbers[1])
        {
          clock.multiplier = (numbers[0], numbers[1])
        } else if numbers == [1] {
          clock.multiplier = (1, 1)
        } else {
          log.add(line: root.line, "ttp:frameRateMultiplier '\(value)' is no fraction")
        }
      case "subFrameRate": clock.subframes = Int(value) ?? 1
      case "tickRate": ticks = Int(value)
      case "dropMode":
        if let mode = TimeCodeRate.DropMode(rawValue: value) {
          clock.dropMode = mode
        } else {
          log.add(line: root.line, "ttp:dropMode '\(value)' is none; read as nonDrop")
        }
      case "cellResolution":
        let numbers = value.words.compactMap { Int($0) }
        if numbers.count == 2, numbers.allSatisfy({ (1...10000).contains($0) }) {
          sheet.cells = (Double(numbers[0]), Double(numbers[1]))
        }
      case "profile", "markerMode", "pixelAspectRatio", "clockMode", "displayAspectRatio",
        "contentProfiles", "processorProfiles":
        break
      default: tell(line: root.line, "ttp:\(attribute.name) was skipped")
      }
    }
    if clock.dropMode != .nonDrop, clock.framesPerSecond % 30 != 0 {
      log.add(
        line: root.line,
        "no labels are dropped at \(clock.framesPerSecond) frames a second; ttp:dropMode was skipped"
      )
      clock.dropMode = .nonDrop
    }
    if clock.rate == nil {
      log.add(line: root.line, "the frame rate is beyond all; read as 30")
      (clock.framesPerSecond, clock.multiplier, clock.dropMode) = (30, (1, 1), .nonDrop)
    }
    let usual = hasFrameRate ? clock.framesPerSecond * max(1, min(10000, clock.subframes)) : 1
    clock.ticksPerSecond = ticks.flatMap { $0 > 0 ? $0 : nil } ?? usual
  }

  /// Whether a rate with decimals means 1000/1001 of the next whole number, as 29.97 and 23.98 do, or is whole: 25.0;
  /// `nil` where it is neither.
  private static func isReduced(_ rate: Double) -> Bool? {
    if rate == rate.rounded() { return false }
    return abs(rate - rate.rounded(.up) * 1000 / 1001) < 0.01 ? true : nil
  }
}
