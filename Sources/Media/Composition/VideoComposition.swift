// SPDX-License-Identifier: Apache-2.0

import FocalCore

/// A compositor's task in a time range.
public protocol VideoCompositionInstruction: Sendable {
  /// On the composition's timeline. Instructions follow each other without gaps.
  var timeRange: TimeRange { get }
  /// The tracks whose pictures and maps the compositor gets.
  var requiredSourceTrackIDs: [UInt32] { get }
  /// The metadata tracks that the compositor gets, where the video composition lists them, too.
  var requiredSourceSampleDataTrackIDs: [UInt32] { get }
  /// Tracks of which the nearest picture is given where they show none, for half a second at most: maps
  /// that end a few frames before the pictures. None by default.
  var heldSourceTrackIDs: [UInt32] { get }
  /// The tracks of disparity whose flicker is taken out: noise, and a scale and an offset that change from map
  /// to map. By default none.
  var steadySourceTrackIDs: [UInt32] { get }
}

extension VideoCompositionInstruction {
  public var heldSourceTrackIDs: [UInt32] { [] }
  public var steadySourceTrackIDs: [UInt32] { [] }
}

/// How the tracks of a composition become pictures: when, how large, by whom, from what.
public struct VideoComposition: Sendable {
  /// The size of the pictures.
  public var renderSize: Dimensions
  /// The track whose pictures give the frames their times, exactly; `nil` for steady frames.
  public var sourceTrackIDForFrameTiming: UInt32?
  /// From frame to frame where no track gives the times.
  public var frameDuration = Time(value: 1, timescale: 30)
  /// The metadata tracks that instructions may require. Metadata arrive only where both list the track.
  public var sourceSampleDataTrackIDs: [UInt32] = []
  /// In the order of their times, from zero to the composition's end.
  public var instructions: [any VideoCompositionInstruction]
  public var compositor: any VideoCompositor

  public init(
    renderSize: Dimensions, sourceTrackIDForFrameTiming: UInt32? = nil,
    instructions: [any VideoCompositionInstruction], compositor: any VideoCompositor
  ) {
    self.renderSize = renderSize
    self.sourceTrackIDForFrameTiming = sourceTrackIDForFrameTiming
    self.instructions = instructions
    self.compositor = compositor
  }

  /// Checks that everything fits a composition.
  ///
  /// - Throws: `invalidParameter` for a size or a frame duration that is none, instructions that overlap
  ///   or leave holes, and numbers of tracks that the composition does not have; `incompatible` for
  ///   tracks of another kind of media than they are listed for.
  public func validate(for composition: Composition) throws(CinematicError) {
    try validate(for: composition.tracks)
  }

  func validate(for tracks: [CompositionTrack]) throws(CinematicError) {
    let valid = 1...PixelBuffer.maximumDimension
    guard valid.contains(renderSize.width), valid.contains(renderSize.height) else {
      throw CinematicError(
        .invalidParameter, "a video composition cannot be rendered at \(renderSize)",
        remedy: "width and height must be 1 to \(PixelBuffer.maximumDimension)")
    }
    if let timing = sourceTrackIDForFrameTiming {
      try check(timing, isVisual: true, "takes the frames' times from", tracks)
    } else if frameDuration <= .zero {
      throw CinematicError(
        .invalidParameter, "a video composition cannot have frames of \(frameDuration) s",
        remedy: "give a duration above zero, or a track whose frames give the times")
    }
    for trackID in sourceSampleDataTrackIDs {
      try check(trackID, isVisual: false, "lists as sample data", tracks)
    }
    try checkInstructions(tracks)
  }

  private func checkInstructions(_ tracks: [CompositionTrack]) throws(CinematicError) {
    let end = tracks.map(\.timeRange.end).max() ?? .zero
    guard end > .zero, !instructions.isEmpty else {
      throw CinematicError(
        .invalidParameter,
        end > .zero
          ? "the video composition has no instruction" : "the composition shows nothing",
        remedy: end > .zero ? "give one for each part of it" : "insert time ranges first")
    }
    var time = Time.zero
    for (number, instruction) in instructions.enumerated() {
      let range = instruction.timeRange
      guard range.start == time else {
        throw CinematicError(
          .invalidParameter,
          "instruction \(number) of the video composition begins at \(range.start.secondsText) s,"
            + " \(range.start < time ? "before" : "after") \(time.secondsText) s, where it should",
          remedy: "let instructions follow each other from zero on, without gaps")
      }
      guard !range.isEmpty else {
        throw CinematicError(
          .invalidParameter, "instruction \(number) of the video composition lasts no time",
          remedy: "leave it out")
      }
      time = range.end
      for trackID in instruction.requiredSourceTrackIDs {
        try check(trackID, isVisual: true, "requires in instruction \(number)", tracks)
      }
      for trackID in instruction.requiredSourceSampleDataTrackIDs {
        try check(
          trackID, isVisual: false, "requires as sample data in instruction \(number)", tracks)
      }
    }
    guard time >= end else {
      throw CinematicError(
        .invalidParameter,
        "the video composition's instructions end at \(time.secondsText) s, and the composition at"
          + " \(end.secondsText) s", remedy: "let them reach to the end")
    }
  }

  private func check(
    _ trackID: UInt32, isVisual: Bool, _ use: String, _ tracks: [CompositionTrack]
  ) throws(CinematicError) {
    guard let track = tracks.first(where: { $0.trackID == trackID }) else {
      throw CinematicError(
        .invalidParameter,
        "the video composition \(use) track \(trackID), which the composition does not have",
        remedy: "it has \(tracks.map { "\($0.trackID)" }.joined(separator: ", "))")
    }
    let fits = isVisual ? track.mediaType.isVisual : track.mediaType == .metadata
    guard fits else {
      throw CinematicError(
        .incompatible,
        "the video composition \(use) track \(trackID), which is for \(track.mediaType)",
        remedy: isVisual ? "name a track of pictures" : "name a metadata track")
    }
  }
}
