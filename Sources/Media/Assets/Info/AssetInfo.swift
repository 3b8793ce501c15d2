// SPDX-License-Identifier: Apache-2.0

import FocalBoxes
import FocalCore

/// The tracks of a Cinematic movie, and how it is shown.
public struct AssetInfo: Sendable {
  /// The possible uses of a movie.
  public enum Capability: Int, Hashable, Sendable, CustomStringConvertible {
    /// It is no Cinematic movie, or what made it one is lost.
    case none = 0
    /// Focus and aperture can be chosen.
    case renderable = 1
    /// It has metadata, and an empty track for a disparity that is yet to be made.
    case needsPreprocessing = 2

    public var description: String {
      switch self {
      case .none: "none"
      case .renderable: "renderable"
      case .needsPreprocessing: "needsPreprocessing"
      }
    }
  }

  public let asset: Asset
  /// The recorded pictures, sharp all over.
  public let cinematicVideoTrack: AssetTrack
  public let cinematicDisparityTrack: AssetTrack
  /// The first of ``cinematicMetadataTracks``.
  public let cinematicMetadataTrack: AssetTrack
  /// Every track of Cinematic metadata, in the order of the file: recordings of iOS 27 have two, and
  /// after `focal apply` this project's stands behind a camera's.
  public let cinematicMetadataTracks: [AssetTrack]
  public let capability: Capability
  /// When picture, disparity and metadata all have something to show.
  public let timeRange: TimeRange
  /// The size of the video before ``preferredTransform``, in pixels: of the part that is shown.
  public let naturalSize: Dimensions
  /// The size as it is shown.
  public let preferredSize: Dimensions
  /// From stored to shown.
  public let preferredTransform: QuarterTurn

  public var allCinematicTracks: [AssetTrack] {
    [cinematicVideoTrack, cinematicDisparityTrack] + cinematicMetadataTracks
  }
  /// The track whose frames give a composition its rhythm.
  public var frameTimingTrack: AssetTrack { cinematicVideoTrack }
  /// The tracks whose frames a compositor needs.
  public var videoCompositionTracks: [AssetTrack] {
    [cinematicVideoTrack, cinematicDisparityTrack]
  }
  public var videoCompositionTrackIDs: [UInt32] { videoCompositionTracks.map(\.trackID) }
  /// The tracks whose metadata a compositor needs.
  public var sampleDataTrackIDs: [UInt32] { cinematicMetadataTracks.map(\.trackID) }
  /// Whether the movie can be rendered as it is.
  public var isPreprocessed: Bool { capability == .renderable }

  /// Looks at an asset.
  ///
  /// - Throws: `incomplete` where a track is missing, with its name and how people lose it; what
  ///   loading the asset throws.
  public init(asset: Asset) async throws(CinematicError) {
    let tracks = try await CinematicTracks(asset)
    if let failure = tracks.failure(asset.name) { throw failure }
    guard let video = tracks.video, let disparity = tracks.disparity,
      let metadata = tracks.metadata.first
    else { throw CinematicError(.unknown, "\(asset.name) has lost its tracks") }
    self.asset = asset
    cinematicVideoTrack = video
    cinematicDisparityTrack = disparity
    cinematicMetadataTrack = metadata
    cinematicMetadataTracks = tracks.metadata
    let shown = try await video.load(.timeRange)
    let maps = try await disparity.load(.timeRange)
    capability = maps.isEmpty ? .needsPreprocessing : .renderable
    let described = try await metadata.load(.timeRange)
    let both = shown.intersection(described)
    timeRange = maps.isEmpty ? both : both.intersection(maps)
    naturalSize = try await video.load(.naturalSize)
    preferredTransform = try await video.quarterTurn
    preferredSize = preferredTransform.applied(to: naturalSize)
  }

  /// Whether an asset has the three tracks; `false` also where it cannot be read.
  public static func isCinematic(_ asset: Asset) async -> Bool {
    guard let tracks = try? await CinematicTracks(asset) else { return false }
    return tracks.failure(asset.name) == nil
  }

  /// The possible uses of an asset: ``Capability/none`` where ``init(asset:)`` throws `incomplete`,
  /// else what ``capability`` says.
  ///
  /// - Throws: what loading the asset throws.
  public static func capability(for asset: Asset) async throws(CinematicError) -> Capability {
    let tracks = try await CinematicTracks(asset)
    guard tracks.failure(asset.name) == nil, let disparity = tracks.disparity else { return .none }
    return try await disparity.load(.timeRange).isEmpty ? .needsPreprocessing : .renderable
  }
}
