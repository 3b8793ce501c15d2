// SPDX-License-Identifier: Apache-2.0

import FocalCore

/// The screen in a range of time in which nothing changes: captions in the document's order,
/// none in a gap.
public struct CaptionGroup: Hashable, Sendable {
  public let captions: [Caption]
  public let timeRange: TimeRange

  /// - Throws: `invalidParameter` for a caption that is not on the screen in the whole range.
  public init(captions: [Caption], timeRange: TimeRange) throws(CinematicError) {
    for caption in captions {
      let seen = caption.timeRange
      guard seen.start <= timeRange.start, timeRange.end <= seen.end else {
        throw CinematicError(
          .invalidParameter,
          "a caption from \(seen.start.secondsText) to \(seen.end.secondsText) s is not on the screen from"
            + " \(timeRange.start.secondsText) to \(timeRange.end.secondsText) s",
          remedy: "begin a group wherever a caption starts or ends")
      }
    }
    self.init(unchecked: captions, timeRange: timeRange)
  }

  /// Captions that are on the screen in the whole range by how it was made.
  init(unchecked captions: [Caption], timeRange: TimeRange) {
    self.captions = captions
    self.timeRange = timeRange
  }

  /// The captions that begin with this group; the others were in the groups before.
  public var captionsNotPresentInPreviousGroups: [Caption] {
    captions.filter { $0.timeRange.start == timeRange.start }
  }
}

/// Makes groups of captions: a new one wherever any caption starts or ends. Groups follow each other
/// without a break, and a caption is in each group that it is seen in, the same every time. Where no time holds a group's
/// duration exactly, the next one begins up to a nanosecond after its end.
public struct CaptionGrouper: Sendable {
  /// Captions in the order in which they came, which is the document's.
  private var captions: [Caption] = []
  /// Up to where groups were made; `nil` before the first.
  private var position: Time?
  /// How many captions a group has; the first ones count.
  private var mostAtOnce = Int.max
  /// When a group first had more.
  private var crowdedTime: Time?
  /// How many bytes of text all groups have together, a caption in each of its groups.
  private var textByteCount = 0
  /// At more than this, no more groups are made.
  private var mostTextBytes = Int.max

  /// Groups begin with the first caption, or at a time before it.
  public init(from start: Time? = nil) { position = start }

  /// Adds a caption.
  ///
  /// - Throws: `invalidParameter` for one that starts before what groups were already made for.
  public mutating func add(_ caption: Caption) throws(CinematicError) {
    if let position, caption.timeRange.start < position {
      throw CinematicError(
        .invalidParameter,
        "a caption starts at \(caption.timeRange.start.secondsText) s, and groups were made up to"
          + " \(position.secondsText) s", remedy: "add captions before flushing beyond their start")
    }
    captions.append(caption)
  }

  /// The groups of all captions added so far, from where the last call ended up to a time. A caption
  /// that goes on after it is in the groups of the next call, too.
  public mutating func flushAddedCaptions(upTo end: Time) -> [CaptionGroup] {
    let all = captions
    return ranges(upTo: end).map { $0.group(of: all) }
  }

  /// A group whose captions are numbers: those of a track would hold each caption as often as it is seen.
  private struct GroupRange {
    var captions: [Int]
    var timeRange: TimeRange

    func group(of all: [Caption]) -> CaptionGroup {
      CaptionGroup(unchecked: captions.map { all[$0] }, timeRange: timeRange)
    }
  }

  private mutating func ranges(upTo end: Time) -> [GroupRange] {
    guard let start = position ?? captions.map(\.timeRange.start).min(), start < end else {
      return []
    }
    // Starts and ends in order, and a window of those that are on the screen: linear in what is seen.
    let order = captions.indices.filter { !captions[$0].timeRange.isEmpty }
      .sorted { (captions[$0].timeRange.start, $0) < (captions[$1].timeRange.start, $1) }
    var boundaries = [start, end]
    for index in order {
      let range = captions[index].timeRange
      if range.start > start, range.start < end { boundaries.append(range.start) }
      if range.end > start, range.end < end { boundaries.append(range.end) }
    }
    boundaries.sort()
    var leaving = order.sorted { captions[$0].timeRange.end < captions[$1].timeRange.end }[...]
    var groups: [GroupRange] = []
    var seen: [Int] = []
    var next = 0
    for (from, to) in zip(boundaries, boundaries.dropFirst()) where from < to {
      while let number = leaving.first, captions[number].timeRange.end <= from {
        leaving.removeFirst()
        let place = seen.partitionPoint { $0 < number }
        if place < seen.count, seen[place] == number { seen.remove(at: place) }
      }
      while next < order.count, captions[order[next]].timeRange.start <= from {
        let number = order[next]
        if captions[number].timeRange.end > from {
          seen.insert(number, at: seen.partitionPoint { $0 < number })
        }
        next += 1
      }
      let shown = Array(seen.prefix(mostAtOnce))
      if seen.count > mostAtOnce {
        crowdedTime = crowdedTime ?? from
        // Others that come and go change nothing.
        if let last = groups.last, last.captions == shown {
          groups[groups.count - 1].timeRange = TimeRange(start: last.timeRange.start, end: to)
          continue
        }
      }
      textByteCount += shown.reduce(0) { $0 + max(captions[$1].text.utf8.count, Self.leastBytes) }
      guard textByteCount <= mostTextBytes else { break }
      groups.append(GroupRange(captions: shown, timeRange: TimeRange(start: from, end: to)))
    }
    position = end
    captions.removeAll { $0.timeRange.end <= end }
    return groups
  }

  /// All groups of a list of captions.
  public static func groups(of captions: [Caption], from start: Time? = nil) -> [CaptionGroup] {
    guard let end = captions.map(\.timeRange.end).max() else { return [] }
    var grouper = CaptionGrouper()
    grouper.captions = captions
    grouper.position = start
    return grouper.flushAddedCaptions(upTo: end)
  }

  /// More at once cannot be read, and would be in every sample: a broken file may have thousands.
  private static let mostInSample = 100

  /// What a caption takes in a sample, however short it is.
  private static let leastBytes = 64

  /// Groups that become a track's samples, and what they leave out.
  ///
  /// - Throws: `unsupported` for captions that lie over each other so often that the samples would have more text than a
  ///   file of captions may have.
  static func sampleGroups(
    of captions: [Caption]
  ) throws(CinematicError) -> (groups: some Sequence<CaptionGroup>, losses: [CaptionIssue]) {
    var grouper = CaptionGrouper()
    grouper.captions = captions
    grouper.mostAtOnce = mostInSample
    grouper.mostTextBytes = CaptionDocument.maximumByteCount
    let ranges = grouper.ranges(upTo: captions.map(\.timeRange.end).max() ?? .zero)
    guard grouper.textByteCount <= grouper.mostTextBytes else {
      throw CinematicError(
        .unsupported,
        "the captions lie over each other so often that a track would have more than"
          + " \(grouper.mostTextBytes >> 20) MB of text",
        remedy: "let each end when the next one begins")
    }
    let groups = ranges.lazy.filter { !$0.captions.isEmpty }.map { $0.group(of: captions) }
    let losses = grouper.crowdedTime.map { time in
      CaptionIssue(
        time: time, severity: .error,
        reason:
          "of captions that are shown at once, here and later, all but \(mostInSample) are left out"
      )
    }
    return (groups, losses.map { [$0] } ?? [])
  }
}
