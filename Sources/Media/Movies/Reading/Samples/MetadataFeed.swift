// SPDX-License-Identifier: Apache-2.0

import FocalBoxes
import FocalCore

/// The samples of a timed metadata track.
struct MetadataFeed: Sendable {
  let timeline: Timeline
  private let source: any ByteSource
  private let track: AssetTrack
  private let index: SampleIndex
  private let entries: [SampleEntry]

  init(_ track: AssetTrack) async throws(CinematicError) {
    (timeline, index, entries) = try await track.load(.timeline, .sampleIndex, .formatDescriptions)
    source = track.sampleSource
    self.track = track
  }

  /// The group that is in force at a time; `nil` where there is none.
  func group(
    at time: Time, tolerance: Time
  ) async throws(CinematicError) -> TimedMetadataGroup? {
    guard let number = timeline.number(at: time, tolerance: tolerance) else { return nil }
    let entry = timeline[number]
    guard entry.timeRange.end > time else { return nil }
    return try await group(number)
  }

  /// The group of an entry of the timeline.
  func group(_ number: Int) async throws(CinematicError) -> TimedMetadataGroup {
    let entry = timeline[number]
    let description = index[entry.sample].description
    let bytes = try await track.container.sampleData(entry.sample, from: source)
    guard entries.indices.contains(description),
      case .metadata(let keys) = entries[description].details
    else {
      throw CinematicError(
        .malformed,
        "\(source.name): the metadata at \(entry.timeRange.start.secondsText) s has no keys",
        remedy: "copy or download the file again")
    }
    do throws(CinematicError) {
      return try TimedMetadataGroup(sample: bytes, keys: keys, timeRange: entry.timeRange)
    } catch {
      throw error.naming("\(source.name), \(entry.timeRange.start.secondsText) s")
    }
  }
}
