// SPDX-License-Identifier: Apache-2.0

import FocalBoxes
import FocalCaptions
import FocalCore

/// The tracks of timecode, chapters and captions of a movie that is written.
struct CompanionTracks {
  /// Of captions.
  static let alternateGroup: UInt16 = 2

  private struct Lane {
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
  private var lanes: [Lane] = []
  /// Whether a track of captions is enabled.
  private var showsCaptions = false
  /// A clock runs as long as the pictures: known at the end.
  private var timecode: (track: Int, start: Int64, sample: [UInt8])?

  /// - Parameters:
  ///   - timelineStart: the time that becomes zero, as of the pictures.
  ///   - timescale: of the pictures.
  ///   - size: of the pictures, as shown.
  init(
    _ companions: FilmCompanions, timelineStart: Time, timescale: Int32,
    size: (width: Double, height: Double)
  ) {
    // Captions have milliseconds.
    self.timescale = timescale >= 1000 ? timescale : timescale * ((999 + timescale) / timescale)
    let zero = companions.origin + timelineStart
    add(companions.timecode, zero - companions.timecodeTime)
    add(companions.chapters, zero)
    for text in companions.texts { add(text, zero, size) }
  }

  private mutating func add(_ clock: Timecode?, _ zero: Time) {
    guard let clock else { return }
    let shifted = zero > .zero ? clock.advanced(by: zero) : clock
    timecode = (tracks.count, ticks(max(-zero, .zero)), shifted.sample)
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
      if let last = rising.last { rising[rising.count - 1].end = min(last.end, sample.start) }
      rising.append(sample)
    }
    lanes.append(Lane(samples: rising, gap: gap))
  }

  private func ticks(_ time: Time) -> Int64 { time.converted(to: timescale).value }

  /// Takes a sample and its track's number in ``tracks``.
  typealias Sink = (MediaSample, _ track: Int) throws(CinematicError) -> Void

  /// Hands over the samples that end by a time of the movie. Longer ones may have to be cut at its end.
  mutating func write(until limit: Time, sink: Sink) throws(CinematicError) {
    let limit = ticks(limit)
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
    let last = ticks(end)
    for index in lanes.indices {
      while lanes[index].next < lanes[index].samples.count,
        lanes[index].samples[lanes[index].next].start < last
      {
        let next = lanes[index].next
        lanes[index].samples[next].end = min(lanes[index].samples[next].end, last)
        try hand(index, sink)
      }
      if let gap = lanes[index].gap, lanes[index].end > 0, lanes[index].end < last {
        try sink(
          MediaSample(data: gap, time: lanes[index].end, duration: last - lanes[index].end), index)
      }
    }
    let lastPicture = ticks(picturesEnd)
    if let timecode, timecode.start < lastPicture {
      try sink(
        MediaSample(
          data: timecode.sample, time: timecode.start,
          duration: min(lastPicture - timecode.start, Int64(Int32.max))), timecode.track)
    }
  }

  private mutating func hand(_ index: Int, _ sink: Sink) throws(CinematicError) {
    let sample = lanes[index].samples[lanes[index].next]
    // The end of a caption is the beginning of nothing.
    if let gap = lanes[index].gap, lanes[index].end < sample.start {
      try sink(
        MediaSample(data: gap, time: lanes[index].end, duration: sample.start - lanes[index].end),
        index)
    }
    let end = min(sample.end, sample.start + Int64(Int32.max))
    try sink(
      MediaSample(data: sample.data, time: sample.start, duration: end - sample.start), index)
    lanes[index].end = end
    lanes[index].next += 1
  }
}
