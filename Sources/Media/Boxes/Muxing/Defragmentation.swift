// SPDX-License-Identifier: Apache-2.0

import FocalCore

/// Makes one index of a movie in fragments: every sample stays where it lies, and the tables of the
/// tracks list all of them.
///
/// Unknown boxes of the index stay byte for byte. Facts that fragments hold of their samples beside place,
/// time and size stays in the file and is no longer in force.
public struct Defragmentation: Sendable {
  private let movie: Box
  private let defaults: [UInt32: TrackExtends]
  private let fileSize: Int64
  private var indices: [UInt32: SampleIndex] = [:]

  /// Boxes of fragments without which their samples cannot be decoded.
  private static let encryption: Set<FourCC> = ["senc", "saiz", "saio"]

  /// - Parameters:
  ///   - movie: a parsed `moov` with its `mvex`.
  ///   - fileSize: bytes of the file, which bound what is believed.
  /// - Throws: `malformed` for tracks that cannot be read.
  public init(_ movie: Box, fileSize: Int64) throws(CinematicError) {
    self.movie = movie
    self.fileSize = fileSize
    var defaults: [UInt32: TrackExtends] = [:]
    for box in movie["mvex"]?.all("trex") ?? [] {
      let extends = try TrackExtends(box.data)
      defaults[extends.trackID] = extends
    }
    self.defaults = defaults
    for track in movie.all("trak") {
      guard let header = track["tkhd"], let table = track.at("mdia", "minf", "stbl") else {
        throw .malformedMovie("a track has no header or no tables")
      }
      var tables: [FourCC: ArraySlice<UInt8>] = [:]
      for box in table.boxes where SampleIndex.tableTypes.contains(box.type) {
        tables[box.type] = box.data
      }
      // Samples that the index itself lists come first.
      indices[try TrackHeader(header.data).trackID] = try SampleIndex(
        tables: tables, fileSize: fileSize)
    }
  }

  /// Adds a fragment; they come in the order of the file.
  ///
  /// - Parameters:
  ///   - fragment: a parsed `moof`.
  ///   - offset: where it begins in the file.
  /// - Throws: `malformed` for runs that contradict themselves or reach beyond the file, `unsupported`
  ///   for encrypted samples.
  public mutating func add(fragment: Box, at offset: Int64) throws(CinematicError) {
    for box in fragment.all("traf")
    where box.boxes.contains(where: { Self.encryption.contains($0.type) }) {
      throw CinematicError(
        .unsupported, "the movie's fragments are encrypted", remedy: "decrypt it first")
    }
    try SampleIndex.append(
      fragment: fragment, at: offset, defaults: defaults, to: &indices, fileSize: fileSize)
    guard !indices.values.contains(where: \.isCutShort) else {
      throw .malformedMovie("the fragment at byte \(offset) reaches beyond the file")
    }
  }

  /// The index with all samples in its tables.
  ///
  /// - Throws: `malformed` for times that fall, `unsupported` for those that the format cannot hold.
  public func movieBox() throws(CinematicError) -> Box {
    guard let headerBox = movie["mvhd"] else {
      throw .malformedMovie("the movie has no box 'mvhd'")
    }
    let timescale = try MovieHeader(headerBox.data).timescale
    var tracks: [Track] = []
    for box in movie.all("trak") { tracks.append(try track(box, movieTimescale: timescale)) }
    let scale = Self.timescale(tracks, timescale)
    var rest = tracks[...]
    var result = movie
    result.boxes = []
    for box in movie.boxes where box.type != "mvex" {
      switch box.type {
      case "trak":
        if let track = rest.popFirst() { result.boxes.append(track.box(movieTimescale: scale)) }
      case "mvhd":
        let end = tracks.map(\.end).max() ?? .zero
        result.boxes.append(box.lasting(end.converted(to: scale).value, timescale: scale))
      default: result.boxes.append(box)
      }
    }
    return result
  }

  /// A timescale in which every edit is exact, if there is one.
  private static func timescale(_ tracks: [Track], _ old: Int32) -> Int32 {
    var scale = Int64(old)
    for edit in tracks.flatMap({ $0.edits ?? [] }) {
      let (ticks, base) = (edit.duration.value, Int64(edit.duration.timescale))
      let divisor = Time.greatestCommonDivisor(ticks.magnitude, UInt64(base))
      let needed = base / Int64(divisor)
      let shared = Int64(Time.greatestCommonDivisor(UInt64(scale), UInt64(needed)))
      let (common, overflow) = (scale / shared).multipliedReportingOverflow(by: needed)
      guard !overflow, common <= Int64(Int32.max) else { return old }
      scale = common
    }
    return Int32(scale)
  }

  /// A track, taken out of its fragments.
  private struct Track {
    struct Edit {
      var duration: Time
      /// In ticks of the media, from its first sample; -1 shows nothing.
      var mediaTime: Int64
      var rate: Int32
    }

    let source: Box
    let log: SampleLog
    /// `nil` where there are and need be none.
    let edits: [Edit]?
    let end: Time

