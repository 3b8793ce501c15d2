// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalMedia
import FocalScript

extension VideoComposition {
  /// Renders the Cinematic movies of a composition: an instruction for each segment of the video, with
  /// the focus and the look of its movie.
  ///
  /// A movie about whose focus nothing can be read, such as a phone's original, is focused on the subject
  /// of its first map; ``movieFocuses`` says so. Sizes are those of the first movie; frame times those
  /// of the pictures. All have pixels of one shape.
  ///
  /// - Parameter compositor: a ``CinematicCompositor``, or one that understands its instructions.
  /// - Throws: `malformed` for a damaged script, `incomplete` for a composition without pictures or a
  ///   movie without disparity to focus on, `invalidParameter` for one script and several movies,
  ///   `incompatible` for movies whose pixels have different shapes, and what reading the movies throws.
  public init(
    cinematic info: CompositionInfo, compositor: any VideoCompositor,
    overrides: FocusOverrides = FocusOverrides()
  ) async throws(CinematicError) {
    let segments = info.composition.track(withTrackID: info.cinematicVideoTrackID)?.segments ?? []
    guard let first = segments.lazy.compactMap(\.sourceTrack).first else {
      throw CinematicError(
        .incomplete, "the composition has no Cinematic movie", remedy: "insert time ranges first")
    }
    let size = try await first.filmSize(of: segments)
    var settled: [ObjectIdentifier: SettledFocus] = [:]
    var instructions: [CinematicInstruction] = []
    for segment in segments {
      var instruction = CinematicInstruction(
        timeRange: segment.timeRange, videoTrackID: info.cinematicVideoTrackID,
        disparityTrackID: info.cinematicDisparityTrackID, metadataTrackIDs: info.sampleDataTrackIDs)
      if let track = segment.sourceTrack, let movie = info.assetInfo(of: segment) {
        let key = ObjectIdentifier(track)
        if settled[key] == nil {
          if !settled.isEmpty, case .given = overrides.script {
            throw CinematicError(
              .invalidParameter, "a script belongs to one movie, and there are several",
              remedy: "export them one by one, or choose a script for each")
          }
          settled[key] = try await SettledFocus(movie, overrides)
        }
        settled[key]?.apply(to: &instruction)
      }
      instruction.fNumber = overrides.fNumber
      instruction.drawsDetections = overrides.drawsDetections
      instruction.view = overrides.view
      instruction.steadiesDisparity = overrides.steadiesDisparity
      instruction.shaping = overrides.shaping
      instructions.append(instruction)
    }
    // Anything outside the movies, such as longer sound, is not shown.
    if let last = instructions.last, last.timeRange.end < info.composition.duration {
      instructions[instructions.count - 1].timeRange = TimeRange(
        start: last.timeRange.start, end: info.composition.duration)
    }
    self.init(
      renderSize: size, sourceTrackIDForFrameTiming: info.frameTimingTrackID,
      instructions: instructions, compositor: compositor)
    sourceSampleDataTrackIDs = info.sampleDataTrackIDs
  }

  /// The curves of the movies' cameras, each once; `nil` among them for movies whose tags say all.
  ///
  /// - Throws: `unsupported` for one that this version does not know.
  func cameraCurves() throws(CinematicError) -> [LogCurve?] {
    var result: [LogCurve?] = []
    for case let instruction as CinematicInstruction in instructions {
      let curve = try instruction.look.cameraCurve()
      if !result.contains(curve) { result.append(curve) }
    }
    return result
  }

  /// How the focus of each movie was settled, in the order of their appearance, each once.
  public var movieFocuses: [MovieFocus] {
    var result: [MovieFocus] = []
    for case let focus? in instructions.map({ ($0 as? CinematicInstruction)?.focus })
    where !result.contains(focus) {
      result.append(focus)
    }
    return result
  }
}

extension WriterSettings {
  /// Says which colours movies in a camera's curve have, for files of light, and for others that their codes are of
  /// no primaries that tags name.
  ///
  /// - Throws: `invalidParameter` for a file that has too few codes for a curve.
  mutating func setGamut(
    of video: VideoComposition, in format: OutputFormat
  ) throws(CinematicError) {
    let curves = try video.cameraCurves()
    guard format.holdsLight else {
      for case let curve? in curves { try format.check(curve) }
      pictureMetadata.cameraGamut = curves.compactMap(\.self).first?.gamut
      return
    }
    // Of movies of several cameras, one file cannot say it.
    if curves.count == 1 { pictureMetadata.cameraGamut = curves[0]?.gamut }
  }
}

/// A movie's focus and look as known before its first frame is rendered.
private struct SettledFocus {
  private var focus: MovieFocus
  private var script: Script?
  private var isGiven: Bool
  private var look: Look

  init(_ info: AssetInfo, _ overrides: FocusOverrides) async throws(CinematicError) {
    let movie = try await MovieScript(info)
    let own = try movie.recording()
    let given = try overrides.script.script(of: info)
    if let own, given == nil {
      script = try Script(recording: own)
    } else {
      script = given
    }
    isGiven = given != nil
    // A script that says nothing of the lens leaves the movie's.
    look = (own?.look ?? Look()).overridden(by: given?.look ?? Look())
      .overridden(by: overrides.look)
    focus = MovieFocus(
      movie: info.asset.name, origin: .none, focusDisparity: nil,
      unknownLook: look.unknownNames)
    focus.idleLook = look.idleNames.filter { overrides.look[$0] != nil }
    focus.lacksPlaces = overrides.drawsDetections && script?.hasPlaces != true
    focus.isScriptCut = movie.isScriptCut
    if let choice = overrides.focus {
      focus.origin = .given
      focus.focusDisparity = try await movie.disparity(of: choice)
    } else if script != nil {
      focus.origin = .script
      focus.lacksDecisions = overrides.fNumber != .infinity && script?.decidesNothing == true
    } else if movie.hasRenderingAttributes {
      focus.origin = .metadata
    } else if overrides.fNumber != .infinity {
      focus.origin = .steady
      focus.focusDisparity = try await movie.disparity(of: .subject)
    }
  }

  func apply(to instruction: inout CinematicInstruction) {
    instruction.focus = focus
    instruction.script = script
    instruction.requiresScript = isGiven
    instruction.look = look
    instruction.focusDisparity = focus.focusDisparity
  }
}
