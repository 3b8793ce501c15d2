// SPDX-License-Identifier: Apache-2.0

import FocalBoxes
import FocalCore
import Foundation
import MovieKit
import Testing

@testable import FocalMedia

/// New metadata for movies that were put together box by box, in every form: whatever is not the
/// index, or a head of a fragment, stays byte for byte.
@Suite(.enabled(if: EncodedClip.isPossible, "this FFmpeg has no libx265"))
struct RevisionTests {
  private static let frames = 14
  private static let script = Array("{\"format\":\"focal-script\",\"version\":1}".utf8)
  /// The boxes that a movie in fragments may lose: those that speak of fragments.
  private static let fragmentTypes: Set<FourCC> = ["moof", "sidx", "mfra"]
  /// Boxes whose numbers the index of a movie in fragments has anew.
  private static let renewed: Set<FourCC> = [
    "mvhd", "tkhd", "mdhd", "elst", "stts", "ctts", "stss", "stsc", "stsz", "stco", "co64", "mvex",
  ]

  /// A phone's movie with what a program that is not the phone's does not know: a track of an unknown
  /// kind, unknown boxes at every level, user data, several edits.
  private static func layout(_ form: MovieLayout.Form) throws -> MovieLayout {
    var layout = try EncodedMovie.layout(frames: frames, form: form)
    var strange = MovieLayout.Track(
      "xyzt", timescale: 1000, entry: Box("strg", data: [UInt8](0..<40)),
      samples: (0..<frames).map {
        MovieLayout.Sample([UInt8](repeating: UInt8($0), count: 5 + $0), duration: 33)
      })
    strange.edits = [(100, -1, 1 << 16), (120, 66, 1 << 16), (140, 0, 1 << 16)]
    strange.extras = [Box("udta", [Box("name", data: Array("strange".utf8))])]
    layout.tracks.append(strange)
    layout.tracks[3].id = 9
    let one: Int32 = 1 << 16
    layout.tracks[0].matrix = [0, -one, 0, one, 0, 0, 0, 96 << 16, 1 << 30]
    layout.tracks[0].extras = [
      Box("tapt", [Box("clef", data: [UInt8](0..<12))]), Box("abcd", data: [1, 2, 3]),
    ]
    layout.tracks[0].entry = layout.tracks[0].entry.map {
      Box("hvc1", data: Array($0.data) + Box("dvvC", data: [UInt8](0..<24)).bytes)
    }
    layout.tracks[1].references = [("auxl", [1])]
    layout.tracks[2].references = [("cdsc", [1])]
    layout.extras = [
      Box("csgm", data: [UInt8](0..<50)),
      // QuickTime ends its user data in four zeros.
      Box("udta", data: Box("©mak", data: Array("Maker".utf8)).bytes + [0, 0, 0, 0]),
      Entry.items([("com.apple.quicktime.cinematic-video", 0, [])]),
    ]
    return layout
  }

  enum Case: String, CaseIterable, Sendable {
    case first, last, fragments, indexedFragments
    /// The index first, and data up to the end of the file in a box without a size.
    case openEnd
  }

  private static func file(_ kind: Case) throws -> [UInt8] {
    let unknown =
      Box("qqqq", data: [UInt8](repeating: 0x5A, count: 77)).bytes
      + Box("free", data: [UInt8](repeating: 7, count: 9)).bytes
    switch kind {
    case .first: return try layout(.movieFirst).bytes() + unknown
    case .last: return try layout(.movieLast).bytes() + unknown
    case .fragments:
      return try layout(.fragments).bytes() + unknown
        + Box("mfra", data: [UInt8](repeating: 3, count: 30)).bytes
    case .indexedFragments: return try layout(.indexedFragments).bytes() + unknown
    case .openEnd:
      var bytes = try layout(.movieFirst).bytes()
      let data = try #require(try headers(bytes).last)
      #expect(data.type == "mdat")
      for index in 0..<4 { bytes[Int(data.offset) + index] = 0 }
      return bytes
    }
  }

  private static func headers(_ bytes: [UInt8]) throws -> [BoxHeader] {
    var headers: [BoxHeader] = []
    var offset: Int64 = 0
    while offset < Int64(bytes.count) {
      let header = try BoxHeader(
        bytes[Int(offset)...].prefix(BoxHeader.maximumSize), offset: offset,
        limit: Int64(bytes.count))
      headers.append(header)
      offset = header.end
    }
    return headers
  }

