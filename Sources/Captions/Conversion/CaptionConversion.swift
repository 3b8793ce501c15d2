// SPDX-License-Identifier: Apache-2.0

import FocalCore

/// Captions fitted into line 21.
///
/// Captions that come later share the screen with others than before, and may have other rows there. So they are
/// placed and planned in turn, until nothing changes any more.
struct CaptionConversion: Sendable {
  var warnings: [CaptionConversionWarning] = []
  /// The properties of shown captions that the format cannot express.
  private(set) var losses: [CaptionIssue] = []
  /// Pairs in their frames, without parity, of channel 1.
  private(set) var sent: [(frame: Int, pair: UInt16)] = []

  /// Placing and planning settle in two rounds but for captions that are made to be awkward.
  private static let mostRounds = 8

  /// The change of a caption that cannot be shown as it is.
  struct Change: Hashable {
    /// When it is shown, in the planner's frames; `nil` for one that is left out.
    var shown: Range<Int>?
    /// Frames that it waits for room on the screen.
    var delay = 0
    var cost = 0
    var lacksRoom = false
  }

  let clock = TimeCodeRate.ntsc
  let captions: [Caption]
  let field: SharedField?
  private var log = IssueLog()
  var changes: [Int: Change] = [:]
  /// Captions that were planned.
  var planned: Set<Int> = []

  /// - Parameters:
  ///   - start: nothing is sent before it.
  ///   - field: the frames that another channel leaves; `nil` for all.
  init(
    _ captions: [Caption], doubling: Bool, start: Time = .zero, in field: SharedField? = nil,
    isStopped: () -> Bool = { false }
  ) {
    self.captions = captions
    self.field = field
    var current = layOut(isStopped)
    planned = Set(current.map(\.index))
    let begin = max(0, clock.frame(nearest: start))
    var planner: TransmissionPlanner
    var placement: ScreenPlacement
    var rounds = 0
    repeat {
      rounds += 1
      planner = TransmissionPlanner(doubling: doubling, start: field?.number(from: begin) ?? begin)
      placement = ScreenPlacement(current, minimumDisplay: planner.minimumDisplay)
      planner.plan(placement.placed)
    } while take(planner.outcomes, placement, &current) && rounds < Self.mostRounds
    sent =
      field?.placed(planner.sent, controlCost: planner.controlCost)
      ?? planner.sent.map { ($0.frame, $0.pair) }
    tell(planner.outcomes, placement)
    warn()
    warnings.sort { ($0.timeRange.start, $0.captions[0]) < ($1.timeRange.start, $1.captions[0]) }
    losses = log.all
  }

  /// Captions on the grid and in frames; warns of those with too many rows.
  private mutating func layOut(_ isStopped: () -> Bool) -> [PlacedCaption] {
    var placed: [PlacedCaption] = []
    placed.reserveCapacity(captions.count)
    for (index, caption) in captions.enumerated() {
      if index & 255 == 0, isStopped() { break }
      let layout = CellLayout.layout(caption)
      if let rows = layout.excessRows {
        warnings.append(
          CaptionConversionWarning(
            kind: .excessRows, captions: [index], timeRange: caption.timeRange, adjustment: nil,
            reason: "the text needs \(rows) rows of 32 columns, and a screen has four"))
        continue
      }
      for reason in layout.lost { log.add(time: caption.timeRange.start, reason) }
      for reason in layout.missing { log.add(time: caption.timeRange.start, as: .error, reason) }
      var kind = caption.animation == .none ? PlacedCaption.Kind.popOn : .paintOn
      if caption.region?.scroll == .rollUp, caption.isInCells {
        kind = .rollUp(
          depth: max(2, min(4, Int(max(0, min(9, caption.region?.size?.height.value ?? 2))))))
      }
      // A line without text pushes others up.
      var rows = layout.rows
      if kind == .popOn || kind == .paintOn {
        rows = rows.filter { $0.cells.contains { $0 != nil } }
        if rows.isEmpty { continue }
      }
      let lost = rows.reduce(0) { $0 + RowEncoder($1).lostAttributes }
      if lost > 0 {
        log.add(
          time: caption.timeRange.start,
          "\(lost) character\(lost == 1 ? " has" : "s have") no space before for the code of the style"
        )
      }
      let (first, last) = (number(caption.timeRange.start), number(caption.timeRange.end))
      placed.append(
        PlacedCaption(
          index: index, start: first, end: max(first, last), kind: kind, rows: rows,
          isFixed: caption.isInCells,
          display: caption.region?.origin == nil
            ? .after : caption.region?.displayAlignment ?? .after))
    }
    return placed
  }

