// SPDX-License-Identifier: Apache-2.0

import FocalBoxes
import FocalCore
import FocalMedia

/// Cinematic movies one after another, each as a whole, or a part of one.
struct JoinedMovies {
  let info: CompositionInfo
  /// The number of the first frame in its movie.
  private(set) var firstFrameNumber = 0

  /// - Parameter timeRange: the part of a single movie: the pictures that appear in it.
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
    let movie = try await AssetInfo(asset: first)
    info = try await Composition().addTracks(for: movie)
    var part: TimeRange?
    if let timeRange {
      (part, firstFrameNumber) = try await Self.whole(timeRange, of: movie)
    }
    try await info.insertTimeRange(part, of: movie)
    for asset in assets.dropFirst() {
      try await info.insertTimeRange(of: AssetInfo(asset: asset))
    }
  }

  /// From the first picture that appears in a range to the end of the last one.
  private static func whole(
    _ range: TimeRange, of movie: AssetInfo
  ) async throws(CinematicError) -> (TimeRange, firstNumber: Int) {
    let timeline = try await movie.cinematicVideoTrack.load(.timeline)
    func first(atOrAfter time: Time) -> Int {
      guard let number = timeline.number(at: time) else { return 0 }
      return timeline[number].timeRange.start < time ? number + 1 : number
    }
    let start = first(atOrAfter: range.start)
    let end = first(atOrAfter: range.end)
    guard start < end else {
      throw CinematicError(
        .invalidParameter,
        "\(movie.asset.name) has no frame from \(range.start.seconds) to \(range.end.seconds) s",
        remedy: "it lasts from \(timeline.shownRange.start.seconds) to"
          + " \(timeline.shownRange.end.seconds) s")
    }
    return (
      TimeRange(start: timeline[start].timeRange.start, end: timeline[end - 1].timeRange.end), start
    )
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
