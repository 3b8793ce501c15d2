// SPDX-License-Identifier: Apache-2.0

import FocalCore

/// The choices of a conversion to CEA-608.
public struct CaptionConversionSettings: Hashable, Sendable {
  /// How the file's time codes count: ``TimeCodeRate/ntsc`` or ``TimeCodeRate/ntscDrop``.
  public var timeCodeRate: TimeCodeRate
  /// The channel of field 1 that the captions are sent in.
  public var channel: CEA608.Channel
  /// Whether control codes are sent twice, as decoders of broadcasts need it.
  public var doublesControlCodes: Bool

  /// - Throws: `unsupported` for another rate than 29.97 frames a second.
  public init(
    timeCodeRate: TimeCodeRate = .ntsc, channel: CEA608.Channel = .one,
    doublesControlCodes: Bool = true
  ) throws(CinematicError) {
    guard timeCodeRate == .ntsc || timeCodeRate == .ntscDrop else {
      throw CinematicError(
        .unsupported,
        "line 21 has \(1 / TimeCodeRate.ntsc.frameDuration.seconds) frames a second, and time codes of"
          + " \(timeCodeRate.framesPerSecond) of \(timeCodeRate.frameDuration) s are not theirs",
        remedy: "use 29.97 frames a second, drop frame or not")
    }
    self.timeCodeRate = timeCodeRate
    self.channel = channel
    self.doublesControlCodes = doublesControlCodes
  }
}

/// How a caption's time range is to change so that it fits.
public struct CaptionConversionTimeRangeAdjustment: Hashable, Sendable {
  /// Added to the start; of any sign.
  public let startTimeOffset: Time
  /// Added to the duration; of any sign.
  public let durationOffset: Time
}

/// Captions of one time range that a conversion cannot show as they are.
public struct CaptionConversionWarning: Hashable, Sendable {
  public enum Kind: String, Hashable, Sendable {
    /// More data than can be sent in the time.
    case excessMediaData
    /// More rows than a screen has.
    case excessRows
  }

  public let kind: Kind
  /// The captions, as numbers in the list that was given, from 0.
  public let captions: [Int]
  public let timeRange: TimeRange
  /// The smallest change with which the captions can be shown, which the conversion makes; `nil` where
  /// none helps, and the conversion leaves them out.
  public let adjustment: CaptionConversionTimeRangeAdjustment?
  /// Why: a clause without a full stop.
  public let reason: String
}

/// Captions fitted into line 21.
struct CaptionConversion: Sendable {
  var warnings: [CaptionConversionWarning]
  /// The properties of shown captions that the format cannot express.
  var losses: [CaptionIssue]
  /// Pairs in their frames, without parity, of channel 1.
  var sent: [(frame: Int, pair: UInt16)]

  /// - Parameters:
  ///   - start: nothing is sent before it.
  ///   - field: the frames that another channel leaves; `nil` for all.
  init(
    _ captions: [Caption], doubling: Bool, start: Time = .zero, in field: SharedField? = nil,
    isStopped: () -> Bool = { false }
  ) {
    let clock = TimeCodeRate.ntsc
    var placed: [PlacedCaption] = []
    var warnings: [CaptionConversionWarning] = []
    var log = IssueLog()
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
      let rows = layout.rows.filter { $0.cells.contains { $0 != nil } }
      var kind = caption.animation == .none ? PlacedCaption.Kind.popOn : .paintOn
      if caption.region?.scroll == .rollUp, caption.region?.origin?.x.units == .cells {
        kind = .rollUp(
          depth: max(2, min(4, Int(max(0, min(9, caption.region?.size?.height.value ?? 2))))))
      }
      if rows.isEmpty, kind == .popOn || kind == .paintOn { continue }
      let lost = rows.reduce(0) { $0 + RowEncoder($1).lostAttributes }
      if lost > 0 {
        log.add(
          time: caption.timeRange.start,
          "\(lost) character\(lost == 1 ? " has" : "s have") no space before for the code of the style"
        )
      }
      var first = clock.frame(nearest: caption.timeRange.start)
      var last = clock.frame(nearest: caption.timeRange.end)
      if let field { (first, last) = (field.number(from: first), field.number(from: last)) }
      placed.append(
        PlacedCaption(index: index, start: first, end: max(first, last), kind: kind, rows: rows))
    }
    let begin = max(0, clock.frame(nearest: start))
    var planner = TransmissionPlanner(
      doubling: doubling, start: field?.number(from: begin) ?? begin)
    planner.plan(placed)
    sent =
      field?.placed(planner.sent, controlCost: planner.controlCost)
      ?? planner.sent.map { ($0.frame, $0.pair) }
    for var outcome in planner.outcomes {
      if let field {
        let range = captions[outcome.captions[0]].timeRange
        outcome.start = clock.frame(nearest: range.start)
        outcome.end = clock.frame(nearest: range.end)
        outcome.shown = outcome.shown.map {
          let start = field.frame($0.lowerBound)
          return start..<max(start, field.frame($0.upperBound))
        }
      }
      if outcome.lateness > 0, outcome.shown != nil {
        log.add(
          time: captions[outcome.captions[0]].timeRange.start,
          "characters come up to \(outcome.lateness) frames later")
      }
      if let warning = Self.warning(outcome, captions, clock) { warnings.append(warning) }
    }
    self.warnings = warnings.sorted {
      ($0.timeRange.start, $0.captions[0]) < ($1.timeRange.start, $1.captions[0])
    }
    losses = log.all
  }

  private static func warning(
    _ outcome: TransmissionPlanner.Outcome, _ captions: [Caption], _ clock: TimeCodeRate
  ) -> CaptionConversionWarning? {
    let timeRange = captions[outcome.captions[0]].timeRange
    guard let shown = outcome.shown else {
      return CaptionConversionWarning(
        kind: .excessMediaData, captions: outcome.captions, timeRange: timeRange, adjustment: nil,
        reason: "its \(outcome.cost) frames of data cannot be sent before it ends")
    }
    let late = shown.lowerBound - outcome.start
    let longer = shown.count - (outcome.end - outcome.start)
    guard late != 0 || longer != 0 else { return nil }
    return CaptionConversionWarning(
      kind: .excessMediaData, captions: outcome.captions, timeRange: timeRange,
      adjustment: CaptionConversionTimeRangeAdjustment(
        startTimeOffset: clock.time(ofFrame: late), durationOffset: clock.time(ofFrame: longer)),
      reason: late == 0
        ? "the end cannot be sent in time"
        : "its \(outcome.cost) frames of data are sent \(late) frame\(late == 1 ? "" : "s") too late"
    )
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
