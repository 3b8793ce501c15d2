// SPDX-License-Identifier: Apache-2.0

import FocalCore
import Testing

@testable import FocalBoxes

/// A muxer's file in memory.
final class MemorySink: ByteSink {
  var bytes: [UInt8] = []
  /// How long the file was at each hand-over.
  var flushes: [Int] = []
  /// How often what was written was moved.
  var moveCount = 0

  func write(_ bytes: [UInt8]) { self.bytes += bytes }
  func overwrite(_ bytes: [UInt8], at offset: Int64) {
    self.bytes.replaceSubrange(Int(offset)..<(Int(offset) + bytes.count), with: bytes)
  }
  func patch(_ bytes: [UInt8], at offset: Int64) { overwrite(bytes, at: offset) }
  func move(from offset: Int64, by distance: Int64) {
    moveCount += 1
    if distance > 0 {
      bytes.insert(contentsOf: [UInt8](repeating: 0xAA, count: Int(distance)), at: Int(offset))
    } else {
      bytes.removeSubrange(Int(offset + distance)..<Int(offset))
    }
  }
  func flush() { flushes.append(bytes.count) }
}

/// The tracks of a movie as they stand in its file.
struct WrittenMovie {
  struct Track {
    var box: Box
    var index: SampleIndex
  }

  var topLevel: [FourCC] = []
  var movie: Box
  var tracks: [Track] = []

  /// Reads the boxes up to where the file is cut off.
  init(_ bytes: [UInt8]) throws {
    var movie: Box?
    var fragments: [(Box, Int64)] = []
    var offset = 0
    while bytes.count - offset >= 8 {
      let header = try BoxHeader(bytes[offset...], offset: Int64(offset), limit: .max / 4)
      topLevel.append(header.type)
      guard header.end <= Int64(bytes.count) else { break }
      let box = try Box.parse(bytes[offset..<Int(header.end)], offset: Int64(offset))[0]
      if header.type == "moov" { movie = box }
      if header.type == "moof" { fragments.append((box, Int64(offset))) }
      offset = Int(header.end)
    }
    self.movie = try #require(movie)
    var defaults: [UInt32: TrackExtends] = [:]
    for box in self.movie["mvex"]?.all("trex") ?? [] {
      let trex = try TrackExtends(box.data)
      defaults[trex.trackID] = trex
    }
    var indices: [UInt32: SampleIndex] = [:]
    for (box, offset) in fragments {
      try SampleIndex.append(
        fragment: box, at: offset, defaults: defaults, to: &indices,
        fileSize: Int64(bytes.count))
    }
    for track in self.movie.all("trak") {
      let header = try TrackHeader(#require(track["tkhd"]).data)
      let table = try #require(track.at("mdia", "minf", "stbl"))
      let tables = Dictionary(uniqueKeysWithValues: table.boxes.map { ($0.type, $0.data) })
      let index =
        try indices[header.trackID]
        ?? SampleIndex(tables: tables, fileSize: Int64(bytes.count))
      tracks.append(Track(box: track, index: index))
    }
  }
}

@Suite struct MuxerTests {
  private static let entry = Box("test", data: [UInt8](repeating: 0, count: 8))

  /// Samples of any size with pictures out of order, and the sizes say which.
  private static func samples(
    _ count: Int, step: Int64, reordered: Bool, start: Int64 = 0, seed: UInt64
  ) -> [MediaSample] {
    var state = seed
    func random(_ limit: UInt64) -> UInt64 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return (state >> 33) % limit
    }
    return (0..<count).map { index in
      let decode = start + Int64(index) * step - (reordered ? step : 0)
      // Behind the first, every pair changes places.
      let shown = Int64(reordered && index > 0 ? (index % 2 == 1 ? index + 1 : index - 1) : index)
      let presentation = start + shown * step
      return MediaSample(
        data: (0..<(1 + random(300))).map { _ in UInt8(truncatingIfNeeded: random(256)) },
        decodeTime: decode, presentationTime: presentation, duration: step,
        isSync: index % 10 == 0)
    }
  }

