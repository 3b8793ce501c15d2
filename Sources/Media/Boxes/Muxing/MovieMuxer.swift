// SPDX-License-Identifier: Apache-2.0

import FocalCore

/// Where a muxer's bytes go.
public protocol ByteSink: AnyObject {
  /// Adds bytes at the end.
  func write(_ bytes: [UInt8]) throws(CinematicError)
  /// Replaces bytes that were written.
  func overwrite(_ bytes: [UInt8], at offset: Int64) throws(CinematicError)
  /// Replaces bytes of which nothing that was written depends.
  func patch(_ bytes: [UInt8], at offset: Int64) throws(CinematicError)
  /// Moves everything from an offset to the end; the file becomes longer or shorter by the distance.
  /// A gap before it has undefined contents.
  func move(from offset: Int64, by distance: Int64) throws(CinematicError)
  /// Hands on what was written, so that it outlives this process.
  func flush() throws(CinematicError)
}

/// Writes a QuickTime or MP4 movie, in one of two layouts (``Layout``).
///
/// Memory: the samples of a fragment, and some ten bytes a sample for the index.
public struct MovieMuxer {
  /// Where the index stands, and what there is of the movie before it is finished.
  public enum Layout: Hashable, Sendable {
    /// The movie is playable at every moment. While it grows it is fragmented: whatever ends the
    /// program, the file plays up to its last whole fragment. At the end a full index follows the
    /// fragments, and one write of 16 bytes at the front makes everything between the front and that
    /// index plain media data. The finished movie is an ordinary one whose index stands last, as
    /// cameras write it; readers find it with two more small reads.
    case growing
    /// The index stands before the media data, so that players begin before they have the whole file.
    /// There is no movie before it is finished. Room for the index is kept by the tracks'
    /// ``TrackSettings/expectedCount``; if that does not fit what comes, the data is moved at the end.
    case indexFirst
  }

  /// The parts of a movie beside its tracks.
  public struct Settings: Sendable {
    /// Ticks a second of durations and edits, at least 1; tracks' start times should be whole ticks of it.
    public var timescale: Int32 = 600
    /// QuickTime or MP4.
    public var format = MovieFormat.quickTime
    /// Where the index stands.
    public var layout = Layout.growing
    /// Seconds since the beginning of 1904; zero for no statement.
    public var creationTime: UInt32 = 0
    /// Descriptions under `mdta` keys.
    public var metadata: [ItemMetadata.Item] = []
    /// Boxes that the movie gets beside its own: descriptions copied from elsewhere.
    public var extraBoxes: [Box] = []
    /// Boxes that the file gets beside the movie, before it: descriptions likewise.
    public var fileBoxes: [Box] = []
    /// How much of the movie a fragment holds, in seconds; where the index stands first, how much of a
    /// track lies together. Finite and above 0.
    public var fragmentSeconds = 1.0
    /// A fragment is written, whatever it spans, before its samples take more bytes than this.
    public var fragmentBytes = 32 << 20

    /// The default settings.
    public init() {}

    /// Whether movies are written by them.
    ///
    /// - Throws: `invalidParameter` for fragments that span no time, and for seconds without a tick.
    package func validate() throws(CinematicError) {
      guard timescale >= 1 else {
        throw CinematicError(
          .invalidParameter, "a movie cannot have \(timescale) ticks a second",
          remedy: "give a timescale of at least 1")
      }
      guard fragmentSeconds.isFinite, fragmentSeconds > 0 else {
        throw CinematicError(
          .invalidParameter, "a fragment of a movie cannot span \(fragmentSeconds) s",
          remedy: "give a finite number of seconds above zero")
      }
    }
  }

  let sink: any ByteSink
  let settings: Settings
  var lanes: [Lane] = []
  private(set) var position: Int64 = 0
  /// Where the index will stand that comes first.
  private(set) var indexOffset: Int64 = 0
  /// Where the head of the media data will stand.
  private(set) var coverOffset: Int64 = 0
  private var sequenceNumber: UInt32 = 0
  private var isBegun = false
  private var isFinished = false
  private var lastCut = 0.0

