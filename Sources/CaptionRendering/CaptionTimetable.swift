// SPDX-License-Identifier: Apache-2.0

import FocalCaptions
import FocalCore

/// Which captions are on the screen when.
struct CaptionTimetable: Sendable {
  /// A roll is to look smooth and to take 0.433 s at most (47 CFR 79.101(f)(1)(iii); CTA-608-E, C.3). A row has 13 lines
  /// of a field (79.101(d): 195 lines for 15 rows): a line a frame makes the 13 frames that the rule means.
  static let rollDuration = TimeCodeRate.ntsc.time(ofFrame: 13)
  /// More at once cannot be read; a broken file may have any number.
  private static let mostAtOnce = 200

  private struct Entry {
    var start: Time
    var end: Time
    var caption: Int
  }

  /// In the order of their starts.
  private let entries: [Entry]
  /// The latest end of the entries up to each.
  private let latestEnds: [Time]
  /// Where anything changes.
  private let boundaries: [Time]
  /// When something moves, one after the other, apart from each other.
  private let motions: [TimeRange]
  private let rolling: [Entry]

  init(_ captions: [Caption]) {
    var entries: [Entry] = []
    var motions: [TimeRange] = []
    var boundaries: Set<Time> = []
    for (index, caption) in captions.enumerated() where caption.timeRange.duration > .zero {
      let (start, end) = (caption.timeRange.start, caption.timeRange.end)
      entries.append(Entry(start: start, end: end, caption: index))
      var still = caption.revealEnd
      if caption.isRolling { still = max(still, start + Self.rollDuration) }
      still = min(still, end)
      boundaries.formUnion([start, end])
      guard still > start else { continue }
      boundaries.insert(still)
      motions.append(TimeRange(start: start, end: still))
    }
    entries.sort { ($0.start, $0.caption) < ($1.start, $1.caption) }
    self.entries = entries
    var latest: Time?
    latestEnds = entries.map { entry in
      let end = latest.map { max($0, entry.end) } ?? entry.end
      latest = end
      return end
    }
    self.boundaries = boundaries.sorted()
    var joined: [TimeRange] = []
    for motion in motions.sorted(by: { $0.start < $1.start }) {
      if let last = joined.last, motion.start <= last.end {
        joined[joined.count - 1] = TimeRange(start: last.start, end: max(last.end, motion.end))
      } else {
        joined.append(motion)
      }
    }
    self.motions = joined
    rolling = entries.filter { captions[$0.caption].isRolling }.sorted { $0.end < $1.end }
  }

  /// The captions at a time, in the document's order.
  func active(at time: Time) -> [Int] {
    var index = entries.partitionPoint { $0.start <= time }
    var active: [Int] = []
    while index > 0, latestEnds[index - 1] > time, active.count < Self.mostAtOnce {
      index -= 1
      if entries[index].end > time { active.append(entries[index].caption) }
    }
    return active.sorted()
  }

  /// Lines of windows that went a moment ago: they may be rolling out.
  func rolledOut(at time: Time) -> [Int] {
    let end = rolling.partitionPoint { $0.end <= time }
    return rolling[..<end].reversed().prefix(Self.mostAtOnce)
      .prefix { time < $0.end + Self.rollDuration }.map(\.caption)
  }

  /// The stretch without a change that a time is in, and whether something moves in it.
  func scene(at time: Time) -> (number: Int, moves: Bool) {
    (boundaries.partitionPoint { $0 <= time }, moves(at: time))
  }

  private func moves(at time: Time) -> Bool {
    let index = motions.partitionPoint { $0.start <= time }
    return index > 0 && motions[index - 1].end > time
  }

  func scenes(in range: TimeRange) -> [CaptionRenderer.Scene] {
    let inside = boundaries.filter { $0 > range.start && $0 < range.end }
    let edges = [range.start] + inside + [range.end]
    return zip(edges, edges.dropFirst()).filter { $0 < $1 }.map { start, end in
      CaptionRenderer.Scene(
        timeRange: TimeRange(start: start, end: end), hasActiveCaptions: !active(at: start).isEmpty,
        needsPeriodicRefresh: moves(at: start))
    }
  }
}
