// SPDX-License-Identifier: Apache-2.0

import FocalCore
import Synchronization

/// Finds the captions that a conversion to CEA-608 could not show as they are: data that line 21 cannot
/// carry in time, one warning a set of captions of one time range, and text of too many rows, of one caption or of
/// all that are on the screen together.
///
/// With the adjustments of its warnings made, there is nothing left to warn of. Captions without a
/// warning are shown and erased in exactly their frames.
public final class CaptionConversionValidator: Sendable {
  public enum Status: Int, Hashable, Sendable {
    case unknown = 0
    case validating = 1
    case completed = 2
    case stopped = 3
  }

  private struct State {
    var status = Status.unknown
    var warnings: [CaptionConversionWarning] = []
    var losses: [CaptionIssue] = []
  }

  public let captions: [Caption]
  /// The media's; for one that does not end, from zero to the end of the last caption.
  public let timeRange: TimeRange
  public let settings: CaptionConversionSettings
  /// `nil` for media that do not end.
  private let mediaEnd: Time?
  private let state = Mutex(State())

  /// - Parameters:
  ///   - timeRange: the media's: nothing is sent before its start, and captions beyond its end are told.
  ///     `nil` for one that starts at zero and does not end.
  public init(
    captions: [Caption], timeRange: TimeRange? = nil, settings: CaptionConversionSettings
  ) {
    self.captions = captions
    mediaEnd = timeRange?.end
    self.timeRange =
      timeRange
      ?? TimeRange(start: .zero, end: max(.zero, captions.map(\.timeRange.end).max() ?? .zero))
    self.settings = settings
  }

  public var status: Status { state.withLock { $0.status } }
  /// The warnings found so far.
  public var warnings: [CaptionConversionWarning] { state.withLock { $0.warnings } }
  /// The properties of captions that the conversion cannot express, once the warnings are found.
  public var losses: [CaptionIssue] { state.withLock { $0.losses } }

  /// Validates once. The handler gets each warning, and `nil` after the last, when the status is
  /// `completed` or `stopped`.
  ///
  /// - Throws: `invalidState` for a second call.
  public func validateCaptionConversion(
    _ handler: (CaptionConversionWarning?) -> Void
  ) throws(CinematicError) {
    let mayStart = state.withLock { state in
      guard state.status == .unknown else { return false }
      state.status = .validating
      return true
    }
    guard mayStart else {
      throw CinematicError(
        .invalidState, "a caption validator validates once", remedy: "make another validator")
    }
    let conversion = CaptionConversion(
      captions, doubling: settings.doublesControlCodes, start: timeRange.start,
      isStopped: { self.status != .validating })
    let warnings = cut(conversion.warnings)
    state.withLock { $0.losses = conversion.losses }
    for warning in warnings {
      let goesOn = state.withLock { state in
        guard state.status == .validating else { return false }
        state.warnings.append(warning)
        return true
      }
      guard goesOn else { break }
      handler(warning)
    }
    state.withLock { if $0.status == .validating { $0.status = .completed } }
    handler(nil)
  }

  /// Warnings with those of captions that go on after the media's end: the change of a caption that comes late is cut, too.
  private func cut(_ warnings: [CaptionConversionWarning]) -> [CaptionConversionWarning] {
    guard let mediaEnd else { return warnings }
    let reason = "it goes on after the media's end"
    func adjustment(_ range: TimeRange, late: Time) -> CaptionConversionTimeRangeAdjustment? {
      let start = range.start + late
      guard mediaEnd > start else { return nil }
      return CaptionConversionTimeRangeAdjustment(
        startTimeOffset: late, durationOffset: mediaEnd - start - range.duration)
    }
    var result = warnings.map { warning -> CaptionConversionWarning in
      guard let change = warning.adjustment,
        warning.timeRange.end + change.startTimeOffset + change.durationOffset > mediaEnd
      else { return warning }
      return CaptionConversionWarning(
        kind: warning.kind, captions: warning.captions, timeRange: warning.timeRange,
        adjustment: adjustment(warning.timeRange, late: change.startTimeOffset),
        reason: "\(warning.reason), and \(reason)")
    }
    let warned = Set(warnings.flatMap(\.captions))
    for (index, caption) in captions.enumerated()
    where caption.timeRange.end > mediaEnd && !warned.contains(index) {
      result.append(
        CaptionConversionWarning(
          kind: .excessMediaData, captions: [index], timeRange: caption.timeRange,
          adjustment: adjustment(caption.timeRange, late: .zero), reason: reason))
    }
    return result
  }

