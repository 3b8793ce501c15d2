// SPDX-License-Identifier: Apache-2.0

import FocalBoxes
import FocalCaptions
import FocalCore

/// The tracks of timecode, chapters and captions of a movie that is written.
struct CompanionTracks {
  /// Of captions.
  static let alternateGroup: UInt16 = 2
  /// The longest that a sample lasts, in ticks: readers take more than 31 bits for a negative number. What is longer is
  /// written in pieces, of which all but the last last exactly so long.
  static let longestSample = Int64(Int32.max)
  /// Finer ticks than those of any frame rate are not taken from the pictures: in millionths, a chapter of 36 minutes
  /// would be in pieces, and players that do not join them list each.
  private static let finestTimescale: Int32 = 240_000
  /// What is taken instead: it has milliseconds and nearly all frame rates.
  private static let coarseTimescale: Int32 = 90_000

  private struct Lane {
    /// How the samples are coded.
    let entry: Box
    var samples: [(start: Int64, end: Int64, data: [UInt8])]
    /// The sample shown in gaps; `nil` keeps the last one.
    var gap: [UInt8]?
    var next = 0
    /// Where the last sample ends.
    var end: Int64 = 0
  }

  /// As they are added to the muxer, in order.
  private(set) var tracks: [TrackSettings] = []
  /// The references of the track of pictures: the kind of the reference and the number in ``tracks``.
  private(set) var references: [(type: FourCC, track: Int)] = []

  private let timescale: Int32
  /// Whether pictures have finer ticks.
  private let isCoarse: Bool
  private var lanes: [Lane] = []
  /// Whether a track of captions is enabled.
  private var showsCaptions = false
  /// A clock runs as long as the pictures: known at the end.
  private var timecode: (track: Int, start: Int64, clock: Timecode)?

  /// - Parameters:
  ///   - timelineStart: the time that becomes zero, as of the pictures.
  ///   - timescale: of the pictures.
  ///   - size: of the pictures, as shown.
  init(
    _ companions: FilmCompanions, timelineStart: Time, timescale: Int32,
    size: (width: Double, height: Double)
  ) {
    isCoarse = timescale > Self.finestTimescale
    // Captions have milliseconds.
    self.timescale =
      isCoarse
      ? Self.coarseTimescale
      : timescale >= 1000 ? timescale : timescale * ((999 + timescale) / timescale)
    let zero = companions.origin + timelineStart
    add(companions.timecode, zero - companions.timecodeTime)
    add(companions.chapters, zero)
    for text in companions.texts { add(text, zero, size) }
  }

  private mutating func add(_ clock: Timecode?, _ zero: Time) {
    guard let clock else { return }
    let shifted = zero > .zero ? clock.advanced(by: zero) : clock
    timecode = (tracks.count, ticks(max(-zero, .zero)), shifted)
    references.append(("tmcd", tracks.count))
    append(
      TrackSettings(
        handler: "tmcd", name: "Timecode", timescale: timescale, sampleEntry: shifted.sampleEntry),
      [], gap: nil)
  }

  private mutating func add(_ chapters: [Chapter], _ zero: Time) {
    let starts = chapters.map { $0.time - zero }
    var samples: [(start: Int64, end: Int64, data: [UInt8])] = []
    for (index, chapter) in chapters.enumerated() {
      let isLast = index + 1 == chapters.count
      guard isLast || starts[index + 1] > .zero else { continue }
      samples.append(
        (
          ticks(max(starts[index], .zero)), isLast ? .max : ticks(starts[index + 1]),
          SampleEntry.textSample(chapter.title, marksEncoding: true)
        ))
    }
    guard !samples.isEmpty else { return }
    references.append(("chap", tracks.count))
    var track = TrackSettings(
      handler: "text", name: "Chapters", timescale: timescale, sampleEntry: SampleEntry.text)
    track.isEnabled = false
    append(track, samples, gap: nil)
  }

  private mutating func add(
    _ text: FilmCompanions.TextTrack, _ zero: Time, _ size: (width: Double, height: Double)
  ) {
    let samples = text.samples.compactMap { sample -> (start: Int64, end: Int64, data: [UInt8])? in
      let end = sample.timeRange.end - zero
      let start = max(sample.timeRange.start, zero)
      guard end > .zero, ticks(start - zero) < ticks(end) else { return nil }
      // Captions that say no time of their file have the movie's, which is another one now.
      let data =
        zero == .zero ? sample.data : CaptionTrack.data(of: sample, in: text.entry, from: start)
      return (ticks(start - zero), ticks(end), data)
    }
    guard !samples.isEmpty else { return }
    var track = TrackSettings(
      handler: text.handler, name: text.labels.name ?? "Captions", timescale: timescale,
      sampleEntry: text.entry)
    // Players show those that are enabled, all at once.
    track.isEnabled = text.isEnabled && !showsCaptions
    showsCaptions = showsCaptions || track.isEnabled
    track.alternateGroup = Self.alternateGroup
    track.extraBoxes = text.labels.boxes
    track.extendedLanguage = text.labels.extendedLanguage
    track.shownSize = size
    if let code = text.languageCode { track.language = code }
    let gap: [UInt8]? =
      switch text.entry.type {
      case "tx3g", "text": [0, 0]
      case "wvtt": Box("vtte", data: [UInt8]()).bytes
      // Two bytes that say nothing, with odd parity.
      case "c608": Box("cdat", data: [0x80, 0x80]).bytes
      case "stpp": Array("<tt xmlns=\"http://www.w3.org/ns/ttml\"/>".utf8)
      default: nil
      }
    append(track, samples, gap: gap)
  }