  /// A movie that grows in a sink.
  public init(_ settings: Settings, sink: any ByteSink) {
    self.settings = settings
    self.sink = sink
  }

  /// Adds a track; all are added before the first sample.
  ///
  /// - Returns: its number in the order of addition, from 0.
  public mutating func addTrack(_ track: TrackSettings) -> Int {
    precondition(!isBegun, "tracks are added before the first sample")
    lanes.append(Lane(settings: track, id: UInt32(lanes.count + 1)))
    return lanes.count - 1
  }

  /// Where a track's last sample ends that is shown or heard; zero before the first.
  package func end(of track: Int) -> Time {
    Time(value: lanes[track].timeline?.end ?? 0, timescale: lanes[track].settings.timescale)
  }

  /// Adds a track's next sample.
  ///
  /// - Throws: `invalidParameter` for a decoding time that does not rise, and for settings by which no movie or none of the
  ///   tracks is written; `unsupported` for times too far apart for the format and for a picture beside another; the
  ///   sink's errors.
  public mutating func append(_ sample: MediaSample, to track: Int) throws(CinematicError) {
    guard sample.beside == nil else {
      throw CinematicError(
        .unsupported, "the movie has no place for alpha beside its pictures",
        remedy: "write .webm, or choose ProRes 4444")
    }
    if !isBegun {
      try settings.validate()
      for lane in lanes { try lane.settings.validate() }
    }
    isBegun = true
    try lanes[track].append(sample)
    let bytes = lanes.reduce(0) { $0 + $1.pendingBytes }
    if bytes > settings.fragmentBytes {
      try flush(until: .infinity)
      return
    }
    // A fragment is due when every track has reached its end, or when one is far ahead of those that
    // wait for something.
    let ends = lanes.filter { !$0.settings.isSparse }.map(\.pendingEnd)
    let due = lastCut + settings.fragmentSeconds
    if ends.min() ?? 0 >= due || ends.max() ?? 0 >= due + 4 * settings.fragmentSeconds {
      try flush(until: max(due, (ends.max() ?? 0) - 4 * settings.fragmentSeconds))
    }
  }

  /// Writes the samples that are decoded before a time, in seconds; of each track the last one waits
  /// for the next, which says how long it lasts.
  private mutating func flush(until cut: Double, isLast: Bool = false) throws(CinematicError) {
    if cut.isFinite { lastCut = cut }
    var runs: [(lane: Int, run: FragmentBoxes.Run, data: [MediaSample])] = []
    for index in lanes.indices {
      let taken = try lanes[index].take(until: cut, isLast: isLast)
      if let taken { runs.append((index, taken.run, taken.samples)) }
    }
    guard !runs.isEmpty else { return }
    if sequenceNumber == 0 { try writeFront() }
    sequenceNumber += 1
    if settings.layout == .growing { try writeHead(of: runs.map(\.run)) }
    for (lane, run, samples) in runs {
      lanes[lane].log(run, at: position)
      for sample in samples { try write(sample.data) }
    }
    if settings.layout == .growing { try sink.flush() }
  }

  /// The head of a fragment and of its data.
  private mutating func writeHead(of runs: [FragmentBoxes.Run]) throws(CinematicError) {
    let head = FragmentBoxes(sequenceNumber: sequenceNumber, runs: runs).box
    let size = runs.reduce(0) { $0 + $1.byteCount }
    guard size <= Int(Int32.max) - head.size - 8 else {
      throw CinematicError(
        .unsupported, "one sample of the movie has more than two gigabytes",
        remedy: "compress the pictures")
    }
    var writer = ByteWriter()
    writer.box(head)
    writer.u32(UInt32(size + 8))
    writer.fourCC("mdat")
    try write(writer.bytes)
  }

