// SPDX-License-Identifier: Apache-2.0

import FocalCore

/// Where a cue stands.
struct WebVTTSettings {
  /// A line of a region, in hundredths of the screen's height. Numbers of lines count by it, too: lines of text are drawn
  /// as high.
  static let regionLineHeight = 5.33

  private(set) var region: CaptionRegion?
  private(set) var alignment: Caption.TextAlignment?

  private struct Line {
    var value: Double
    var isPercent: Bool
    var alignment = "start"

    init(value: Double, isPercent: Bool) {
      self.value = value
      self.isPercent = isPercent
    }

    init?(_ text: String) {
      let fields = text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
      if fields.count > 1 { alignment = fields[1] }
      guard (1...2).contains(fields.count), ["start", "center", "end"].contains(alignment) else {
        return nil
      }
      if let percent = WebVTTSettings.percent(fields[0]) {
        (value, isPercent) = (percent, true)
      } else if let number = Int(fields[0]), (-999...999).contains(number) {
        (value, isPercent) = (Double(number), false)
      } else {
        return nil
      }
    }

    /// The number as it is written; `nil` for a part of the screen.
    var number: String? {
      guard !isPercent else { return nil }
      return alignment == "start" ? "\(Int(value))" : "\(Int(value)),\(alignment)"
    }

    /// From which height on a cue has room, how much, and from which side. Numbers count lines from the screen's top, and
    /// negative ones from its end.
    var place: (y: Double, height: Double, display: CaptionRegion.DisplayAlignment) {
      var top = value
      if !isPercent {
        let lines = WebVTTSettings.regionLineHeight * (value >= 0 ? value : value + 1)
        top = ((value >= 0 ? lines : 100 + lines) * 100).rounded() / 100
      }
      let inside = max(0, min(100, top))
      if alignment == "center" {
        let height = 2 * min(inside, 100 - inside)
        return (inside - height / 2, height, .center)
      }
      if alignment == "end" || (!isPercent && value < 0) { return (0, inside, .after) }
      return (inside, 100 - inside, .before)
    }
  }

  /// The line that a region was read from, as a cue says it; `nil` where it has none, or is elsewhere since.
  static func line(of region: CaptionRegion) -> String? {
    guard let number = region.lineNumber, let line = Line(number) else { return nil }
    let (y, height, display) = line.place
    guard region.origin?.y == .percent(y), region.size?.height == .percent(height),
      region.displayAlignment == display
    else { return nil }
    return number
  }
  private struct Position {
    var value: Double
    /// Which part of the cue stands there; `nil` follows the text's alignment.
    var alignment: String?
  }

  private var line: Line?
  private var position: Position?
  private var size: Double?
  private var vertical: String?

  init(
    _ words: ArraySlice<String>, _ regions: [String: CaptionRegion], _ number: Int,
    _ log: inout IssueLog
  ) {
    for word in words {
      let parts = word.split(separator: ":", maxSplits: 1).map(String.init)
      if parts.count != 2 || !take(parts[0], parts[1], regions) {
        log.add(line: number, "the setting '\(word.prefix(40))' was skipped")
      }
    }
    if region != nil {
      if line != nil || vertical != nil || size.map({ $0 != 100 }) == true {
        region = nil
        log.add(line: number, "a cue with a line, a size or vertical text stands in no region")
      } else {
        if position != nil {
          log.add(line: number, "the position within the region was skipped")
        }
        return
      }
    }
    if let vertical {
      // Columns of a cue that says nothing are centred, too.
      alignment = alignment ?? .center
      region = column(vertical == "lr", number, &log)
    } else if line != nil || position != nil || size != nil {
      region = place
    }
  }

  static func percent(_ text: String) -> Double? {
    guard text.hasSuffix("%"), let value = Double(text.dropLast()), (0...100).contains(value) else {
      return nil
    }
    return value
  }

  /// Takes a setting; false where it is not one.
  private mutating func take(
    _ name: String, _ value: String, _ regions: [String: CaptionRegion]
  ) -> Bool {
    switch name {
    case "align":
      let names: [String: Caption.TextAlignment] = [
        "start": .start, "center": .center, "middle": .center, "end": .end, "left": .left,
        "right": .right,
      ]
      guard let named = names[value] else { return false }
      alignment = named
    case "line":
      guard let read = Line(value) else { return false }
      line = read
    case "position":
      let fields = value.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
      guard let percent = Self.percent(fields[0]), fields.count <= 2,
        fields.count == 1 || ["line-left", "center", "line-right"].contains(fields[1])
      else { return false }
      position = Position(value: percent, alignment: fields.count > 1 ? fields[1] : nil)
    case "size":
      guard let percent = Self.percent(value) else { return false }
      size = percent
    case "vertical":
      guard value == "rl" || value == "lr" else { return false }
      vertical = value
    case "region":
      guard let named = regions[value] else { return false }
      region = named
    default: return false
    }
    return true
  }

  /// The side of vertical text. Lines that grow to the left count from the right edge, others from the left one; a cue
  /// that says none is in the last line (WebVTT, processing cue settings).
  private func column(_ growsRight: Bool, _ number: Int, _ log: inout IssueLog) -> CaptionRegion {
    if growsRight {
      log.add(line: number, "columns that grow to the right (vertical:lr) grow to the left")
    }
    let line = line ?? Line(value: -1, isPercent: false)
    var isExact = position == nil && size == nil
    let isAtRight: Bool
    if line.isPercent {
      isAtRight = line.value >= 50
      isExact = false
    } else {
      isAtRight = (line.value >= 0) != growsRight
      isExact = isExact && (line.value == 0 || line.value == -1)
    }
    if !isExact {
      log.add(line: number, "the place of vertical text becomes the screen's side")
    }
    return isAtRight ? .appleITTRight : .appleITTLeft
  }

  /// A place of its own.
  private var place: CaptionRegion {
    var region = CaptionRegion()
    let (x, width) = columns
    var (y, height) = (85.0, 15.0)
    region.displayAlignment = .after
    if let line {
      (y, height, region.displayAlignment) = line.place
      region.lineNumber = line.number
    }
    region.origin = .percent(x, y)
    region.size = .percent(width, height)
    // Lines of a cue that says nothing are centred.
    region.textAlignment = .center
    return region
  }

  /// Where a cue begins and how wide it is: its size, as far as there is room on the side of its position (WebVTT,
  /// processing cue settings).
  private var columns: (x: Double, width: Double) {
    var side = position?.alignment ?? "center"
    if position?.alignment == nil {
      switch alignment ?? .center {
      case .start, .left: side = "line-left"
      case .end, .right: side = "line-right"
      case .center: side = "center"
      }
    }
    let at = position?.value ?? (side == "line-left" ? 0 : side == "line-right" ? 100 : 50)
    let wanted = size ?? 100
    switch side {
    case "line-left": return (at, min(wanted, 100 - at))
    case "line-right":
      let width = min(wanted, at)
      return (at - width, width)
    default:
      let width = min(wanted, 2 * min(at, 100 - at))
      return (at - width / 2, width)
    }
  }
}
