// SPDX-License-Identifier: Apache-2.0

import FocalBoxes
import FocalCore
import FocalMedia
import FocalScript
import Foundation

/// The focus script of a movie that was cut by its edit lists. The first sample of the metadata, which holds it, may no
/// longer be shown.
struct CutScript {
  private let data: Data
  /// What is shown of the media, counted from that sample, and when in the movie; `nil` for several parts of it, or at
  /// another speed.
  private var part: (range: TimeRange, start: Time)?

  /// - Parameter track: of this project's metadata.
  /// - Returns: `nil` where the media is shown from its beginning in one part, or has no script.
  init?(_ track: AssetTrack) async throws(CinematicError) {
    let (index, timeline) = try await track.load(.sampleIndex, .timeline)
    guard index.count > 0, let segment = timeline.segments.first else { return nil }
    let isOnePart = timeline.segments.count == 1 && segment.rate == 1 << 16
    guard timeline[0].sample != 0 || !isOnePart else { return nil }
    let entries = try await track.load(.formatDescriptions)
    let description = index[0].description
    guard entries.indices.contains(description),
      case .metadata(let keys) = entries[description].details
    else { return nil }
    let group = try TimedMetadataGroup(
      sample: try await track.sampleData(0), keys: keys, timeRange: .zero)
    guard let script = group[CinematicKey.script] else { return nil }
    data = Data(script.bytes)
    guard isOnePart else { return }
    let (start, _) = segment.mediaStart.subtractingReportingOverflow(index.compositionTime(0))
    part = (
      TimeRange(
        start: Time(value: start, timescale: try await track.load(.naturalTimescale)),
        duration: segment.timeRange.duration), segment.timeRange.start
    )
  }

  /// The script of what is shown; `nil` where that is no one part of it.
  ///
  /// - Throws: `unsupported` where its times can no longer be expressed.
  func shown() throws(CinematicError) -> Data? {
    guard let part else { return nil }
    // Whoever reads it says what is wrong with it.
    guard let recording = try? Recording(jsonRepresentation: data) else { return data }
    let first = recording.frameTimes.first ?? recording.timeRange.start
    let range = TimeRange(start: first + part.range.start, duration: part.range.duration)
    guard !range.intersection(recording.timeRange).isEmpty else { return nil }
    return try recording.trimmed(by: range, startingAt: part.start).jsonRepresentation()
  }
}