  private mutating func append(
    _ track: TrackSettings, _ samples: [(start: Int64, end: Int64, data: [UInt8])], gap: [UInt8]?
  ) {
    var track = track
    track.isSparse = true
    track.expectedCount = samples.count
    tracks.append(track)
    // Samples of a track follow each other.
    var rising: [(start: Int64, end: Int64, data: [UInt8])] = []
    let ordered = samples.enumerated().sorted {
      ($0.element.start, $0.offset) < ($1.element.start, $1.offset)
    }
    for (_, sample) in ordered
    where sample.start > rising.last?.start ?? -1 {
      if let last = rising.last {
        rising[rising.count - 1].end = gap == nil ? sample.start : min(last.end, sample.start)
      }
      rising.append(sample)
    }
    lanes.append(Lane(entry: track.sampleEntry, samples: rising, gap: gap))
  }

  /// Coarser ticks than the pictures' are rounded up: a chapter that begins with a picture does not begin within the one
  /// before.
  private func ticks(_ time: Time) -> Int64 {
    let nearest = time.converted(to: timescale)
    return isCoarse && nearest < time ? nearest.value + 1 : nearest.value
  }

  /// An end that is not passed: coarser ticks are rounded down.
  private func ticks(ofEnd time: Time) -> Int64 {
    let nearest = time.converted(to: timescale)
    return isCoarse && nearest > time ? nearest.value - 1 : nearest.value
  }

  /// Takes a sample and its track's number in ``tracks``.
  typealias Sink = (MediaSample, _ track: Int) throws(CinematicError) -> Void

  /// Hands over the samples that end by a time of the movie. Longer ones may have to be cut at its end.
  mutating func write(until limit: Time, sink: Sink) throws(CinematicError) {
    let limit = ticks(ofEnd: limit)
    for index in lanes.indices {
      while lanes[index].next < lanes[index].samples.count,
        lanes[index].samples[lanes[index].next].end <= limit
      {
        try hand(index, sink)
      }
    }
  }

  /// Hands over the rest.
  ///
  /// - Parameter end: of pictures and sound, to which captions and chapters last; the clock is one of the pictures.
  mutating func finish(picturesEnd: Time, end: Time, sink: Sink) throws(CinematicError) {
    let last = ticks(ofEnd: end)
    for index in lanes.indices {
      while lanes[index].next < lanes[index].samples.count,
        lanes[index].samples[lanes[index].next].start < last
      {
        let next = lanes[index].next
        lanes[index].samples[next].end = min(lanes[index].samples[next].end, last)
        try hand(index, sink)
      }
      if lanes[index].end > 0 { try fillGap(index, until: last, sink) }
    }
    try writeTimecode(until: ticks(ofEnd: picturesEnd), sink)
  }

  /// A sample says the number of its first frame: pieces have whole frames, within a tick.
  private func writeTimecode(until end: Int64, _ sink: Sink) throws(CinematicError) {
    guard let timecode else { return }
    var (start, clock) = (timecode.start, timecode.clock)
    let frame = Int64(clock.frameDuration) * Int64(timescale)
    // None of a clock that counts nothing, or whose frames last longer than a piece.
    let frames =
      frame > 0 && clock.timescale > 0 ? Self.longestSample * Int64(clock.timescale) / frame : 0
    let piece = frames > 0 ? frames * frame / Int64(clock.timescale) : Self.longestSample
    while start < end {
      let pieceEnd = end - start > Self.longestSample ? start + max(piece, 1) : end
      try sink(
        MediaSample(data: clock.sample, time: start, duration: pieceEnd - start), timecode.track)
      clock = clock.advanced(byFrames: frames)
      start = pieceEnd
    }
  }

  private mutating func hand(_ index: Int, _ sink: Sink) throws(CinematicError) {
    let sample = lanes[index].samples[lanes[index].next]
    // The end of a caption is the beginning of nothing.
    try fillGap(index, until: sample.start, sink)
    let range = TimeRange(
      start: Time(value: sample.start, timescale: timescale),
      end: Time(value: sample.end, timescale: timescale))
    try write(from: sample.start, to: sample.end, index, sink) { start in
      if start == sample.start { return sample.data }
      // Codes of line 21 are sent once: what they put on the screen stays there.
      if lanes[index].entry.type == "c608", let gap = lanes[index].gap { return gap }
      return CaptionTrack.data(
        of: (range, sample.data), in: lanes[index].entry,
        from: Time(value: start, timescale: timescale))
    }
    lanes[index].end = sample.end
    lanes[index].next += 1
  }

  private func fillGap(_ index: Int, until end: Int64, _ sink: Sink) throws(CinematicError) {
    guard let gap = lanes[index].gap else { return }
    try write(from: lanes[index].end, to: end, index, sink) { _ in gap }
  }

  /// Writes one sample, or the pieces of a longer one.
  ///
  /// - Parameter data: of the piece that begins at a tick.
  private func write(
    from start: Int64, to end: Int64, _ track: Int, _ sink: Sink, data: (Int64) -> [UInt8]
  ) throws(CinematicError) {
    var start = start
    while start < end {
      let piece = min(end - start, Self.longestSample)
      try sink(MediaSample(data: data(start), time: start, duration: piece), track)
      start += piece
    }
  }
}
