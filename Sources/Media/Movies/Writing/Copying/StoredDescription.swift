// SPDX-License-Identifier: Apache-2.0

import FocalBoxes
import FocalCore

/// What a QuickTime or MP4 file says about itself and one of its tracks beyond what FFmpeg tells, so
/// that a copy says the same.
struct StoredDescription {
  /// The track's sample entry, as it stands in the file.
  var entry: Box?
  var entryCount: Int
  var matrix = TransformMatrix.identity
  var shownSize: (width: Double, height: Double) = (0, 0)
  var language: String?
  /// Descriptions of the track and of the movie.
  var trackExtras: [Box] = []
  var movieExtras: [Box] = []
  var creationTime: UInt32 = 0
  /// Whether the file is QuickTime's, not an MP4.
  var isQuickTime: Bool

  /// - Returns: `nil` for a file of another kind, or a track that is not there.
  init?(_ file: SourceFile, trackID: Int32, isSound: Bool) throws(CinematicError) {
    guard file.isBoxFile else { return nil }
    let boxes = try file.topLevelBoxes()
    guard boxes.contains(where: { $0.type == "moov" }) else { return nil }
    let movie = try file.movieBox(boxes).box
    let type = boxes.first { $0.type == "ftyp" && $0.size < 4096 }
    isQuickTime =
      try type.map { header throws(CinematicError) in
        try FileType(file.read(at: header.contentOffset, count: Int(header.contentSize))[...])
          .isQuickTime
      } ?? true
    guard
      let track = movie.all("trak").first(where: { track in
        let header = track["tkhd"].flatMap { try? TrackHeader($0.data) }
        return header?.trackID == UInt32(bitPattern: trackID)
      }),
      let header = try track["tkhd"].map({ box throws(CinematicError) in
        try TrackHeader(box.data)
      })
    else { return nil }
    let entries = track.at("mdia", "minf", "stbl", "stsd")
    entry = entries?.boxes.first
    entryCount = entries?.boxes.count ?? 0
    matrix = header.matrix
    shownSize = (Double(header.width) / 65536, Double(header.height) / 65536)
    language = track.at("mdia", "mdhd").flatMap { try? MediaHeader($0.data) }?.languageCode
    let kept: Set<FourCC> = ["udta", "meta"]
    trackExtras = track.boxes.filter { kept.contains($0.type) || (!isSound && $0.type == "tapt") }
    movieExtras = movie.boxes.filter { kept.contains($0.type) }
    if let clock = movie["mvhd"].flatMap({ try? MovieHeader($0.data) }) {
      creationTime = UInt32(clamping: clock.creationTime)
    }
  }
}
