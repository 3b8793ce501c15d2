// SPDX-License-Identifier: Apache-2.0

import FocalBoxes
import FocalCore

/// The feeds of a composition's sources that are in use: one for each source in a track, whatever
/// segments it is cut into. Those that were not used for longest are let go, so that memory does not
/// grow with the number of clips. Used by one task at a time.
final class SourceFeeds {
  /// How a source is read.
  enum Feed {
    case pictures(FrameFeed, QuarterTurn)
    /// Disparity, as it is and without flicker.
    case maps(FrameFeed, SteadyMaps, QuarterTurn)
    case metadata(MetadataFeed)
  }

  private struct Key: Hashable {
    var trackID: UInt32
    var source: ObjectIdentifier
  }

  private struct Open {
    // Keeps the key's identity from being another track's.
    let source: AssetTrack
    let feed: Feed
  }

  private let capacity: Int
  private var feeds: [Key: Open] = [:]
  /// The one used last at the end.
  private var used: [Key] = []

  /// How many feeds are held.
  var count: Int { feeds.count }

  init(capacity: Int) { self.capacity = max(capacity, 1) }

  /// The feed of a source in a track of the composition, opened where it is not.
  ///
  /// - Throws: what loading the source throws.
  func feed(_ source: AssetTrack, in trackID: UInt32) async throws(CinematicError) -> Feed {
    let key = Key(trackID: trackID, source: ObjectIdentifier(source))
    if let open = feeds[key] {
      used.removeAll { $0 == key }
      used.append(key)
      return open.feed
    }
    let feed = try await Self.open(source)
    while feeds.count >= capacity { feeds[used.removeFirst()] = nil }
    feeds[key] = Open(source: source, feed: feed)
    used.append(key)
    return feed
  }

  private static func open(_ source: AssetTrack) async throws(CinematicError) -> Feed {
    if source.mediaType == .metadata { return .metadata(try await MetadataFeed(source)) }
    let turn = try await source.quarterTurn
    let entries: [SampleEntry] = try await source.load(.formatDescriptions)
    if entries.contains(where: { CinematicTracks.disparityFormats.contains($0.format) }) {
      let range = try await DisparityRange(source)
      let feed = try await CinematicReader.disparityFeed(source, range)
      let steady = SteadyMaps { number throws(CinematicError) in
        number < feed.timeline.count ? try await feed.picture(number) : nil
      }
      return .maps(feed, steady, turn)
    }
    return .pictures(try await CinematicReader.videoFeed(source), turn)
  }
}