  /// The planner's number of a time's frame.
  func number(_ time: Time) -> Int {
    let frame = clock.frame(nearest: time)
    return field?.number(from: frame) ?? frame
  }

  /// Takes the outcomes of a round, and returns whether there is to be another.
  private mutating func take(
    _ outcomes: [TransmissionPlanner.Outcome], _ placement: ScreenPlacement,
    _ current: inout [PlacedCaption]
  ) -> Bool {
    var isChanged = false
    if placement.overlaps {
      let begins = Dictionary(uniqueKeysWithValues: current.map { ($0.index, $0.start) })
      for caption in placement.placed {
        let delay = caption.start - (begins[caption.index] ?? caption.start)
        if delay > 0 { changes[caption.index, default: Change()].delay += delay }
      }
    }
    for index in placement.leftOut {
      isChanged = true
      changes[index, default: Change()].lacksRoom = true
      changes[index]?.shown = nil
    }
    var shown: [Int: Range<Int>] = [:]
    for outcome in outcomes {
      for index in outcome.captions {
        shown[index] = outcome.shown
        let isLate = outcome.shown != outcome.start..<outcome.end
        guard isLate || changes[index] != nil else { continue }
        isChanged = isChanged || isLate
        changes[index, default: Change()].shown = outcome.shown
        if isLate { changes[index]?.cost = outcome.cost }
      }
    }
    guard isChanged || changes.values.contains(where: { $0.delay > 0 }), placement.overlaps else {
      return false
    }
    let before = current
    current = current.compactMap { caption in
      guard let range = shown[caption.index] else { return nil }
      var caption = caption
      (caption.start, caption.end) = (range.lowerBound, range.upperBound)
      return caption
    }
    return current.count != before.count
      || zip(current, before).contains { $0.start != $1.start || $0.end != $1.end }
  }

  /// Tells what differs in the screen of the last round.
  private mutating func tell(
    _ outcomes: [TransmissionPlanner.Outcome], _ placement: ScreenPlacement
  ) {
    for outcome in outcomes where outcome.lateness > 0 && outcome.shown != nil {
      log.add(
        time: captions[outcome.captions[0]].timeRange.start,
        "characters come up to \(outcome.lateness) frames later")
    }
    for index in placement.moved.sorted() {
      log.add(
        time: captions[index].timeRange.start,
        "another caption has its place on the screen, and it stands in other rows")
    }
    for (index, rows) in placement.crowded {
      log.add(
        time: captions[index].timeRange.start,
        "the screen has \(rows) rows, and receivers show four")
    }
  }

  /// Captions with the adjustments made, without those that are left out.
  static func adjusted(_ captions: [Caption], by warnings: [CaptionConversionWarning]) -> [Caption]
  {
    var adjusted: [Caption?] = captions
    for warning in warnings {
      for index in warning.captions {
        guard let adjustment = warning.adjustment else {
          adjusted[index] = nil
          continue
        }
        adjusted[index]?.timeRange.start += adjustment.startTimeOffset
        adjusted[index]?.timeRange.duration += adjustment.durationOffset
      }
    }
    return adjusted.compactMap { $0 }
  }
}