  private static let structure: Set<FourCC> = [
    "moov", "trak", "mdia", "minf", "stbl", "edts",
  ]

  /// Everything in a box is in another one, in its order, but for what may be new.
  private static func expectKept(
    _ old: Box, in new: Box, renewed: Set<FourCC>, opening opened: Set<FourCC>, _ path: String
  ) {
    var rest = new.boxes[...]
    for box in old.boxes where !renewed.contains(box.type) {
      // Containers are compared inside.
      let isOpened = opened.contains(box.type)
      guard
        let place = rest.firstIndex(where: { $0.type == box.type && (isOpened || $0 == box) })
      else {
        Issue.record("\(path)/\(box.type) is changed or gone")
        continue
      }
      if isOpened {
        #expect(rest[place].data.elementsEqual(box.data))
        expectKept(
          box, in: rest[place], renewed: renewed, opening: opened, "\(path)/\(box.type)")
      }
      rest = rest[(place + 1)...]
    }
  }

  private static func frames(_ path: String) async throws -> [MovieReviser.Frame] {
    let reader = try await CinematicReader(AssetInfo(asset: Asset(path: path)))
    return (0..<reader.frameCount).map { index in
      MovieReviser.Frame(
        timeRange: reader.timeRange(ofFrame: index), focusDisparity: Float(index) / 40,
        fNumber: 1 + Float(index))
    }
  }

  private struct Scratch: ~Copyable {
    let path = NSTemporaryDirectory() + "/focal-revision-\(UUID().uuidString)"
    init() throws {
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }
    deinit { try? FileManager.default.removeItem(atPath: path) }
  }

  /// The bytes: nothing moves, and only names and one size change.
  @Test(arguments: Case.allCases)
  func everyByteStays(_ kind: Case) async throws {
    let scratch = try Scratch()
    let (source, revised) = (scratch.path + "/in.mov", scratch.path + "/out.mov")
    let before = try Self.file(kind)
    try Data(before).write(to: URL(fileURLWithPath: source))
    try MovieReviser.write(
      source, to: revised, frames: try await Self.frames(source), script: Self.script,
      temporaryFiles: TemporaryFiles())
    #expect(try [UInt8](Data(contentsOf: URL(fileURLWithPath: source))) == before)
    let after = try [UInt8](Data(contentsOf: URL(fileURLWithPath: revised)))
    let isFragmented = [.fragments, .indexedFragments].contains(kind)
    let old = try Self.headers(before)
    var expected = before
    for header in old {
      let isIndex =
        header.type == "moov" || (isFragmented && Self.fragmentTypes.contains(header.type))
      if isIndex {
        expected.replaceSubrange(
          Int(header.offset + 4)..<Int(header.offset + 8), with: Array("free".utf8))
      }
      if header.form == .toEnd {
        var size = ByteBuilder()
        size.u32(header.size)
        expected.replaceSubrange(Int(header.offset)..<Int(header.offset + 4), with: size.bytes)
      }
    }
    #expect(after.prefix(expected.count).elementsEqual(expected))
    // Behind them the new metadata and the new index, and nothing else.
    let added = try Self.headers(after).filter { $0.offset >= Int64(expected.count) }
    #expect(added.map(\.type) == ["mdat", "moov"])
    let oldMovie = try #require(try Self.movie(before))
    let newMovie = try #require(try Self.movie(after))
    #expect(newMovie["mvex"] == nil)
    if isFragmented {
      Self.expectKept(
        oldMovie, in: newMovie, renewed: Self.renewed, opening: Self.structure, "moov")
      let changed = Set(oldMovie.boxes.map(\.type)).symmetricDifference(newMovie.boxes.map(\.type))
      #expect(changed == ["mvex"])
    } else {
      Self.expectKept(oldMovie, in: newMovie, renewed: ["mvhd"], opening: [], "moov")
      let fresh = newMovie.boxes.filter { !oldMovie.boxes.contains($0) }
      #expect(fresh.map(\.type) == ["mvhd", "trak"])
    }
    #expect(newMovie.all("trak").count == oldMovie.all("trak").count + 1)
  }

