// SPDX-License-Identifier: Apache-2.0

import FocalBoxes
import FocalCore
import MovieKit
import Testing

@testable import FocalMedia

/// How pictures lie in files that other programs wrote, by their boxes alone.
@Suite struct StoredPictureTests {
  private static let one: Int32 = 1 << 16

  private static func track(_ bytes: [UInt8]) async throws -> AssetTrack {
    let asset = Asset(source: MemorySource(bytes))
    return try #require(try await asset.loadTracks(withMediaType: .video).first)
  }

  /// The file with other numbers in the movie's own matrix.
  private static func file(_ layout: MovieLayout, matrix: [Int32]) throws -> [UInt8] {
    try Box.parse(layout.bytes()[...]).flatMap { box -> [UInt8] in
      guard box.type == "moov" else { return box.bytes }
      var movie = box
      movie.boxes = box.boxes.map { box in
        guard box.type == "mvhd" else { return box }
        var data = Array(box.data)
        var numbers = ByteBuilder()
        for value in matrix { numbers.u32(value) }
        data.replaceSubrange(36..<72, with: numbers.bytes)
        return Box("mvhd", data: data)
      }
      return movie.bytes
    }
  }

  /// The movie's matrix comes after the track's.
  @Test func matrixOfTheMovie() async throws {
    var layout = MovieLayout([StoredCompanionTests.pictures()])
    let (one, w, h): (Int32, Int32, Int32) = (Self.one, 64 << 16, 48 << 16)
    let quarter: [Int32] = [0, one, 0, -one, 0, 0, h, 0, 1 << 30]
    #expect(
      try await Self.track(Self.file(layout, matrix: quarter)).load(.preferredTransform).values
        == quarter)
    layout.tracks[0].matrix = quarter
    // Turned twice, the picture is where it was, upside down.
    let again: [Int32] = [0, one, 0, -one, 0, 0, w, 0, 1 << 30]
    let twice = try await Self.track(Self.file(layout, matrix: again))
    #expect(
      try await twice.load(.preferredTransform).values == [-one, 0, 0, 0, -one, 0, w, h, 1 << 30])
    #expect(try await twice.quarterTurn == .clockwise180)
    // Zeros say nothing, and no number overflows.
    let zeros = try await Self.track(Self.file(layout, matrix: [Int32](repeating: 0, count: 9)))
    #expect(try await zeros.load(.preferredTransform).values == quarter)
    layout.tracks[0].matrix = [Int32](repeating: .min, count: 9)
    let ends = try await Self.track(
      Self.file(layout, matrix: [Int32](repeating: .min, count: 9)))
    _ = try await ends.load(.preferredTransform)
  }

  /// Without a statement, pixels have the shape that gives the track its size.
  @Test(arguments: [
    (96, 48, 3, 2), (64, 48, 0, 0), (65, 48, 0, 0), (48, 64, 0, 0), (0, 0, 0, 0), (32, 48, 1, 2),
    (65535, 16, 65535 * 3 / 64, 1),
  ]) func pixelsByTheTracksSize(
    _ width: Int, _ height: Int, _ horizontal: Int32, _ vertical: Int32
  ) async throws {
    var layout = MovieLayout([StoredCompanionTests.pictures()])
    (layout.tracks[0].width, layout.tracks[0].height) = (width, height)
    let track = try #require(try await Self.track(layout.bytes()).container as? BoxTrack)
    let found = try await track.pixelAspectRatio()
    if horizontal == 0 {
      #expect(found == nil)
    } else if vertical > 1 {
      #expect(found == PixelAspectRatio(horizontal: horizontal, vertical: vertical))
    } else {
      #expect(found.map { $0.horizontal / $0.vertical } == horizontal)
    }
  }

  /// A picture that the next one takes the place of at once is left out, and named.
  @Test(arguments: [([3], "a picture"), ([3, 4, 20], "3 pictures")])
  func picturesOfNoTime(_ gone: [Int], _ words: String) async throws {
    var pictures = StoredCompanionTests.pictures()
    for number in gone { pictures.samples[number].duration = 0 }
    let track = try await Self.track(MovieLayout([pictures]).bytes())
    let timeline = try await track.load(.timeline)
    let expected = (0..<75).filter { !gone.contains($0) }
    #expect((0..<timeline.count).map { timeline[$0].sample } == expected)
    #expect((0..<timeline.count).allSatisfy { !timeline[$0].timeRange.isEmpty })
    let facts = try await (track.container as? BoxTrack)?.pictureFacts()
    #expect(facts?.unread == ["\(words) that \(gone.count == 1 ? "is" : "are") shown for no time"])
  }

  /// The bytes of a file whose index is compressed, as old programs left it.
  ///
  /// - Parameters:
  ///   - size: how many bytes the index is said to have.
  ///   - inner: what is compressed in the place of the index.
  private static func compressed(
    _ layout: MovieLayout, method: String = "zlib", size: Int? = nil, inner: [UInt8]? = nil
  ) throws -> [UInt8] {
    try Box.parse(layout.bytes()[...]).flatMap { box -> [UInt8] in
      guard box.type == "moov" else { return box.bytes }
      let content = inner ?? box.bytes
      let packed = Box.of("cmvd") { builder in
        builder.u32(size ?? content.count)
        builder.bytes += PNGFormat.stored(content)
      }
      return Box("moov", [Box("cmov", [Box("dcom", data: Array(method.utf8)), packed])]).bytes
    }
  }

  /// A movie whose index an old program compressed is read as others are: its samples and what is said about it, too.
  @Test func compressedIndex() async throws {
    var layout = MovieLayout([StoredCompanionTests.pictures()])
    layout.tracks[0].samples[7].data = Array("the seventh".utf8)
    layout.extras = [Box("abcd", data: [1])]
    let plain = Asset(source: MemorySource(layout.bytes()))
    let source = MemorySource(try Self.compressed(layout))
    let asset = Asset(source: source)
    #expect(try await asset.load(.duration) == plain.load(.duration))
    let track = try #require(try await asset.loadTracks(withMediaType: .video).first)
    let (index, timeline) = try await track.load(.sampleIndex, .timeline)
    #expect(index.count == 75 && timeline.count == 75)
    #expect(try await track.sampleData(7) == layout.tracks[0].samples[7].data)
    let found = try await FilmCompanions(asset, frameDuration: Time(value: 1, timescale: 25))
    #expect(found.leftOut == ["the box 'abcd' of the movie"])
    // Once, whatever is asked for.
    let size = try await source.byteCount()
    #expect(source.readRanges.allSatisfy { $0.upperBound <= size } && source.bytesRead < 2 * size)
  }

  /// What is compressed in another way, to no sense, or to more than an index has, is refused before memory is taken.
  @Test func unreadableCompressedIndices() async throws {
    let layout = MovieLayout([StoredCompanionTests.pictures()])
    let moov = try #require(try Box.parse(layout.bytes()[...]).first { $0.type == "moov" }).bytes
    let again = try Self.compressed(layout)
    let nested = try #require(try Box.parse(again[...]).first { $0.type == "moov" }).bytes
    for (bytes, code) in [
      (try Self.compressed(layout, method: "lzma"), CinematicError.Code.unsupported),
      (try Self.compressed(layout, size: 0xFFFF_FFF0), .unsupported),
      (try Self.compressed(layout, inner: nested), .unsupported),
      (try Self.compressed(layout, size: moov.count - 1), .malformed),
      (try Self.compressed(layout, size: moov.count + 1), .malformed),
      (try Self.compressed(layout, size: 0), .malformed),
      (try Self.compressed(layout, inner: Array(moov.dropLast())), .malformed),
      (try Self.compressed(layout, inner: [1, 2, 3]), .malformed),
    ] {
      let asset = Asset(source: MemorySource(bytes))
      let errors = [
        await failure { () async throws(CinematicError) in _ = try await asset.load(.duration) },
        await failure { () async throws(CinematicError) in _ = try await asset.load(.tracks) },
      ]
      for error in errors { #expect(error?.code == code, "\(String(describing: error))") }
    }
  }
}