  /// The front: the brand, then room for the head of the data and the tracks of a growing movie, or
  /// room for the index and for the head of the data.
  private mutating func writeFront() throws(CinematicError) {
    let isAdvancedVideo = lanes.contains { $0.settings.sampleEntry.type == "avc1" }
    try write(settings.format.fileType(isAdvancedVideo: isAdvancedVideo).bytes)
    for box in settings.fileBoxes { try write(box.bytes) }
    indexOffset = position
    if settings.layout == .indexFirst {
      try write([UInt8](repeating: 0, count: expectedIndexSize))
    }
    coverOffset = position
    try write(Box("free", data: [UInt8](repeating: 0, count: 8)).bytes)
    if settings.layout == .growing { try write(movie(isGrowing: true).bytes) }
  }

  /// Writes what is left and the index.
  ///
  /// - Parameter replacement: the bytes that a track's first sample has instead of its own.
  /// - Throws: `incomplete` without any sample, `unsupported`, the sink's errors.
  public mutating func finish(
    replacingFirstSampleOf replacement: (track: Int, data: [UInt8])? = nil
  ) throws(CinematicError) {
    precondition(!isFinished, "a movie is finished once")
    isFinished = true
    try flush(until: .infinity, isLast: true)
    guard sequenceNumber > 0 else {
      throw CinematicError(.incomplete, "the movie has no samples")
    }
    if let replacement, lanes[replacement.track].log.count > 0 {
      guard let size = UInt32(exactly: replacement.data.count) else {
        throw CinematicError(.unsupported, "a sample of four gigabytes cannot be stored")
      }
      lanes[replacement.track].log.moveFirst(to: position, size: size)
      try write(replacement.data)
    }
    guard settings.layout == .growing else { return try writeIndexFirst() }
    let cover = cover
    try write(movie(isGrowing: false).bytes)
    try sink.flush()
    try sink.overwrite(cover, at: coverOffset)
    try sink.flush()
  }

  /// The head of a box that holds everything from there to the end.
  var cover: [UInt8] {
    var cover = ByteWriter()
    cover.u32(1)
    cover.fourCC("mdat")
    cover.i64(position - coverOffset)
    return cover.bytes
  }

  /// - Parameter distance: how much farther behind the data will lie.
  func movie(isGrowing: Bool, movedBy distance: Int64 = 0) -> Box {
    // A track without samples says nothing, once that is certain.
    let ids = lanes.map { isGrowing || $0.log.count > 0 ? $0.id : nil }
    var tracks: [Box] = []
    var duration: Int64 = 0
    for (lane, id) in zip(lanes, ids) {
      guard let id else { continue }
      let builder = TrackBoxes(
        settings: lane.settings, id: id, ids: ids, movieTimescale: settings.timescale,
        format: settings.format, creationTime: settings.creationTime)
      var log = isGrowing ? SampleLog() : lane.log
      if distance != 0 { log.move(by: distance) }
      tracks.append(builder.track(log: log, timeline: lane.timeline, isGrowing: isGrowing))
      if !isGrowing, let timeline = lane.timeline {
        duration = max(duration, builder.movieTicks(timeline.end))
      }
    }
    var boxes = [header(duration: duration)] + tracks
    if isGrowing {
      let defaults = lanes.map { lane in
        Box("trex", version: 0) { writer in
          writer.u32(lane.id)
          writer.u32(1)
          writer.zeros(12)
        }
      }
      boxes.append(Box("mvex", defaults))
    }
    if !settings.metadata.isEmpty { boxes.append(.metadata(settings.metadata)) }
    return Box("moov", boxes + settings.extraBoxes)
  }

  private func header(duration: Int64) -> Box {
    let isWide = duration > Int64(UInt32.max)
    return Box("mvhd", version: isWide ? 1 : 0) { writer in
      writer.count(Int64(settings.creationTime), wide: isWide)
      writer.count(Int64(settings.creationTime), wide: isWide)
      writer.u32(UInt32(settings.timescale))
      writer.count(duration, wide: isWide)
      writer.u32(1 << 16)  // at normal speed
      writer.u16(0x100)  // at full volume
      writer.zeros(10)
      for value in TransformMatrix.identity.values { writer.i32(value) }
      writer.zeros(24)
      writer.u32(UInt32(lanes.count + 1))
    }
  }

  private mutating func write(_ bytes: [UInt8]) throws(CinematicError) {
    try sink.write(bytes)
    position += Int64(bytes.count)
  }
}