  private static func movie(_ bytes: [UInt8]) throws -> Box? {
    guard let header = try headers(bytes).last(where: { $0.type == "moov" }) else { return nil }
    return try Box.parse(
      bytes[Int(header.offset)..<Int(header.end)], offset: header.offset
    ).first
  }

  /// The content that is read: every sample of every track, at its time.
  @Test(arguments: Case.allCases)
  func everySampleStays(_ kind: Case) async throws {
    let scratch = try Scratch()
    let (source, revised) = (scratch.path + "/in.mov", scratch.path + "/out.mov")
    try Data(try Self.file(kind)).write(to: URL(fileURLWithPath: source))
    let frames = try await Self.frames(source)
    #expect(frames.count == Self.frames)
    try MovieReviser.write(
      source, to: revised, frames: frames, script: Self.script, temporaryFiles: TemporaryFiles())
    let (old, new) = (Asset(path: source), Asset(path: revised))
    for track in try await old.load(.tracks) {
      let twin = try #require(
        try await new.load(.tracks).first { $0.trackID == track.trackID })
      #expect(twin.mediaType == track.mediaType)
      let references: [FourCC: [UInt32]] = try await track.load(.references)
      #expect(try await twin.load(.references) == references)
      let range: TimeRange = try await track.load(.timeRange)
      #expect(try await twin.load(.timeRange) == range)
      try await Self.expectSameSamples(track, twin)
    }
    let ends = try await Self.ends(new)
    #expect(try await new.load(.duration) == ends.max())
  }

  private static func ends(_ asset: Asset) async throws -> [Time] {
    var ends: [Time] = []
    for track in try await asset.load(.tracks) {
      let range: TimeRange = try await track.load(.timeRange)
      ends.append(range.end)
    }
    return ends
  }

  private static func expectSameSamples(_ track: AssetTrack, _ twin: AssetTrack) async throws {
    let a: SampleIndex = try await track.load(.sampleIndex)
    let b: SampleIndex = try await twin.load(.sampleIndex)
    #expect(a.count == b.count && a.count > 0)
    // Without fragments the media's clock begins with the first sample.
    let zero = a[0].decodeTime
    for number in 0..<a.count {
      var sample = a[number]
      sample.decodeTime -= zero
      sample.compositionTime -= zero
      #expect(b[number] == sample)
    }
    let shown: Timeline = try await track.load(.timeline)
    let seen: Timeline = try await twin.load(.timeline)
    #expect(shown.count == seen.count)
    for number in 0..<min(shown.count, seen.count) { #expect(shown[number] == seen[number]) }
  }

  @Test(arguments: [Case.fragments, .openEnd])
  func framesAndAttributes(_ kind: Case) async throws {
    let scratch = try Scratch()
    let (source, revised) = (scratch.path + "/in.mov", scratch.path + "/out.mov")
    try Data(try Self.file(kind)).write(to: URL(fileURLWithPath: source))
    let frames = try await Self.frames(source)
    try MovieReviser.write(
      source, to: revised, frames: frames, script: Self.script, temporaryFiles: TemporaryFiles())
    let old = try await CinematicReader(AssetInfo(asset: Asset(path: source)))
    let new = try await CinematicReader(AssetInfo(asset: Asset(path: revised)))
    #expect(new.frameCount == old.frameCount)
    for index in frames.indices {
      let (a, b) = (try await old.frame(number: index), try await new.frame(number: index))
      #expect(a.timeRange == b.timeRange)
      #expect(ReaderTests.codes(a.image) == ReaderTests.codes(b.image))
      let (m, n) = (try #require(a.disparity), try #require(b.disparity))
      #expect(ReaderTests.codes(m) == ReaderTests.codes(n))
      #expect(a.metadata?.rawSample == PhoneMovie.payload(index))
      #expect(b.metadata?.rawSample == PhoneMovie.payload(index))
    }
    // This project's own track, and a second revision that replaces it.
    var again = frames
    for index in again.indices { again[index].fNumber = 22 }
    try MovieReviser.write(
      revised, to: revised, frames: again, script: Self.script, overwrite: true,
      temporaryFiles: TemporaryFiles())
    let asset = Asset(path: revised)
    let tracks = try await asset.load(.tracks)
    #expect(tracks.map(\.trackID).sorted() == [1, 2, 3, 9, 10])
    let own = try #require(tracks.first { $0.trackID == 10 })
    let reader = try await CinematicReader(
      asset: asset, videoTrack: tracks[0], metadataTrack: own)
    for index in frames.indices {
      let group = try await reader.metadataGroup(index)
      #expect(group.timeRange == frames[index].timeRange)
      #expect(group.renderingAttributes?.fNumber == 22)
      #expect(group.renderingAttributes?.focusDisparity == frames[index].focusDisparity)
    }
  }

  /// A stream that was joined late: its fragments begin at another time than zero.
  @Test(arguments: [0, 1001, 123_457])
  func lateFragments(_ delay: Int64) throws {
    let samples = (0..<6).map { MovieLayout.Sample([UInt8($0)], duration: 1001) }
    var track = MovieLayout.Track("vide", timescale: 30000, entry: nil, samples: samples)
    track.edits = [(0, 500, 1 << 16)]
    var layout = MovieLayout([track])
    layout.form = .fragments
    let bytes = layout.bytes()
    let movie = try #require(try Self.movie(bytes))
    var work = try Defragmentation(movie, fileSize: Int64(bytes.count))
    for header in try Self.headers(bytes) where header.type == "moof" {
      var fragment = try #require(
        try Box.parse(bytes[Int(header.offset)..<Int(header.end)], offset: header.offset).first)
      fragment.boxes = fragment.boxes.map { $0.type == "traf" ? Self.delayed($0, delay) : $0 }
      try work.add(fragment: fragment, at: header.offset)
    }
    let result = try work.movieBox()
    let timescale = try MovieHeader(#require(result["mvhd"]).data).timescale
    let tables = try #require(result.at("trak", "mdia", "minf", "stbl"))
    let index = try SampleIndex(
      tables: Dictionary(uniqueKeysWithValues: tables.boxes.map { ($0.type, $0.data) }),
      fileSize: Int64(bytes.count))
    let edits = try result.at("trak", "edts", "elst").map { try EditList($0.data) }
    let timeline = Timeline(
      index, mediaTimescale: 30000, movieTimescale: timescale, edits: edits, isFragmented: false)
    #expect(index.count == 6)
    #expect(timeline.count == 6)
    // The edit begins at tick 500: of the first picture the rest, or all of it after a wait.
    for number in 0..<timeline.count {
      let start = max(0, delay + Int64(number) * 1001 - 500)
      #expect(timeline[number].timeRange.start == Time(value: start, timescale: 30000))
      #expect(
        timeline[number].timeRange.end
          == Time(value: delay + Int64(number + 1) * 1001 - 500, timescale: 30000))
    }
  }

  private static func delayed(_ box: Box, _ delay: Int64) -> Box {
    var fragment = box
    fragment.boxes = box.boxes.map { box in
      guard box.type == "tfdt" else { return box }
      let time = box.data.dropFirst(4).reduce(Int64(0)) { $0 << 8 | Int64($1) }
      return Box.full("tfdt", version: 1) { $0.u64(time + delay) }
    }
    return fragment
  }

  @Test func badFragments() throws {
    let layout = try Self.layout(.fragments)
    let bytes = layout.bytes()
    let movie = try #require(try Self.movie(bytes))
    let header = try #require(try Self.headers(bytes).first { $0.type == "moof" })
    var fragment = try #require(
      try Box.parse(bytes[Int(header.offset)..<Int(header.end)], offset: header.offset).first)
    func failure(_ fragment: Box, fileSize: Int) throws -> CinematicError.Code? {
      var work = try Defragmentation(movie, fileSize: Int64(fileSize))
      do throws(CinematicError) {
        try work.add(fragment: fragment, at: header.offset)
        return nil
      } catch {
        return error.code
      }
    }
    #expect(try failure(fragment, fileSize: bytes.count) == nil)
    #expect(try failure(fragment, fileSize: Int(header.end) + 20) == .malformed)
    fragment.boxes = fragment.boxes.map { box in
      guard box.type == "traf" else { return box }
      return Box("traf", box.boxes + [Box.full("senc") { $0.u32(0) }])
    }
    #expect(try failure(fragment, fileSize: bytes.count) == .unsupported)
  }
}