    func box(movieTimescale: Int32) -> Box {
      var track = source
      if let edits {
        track = track.with(
          EditList.box(
            edits.map {
              EditList.Edit(
                duration: $0.duration.converted(to: movieTimescale).value,
                mediaTime: $0.mediaTime, rate: $0.rate)
            }))
      }
      track.boxes = track.boxes.map { box in
        switch box.type {
        case "tkhd": box.lasting(end.converted(to: movieTimescale).value)
        case "mdia": box.listing(log)
        default: box
        }
      }
      return track
    }
  }

  private func track(_ box: Box, movieTimescale: Int32) throws(CinematicError) -> Track {
    guard let header = box["tkhd"], let mediaHeader = box.at("mdia", "mdhd") else {
      throw .malformedMovie("a track has no header")
    }
    let index = indices[try TrackHeader(header.data).trackID] ?? SampleIndex()
    let timescale = try MediaHeader(mediaHeader.data).timescale
    let list = try box.at("edts", "elst").map { box throws(CinematicError) in
      try EditList(box.data)
    }
    let timeline = Timeline(
      index, mediaTimescale: timescale, movieTimescale: movieTimescale, edits: list,
      isFragmented: true)
    let samples: SampleLog
    if let plain = plainLog(index, box) { samples = plain } else { samples = try log(index) }
    return Track(
      source: box, log: samples,
      edits: edits(list, timeline, zero: index.isEmpty ? 0 : index[0].decodeTime, movieTimescale),
      end: timeline.timeRange.end)
  }

  /// The edits as they are meant without fragments: with their lengths, and counted from the first
  /// sample, where tables begin.
  private func edits(
    _ list: EditList?, _ timeline: Timeline, zero: Int64, _ movieTimescale: Int32
  ) -> [Track.Edit]? {
    guard zero != 0 || list?.edits.isEmpty == false else { return nil }
    let whole = [EditList.Edit(duration: 0, mediaTime: 0)]
    var edits: [Track.Edit] = []
    for edit in list.map({ $0.edits.isEmpty ? whole : $0.edits }) ?? whole {
      var length = Time(value: edit.duration, timescale: movieTimescale)
      guard !edit.isEmpty else {
        edits.append(.init(duration: length, mediaTime: -1, rate: edit.rate))
        continue
      }
      func time(_ ticks: Int64) -> Time { Time(value: ticks, timescale: timeline.mediaTimescale) }
      // Without a length it goes on to the end.
      if edit.duration == 0 { length = time(max(0, timeline.mediaEnd - edit.mediaTime)) }
      var begin = edit.mediaTime - zero
      if begin < 0 {
        // Before the first sample there is nothing to see.
        let wait = min(time(-begin), length)
        edits.append(.init(duration: wait, mediaTime: -1, rate: 1 << 16))
        length = length - wait
        begin = 0
      }
      if length > .zero { edits.append(.init(duration: length, mediaTime: begin, rate: edit.rate)) }
    }
    return edits
  }

  /// The sample entries of plain sound.
  private static let plainFormats: Set<FourCC> = [
    "lpcm", "sowt", "twos", "raw ", "ulaw", "alaw", "in24", "in32", "fl32", "fl64",
  ]

  /// Of plain sound whose fragments hold many ticks as one sample: as tables have it, one a tick.
  private func plainLog(_ index: SampleIndex, _ track: Box) -> SampleLog? {
    guard let format = track.at("mdia", "minf", "stbl", "stsd")?.boxes.first?.type,
      Self.plainFormats.contains(format), !index.isEmpty, index[0].duration > 1
    else { return nil }
    let frameSize = index[0].size / Int(index[0].duration)
    var log = SampleLog(plainFrameSize: frameSize)
    for number in 0..<index.count {
      let sample = index[number]
      guard frameSize > 0, sample.duration > 0, sample.duration <= Int64(Int32.max),
        sample.size == Int(sample.duration) * frameSize, sample.description == 0,
        log.plainFrameCount + Int(sample.duration) <= Int(UInt32.max)
      else { return nil }
      log.append(plainFrames: Int(sample.duration))
      log.appendChunk(offset: sample.offset, count: Int(sample.duration))
    }
    return log
  }

  private func log(_ index: SampleIndex) throws(CinematicError) -> SampleLog {
    var log = SampleLog()
    var chunk: (offset: Int64, end: Int64, count: Int, description: Int)?
    for number in 0..<index.count {
      let sample = index[number]
      guard let duration = Int32(exactly: sample.duration), duration >= 0 else {
        throw .malformedMovie(
          "a sample is decoded at tick \(sample.decodeTime) and lasts \(sample.duration)")
      }
      log.append(
        size: UInt32(sample.size), duration: UInt32(duration),
        shift: Int32(truncatingIfNeeded: sample.compositionTime - sample.decodeTime),
        isSync: sample.isSync)
      if var open = chunk, open.end == sample.offset, open.description == sample.description {
        open.end += Int64(sample.size)
        open.count += 1
        chunk = open
        continue
      }
      if let chunk {
        log.appendChunk(offset: chunk.offset, count: chunk.count, description: chunk.description)
      }
      chunk = (sample.offset, sample.offset + Int64(sample.size), 1, sample.description)
    }
    if let chunk {
      log.appendChunk(offset: chunk.offset, count: chunk.count, description: chunk.description)
    }
    return log
  }
}
