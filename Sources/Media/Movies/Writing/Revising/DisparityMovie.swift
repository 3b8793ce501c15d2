// SPDX-License-Identifier: Apache-2.0

import FocalBoxes
import FocalCore

/// Takes the disparity of a Cinematic movie out as a movie of its own, which any player shows: the
/// coded pictures bit for bit, at their times.
public enum DisparityMovie {
  /// - Parameters:
  ///   - info: of a movie that has disparity.
  ///   - path: ends in `.mov`.
  /// - Throws: `invalidParameter` for another ending, `incomplete` without disparity, `unsupported` for
  ///   maps that are shown several times, at another speed or coded in several ways, `unwritable`, what
  ///   reading throws.
  public static func write(
    _ info: AssetInfo, to path: String, overwrite: Bool = false,
    temporaryFiles: TemporaryFiles = .shared
  ) async throws(CinematicError) {
    guard path.lowercased().hasSuffix(".mov") else {
      throw CinematicError(
        .invalidParameter, "\(path) is not the name of a QuickTime movie", remedy: "end it in .mov")
    }
    let track = info.cinematicDisparityTrack
    let (index, timeline, timescale) = try await track.load(
      .sampleIndex, .timeline, .naturalTimescale)
    let entries = try await track.load(.formatDescriptions)
    guard let entry = entries.first, timeline.count > 0 else {
      throw CinematicError(
        .incomplete, "\(info.asset.name) has no disparity", remedy: "give a whole Cinematic movie")
    }
    guard entries.count == 1 else {
      throw CinematicError(
        .unsupported,
        "the disparity of \(info.asset.name) is coded in \(entries.count) different ways",
        remedy: "write numbered pictures, as in maps/%04d.png")
    }
    let places = try places(index, timeline, timescale, name: info.asset.name)
    var settings = TrackSettings(
      handler: "vide", name: "Disparity", timescale: timescale,
      sampleEntry: Box("hvc1", data: Array(entry.box.data)))
    let size = try await track.load(.naturalSize)
    settings.shownSize = (Double(size.width), Double(size.height))
    // Shown as the pictures are, whatever the maps' own track says: both are stored alike.
    settings.matrix = TransformMatrix(
      info.preferredTransform, width: Double(size.width), height: Double(size.height))
    settings.metadata = try await DisparityRange(track).items
    let output = try OutputFile(path: path, overwrite: overwrite, registry: temporaryFiles)
    let sink = try FileSink(output)
    var muxing = MovieMuxer.Settings()
    muxing.timescale = timescale
    var muxer = MovieMuxer(muxing, sink: sink)
    let number = muxer.addTrack(settings)
    for position in 0..<index.count {
      let sample = index[position]
      var media = MediaSample(
        data: try await track.sampleData(position),
        decodeTime: sample.decodeTime + places.shift,
        presentationTime: sample.compositionTime + places.shift,
        duration: places.durations[position] ?? sample.duration, isSync: sample.isSync)
      media.isPreroll = places.durations[position] == nil
      try muxer.append(media, to: number)
    }
    try muxer.finish()
    try sink.synchronize()
    try output.publish()
  }

  /// Where the samples lie on the movie's timeline, in ticks.
  private struct Places {
    /// From the media's clock to the movie's.
    var shift: Int64
    /// How long each sample that is shown is shown.
    var durations: [Int: Int64]
  }

  private static func places(
    _ index: SampleIndex, _ timeline: Timeline, _ timescale: Int32, name: String
  ) throws(CinematicError) -> Places {
    func ticks(_ time: Time) -> Int64 { time.converted(to: timescale).value }
    let first = timeline[0]
    var places = Places(
      shift: ticks(first.timeRange.start) - index.compositionTime(first.sample), durations: [:])
    for number in 0..<timeline.count {
      let entry = timeline[number]
      let start = index.compositionTime(entry.sample) + places.shift
      guard start == ticks(entry.timeRange.start) || number == 0,
        places.durations.updateValue(ticks(entry.timeRange.duration), forKey: entry.sample) == nil
      else {
        throw CinematicError(
          .unsupported, "the disparity of \(name) is cut and joined by its edit list",
          remedy: "write numbered pictures, as in maps/%04d.png")
      }
    }
    return places
  }
}

extension DisparityRange {
  /// What a disparity track of this project says of itself.
  fileprivate var items: [ItemMetadata.Item] {
    guard self != .unit else { return [] }
    return [
      .float(CinematicKey.disparityLow, scale.low), .float(CinematicKey.disparityHigh, scale.high),
    ] + (holeCode.map { [.unsigned(CinematicKey.disparityHole, $0)] } ?? [])
  }
}
