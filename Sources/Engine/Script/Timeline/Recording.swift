// SPDX-License-Identifier: Apache-2.0

import FocalCore

/// The notes of a camera or a director: the part of a script that edits never touch.
public struct Recording: Equatable, Sendable {
  /// All frames lie inside it. Decisions and detections outside it are without effect.
  public let timeRange: TimeRange
  /// When each frame is shown.
  public let frameTimes: FrameTimes
  /// The f-number that the recording suggests.
  public let fNumber: Float
  /// In the order of their ids.
  public let detectionTracks: [DetectionTrack]
  /// Automatic decisions, in the order of time, those at one time as they were given.
  public let baseDecisions: [Decision]
  /// Taps made while recording, likewise.
  public let userDecisions: [Decision]
  /// Transitions that differ from the automatic ones, of decisions that are there.
  public let transitions: [Decision: Transition]
  /// The measure of racks and of focus's dead zone, if it is not the tracks' span:
  /// tracks that were added to a script and became part of its recording do not change how the others
  /// are followed.
  public let disparityRange: ClosedRange<Float>?
  /// When other shots begin, rising; each after the first frame. Nothing automatic of focus goes across them: racks do not,
  /// nor does the smoothing of a subject's disparities, nor a director's plan. A rack whose length was set goes where it
  /// was put.
  public let cuts: [Time]
  /// The measure in place of a span of nothing, as that of one fixed track is: the disparities that a movie's codes can
  /// say. No part of ``identity``, so that changes that were made without it still apply.
  package private(set) var codedDisparities: ClosedRange<Float>?
  /// The lens that the film was meant for.
  public private(set) var look: Look
  /// A fingerprint of everything above but the look and the measure of a movie's codes: changes belong to the recording
  /// they were made on.
  public let identity: Identity

  /// - Parameters:
  ///   - detectionTracks: each with an id of its own; their order does not matter.
  ///   - decisions: base and user decisions in any order; of several of one layer at one time the
  ///     last counts. Decisions on ids that are not there, or outside the range, may be given and
  ///     are without effect.
  ///   - transitions: those of other decisions are left out.
  ///   - disparityRange: `nil` for what the tracks span.
  ///   - cuts: when other shots begin, in any order. Those outside the range, and those that no frame comes before, are
  ///     left out.
  /// - Throws: `invalidParameter` for a disparity range that is not finite, an f-number that is not positive and finite, a track without
  ///   a valid id, two tracks with one id, a frame outside the range.
  public init(
    timeRange: TimeRange, frameTimes: FrameTimes, fNumber: Float,
    detectionTracks: [DetectionTrack], decisions: [Decision],
    transitions: [Decision: Transition] = [:], disparityRange: ClosedRange<Float>? = nil,
    cuts: [Time] = [], look: Look = Look()
  ) throws(CinematicError) {
    try Self.check(fNumber: fNumber)
    if let disparityRange {
      guard disparityRange.lowerBound.isFinite, disparityRange.upperBound.isFinite else {
        throw CinematicError(
          .invalidParameter, "the disparity range \(disparityRange) is not finite",
          remedy: "give finite disparities, or none for what the tracks span")
      }
    }
    if let first = frameTimes.first, let last = frameTimes.last {
      guard timeRange.contains(first), timeRange.contains(last) else {
        throw CinematicError(
          .invalidParameter,
          "the frames from \(first) to \(last) do not lie in the time range \(timeRange)")
      }
    }
    var ids: Set<DetectionID> = []
    var tracks: [DetectionTrack] = []
    for track in detectionTracks {
      guard let id = track.detectionID, id.isValid, track.detectionGroupID?.isValid ?? true else {
        throw CinematicError(
          .invalidParameter, "a detection track of a recording has no valid id",
          remedy: "ids and group ids are positive")
      }
      guard ids.insert(id).inserted else {
        throw CinematicError(
          .invalidParameter, "two detection tracks have the id \(id)",
          remedy: "give each its own, and the same group to tracks of one subject")
      }
      switch track {
      case let fixed as FixedDetectionTrack where fixed.isUserCreated:
        tracks.append(fixed.recorded())
      case let custom as CustomDetectionTrack where custom.isUserCreated:
        tracks.append(custom.recorded())
      default: tracks.append(track)
      }
    }
    tracks.sort { ($0.detectionID?.rawValue ?? 0) < ($1.detectionID?.rawValue ?? 0) }
    let ordered = Self.ordered(decisions)
    self.timeRange = timeRange
    self.frameTimes = frameTimes
    self.fNumber = fNumber
    self.detectionTracks = tracks
    baseDecisions = ordered.filter { !$0.isUserDecision }
    userDecisions = ordered.filter(\.isUserDecision)
    // A rack belongs to its decision, with which files hold it.
    let given = Set(ordered)
    self.transitions = transitions.filter { given.contains($0.key) }
    self.disparityRange = disparityRange
    let shownCuts = Self.shown(cuts, in: timeRange, after: frameTimes.first)
    self.cuts = shownCuts
    self.look = look
    identity = Identity(
      timeRange: timeRange, frameTimes: frameTimes, fNumber: fNumber, tracks: tracks,
      decisions: baseDecisions + userDecisions, transitions: self.transitions,
      disparityRange: disparityRange, cuts: shownCuts)
  }

