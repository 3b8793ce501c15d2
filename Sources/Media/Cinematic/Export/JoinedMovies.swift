// SPDX-License-Identifier: Apache-2.0

import FocalBoxes
import FocalCore
import FocalMedia

/// Cinematic movies one after another, each as a whole, or a part of one.
struct JoinedMovies {
  let info: CompositionInfo
  private let assets: [Asset]
  /// The part of a single movie that is shown, on its timeline; `nil` for several.
  private(set) var timeRange: TimeRange?
  /// Whether every movie is shown from its start to its end.
  let isWhole: Bool
  /// How much of the last movie's sound behind its last picture is heard; `nil` for all.
  private(set) var soundTail: Time?

  /// - Parameter timeRange: the part of a single movie; what lies beyond its pictures and its sound is left out.
  /// - Throws: `invalidParameter` for no movie, a part of several, or one without pictures; what reading
  ///   the movies throws.
  init(_ assets: [Asset], timeRange: TimeRange? = nil) async throws(CinematicError) {
    guard let first = assets.first else {
      throw CinematicError(.invalidParameter, "there is no movie", remedy: "name one")
    }
    if timeRange != nil, assets.count > 1 {
      throw CinematicError(
        .invalidParameter, "a time range belongs to one movie, and there are \(assets.count)",
        remedy: "insert time ranges into a composition, or export the movies one by one")
    }
    self.assets = assets
    let movie = try await AssetInfo(asset: first)
    info = try await Composition().addTracks(for: movie)
    isWhole = timeRange == nil
    var part: TimeRange?
    if assets.count == 1 {
      let timeline = try await movie.cinematicVideoTrack.load(.timeline)
      part = try timeRange.map { range throws(CinematicError) in
        try Self.shown(range, of: timeline, name: first.name)
      }
      self.timeRange = part ?? timeline.shownRange
      soundTail = timeRange.map { max($0.end - timeline.shownRange.end, .zero) }
    }
    try await info.insertTimeRange(part, of: movie)
    for asset in assets.dropFirst() {
      try await info.insertTimeRange(of: AssetInfo(asset: asset))
    }
  }

  /// The part of a single movie that is shown, with the sound behind its last picture; `nil` for several.
  func heardRange() async throws(CinematicError) -> TimeRange? {
    guard let timeRange, soundTail != Time.zero else { return self.timeRange }
    var end = timeRange.end
    for track in try await assets[0].loadTracks(withMediaType: .audio) {
      end = max(end, try await track.load(.timeRange).end)
    }
    if let soundTail { end = min(end, timeRange.end + soundTail) }
    return TimeRange(start: timeRange.start, end: end)
  }

  /// The film's companions: of a single movie all, of several those that the first one states
  /// of itself; and captions that are given, in the film's times.
  ///
  /// - Parameter dropped: a track of captions of the first movie that is left out, from 0.
  /// - Throws: `invalidParameter` for a track of captions that there is not; what reading the movies throws.
  func companions(
    frameDuration: Time, captions: [FilmCompanions.TextTrack], dropped: Int?
  ) async throws(CinematicError) -> FilmCompanions {
    var companions = try await FilmCompanions(
      assets[0], isCinematic: true, frameDuration: frameDuration)
    if let dropped {
      let count = companions.captionTrackCount
      guard (0..<count).contains(dropped) else {
        throw CinematicError(
          .invalidParameter,
          "\(assets[0].name) has no track of captions \(dropped) to leave out",
          remedy: count == 0
            ? "leave the setting out: it has none" : "give a number from 0 to \(count - 1)")
      }
      companions.removeCaptions(at: dropped)
    }
    if assets.count > 1 { companions.keepDescriptions() }
    for asset in assets.dropFirst() {
      companions.leaveOut(
        try await FilmCompanions(asset, isCinematic: true, frameDuration: frameDuration),
        of: asset.name)
    }
    companions.addCaptions(captions)
    if !isWhole, let timeRange, assets.count == 1 {
      try companions.fitCaptions(to: timeRange)
      companions.cut(from: timeRange.start)
    }
    return companions
  }

  /// The part of a range between the first picture's appearance and the last one's end.
  private static func shown(
    _ range: TimeRange, of timeline: Timeline, name: String
  ) throws(CinematicError) -> TimeRange {
    let whole = timeline.shownRange
    let part = range.intersection(whole)
    guard !part.isEmpty else {
      throw CinematicError(
        .invalidParameter,
        "\(name) shows nothing from \(range.start.secondsText) to \(range.end.secondsText) s",
        remedy: "choose times from \(whole.start.secondsText) to \(whole.end.secondsText) s")
    }
    return part
  }
}

extension VideoFormat {
  /// How the first pictures of a composition come out of their decoder.
  ///
  /// - Throws: `incomplete` for a composition without pictures, and what decoding the first throws.
  init(
    first composition: Composition, _ video: VideoComposition
  ) async throws(CinematicError) {
    let tracks = composition.tracks
    let timing = tracks.first { $0.trackID == video.sourceTrackIDForFrameTiming }
    let candidates = ([timing].compactMap { $0 } + tracks).filter { $0.mediaType == .video }
    guard let source = candidates.lazy.flatMap(\.segments).compactMap(\.sourceTrack).first else {
      throw CinematicError(
        .incomplete, "the composition has no picture to show",
        remedy: "insert a time range of a video track")
    }
    self = try await source.load(.videoFormat)
  }
}
