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
  ///   maps that are shown several times, at another speed or coded in several ways and for times that no track holds,
  ///   `unwritable`, what reading throws.
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
    let times = ReadTimes(timeline, from: 0, startTime: .zero, timescale: timescale)
    guard let places = SamplePlaces(index, timeline, times, mediaTimescale: timescale) else {
      throw CinematicError(
        .unsupported,
        "the disparity of \(info.asset.name) is cut and joined by its edit list, or its times are too large",
        remedy: "write numbered pictures, as in maps/%04d.png")
    }
    var settings = TrackSettings(
      handler: "vide", name: "Disparity", timescale: places.timescale,
      sampleEntry: Box("hvc1", data: Array(entry.box.data)))
    let size = try await track.load(.naturalSize)
    settings.shownSize = (Double(size.width), Double(size.height))
    // Shown as the pictures are, whatever the maps' own track says.
    var rotation = DisplayRotation(nil)
    rotation.isMirrored = try await track.holdsMapsToMirror
    rotation.turn = info.preferredTransform
    settings.matrix = TransformMatrix(
      rotation, width: Double(size.width), height: Double(size.height))
    settings.metadata = try await DisparityRange(track).items
    let output = try OutputFile(path: path, overwrite: overwrite, registry: temporaryFiles)
    let sink = try FileSink(output)
    var muxing = MovieMuxer.Settings()
    muxing.timescale = places.timescale
    var muxer = MovieMuxer(muxing, sink: sink)
    let number = muxer.addTrack(settings)
    for position in 0..<index.count {
      try muxer.append(
        places.sample(position, data: try await track.sampleData(position)), to: number)
    }
    try muxer.finish()
    try sink.synchronize()
    try output.publish()
  }
}

extension DisparityRange {
  /// The metadata of this project's disparity tracks.
  fileprivate var items: [ItemMetadata.Item] {
    guard self != .unit else { return [] }
    return [
      .float(CinematicKey.disparityLow, scale.low), .float(CinematicKey.disparityHigh, scale.high),
    ] + (holeCode.map { [.unsigned(CinematicKey.disparityHole, $0)] } ?? [])
  }
}
