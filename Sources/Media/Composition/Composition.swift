// SPDX-License-Identifier: Apache-2.0

import FocalBoxes
import FocalCore
import Synchronization

/// Time ranges of several assets, one after another and side by side, as one movie that is in no file.
///
/// ```swift
/// let composition = Composition()
/// let info = try await composition.addTracks(for: first)
/// try await info.insertTimeRange(of: first)
/// try await info.insertTimeRange(of: second)
/// ```
///
/// A track of a composition is a row of segments, each a time range of an asset's track. Edits change
/// segments only; nothing is copied, and nothing of the assets is changed. Times are exact as long as
/// their timescales have a common one of 32 bits. Calls may come from several tasks. A
/// ``CompositionReader`` works on the composition as it was when the reader was made.
public final class Composition: Sendable {
  private let state = Mutex<[CompositionTrack]>([])

  public init() {}

  /// The tracks as they are now, in the order in which they were added.
  public var tracks: [CompositionTrack] { state.withLock { $0 } }

  /// The track of a number as it is now; `nil` where there is none.
  public func track(withTrackID trackID: UInt32) -> CompositionTrack? {
    tracks.first { $0.trackID == trackID }
  }

  /// From zero to where the longest track ends.
  public var duration: Time { tracks.map(\.timeRange.end).max() ?? .zero }

  /// Adds a track without segments.
  ///
  /// - Parameter preferredTrackID: its number, where that is free and not zero; else the next free one.
  /// - Returns: its number.
  @discardableResult
  public func addTrack(mediaType: MediaType, preferredTrackID: UInt32? = nil) -> UInt32 {
    addTrack(mediaType: mediaType, preferredTrackID: preferredTrackID, isPlayed: nil)
  }

  /// The same.
  ///
  /// - Parameter isPlayed: of sound, whether players play it unasked; `nil` leaves it to its sources.
  func addTrack(mediaType: MediaType, preferredTrackID: UInt32?, isPlayed: Bool?) -> UInt32 {
    state.withLock { tracks in
      var trackID = preferredTrackID ?? 0
      if trackID == 0 || tracks.contains(where: { $0.trackID == trackID }) {
        trackID = 1
        while tracks.contains(where: { $0.trackID == trackID }) { trackID += 1 }
      }
      tracks.append(CompositionTrack(trackID: trackID, mediaType: mediaType, isPlayed: isPlayed))
      return trackID
    }
  }

  /// Inserts a time range of an asset's track; what is shown from there on moves.
  ///
  /// - Parameters:
  ///   - range: on the timeline of the track's movie.
  ///   - trackID: a track of this composition for the same kind of media.
  ///   - time: where on the composition's timeline; `nil` appends to the track. Beyond the track's end,
  ///     nothing is shown until then.
  /// - Throws: `invalidParameter` for a range outside of the source or a number of no track,
  ///   `incompatible` for another kind of media, and what loading the source throws.
  public func insertTimeRange(
    _ range: TimeRange, of source: AssetTrack, into trackID: UInt32, at time: Time? = nil
  ) async throws(CinematicError) {
    let whole = TimeRange(start: .zero, end: try await source.end)
    guard range.start >= .zero, range.end <= whole.end else {
      throw Self.outside(range, of: whole, source.assetName)
    }
    try check(time)
    try edit(trackID) { track throws(CinematicError) in
      guard track.mediaType.isInterchangeable(with: source.mediaType) else {
        throw CinematicError(
          .incompatible,
          "track \(trackID) of the composition is for \(track.mediaType), and track"
            + " \(source.trackID) of \(source.assetName) is \(source.mediaType)",
          remedy: "add a track of that media type")
      }
      track.insert(source, range, at: time ?? track.timeRange.end)
    }
  }

  /// Shows nothing for a while; what is shown from there on moves.
  ///
  /// - Parameter trackID: the track; every one by default.
  /// - Throws: `invalidParameter` for a number of no track or a range that begins before zero.
  public func insertEmptyTimeRange(
    _ range: TimeRange, into trackID: UInt32? = nil
  ) throws(CinematicError) {
    try check(range.start)
    try edit(trackID) { track throws(CinematicError) in
      track.insert(nil, range, at: range.start)
    }
  }

  /// Takes a time range out: what follows closes the gap.
  ///
  /// - Parameter trackID: the track; every one by default.
  /// - Throws: `invalidParameter` for a number of no track.
  public func removeTimeRange(
    _ range: TimeRange, from trackID: UInt32? = nil
  ) throws(CinematicError) {
    try edit(trackID) { track throws(CinematicError) in track.remove(range) }
  }

  // MARK: - For the module

  /// Changes all tracks at once.
  func edit<Value>(_ body: (inout [CompositionTrack]) -> Value) -> Value {
    state.withLock { tracks in body(&tracks) }
  }

  /// Changes one track, or each.
  private func edit(
    _ trackID: UInt32?, _ body: (inout CompositionTrack) throws(CinematicError) -> Void
  ) throws(CinematicError) {
    let failure = state.withLock { tracks -> CinematicError? in
      let chosen = tracks.indices.filter { trackID == nil || tracks[$0].trackID == trackID }
      if chosen.isEmpty, let trackID { return Self.missing(trackID, tracks) }
      for index in chosen {
        do throws(CinematicError) {
          try body(&tracks[index])
        } catch {
          return error
        }
      }
      return nil
    }
    if let failure { throw failure }
  }

  func check(_ time: Time?) throws(CinematicError) {
    guard let time, time < .zero else { return }
    throw CinematicError(
      .invalidParameter, "a composition has no time \(time.secondsText) s",
      remedy: "its timeline begins at zero")
  }

  static func missing(_ trackID: UInt32, _ tracks: [CompositionTrack]) -> CinematicError {
    CinematicError(
      .invalidParameter, "the composition has no track \(trackID)",
      remedy: tracks.isEmpty
        ? "add it first" : "it has \(tracks.map { "\($0.trackID)" }.joined(separator: ", "))")
  }

  static func outside(_ range: TimeRange, of whole: TimeRange, _ name: String) -> CinematicError {
    CinematicError(
      .invalidParameter,
      "\(name) has nothing from \(range.start.secondsText) to \(range.end.secondsText) s to insert",
      remedy: "it goes from \(whole.start.secondsText) to \(whole.end.secondsText) s")
  }
}

extension MediaType {
  /// Whether it is made of pictures.
  var isVisual: Bool { self == .video || self == .auxiliaryPicture }

  /// Whether a track of one kind takes sources of the other: maps are stored under both.
  func isInterchangeable(with other: MediaType) -> Bool {
    self == other || isVisual && other.isVisual
  }
}

extension AssetTrack {
  /// Where the track ends on its movie's timeline. The last picture may last longer than the file's
  /// tables say.
  var end: Time {
    get async throws(CinematicError) {
      let stated = try await load(.timeRange)
      guard mediaType != .audio else { return stated.end }
      return max(stated.end, try await load(.timeline).shownRange.end)
    }
  }
}
