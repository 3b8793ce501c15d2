// SPDX-License-Identifier: Apache-2.0

import FocalCore

/// A finished movie's index with other timed metadata of this project; everything else in it stays
/// byte for byte.
public struct MovieRevision: Sendable {
  /// A sample of the new metadata track.
  public struct Sample: Sendable {
    /// Bytes of the sample.
    public var size: Int
    /// Ticks of the track's timescale, from the movie's zero; they rise.
    public var time: Int64
    /// How long the sample holds, in the same ticks.
    public var duration: Int64

    /// A sample of `size` bytes; `time` and `duration` in ticks of the track's timescale.
    public init(size: Int, time: Int64, duration: Int64) {
      self.size = size
      self.time = time
      self.duration = duration
    }
  }

  private let movie: Box
  private let header: MovieHeader
  /// The track of the pictures that the metadata describe.
  public let videoTrackID: UInt32
  /// The timescale of those pictures.
  public let timescale: Int32

  /// - Parameter movie: a parsed `moov`.
  /// - Throws: `incomplete` for one without pictures, `unsupported` for one whose samples are in
  ///   fragments (see ``Defragmentation``), `malformed`.
  public init(_ movie: Box) throws(CinematicError) {
    guard movie["mvex"] == nil else {
      throw CinematicError(
        .unsupported, "the movie is in fragments", remedy: "give it one index first")
    }
    guard let headerBox = movie["mvhd"] else {
      throw CinematicError.malformedMovie("the movie has no box 'mvhd'")
    }
    self.movie = movie
    header = try MovieHeader(headerBox.data)
    for track in movie.all("trak") {
      guard try Self.handler(track) == "vide", try Self.format(track) != "dish",
        let trackHeader = track["tkhd"], let mediaHeader = track.at("mdia", "mdhd")
      else { continue }
      videoTrackID = try TrackHeader(trackHeader.data).trackID
      timescale = try MediaHeader(mediaHeader.data).timescale
      return
    }
    throw CinematicError(
      .incomplete, "the movie has no pictures", remedy: "give a Cinematic movie")
  }

  /// The index with this project's metadata track in the place of the one that it had.
  ///
  /// - Parameters:
  ///   - samples: at least one.
  ///   - offset: where the first sample's bytes stand in the file; the others follow.
  /// - Throws: `malformed` for tracks that cannot be read, `invalidParameter` for times that do not
  ///   rise, `unsupported` for sizes and times beyond the format.
  public func movie(
    with samples: [Sample], at offset: Int64
  ) throws(CinematicError) -> Box {
    var boxes: [Box] = []
    var place: Int?
    var id: UInt32?
    var largest: UInt32 = 0
    for box in movie.boxes {
      if box.type == "trak" {
        if let header = box["tkhd"] {
          let number = try TrackHeader(header.data).trackID
          largest = max(largest, number)
          if try Self.isOwn(box) {
            if place == nil { (place, id) = (boxes.count, number) }
            continue
          }
        }
      }
      boxes.append(box)
    }
    let position = place ?? (boxes.lastIndex { $0.type == "trak" } ?? boxes.count - 1) + 1
    guard let number = id ?? (largest < .max ? largest + 1 : nil) else {
      throw CinematicError(.unsupported, "the movie's tracks have no number left")
    }
    boxes.insert(try track(samples, offset, id: number), at: position)
    var revised = movie
    revised.boxes = boxes.map { box in
      guard box.type == "mvhd", number >= header.nextTrackID else { return box }
      // The last field, whatever the version.
      var writer = ByteWriter()
      writer.u32(number &+ 1)
      var box = box
      box.content = .data(box.data.dropLast(4) + writer.bytes)
      return box
    }
    return revised
  }

  private func track(
    _ samples: [Sample], _ offset: Int64, id: UInt32
  ) throws(CinematicError) -> Box {
    var settings = TrackSettings(
      handler: "meta", name: "Cinematic Metadata", timescale: timescale,
      sampleEntry: TimedMetadata.sampleEntry(CinematicMetadata.keys))
    settings.references = [.init("cdsc", to: 0)]
    var log = SampleLog()
    guard let first = samples.first, let last = samples.last else {
      throw CinematicError(.incomplete, "there is no metadata to write")
    }
    let boxes = TrackBoxes(
      settings: settings, id: id, ids: [videoTrackID], movieTimescale: header.timescale,
      creationTime: UInt32(clamping: header.creationTime))
    // In ticks of the track and of the movie: their sums and differences are times, too.
    func isTime(_ ticks: Int64) -> Bool {
      ticks.magnitude < MovieMuxer.Lane.latest
        && boxes.movieTicks(ticks).magnitude < MovieMuxer.Lane.latest
    }
    let end = last.time.addingReportingOverflow(last.duration)
    guard !end.overflow, isTime(end.partialValue), samples.allSatisfy({ isTime($0.time) }) else {
      throw CinematicError(
        .unsupported, "a metadata sample is too late or lasts too long",
        remedy: "give times of the movie's frames")
    }
    for (index, sample) in samples.enumerated() {
      let next = index + 1 < samples.count ? samples[index + 1].time : sample.time + sample.duration
      guard next > sample.time else {
        throw CinematicError(
          .invalidParameter, "the times of the metadata do not rise: \(next) follows \(sample.time)"
        )
      }
      guard let size = UInt32(exactly: sample.size),
        let duration = Int32(exactly: next - sample.time).map(UInt32.init)
      else {
        throw CinematicError(.unsupported, "a metadata sample is too large or lasts too long")
      }
      log.append(size: size, duration: duration, shift: 0, isSync: true)
    }
    log.appendChunk(offset: offset, count: samples.count)
    return boxes.track(
      log: log,
      timeline: .init(mediaZero: first.time, start: first.time, end: last.time + last.duration),
      isGrowing: false)
  }

  private static func handler(_ track: Box) throws(CinematicError) -> FourCC? {
    guard let box = track.at("mdia", "hdlr") else { return nil }
    return try HandlerReference(box.data).handler
  }

  private static func format(_ track: Box) throws(CinematicError) -> FourCC? {
    track.at("mdia", "minf", "stbl", "stsd")?.boxes.first?.type
  }

  /// Whether a track holds this project's metadata and no other.
  private static func isOwn(_ track: Box) throws(CinematicError) -> Bool {
    guard try handler(track) == "meta",
      let entries = track.at("mdia", "minf", "stbl", "stsd")?.boxes, !entries.isEmpty
    else { return false }
    var hasFocus = false
    for box in entries {
      let entry = try SampleEntry(box, handler: "meta")
      // Other programs' keys would be lost with the track.
      guard case .metadata(let keys) = entry.details,
        !keys.isEmpty, keys.allSatisfy({ $0.identifier.hasPrefix(CinematicKey.prefix) })
      else { return false }
      hasFocus = hasFocus || entry.isOwnMetadata
    }
    return hasFocus
  }
}
