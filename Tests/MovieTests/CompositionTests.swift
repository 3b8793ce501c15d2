// SPDX-License-Identifier: Apache-2.0

import FocalBoxes
import FocalCore
import MovieKit
import Testing

@testable import FocalMedia

/// The arithmetic of compositions, held to a slow model: what each thirtieth of a second shows.
@Suite struct CompositionTests {
  /// Nothing, or a thirtieth of a source.
  private enum Tick: Equatable {
    case empty
    case source(Int, Int)
  }

  /// Half a second of each.
  private static func sources(_ count: Int) async throws -> [AssetTrack] {
    var tracks: [AssetTrack] = []
    for _ in 0..<count {
      let asset = Asset(source: MemorySource(PhoneMovie.layout(frames: 15).bytes()))
      tracks.append(try #require(try await asset.loadTracks(withMediaType: .video).first))
    }
    return tracks
  }

  /// A number of thirtieths, on any timescale that has them.
  private static func time(_ ticks: Int, _ random: inout Seeded) -> Time {
    let factor = [1, 3, 20, 800, 1001].randomElement(using: &random) ?? 1
    return Time(value: Int64(ticks * factor), timescale: Int32(30 * factor))
  }

  /// The pictures of a track, tick by tick.
  private static func ticks(_ track: CompositionTrack, _ sources: [AssetTrack]) throws -> [Tick] {
    var shown: [Tick] = []
    for segment in track.segments {
      // Times are exact: every one is a whole number of thirtieths.
      let start = segment.timeRange.start.converted(to: 30)
      let count = segment.timeRange.duration.converted(to: 30)
      #expect(start == segment.timeRange.start && count == segment.timeRange.duration)
      #expect(start.value == shown.count)
      #expect(segment.sourceTimeRange.duration == segment.timeRange.duration)
      let first = segment.sourceTimeRange.start.converted(to: 30)
      for offset in 0..<Int(count.value) {
        if let source = segment.sourceTrack {
          let number = try #require(sources.firstIndex { $0 === source })
          #expect(first == segment.sourceTimeRange.start)
          shown.append(.source(number, Int(first.value) + offset))
        } else {
          shown.append(.empty)
        }
      }
    }
    return shown
  }

  @Test(arguments: 0..<12)
  func editsAreThoseOfTheModel(_ seed: Int) async throws {
    var random = Seeded(UInt64(seed))
    let sources = try await Self.sources(3)
    let composition = Composition()
    let trackID = composition.addTrack(mediaType: .video)
    var model: [Tick] = []
    for _ in 0..<40 {
      let position = Int.random(in: 0...(model.count + 3), using: &random)
      let count = Int.random(in: 1...9, using: &random)
      func fill() {
        while model.count < position { model.append(.empty) }
      }
      switch Int.random(in: 0..<5, using: &random) {
      case 0, 1:
        let number = Int.random(in: 0..<3, using: &random)
        let first = Int.random(in: 0...(15 - count), using: &random)
        let appends = Bool.random(using: &random)
        try await composition.insertTimeRange(
          TimeRange(start: Self.time(first, &random), duration: Self.time(count, &random)),
          of: sources[number], into: trackID, at: appends ? nil : Self.time(position, &random))
        if !appends { fill() }
        model.insert(
          contentsOf: (first..<(first + count)).map { .source(number, $0) },
          at: appends ? model.count : position)
      case 2:
        try composition.insertEmptyTimeRange(
          TimeRange(start: Self.time(position, &random), duration: Self.time(count, &random)))
        fill()
        model.insert(contentsOf: [Tick](repeating: .empty, count: count), at: position)
      default:
        try composition.removeTimeRange(
          TimeRange(start: Self.time(position, &random), duration: Self.time(count, &random)),
          from: trackID)
        if position < model.count {
          model.removeSubrange(position..<min(position + count, model.count))
        }
      }
      let track = try #require(composition.track(withTrackID: trackID))
      #expect(try Self.ticks(track, sources) == model)
      #expect(composition.duration == Time(value: Int64(model.count), timescale: 30))
      // A part without a cut is one segment.
      for (a, b) in zip(track.segments, track.segments.dropFirst()) {
        #expect(
          a.sourceTrack !== b.sourceTrack || a.sourceTimeRange.end != b.sourceTimeRange.start)
      }
      for tick in [0, model.count / 2, model.count - 1] where tick >= 0 && tick < model.count {
        let segment = try #require(track.segment(at: Time(value: Int64(tick), timescale: 30)))
        if case .source(let number, let value) = model[tick] {
          #expect(segment.sourceTrack === sources[number])
          #expect(
            segment.sourceTime(at: Time(value: Int64(tick), timescale: 30))
              == Time(value: Int64(value), timescale: 30))
        } else {
          #expect(segment.isEmpty)
        }
      }
    }
  }

  @Test func whatDoesNotFitIsNamed() async throws {
    let source = try await Self.sources(1)[0]
    let composition = Composition()
    let video = composition.addTrack(mediaType: .video, preferredTrackID: 7)
    let sound = composition.addTrack(mediaType: .audio, preferredTrackID: 7)
    #expect(video == 7 && sound == 1)
    let half = TimeRange(start: .zero, duration: Time(value: 1, timescale: 2))
    let late = TimeRange(start: half.end, duration: half.duration)
    for (range, track, code, name) in [
      (late, video, CinematicError.Code.invalidParameter, "memory.mov"),
      (half, 9, .invalidParameter, "track 9"), (half, sound, .incompatible, "audio"),
    ] {
      let error = await failure { () async throws(CinematicError) in
        try await composition.insertTimeRange(range, of: source, into: track)
      }
      #expect(error?.code == code)
      #expect(error?.message.contains(name) == true, "\(error?.message ?? "")")
    }
    #expect(composition.duration == .zero)
    #expect(throws: CinematicError.self) { try composition.removeTimeRange(half, from: 9) }
    let error = await failure { () async throws(CinematicError) in
      try await composition.insertTimeRange(
        half, of: source, into: video, at: Time(value: -1, timescale: 30))
    }
    #expect(error?.code == .invalidParameter)
  }

  /// A movie with a sound track of each language, numbered from 10; those in capitals are commentaries, and
  /// those before a minus are switched off.
  private static func movie(_ languages: [String]) async throws -> AssetInfo {
    var layout = PhoneMovie.layout(frames: 12)
    let sound = layout.tracks.remove(at: 2)
    for (number, language) in languages.enumerated() {
      var track = sound
      track.id = 10 + number
      track.isEnabled = !language.hasSuffix("-")
      let letters = language.filter { $0 != "-" }
      track.language = letters.lowercased()
      if track.language != letters { track.extras = TrackLabels(roles: ["commentary"]).boxes }
      layout.tracks.append(track)
    }
    return try await AssetInfo(asset: Asset(source: MemorySource(layout.bytes())))
  }

  /// Sound of one language and role is one track; sound of an unknown language goes with any of its role. What fits none
  /// has a track of its own.
  @Test(
    arguments: [
      ([["deu", "fra"], ["fra", "deu"]], [[10, 11], [11, 10]]),
      ([["deu"], ["spa"]], [[10, 0], [0, 10]]), ([["und"], ["und"]], [[10, 10]]),
      ([["und"], ["deu"]], [[10, 10]]),
      ([["und"], ["deu"], ["fra"]], [[10, 10, 0], [0, 0, 10]]),
      ([["deu", "fra"], ["und"]], [[10, 10], [11, 0]]),
      ([["und", "fra"], ["fra", "deu"]], [[10, 11], [11, 10]]),
      ([["deu", "DEU"], ["DEU", "deu"]], [[10, 11], [11, 10]]),
      ([["und"], ["UND"]], [[10, 0], [0, 10]]),
    ] as [([[String]], [[UInt32]])])
  func languagesOfSound(_ movies: [[String]], _ expected: [[UInt32]]) async throws {
    let composition = Composition()
    let first = try await Self.movie(movies[0])
    let info = try await composition.addTracks(for: first)
    try await info.insertTimeRange(of: first)
    for languages in movies.dropFirst() {
      try await info.insertTimeRange(of: Self.movie(languages))
    }
    var found: [[UInt32]] = []
    for trackID in info.soundTrackIDs {
      let track = try #require(composition.track(withTrackID: trackID))
      found.append(
        movies.indices.map { number in
          // The third frame of each movie.
          let time = Time(value: Int64(12 * number + 3), timescale: 30)
          return track.segment(at: time)?.sourceTrack?.trackID ?? 0
        })
    }
    #expect(found == expected)
    #expect(composition.tracks.allSatisfy { $0.timeRange.duration == composition.duration })
  }

  /// Sound that its movie plays unasked goes on in a track that is played unasked, or has one of its own.
  @Test(
    arguments: [
      ([["eng-", "fra", "und-"], ["und"]], [[10, 0], [11, 10], [12, 0]]),
      ([["und"], ["eng-", "fra", "und-"]], [[10, 11], [0, 10], [0, 12]]),
      ([["deu", "fra-"], ["fra", "und-"]], [[10, 0], [11, 11], [0, 10]]),
      ([["und-", "und"], ["und", "und-"]], [[10, 11], [11, 10]]),
      // One is played at all.
      ([["deu"], ["und-"]], [[10, 10]]),
    ] as [([[String]], [[UInt32]])])
  func playedSound(_ movies: [[String]], _ expected: [[UInt32]]) async throws {
    try await languagesOfSound(movies, expected)
    let composition = Composition()
    let first = try await Self.movie(movies[0])
    let info = try await composition.addTracks(for: first)
    try await info.insertTimeRange(of: first)
    try await info.insertTimeRange(of: Self.movie(movies[1]))
    for trackID in info.soundTrackIDs {
      let track = try #require(composition.track(withTrackID: trackID))
      for source in track.segments.compactMap(\.sourceTrack) {
        // The only sound of a movie is played, whatever its file says.
        let isPlayed = try await source.load(.isEnabled) || movies[1] == ["und-"]
        #expect(track.isPlayed == isPlayed)
      }
    }
    #expect(info.moviesWithOtherSound.isEmpty)
  }

  /// Picture, disparity, metadata and sound are inserted together; who has less has empty stretches.
  @Test func tracksStayInStep() async throws {
    let first = try await AssetInfo(
      asset: Asset(source: MemorySource(PhoneMovie.layout(frames: 12).bytes())))
    var layout = PhoneMovie.layout(frames: 30)
    layout.tracks.remove(at: 2)
    layout.tracks[2].id = 3
    layout.tracks[1].samples = Array(layout.tracks[1].samples.prefix(20))
    let second = try await AssetInfo(asset: Asset(source: MemorySource(layout.bytes())))
    let composition = Composition()
    let info = try await composition.addTracks(for: first, preferredStartingTrackID: 5)
    #expect(info.videoCompositionTrackIDs == [5, 6])
    #expect(info.sampleDataTrackIDs == [7] && info.soundTrackIDs == [8])
    #expect(info.frameTimingTrackID == 5)
    #expect(info.preferredSize == Dimensions(width: 1080, height: 1920))
    func ticks(_ count: Int64) -> Time { Time(value: count, timescale: 30) }
    try await info.insertTimeRange(of: first)
    try await info.insertTimeRange(
      TimeRange(start: ticks(15), duration: ticks(10)), of: second, at: ticks(4))
    #expect(composition.tracks.allSatisfy { $0.timeRange.end == ticks(22) })
    #expect(info.timeRange.duration == ticks(22))
    let maps = try #require(composition.track(withTrackID: 6)).segments
    #expect(maps.map(\.isEmpty) == [false, false, true, false])
    #expect(maps[1].timeRange == TimeRange(start: ticks(4), duration: ticks(5)))
    #expect(maps[1].sourceTimeRange == TimeRange(start: ticks(15), duration: ticks(5)))
    let sound = try #require(composition.track(withTrackID: 8)).segments
    #expect(sound.map(\.isEmpty) == [false, true, false])
    #expect(sound[2].sourceTimeRange.start == ticks(4))
    let pictures = try #require(composition.track(withTrackID: 5)).segments
    #expect(info.assetInfo(of: pictures[1])?.asset === second.asset)
    let error = await failure { () async throws(CinematicError) in
      try await info.insertTimeRange(TimeRange(start: ticks(25), duration: ticks(10)), of: second)
    }
    #expect(error?.code == .invalidParameter)
    #expect(composition.duration == ticks(22))
    // A cut through all tracks keeps them in step, too.
    try composition.removeTimeRange(TimeRange(start: ticks(2), duration: ticks(4)))
    #expect(composition.tracks.allSatisfy { $0.timeRange.end == ticks(18) })
  }

  /// Metadata of a phone and of this project stay apart, whichever an asset has.
  @Test func metadataTracksOfBothMakers() async throws {
    func asset(own: Bool, apple: Bool) async throws -> AssetInfo {
      var layout = PhoneMovie.layout(frames: 6)
      let mine = MovieLayout.Track(
        "meta", timescale: 600,
        entry: Entry.metadata([(CinematicKey.focusDisparity, 23)]),
        samples: (0..<6).map { _ in MovieLayout.Sample(Entry.sample([]), duration: 20) })
      var tracks = Array(layout.tracks.prefix(3))
      if apple { tracks.append(layout.tracks[3]) }
      if own { tracks.append(mine) }
      layout.tracks = tracks
      for index in layout.tracks.indices { layout.tracks[index].id = index + 1 }
      return try await AssetInfo(asset: Asset(source: MemorySource(layout.bytes())))
    }
    let composition = Composition()
    let info = try await composition.addTracks(for: asset(own: false, apple: true))
    let phone = try #require(info.sampleDataTrackIDs.first)
    try await info.insertTimeRange(of: asset(own: true, apple: true))
    #expect(info.sampleDataTrackIDs.count == 2)
    let own = try #require(info.sampleDataTrackIDs.last)
    try await info.insertTimeRange(of: asset(own: true, apple: false))
    #expect(info.sampleDataTrackIDs == [phone, own])
    func shown(_ trackID: UInt32) -> [Bool] {
      composition.track(withTrackID: trackID)?.segments.map { !$0.isEmpty } ?? []
    }
    #expect(shown(phone) == [true, false])
    #expect(shown(own) == [true, true])
  }
}
