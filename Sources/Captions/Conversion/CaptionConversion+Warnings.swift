// SPDX-License-Identifier: Apache-2.0

import FocalCore

/// Warnings of captions that cannot be shown as they are.
extension CaptionConversion {
  /// Frames of the field in which a caption is shown.
  private func frames(_ shown: Range<Int>) -> Range<Int> {
    guard let field else { return shown }
    let start = field.frame(shown.lowerBound)
    return start..<max(start, field.frame(shown.upperBound))
  }

  /// One warning for the captions of a time range that change alike.
  mutating func warn() {
    // In another channel's frames every caption may come later.
    if let field {
      for index in planned where changes[index] == nil {
        let caption = captions[index]
        let range =
          number(
            caption.timeRange.start)..<max(
            number(caption.timeRange.start), number(caption.timeRange.end))
        let isSame =
          field.frame(range.lowerBound) == clock.frame(nearest: caption.timeRange.start)
          && field.frame(range.upperBound) == clock.frame(nearest: caption.timeRange.end)
        if !isSame { changes[index] = Change(shown: range) }
      }
    }
    struct Group: Hashable {
      var timeRange: TimeRange
      var change: Change
    }
    var order: [Group] = []
    var groups: [Group: [Int]] = [:]
    for index in changes.keys.sorted() {
      guard let change = changes[index] else { continue }
      let group = Group(timeRange: captions[index].timeRange, change: change)
      if groups[group] == nil { order.append(group) }
      groups[group, default: []].append(index)
    }
    for group in order {
      if let warning = warning(group.timeRange, group.change, groups[group] ?? []) {
        warnings.append(warning)
      }
    }
  }

  private func warning(
    _ timeRange: TimeRange, _ change: Change, _ indices: [Int]
  ) -> CaptionConversionWarning? {
    guard let shown = change.shown.map(frames) else {
      return CaptionConversionWarning(
        kind: change.lacksRoom ? .excessRows : .excessMediaData, captions: indices,
        timeRange: timeRange, adjustment: nil,
        reason: change.lacksRoom
          ? "the captions on the screen with it leave too few of four rows"
          : "its \(change.cost) frames of data cannot be sent before it ends")
    }
    let start = clock.frame(nearest: timeRange.start)
    let end = max(start, clock.frame(nearest: timeRange.end))
    let late = shown.lowerBound - start
    let longer = shown.count - (end - start)
    guard late != 0 || longer != 0 else { return nil }
    var reason: String
    if change.delay > 0 {
      reason =
        "the captions before it leave too few of four rows for \(Self.counted(change.delay))"
      if late > change.delay { reason += ", and \(Self.counted(late - change.delay)) go into data" }
    } else if late == 0 {
      reason = "the end cannot be sent in time"
    } else if change.cost == 0 {
      reason = "the other channel's data take \(Self.counted(late))"
    } else {
      reason = "its \(change.cost) frames of data are sent \(Self.counted(late)) too late"
    }
    return CaptionConversionWarning(
      kind: change.delay > 0 ? .excessRows : .excessMediaData, captions: indices,
      timeRange: timeRange,
      adjustment: CaptionConversionTimeRangeAdjustment(
        startTimeOffset: clock.time(ofFrame: late), durationOffset: clock.time(ofFrame: longer)),
      reason: reason)
  }

  private static func counted(_ frames: Int) -> String {
    "\(frames) frame\(frames == 1 ? "" : "s")"
  }
}