  /// The recording with other base decisions, a director's for example; taps are kept.
  ///
  /// - Throws: as ``init(timeRange:frameTimes:fNumber:detectionTracks:decisions:transitions:disparityRange:cuts:look:)``;
  ///   decisions of any kind are taken.
  public func replacing(baseDecisions: [Decision]) throws(CinematicError) -> Recording {
    var result = try Recording(
      timeRange: timeRange, frameTimes: frameTimes, fNumber: fNumber,
      detectionTracks: detectionTracks,
      decisions: baseDecisions.map { $0.with(user: false) } + userDecisions,
      transitions: transitions, disparityRange: disparityRange, cuts: cuts, look: look)
    result.codedDisparities = codedDisparities
    return result
  }

  /// From the smallest to the largest disparity of the tracks, or as the recording says; `nil` where there is none.
  var recordedDisparities: ClosedRange<Float>? {
    disparityRange ?? Self.disparities(of: detectionTracks)
  }

  /// From the smallest to the largest disparity of tracks; `nil` where there is none.
  static func disparities(of detectionTracks: [DetectionTrack]) -> ClosedRange<Float>? {
    var (least, most) = (Float.infinity, -Float.infinity)
    for track in detectionTracks {
      if let fixed = track as? FixedDetectionTrack {
        least = min(least, fixed.focusDisparity)
        most = max(most, fixed.focusDisparity)
      }
      for disparity in track.samples.disparities {
        least = min(least, disparity)
        most = max(most, disparity)
      }
    }
    return least <= most ? least...most : nil
  }

  /// The recording of a movie whose codes say these disparities: they are the measure of racks and of the dead zone where
  /// the tracks span nothing. One that spans something stays as it is.
  package func measured(byCodes range: ClosedRange<Float>) -> Recording {
    if let known = recordedDisparities, known.lowerBound < known.upperBound { return self }
    var result = self
    result.codedDisparities = range
    return result
  }

  /// The recording with another look.
  public func with(look: Look) -> Recording {
    var result = self
    result.look = look
    return result
  }

  /// The track of an id.
  public func detectionTrack(for id: DetectionID) -> DetectionTrack? {
    // in the order of their ids, which every track of a recording has
    let position = detectionTracks.partitionPoint { ($0.detectionID ?? id) < id }
    guard position < detectionTracks.count, detectionTracks[position].detectionID == id else {
      return nil
    }
    return detectionTracks[position]
  }

  /// Those in a range and after its first frame, rising, each once.
  private static func shown(_ cuts: [Time], in range: TimeRange, after first: Time?) -> [Time] {
    guard let first else { return [] }
    var result: [Time] = []
    for cut in cuts.sorted() where cut > first && range.contains(cut) && cut != result.last {
      result.append(cut)
    }
    return result
  }

  /// In the order of time, those at one time as they were given.
  static func ordered(_ decisions: [Decision]) -> [Decision] {
    decisions.enumerated().sorted { a, b in
      a.element.time != b.element.time ? a.element.time < b.element.time : a.offset < b.offset
    }.map(\.element)
  }

  static func check(fNumber: Float) throws(CinematicError) {
    guard fNumber.isFinite, fNumber > 0 else {
      throw CinematicError(
        .invalidParameter, "an f-number of \(fNumber) is not a lens's",
        remedy: "f-numbers are positive and finite, 2 to 16 for most lenses")
    }
  }
}