  static func track(_ handler: FourCC, _ timescale: Int32) -> TrackSettings {
    TrackSettings(handler: handler, name: "\(handler)", timescale: timescale, sampleEntry: entry)
  }

  /// Three tracks that begin and end at different times.
  private static func write(
    to sink: MemorySink, finish: Bool, replacement: [UInt8]? = nil,
    layout: MovieMuxer.Layout = .growing, format: MovieFormat = .quickTime, expected: Double = 0
  ) throws -> [[MediaSample]] {
    var settings = MovieMuxer.Settings()
    settings.timescale = 30000
    settings.layout = layout
    settings.format = format
    var muxer = MovieMuxer(settings, sink: sink)
    var video = track("vide", 30000)
    video.shownSize = (320, 180)
    var sound = track("soun", 48000)
    sound.language = "deu"
    var metadata = track("meta", 30000)
    metadata.references = [.init("cdsc", to: 0)]
    metadata.metadata = [.text("io.example.key", "value")]
    for (track, count) in [(video, 151), (sound, 230), (metadata, 151)] {
      var track = track
      track.expectedCount = Int(Double(count) * expected)
      _ = muxer.addTrack(track)
    }
    let numbers = [0, 1, 2]
    let samples = [
      samples(151, step: 1001, reordered: true, start: 2002, seed: 1),
      samples(230, step: 1024, reordered: false, start: -1024, seed: 2),
      samples(151, step: 1001, reordered: false, start: 2002, seed: 3),
    ]
    // In the order of their times, as writers give them.
    let scales: [Double] = [30000, 48000, 30000]
    var order: [(seconds: Double, track: Int, index: Int)] = []
    for track in numbers {
      for (index, sample) in samples[track].enumerated() {
        order.append((Double(sample.decodeTime) / scales[track], track, index))
      }
    }
    order.sort { $0.seconds < $1.seconds }
    for (_, track, index) in order { try muxer.append(samples[track][index], to: track) }
    if finish {
      try muxer.finish(replacingFirstSampleOf: replacement.map { (track: 2, data: $0) })
    }
    return samples
  }

  private static func expectSamples(
    _ track: WrittenMovie.Track, _ samples: ArraySlice<MediaSample>, in bytes: [UInt8]
  ) {
    #expect(track.index.count == samples.count)
    guard let first = samples.first, track.index.count == samples.count else { return }
    for (index, expected) in samples.enumerated() {
      let found = track.index[index]
      #expect(found.decodeTime == expected.decodeTime - first.decodeTime)
      #expect(found.compositionTime == expected.presentationTime - first.decodeTime)
      #expect(found.isSync == expected.isSync)
      #expect(Array(bytes[Int(found.offset)...].prefix(found.size)) == expected.data)
    }
  }

