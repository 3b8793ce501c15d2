// SPDX-License-Identifier: Apache-2.0

import FocalBoxes
import FocalCore

/// The tracks that make a movie Cinematic: the track of disparity, and that of what a renderer needs of
/// each frame.
final class RenderingTracks {
  let disparityTrack: Int
  let metadataTrack: Int
  private let path: String
  private let encoder: DisparityEncoder
  /// The metadata of the first frame, to which the script is added.
  private var firstMetadata: (focusDisparity: Float, fNumber: Float)?
  private var mapCount = 0

  /// - Parameters:
  ///   - video: the track of the pictures.
  ///   - addTrack: adds a track and returns its number.
  init(
    _ encoder: DisparityEncoder, video: TrackSettings, number videoTrack: Int, path: String,
    addTrack: (TrackSettings) -> Int
  ) {
    self.encoder = encoder
    self.path = path
    var disparity = TrackSettings(
      handler: "auxv", name: "Disparity", timescale: video.timescale,
      sampleEntry: encoder.sampleEntry)
    let size = encoder.dimensions
    disparity.shownSize = (Double(size.width), Double(size.height))
    // A picture is mirrored as it is read, and its map belongs to what is read: it is only turned.
    disparity.matrix = TransformMatrix(
      DisplayRotation(video.matrix).turn, width: Double(size.width), height: Double(size.height))
    disparity.references = [.init("auxl", to: videoTrack)]
    disparity.metadata = encoder.coding.metadata
    disparityTrack = addTrack(disparity)
    var metadata = TrackSettings(
      handler: "meta", name: "Cinematic Metadata", timescale: video.timescale,
      sampleEntry: TimedMetadata.sampleEntry(CinematicMetadata.keys))
    metadata.references = [.init("cdsc", to: videoTrack)]
    metadataTrack = addTrack(metadata)
  }

  /// Takes a sample and the number of its track in the movie.
  typealias Sink = (MediaSample, _ track: Int) throws(CinematicError) -> Void

  /// Whether a whole frame has come.
  var hasFrame: Bool { mapCount > 0 && firstMetadata != nil }

  func append(
    _ map: PixelBuffer, ticks: Int64, duration: Int64, sink: Sink
  ) throws(CinematicError) {
    guard map.format.isDisparity, map.dimensions == encoder.dimensions else {
      throw CinematicError(
        .incompatible,
        "\(path) takes disparity maps of \(encoder.dimensions), not pictures of \(map.dimensions)"
          + " in \(map.format)")
    }
    try encoder.encode(map, ticks: ticks, duration: duration) { sample throws(CinematicError) in
      try sink(sample, disparityTrack)
    }
    mapCount += 1
  }

  func append(
    focusDisparity: Float, fNumber: Float, ticks: Int64, duration: Int64, sink: Sink
  ) throws(CinematicError) {
    try CinematicMetadata.check(focusDisparity: focusDisparity, fNumber: fNumber)
    firstMetadata = firstMetadata ?? (focusDisparity, fNumber)
    let data = CinematicMetadata.sample(focusDisparity: focusDisparity, fNumber: fNumber)
    try sink(MediaSample(data: data, time: ticks, duration: duration), metadataTrack)
  }

  /// Gets everything out of the encoder.
  func finish(sink: Sink) throws(CinematicError) {
    try encoder.finish { sample throws(CinematicError) in try sink(sample, disparityTrack) }
  }

  /// The first frame's metadata with the focus script.
  func firstSample(with script: [UInt8]) -> [UInt8]? {
    firstMetadata.map {
      CinematicMetadata.sample(
        focusDisparity: $0.focusDisparity, fNumber: $0.fNumber, script: script)
    }
  }
}
