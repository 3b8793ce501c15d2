// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalMedia
import FocalScript

/// What decides the focus of Cinematic movies in a composition beside their own scripts.
public struct FocusOverrides: Sendable {
  /// Instead of what scripts or movies say.
  public var fNumber: Float?
  /// The disparity that is sharp, instead of what scripts or movies say.
  public var focusDisparity: Float?
  /// Whether the scripts' detections are drawn into the pictures.
  public var drawsDetections = false
  /// The script of a movie instead of its own; `nil` for its own.
  public var script: @Sendable (AssetInfo) throws(CinematicError) -> Script? = { _ in nil }

  public init() {}
}

extension VideoComposition {
  /// Renders the Cinematic movies of a composition: an instruction for each segment of the video, with
  /// its movie's own script.
  ///
  /// Sizes are those of the first movie; frame times those of the pictures.
  ///
  /// - Parameter compositor: a ``CinematicCompositor``, or one that understands its instructions.
  /// - Throws: `malformed` for a damaged script, `incomplete` for a composition without pictures, and
  ///   what reading the movies throws.
  public init(
    cinematic info: CompositionInfo, compositor: any VideoCompositor,
    overrides: FocusOverrides = FocusOverrides()
  ) async throws(CinematicError) {
    let segments = info.composition.track(withTrackID: info.cinematicVideoTrackID)?.segments ?? []
    guard let first = segments.lazy.compactMap(\.sourceTrack).first else {
      throw CinematicError(
        .incomplete, "the composition has no Cinematic movie", remedy: "insert time ranges first")
    }
    var scripts: [ObjectIdentifier: (script: Script?, isGiven: Bool)] = [:]
    var instructions: [CinematicInstruction] = []
    for segment in segments {
      var instruction = CinematicInstruction(
        timeRange: segment.timeRange, videoTrackID: info.cinematicVideoTrackID,
        disparityTrackID: info.cinematicDisparityTrackID, metadataTrackIDs: info.sampleDataTrackIDs)
      if let track = segment.sourceTrack, let movie = info.assetInfo(of: segment) {
        let key = ObjectIdentifier(track)
        if scripts[key] == nil { scripts[key] = try await Self.script(of: movie, overrides) }
        instruction.script = scripts[key]?.script
        instruction.requiresScript = scripts[key]?.isGiven ?? false
      }
      instruction.fNumber = overrides.fNumber
      instruction.focusDisparity = overrides.focusDisparity
      instruction.drawsDetections = overrides.drawsDetections
      instructions.append(instruction)
    }
    // Whatever lies outside the movies, such as longer sound, is not shown.
    if let last = instructions.last, last.timeRange.end < info.composition.duration {
      instructions[instructions.count - 1].timeRange = TimeRange(
        start: last.timeRange.start, end: info.composition.duration)
    }
    self.init(
      renderSize: try await first.load(.videoFormat).shownDimensions,
      sourceTrackIDForFrameTiming: info.frameTimingTrackID, instructions: instructions,
      compositor: compositor)
    sourceSampleDataTrackIDs = info.sampleDataTrackIDs
  }

  private static func script(
    of movie: AssetInfo, _ overrides: FocusOverrides
  ) async throws(CinematicError) -> (script: Script?, isGiven: Bool) {
    if let given = try overrides.script(movie) { return (given, true) }
    guard let recording = try await MovieScript(asset: movie.asset).recording() else {
      return (nil, false)
    }
    return (try Script(recording: recording), false)
  }
}