  /// Validates on a task of its own.
  ///
  /// - Throws: as ``validateCaptionConversion(_:)``, `cancelled` where the task was.
  public func validate() async throws(CinematicError) -> [CaptionConversionWarning] {
    let outcome = await withTaskCancellationHandler {
      await Task { () -> Result<Void, CinematicError> in
        do throws(CinematicError) {
          try self.validateCaptionConversion { _ in }
          return .success(())
        } catch {
          return .failure(error)
        }
      }.value
    } onCancel: {
      self.stopValidating()
    }
    try outcome.get()
    guard status == .completed else {
      throw CinematicError(.cancelled, "validating the captions was stopped")
    }
    return warnings
  }

  /// Ends a validation; may be called at any time and from the handler.
  public func stopValidating() {
    state.withLock { if $0.status == .unknown || $0.status == .validating { $0.status = .stopped } }
  }

  /// The captions with all adjustments made, without those that no change helps.
  public var adjustedCaptions: [Caption] { CaptionConversion.adjusted(captions, by: warnings) }
}

/// Makes captions of CEA-608's screen: a row each, in cells, in its characters and colours.
public struct CaptionFormatConformer: Sendable {
  public let settings: CaptionConversionSettings
  /// Whether a caption's time range is one of whole frames in which its data can be sent, longer where
  /// it needs to be.
  public var conformsCaptionsToTimeRange = false

  public init(settings: CaptionConversionSettings) { self.settings = settings }

  /// The rows of a caption, and what of it they cannot show.
  ///
  /// - Throws: `unsupported` for a text of more than four rows.
  public func conformedCaptions(
    for caption: Caption
  ) throws(CinematicError) -> (captions: [Caption], losses: [String]) {
    let layout = CellLayout.layout(caption)
    if let rows = layout.excessRows {
      throw CinematicError(
        .unsupported, "the text needs \(rows) rows of 32 columns, and a screen has four",
        remedy: "make two captions of it")
    }
    var timeRange = caption.timeRange
    if conformsCaptionsToTimeRange {
      let clock = TimeCodeRate.ntsc
      var planner = TransmissionPlanner(doubling: settings.doublesControlCodes, start: .min / 2)
      let start = clock.frame(nearest: timeRange.start)
      planner.plan([
        PlacedCaption(index: 0, start: start, end: .max / 2, kind: .popOn, rows: layout.rows)
      ])
      let cost = planner.outcomes.first?.cost ?? 0
      let end = max(clock.frame(nearest: timeRange.end), start + cost)
      timeRange = TimeRange(start: clock.time(ofFrame: start), end: clock.time(ofFrame: end))
    }
    let captions = layout.rows.map { row in
      var conformed = Caption(pieces: CellText.pieces(row.cells), timeRange: timeRange)
      conformed.region = CaptionRegion(
        origin: .cell(column: row.column, row: row.row), size: .cells(row.cells.count, 1))
      if case .rollUp? = caption.region?.scroll { conformed.region = caption.region }
      conformed.animation = caption.animation
      if let reveal = row.reveal {
        conformed.revealTimes = reveal.map { TimeCodeRate.ntsc.time(ofFrame: $0) }
      }
      return conformed
    }
    return (captions, layout.missing + layout.lost)
  }
}