  @Test func finishedMovie() throws {
    let sink = MemorySink()
    let samples = try Self.write(to: sink, finish: true)
    let movie = try WrittenMovie(sink.bytes)
    // An ordinary movie: nothing of the fragments is left to be seen.
    #expect(movie.topLevel == ["ftyp", "mdat", "moov"])
    #expect(movie.movie["mvex"] == nil)
    try #require(movie.tracks.count == 3)
    for (track, samples) in zip(movie.tracks, samples) {
      Self.expectSamples(track, samples[...], in: sink.bytes)
    }
    // Video starts at 2002 ticks, shown from its first picture on; sound loses what lies before zero.
    let edits = try movie.tracks.map {
      try EditList(#require($0.box.at("edts", "elst")).data).edits
    }
    let pause = EditList.Edit(duration: 2002, mediaTime: -1)
    #expect(edits[0] == [pause, EditList.Edit(duration: 151151, mediaTime: 1001)])
    #expect(edits[1].map(\.mediaTime) == [1024])
    #expect(edits[2] == [pause, EditList.Edit(duration: 151151, mediaTime: 0)])
    let header = try MovieHeader(#require(movie.movie["mvhd"]).data)
    #expect(header.timescale == 30000)
    #expect(header.duration == 153153)
    #expect(header.nextTrackID == 4)
    // Media lasts as long as it is shown.
    for (track, duration) in zip(movie.tracks, [151151, 230 * 1024, 151151] as [Int64]) {
      let media = try MediaHeader(#require(track.box.at("mdia", "mdhd")).data)
      #expect(media.duration == duration)
    }
    let references = try TrackReferences(#require(movie.tracks[2].box["tref"]).contentBytes[...])
    #expect(references.tracks == ["cdsc": [1]])
    let items = try ItemMetadata(#require(movie.tracks[2].box["meta"])).items
    #expect(items.map(\.key) == ["io.example.key"])
    #expect(items.map { Array($0.value) } == [Array("value".utf8)])
    let language = try MediaHeader(#require(movie.tracks[1].box.at("mdia", "mdhd")).data)
    #expect(language.languageCode == "deu")
  }

  /// The index stands first, whether its room was too small, right or far too large.
  @Test(arguments: [0, 0.2, 1, 1.5, 1000], [MovieFormat.quickTime, .mp4])
  func indexFirst(expected: Double, format: MovieFormat) throws {
    let sink = MemorySink()
    let replacement = [UInt8](repeating: 9, count: 700)
    var samples = try Self.write(
      to: sink, finish: true, replacement: replacement, layout: .indexFirst, format: format,
      expected: expected)
    samples[2][0].data = replacement
    let movie = try WrittenMovie(sink.bytes)
    #expect(movie.topLevel.filter { $0 != "free" } == ["ftyp", "moov", "mdat"])
    #expect(sink.moveCount == ([1, 1.5].contains(expected) ? 0 : 1))
    #expect(movie.movie["mvex"] == nil)
    try #require(movie.tracks.count == 3)
    for (track, samples) in zip(movie.tracks, samples) {
      Self.expectSamples(track, samples[...], in: sink.bytes)
    }
    let brand = try FileType(try Box.parse(sink.bytes[...])[0].data)
    #expect(brand.isQuickTime == (format == .quickTime))
    let handler = try HandlerReference(
      #require(movie.tracks[1].box.at("mdia", "hdlr")).data)
    #expect(handler.componentType.rawValue == (format == .mp4 ? 0 : FourCC("mhlr").rawValue))
    #expect(handler.name == "soun")
    #expect((movie.tracks[2].box.at("mdia", "minf", "nmhd") != nil) == (format == .mp4))
  }

  /// Room is kept for no more samples than readers take, however many are expected.
  @Test(arguments: [Int.max, .min, 1 << 40]) func roomOfTheIndexHasALimit(_ count: Int) {
    var settings = MovieMuxer.Settings()
    settings.layout = .indexFirst
    var muxer = MovieMuxer(settings, sink: MemorySink())
    let expected: [(FourCC, Int)] = [("vide", count), ("soun", count), ("meta", 5)]
    for (handler, number) in expected {
      var track = Self.track(handler, 30000)
      track.expectedCount = number
      _ = muxer.addTrack(track)
    }
    // A picture and a packet take 28 bytes.
    let most = 28 * SampleIndex.maximumSampleCount
    #expect((1..<most + 65536).contains(muxer.expectedIndexSize))
  }

  /// Data beyond four gigabytes needs wider offsets, which make the index larger while it is placed.
  @Test func movedBeyondFourGigabytes() throws {
    var log = SampleLog()
    for number in 0..<100 {
      log.append(size: 10, duration: 1, shift: 0, isSync: true)
      log.appendChunk(offset: (4 << 30) - 2000 + Int64(number) * 10, count: 1)
    }
    let size = log.box(sampleEntry: Self.entry).size
    log.move(by: 1000)
    #expect(log.box(sampleEntry: Self.entry).size == size)
    log.move(by: 1000)
    let table = log.box(sampleEntry: Self.entry)
    #expect(table.size == size + 400)
    let tables = Dictionary(uniqueKeysWithValues: table.boxes.map { ($0.type, $0.data) })
    let index = try SampleIndex(tables: tables, fileSize: 6 << 32)
    #expect((0..<100).map { index[$0].offset } == (0..<100).map { (4 << 30) + $0 * 10 })
  }

  /// Cut off anywhere, the movie holds every sample of its whole fragments.
  @Test func growingMovie() throws {
    let sink = MemorySink()
    let samples = try Self.write(to: sink, finish: false)
    #expect(sink.flushes.count >= 3)
    for (number, flush) in sink.flushes.enumerated() {
      for cut in [flush, flush + 1, flush + 9] where cut <= sink.bytes.count {
        let bytes = Array(sink.bytes.prefix(cut))
        let movie = try WrittenMovie(bytes)
        #expect(movie.topLevel.prefix(3) == ["ftyp", "free", "moov"])
        var count = 0
        for (track, samples) in zip(movie.tracks, samples) {
          Self.expectSamples(track, samples.prefix(track.index.count), in: bytes)
          count += track.index.count
        }
        #expect(count > number)
        // One second of video is 30 pictures; the last one waits for the next.
        #expect(movie.tracks[0].index.count >= 29 * (number + 1) - 1)
      }
    }
  }

  @Test func replacedFirstSample() throws {
    let sink = MemorySink()
    let data = [UInt8](repeating: 7, count: 5000)
    var samples = try Self.write(to: sink, finish: true, replacement: data)
    samples[2][0].data = data
    let movie = try WrittenMovie(sink.bytes)
    for (track, samples) in zip(movie.tracks, samples) {
      Self.expectSamples(track, samples[...], in: sink.bytes)
    }
  }

  /// Plain sound: one sample a tick in the file, whatever is handed over at once; gaps are refused.
  @Test func plainSound() throws {
    let sink = MemorySink()
    var settings = MovieMuxer.Settings()
    settings.fragmentSeconds = 0.01
    var muxer = MovieMuxer(settings, sink: sink)
    var sound = Self.track("soun", 8000)
    sound.sampleEntry = Box("sowt", data: [UInt8](repeating: 0, count: 28))
    sound.plainFrameSize = 4
    _ = muxer.addTrack(sound)
    var time: Int64 = -30
    var all: [UInt8] = []
    for count in [100, 7, 80, 240, 1] as [Int64] {
      let data = (0..<(count * 4)).map { UInt8(truncatingIfNeeded: $0 + time) }
      all += data
      try muxer.append(MediaSample(data: data, time: time, duration: count), to: 0)
      time += count
    }
    let early = sink.bytes
    try muxer.finish()
    let movie = try WrittenMovie(sink.bytes)
    #expect(movie.tracks[0].index.count == 428)
    let read = (0..<428).flatMap { number in
      let sample = movie.tracks[0].index[number]
      #expect(sample.duration == 1 && sample.size == 4 && sample.decodeTime == number)
      return sink.bytes[Int(sample.offset)..<Int(sample.offset + 4)]
    }
    #expect(read == all)
    // While it grew, what was handed over was one sample, at the same time and place.
    let growing = try WrittenMovie(early)
    #expect(growing.tracks[0].index.count >= 3)
    for number in 0..<growing.tracks[0].index.count {
      let sample = growing.tracks[0].index[number]
      #expect(sample.offset == movie.tracks[0].index[Int(sample.decodeTime)].offset)
      #expect(sample.size == Int(sample.duration) * 4)
    }
    // One index made of the fragments lists what the muxer's own does.
    var work = try Defragmentation(growing.movie, fileSize: Int64(early.count))
    var offset = 0
    for box in try Box.parse(early[...]) {
      if box.type == "moof" { try work.add(fragment: box, at: Int64(offset)) }
      offset += box.size
    }
    let table = try #require(try work.movieBox().at("trak", "mdia", "minf", "stbl"))
    let tables = Dictionary(uniqueKeysWithValues: table.boxes.map { ($0.type, $0.data) })
    let index = try SampleIndex(tables: tables, fileSize: Int64(early.count))
    #expect(index.count >= 187)
    for number in 0..<index.count { #expect(index[number] == movie.tracks[0].index[number]) }
    // Read as sound, a chunk is one sample, of the same bytes at the same time.
    let whole = try #require(movie.tracks[0].box.at("mdia", "minf", "stbl"))
    let sounding = try SampleIndex(
      tables: Dictionary(uniqueKeysWithValues: whole.boxes.map { ($0.type, $0.data) }),
      fileSize: Int64(sink.bytes.count), isSound: true)
    #expect(sounding.count < 6 && sounding.decodeEnd == 428)
    for number in 0..<sounding.count {
      let sample = sounding[number]
      #expect(sample.offset == movie.tracks[0].index[Int(sample.decodeTime)].offset)
      #expect(sample.size == Int(sample.duration) * 4)
    }
    let edits = try EditList(#require(movie.tracks[0].box.at("edts", "elst")).data).edits
    #expect(edits.map(\.mediaTime) == [30])
    var broken = MovieMuxer(settings, sink: MemorySink())
    _ = broken.addTrack(sound)
    try broken.append(MediaSample(data: [1, 2, 3, 4], time: 0, duration: 1), to: 0)
    for sample in [
      MediaSample(data: [1, 2, 3, 4], time: 2, duration: 1),
      MediaSample(data: [1, 2, 3], time: 1, duration: 1),
    ] {
      #expect(
        failure { () throws(CinematicError) in try broken.append(sample, to: 0) }?.code
          == .invalidParameter)
    }
  }

  /// A track that got no sample is left out, and references to it with it.
  @Test func emptyTrack() throws {
    let sink = MemorySink()
    var muxer = MovieMuxer(.init(), sink: sink)
    _ = muxer.addTrack(Self.track("vide", 600))
    var metadata = Self.track("meta", 600)
    metadata.references = [.init("cdsc", to: 0)]
    _ = muxer.addTrack(metadata)
    try muxer.append(MediaSample(data: [1, 2], time: 0, duration: 20), to: 1)
    try muxer.finish()
    let movie = try WrittenMovie(sink.bytes)
    #expect(movie.tracks.count == 1)
    #expect(movie.tracks.first?.box["tref"] == nil)
  }

  /// Offsets beyond four gigabytes take the wide table, and times beyond 32 bits the wide boxes.
  @Test func largeNumbers() throws {
    var log = SampleLog()
    for _ in 0..<3 { log.append(size: 10, duration: 2_000_000_000, shift: -5, isSync: true) }
    log.appendChunk(offset: 100, count: 2)
    log.appendChunk(offset: 5 << 32, count: 1)
    let table = log.box(sampleEntry: Self.entry)
    #expect(table["stco"] == nil)
    let tables = Dictionary(uniqueKeysWithValues: table.boxes.map { ($0.type, $0.data) })
    let index = try SampleIndex(tables: tables, fileSize: 6 << 32)
    #expect((0..<3).map { index[$0].offset } == [100, 110, 5 << 32])
    #expect((0..<3).map { index[$0].compositionTime } == [-5, 1_999_999_995, 3_999_999_995])
    let boxes = TrackBoxes(
      settings: Self.track("vide", 600), id: 1, ids: [1], movieTimescale: 600, creationTime: 0)
    let track = boxes.track(
      log: log, timeline: .init(mediaZero: 0, start: 5_000_000_000, end: 17_000_000_000),
      isGrowing: false)
    #expect(try TrackHeader(#require(track["tkhd"]).data).duration == 17_000_000_000)
    #expect(
      try MediaHeader(#require(track.at("mdia", "mdhd")).data).duration == 6_000_000_000)
    let edits = try EditList(#require(track.at("edts", "elst")).data).edits
    #expect(edits.map(\.duration) == [5_000_000_000, 12_000_000_000])
    #expect(edits.map(\.mediaTime) == [-1, 5_000_000_000])
  }
}

extension Box {
  /// Everything behind the head.
  var contentBytes: [UInt8] { Array(bytes.dropFirst(headerSize)) }
}
