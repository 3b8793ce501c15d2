// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalMedia
import FocalSubjects

/// The subjects that a ``SubjectCompositor`` follows in a time range, and the effect around them.
public struct SubjectInstruction: VideoCompositionInstruction {
  public var timeRange: TimeRange
  /// The track of the pictures.
  public var videoTrackID: UInt32
  /// The track of their disparity; `nil` where there is none, and subjects are guessed from colours.
  public var disparityTrackID: UInt32?
  /// A track whose pictures take the place of the effect's background. Where it shows none, the effect's stays.
  public var backdropTrackID: UInt32?
  /// How subjects are looked for in the first frame; its disparity is the track's. Its points and boxes count for
  /// the scene that the range begins with, and again where that comes back, as in a ``FocalSubjects/SubjectFollower``.
  public var request: GenerateForegroundInstanceMaskRequest
  /// Which of them are followed.
  public var choice: SubjectFollower.Choice
  public var effect: SubjectEffect

  public init(
    timeRange: TimeRange, videoTrackID: UInt32, disparityTrackID: UInt32? = nil,
    backdropTrackID: UInt32? = nil,
    request: GenerateForegroundInstanceMaskRequest = .init(),
    choice: SubjectFollower.Choice = .foremost, effect: SubjectEffect
  ) {
    (self.timeRange, self.videoTrackID) = (timeRange, videoTrackID)
    (self.disparityTrackID, self.backdropTrackID) = (disparityTrackID, backdropTrackID)
    (self.request, self.choice, self.effect) = (request, choice, effect)
  }

  public var requiredSourceTrackIDs: [UInt32] {
    [videoTrackID] + [disparityTrackID, backdropTrackID].compactMap(\.self)
  }
  public var requiredSourceSampleDataTrackIDs: [UInt32] { [] }
  /// Disparity that begins later or ends earlier than the pictures by a few frames is held.
  public var heldSourceTrackIDs: [UInt32] { [disparityTrackID].compactMap(\.self) }
  public var steadySourceTrackIDs: [UInt32] { heldSourceTrackIDs }

  /// Whether the pictures have alpha, as far as the instruction says.
  var isTransparent: Bool { effect.background.isTransparent && backdropTrackID == nil }
}

extension VideoComposition {
  /// Whether a compositor of subjects leaves pictures transparent.
  var isTransparent: Bool {
    instructions.contains { ($0 as? SubjectInstruction)?.isTransparent == true }
  }

  /// Puts subjects of a composition's movies before another background: an instruction for each segment of the video,
  /// each of which begins with a search.
  ///
  /// Sizes are those of the first movie, frame times those of the pictures. All have pixels of one shape.
  ///
  /// - Parameters:
  ///   - videoTrackID: the track of the pictures.
  ///   - disparityTrackID: as ``SubjectInstruction/disparityTrackID``.
  ///   - backdropTrackID: as ``SubjectInstruction/backdropTrackID``.
  ///   - request: as ``SubjectInstruction/request``.
  ///   - choice: as ``SubjectInstruction/choice``.
  ///   - effect: around the subjects of all segments.
  ///   - compositor: a ``SubjectCompositor``, or one that understands its instructions.
  /// - Throws: `incomplete` for a track without pictures, `invalidParameter` for an effect whose numbers are out of range,
  ///   `incompatible` for movies whose pixels have different shapes, and what reading the movies throws.
  public init(
    subjectsOf videoTrackID: UInt32, in composition: Composition, disparityTrackID: UInt32? = nil,
    backdropTrackID: UInt32? = nil, request: GenerateForegroundInstanceMaskRequest = .init(),
    choice: SubjectFollower.Choice = .foremost, effect: SubjectEffect,
    compositor: any VideoCompositor
  ) async throws(CinematicError) {
    try effect.validate()
    let segments = composition.track(withTrackID: videoTrackID)?.segments ?? []
    guard let first = segments.lazy.compactMap(\.sourceTrack).first else {
      throw CinematicError(
        .incomplete, "track \(videoTrackID) of the composition shows no picture",
        remedy: "insert time ranges first")
    }
    var instructions = segments.map {
      SubjectInstruction(
        timeRange: $0.timeRange, videoTrackID: videoTrackID, disparityTrackID: disparityTrackID,
        backdropTrackID: backdropTrackID, request: request, choice: choice, effect: effect)
    }
    // Anything outside the movies, such as longer sound, is not shown.
    if let last = instructions.last, last.timeRange.end < composition.duration {
      instructions[instructions.count - 1].timeRange = TimeRange(
        start: last.timeRange.start, end: composition.duration)
    }
    self.init(
      renderSize: try await first.filmSize(of: segments),
      sourceTrackIDForFrameTiming: videoTrackID, instructions: instructions,
      compositor: compositor)
  }
}
