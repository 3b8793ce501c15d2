// SPDX-License-Identifier: Apache-2.0

import CFFmpeg
import FocalBoxes
import FocalCore
import MovieKit
import Testing

@testable import FocalMedia

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Files that are neither QuickTime nor MP4.
@Suite struct StreamTests {
  struct Kind: Sendable, CustomTestStringConvertible {
    var format: String
    var codec: String
    var settings: [(String, String)] = []
    /// Whether the container says when each picture is shown.
    var isTimed = true

    var testDescription: String { "\(format) \(codec)" }
    var isPossible: Bool { ForeignClip.canEncode(codec) }

    func bytes(_ change: (inout ForeignClip.Options) -> Void = { _ in }) throws -> [UInt8] {
      var options = ForeignClip.Options()
      options.settings = settings
      change(&options)
      return try ForeignClip.bytes(format: format, codec: codec, options: options)
    }
  }

  /// Open groups of pictures, and pictures that others refer to and that refer to others.
  static let x265 = [
    ("preset", "ultrafast"),
    ("x265-params", "keyint=12:min-keyint=12:bframes=3:b-pyramid=1:open-gop=1:log-level=none"),
  ]

  static let kinds = [
    Kind(format: "matroska", codec: "libx265", settings: x265),
    Kind(format: "mpegts", codec: "libx265", settings: x265),
    Kind(format: "hevc", codec: "libx265", settings: x265, isTimed: false),
    Kind(format: "matroska", codec: "libx264", settings: [("preset", "ultrafast")]),
    Kind(format: "avi", codec: "libx264", isTimed: false),
    Kind(format: "h264", codec: "libx264", isTimed: false),
    Kind(format: "avi", codec: "mpeg4", isTimed: false),
    Kind(format: "mpeg", codec: "mpeg2video"),
    Kind(
      format: "webm", codec: "libvpx",
      settings: [
        ("deadline", "realtime"), ("cpu-used", "8"), ("auto-alt-ref", "1"),
        ("lag-in-frames", "16"),
      ]),
    Kind(
      format: "webm", codec: "libvpx-vp9",
      settings: [("deadline", "realtime"), ("cpu-used", "8")]),
    Kind(format: "nut", codec: "ffv1"),
    Kind(format: "flv", codec: "flv"),
  ].filter(\.isPossible)

  private static func path(_ bytes: [UInt8]) -> String {
    let folder = TemporaryFolder.make()
    let file = fopen(folder + "/clip", "wb")!
    fwrite(bytes, 1, bytes.count, file)
    fclose(file)
    return folder + "/clip"
  }

  private static func remove(_ path: String) {
    unlink(path)
    rmdir(String(path.dropLast("/clip".count)))
  }

  private static func reader(_ source: any ByteSource) async throws -> CinematicReader {
    let asset = Asset(source: source)
    let video = try #require(try await asset.loadTracks(withMediaType: .video).first)
    return try await CinematicReader(asset: asset, videoTrack: video)
  }

  /// The frames are those that FFmpeg decodes by itself, code for code.
  @Test(arguments: kinds) func framesInOrder(_ kind: Kind) async throws {
    let path = Self.path(try kind.bytes())
    defer { Self.remove(path) }
    let expected = try ReferenceDecoder.luma(of: path)
    let reader = try await FrameReader.open(path)
    #expect(reader.properties.frameCount == 90 && expected.count == 90)
    let start = expected[0].time ?? 0
    while let frame = try await reader.next() {
      let other = expected[frame.index]
      #expect(Self.luma(frame.pixelBuffer) == other.bytes, "\(frame.index)")
      if kind.isTimed, let time = other.time {
        // A container's own clock may be as coarse as a millisecond.
        #expect(abs(frame.time.seconds - (time - start)) < 0.0011, "\(frame.index)")
      } else {
        #expect(frame.time == Time(value: Int64(frame.index), timescale: 30))
      }
    }
  }

  /// Rows without their padding.
  private static func luma(_ picture: PixelBuffer) -> [UInt8] {
    picture.withUnsafeBytes(ofPlane: 0) { bytes in
      (0..<picture.height).flatMap {
        bytes[($0 * picture.planes[0].bytesPerRow)...].prefix(picture.width)
      }
    }
  }

  /// Of pictures of one time the last is shown, as in QuickTime and MP4, and the others are named. Matroska counts
  /// milliseconds.
  @Test func picturesOfOneTime() async throws {
    var options = ForeignClip.Options()
    (options.rate, options.frames) = (2000, 20)
    let path = Self.path(
      try ForeignClip.bytes(format: "matroska", codec: "ffv1", options: options))
    defer { Self.remove(path) }
    let all = try ReferenceDecoder.luma(of: path)
    let shown = all.indices.filter { $0 + 1 == all.count || all[$0].time != all[$0 + 1].time }
    try #require(all.count == 20 && shown.count < 15)
    let reader = try await FrameReader.open(path)
    #expect(reader.properties.frameCount == shown.count)
    let words = "\(all.count - shown.count) pictures that are shown for no time"
    #expect(reader.properties.unkeptExtras == [words])
    var times: [Time] = []
    while let frame = try await reader.next() {
      #expect(Self.luma(frame.pixelBuffer) == all[shown[frame.index]].bytes, "\(frame.index)")
      times.append(frame.time)
    }
    #expect(times.count == shown.count && zip(times, times.dropFirst()).allSatisfy { $0 < $1 })
  }

  /// A frame is the same however it was reached, bit for bit.
  @Test(arguments: kinds) func anyFrameEqualsTheSequentialOne(_ kind: Kind) async throws {
    let reader = try await Self.reader(MemorySource(try kind.bytes()))
    var expected: [UInt64] = []
    while let frame = try await reader.next() { expected.append(fingerprint(frame.image)) }
    #expect(expected.count == 90)
    var random = Seeded(7)
    let order = [89, 0, 45, 44, 46, 88] + (0..<30).map { _ in Int(random.next() % 90) }
    for number in order {
      let frame = try await reader.frame(number: number)
      #expect(fingerprint(frame.image) == expected[number], "\(number)")
    }
  }

  /// A sample's bytes are those that stand in the file, at any number.
  @Test(arguments: kinds) func samplesAreFoundAgain(_ kind: Kind) async throws {
    let asset = Asset(source: MemorySource(try kind.bytes()))
    let track = try #require(try await asset.load(.tracks).first)
    let index = try await track.load(.sampleIndex)
    var random = Seeded(3)
    var seen: [Int: [UInt8]] = [:]
    for number in 0..<index.count { seen[number] = try await track.sampleData(number) }
    for _ in 0..<40 {
      let number = Int(random.next() % UInt64(index.count))
      let bytes = try await track.sampleData(number)
      #expect(bytes == seen[number] && bytes.count == index[number].size)
    }
    let error = await failure { () async throws(CinematicError) in
      _ = try await track.sampleData(index.count)
    }
    #expect(error?.code == .invalidParameter)
  }

  @Test(.enabled(if: ForeignClip.canEncode("libvpx"), "this FFmpeg has no libvpx"))
  func properties() async throws {
    let kind = Kind(format: "webm", codec: "libvpx", settings: [("deadline", "realtime")])
    let bytes = try kind.bytes {
      $0.language = "fre"
      $0.title = "Le chat"
    }
    let source = MemorySource(bytes)
    let asset = Asset(source: source)
    #expect(source.readCount == 0)
    #expect(abs(try await asset.load(.duration).seconds - 3) < 0.0011)
    // The length stands in the head.
    #expect(source.bytesRead <= 32 << 10, "\(source.readRanges)")
    let track = try #require(try await asset.load(.tracks).first)
    #expect(track.mediaType == .video && track.trackID == 1)
    let (size, language, entries) = try await track.load(
      .naturalSize, .languageCode, .formatDescriptions)
    #expect(size == Dimensions(width: 96, height: 64))
    #expect(language == "fre")
    #expect(entries.first?.format == "vp08")
    #expect(entries.first?.color?.primaries == 1)
    let (rate, isFragmented) = (
      try await track.load(.nominalFrameRate), try await asset.load(.containsFragments)
    )
    #expect(abs(rate - 30) < 0.05)
    #expect(!isFragmented)
    let items = try await asset.load(.metadata)
    let title = try #require(items.first { $0.key.lowercased() == "title" })
    #expect(try await title.load(.stringValue) == "Le chat")
    // However often something is asked for, the file is walked through once.
    let read = source.bytesRead
    _ = try await track.load(.sampleIndex, .timeline, .estimatedDataRate)
    #expect(source.bytesRead == read)
    #expect(try await asset.load(.fileType) == nil)
    #expect(try await AssetInfo.capability(for: asset) == .none)
  }

  /// The configuration of codecs stands in the boxes of their own names.
  @Test(.enabled(if: EncodedClip.isPossible, "this FFmpeg has no libx265"))
  func configurations() async throws {
    let matroska = Asset(source: MemorySource(try Self.kinds[0].bytes()))
    let entry = try #require(
      try await matroska.loadTracks(withMediaType: .video).first?.load(.formatDescriptions).first)
    #expect(entry.format == "hvc1")
    #expect(entry.extensions.contains { $0.type == "hvcC" && $0.data.first == 1 })
    let stream = Asset(source: MemorySource(try Self.kinds[1].bytes()))
    let bare = try #require(
      try await stream.loadTracks(withMediaType: .video).first?.load(.formatDescriptions).first)
    #expect(bare.format == "hev1")
  }

  @Test(.enabled(if: ForeignClip.canEncode("libvpx"), "this FFmpeg has no libvpx"))
  func overHTTP() async throws {
    let kind = Kind(format: "webm", codec: "libvpx", settings: [("deadline", "realtime")])
    let bytes = try kind.bytes()
    let server = try RangeServer(bytes)
    defer { server.stop() }
    let asset = try Asset.named(server.address)
    #expect(abs(try await asset.load(.duration).seconds - 3) < 0.0011)
    #expect(server.bytesSent <= (32 << 10) + 64)
    let remote = try await Self.reader(try HTTPByteSource(server.address))
    let local = try await Self.reader(MemorySource(bytes))
    for number in [80, 3, 41] {
      let (a, b) = (try await remote.frame(number: number), try await local.frame(number: number))
      #expect(fingerprint(a.image) == fingerprint(b.image))
    }
  }

  @Test func refusals() async throws {
    for (bytes, reason) in [
      (Array("This is a text and not a movie.".utf8), "no movie of a known kind"),
      (Array("#EXTM3U\n#EXT-X-TARGETDURATION:9\n#EXTINF:9,\n/etc/passwd\n".utf8), "no movie"),
    ] {
      let asset = Asset(source: MemorySource(bytes, name: "a.mkv"))
      let error = await failure { () async throws(CinematicError) in
        _ = try await asset.load(.tracks)
      }
      #expect(error?.code == .unsupported, "\(String(describing: error))")
      #expect(error?.message.contains("a.mkv") == true && error?.remedy != nil)
      #expect(error?.message.contains(reason) == true, "\(String(describing: error))")
    }
  }

  /// A picture is an asset whatever its name; one that is damaged says so when it is read.
  @Test func damagedPicture() async throws {
    let bytes = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A] + [UInt8](repeating: 0, count: 90)
    let asset = Asset(source: MemorySource(bytes, name: "a.mkv"))
    let error = await failure { () async throws(CinematicError) in
      let reader = try await FrameReader(asset)
      _ = try await reader.next()
    }
    #expect(error?.code == .malformed, "\(String(describing: error))")
    #expect(error?.message.contains("a.mkv") == true && error?.remedy != nil)
  }

  /// A file that is cut short says so when its samples are wanted.
  @Test(.enabled(if: ForeignClip.canEncode("libvpx"), "this FFmpeg has no libvpx"))
  func cutShort() async throws {
    let kind = Kind(format: "webm", codec: "libvpx", settings: [("deadline", "realtime")])
    let bytes = Array(try kind.bytes().dropLast(3000))
    let asset = Asset(source: MemorySource(bytes, name: "cut.webm"))
    let track = try #require(try await asset.load(.tracks).first)
    let error = await failure { () async throws(CinematicError) in
      _ = try await track.load(.timeline)
    }
    #expect(error?.code == .malformed)
    #expect(
      error?.message.contains("cut.webm is cut short") == true, "\(String(describing: error))")
  }

  /// After a cancellation libavformat's read ends at once, and the next load begins anew.
  @Test(.enabled(if: ForeignClip.canEncode("libvpx"), "this FFmpeg has no libvpx"))
  func cancelledLoadsEnd() async throws {
    let kind = Kind(format: "webm", codec: "libvpx", settings: [("deadline", "realtime")])
    let gate = Gate(passes: 1)
    let source = MemorySource([(0, try kind.bytes())]) { () async throws(CinematicError) in
      try await gate.pass()
    }
    let asset = Asset(source: source)
    let task = Task { try await asset.load(.tracks).count }
    while !gate.hasWaiter { try await Task.sleep(nanoseconds: 1_000_000) }
    task.cancel()
    let result = await task.result
    #expect(throws: CinematicError.self) { try result.get() }
    gate.open()
    #expect(try await asset.load(.tracks).count == 1)
  }

  /// A piece of an FLV.
  private struct Piece {
    /// 8 for sound, 9 for pictures.
    var kind: UInt8
    /// In milliseconds.
    var time: Int
    var content: [UInt8]

    /// The pieces of a clip of 20 pictures: the decoder's configuration, and a picture each.
    static func clip(preset: String, bidirectional: Int32) throws -> [Piece] {
      let kind = StreamTests.Kind(format: "flv", codec: "libx264", settings: [("preset", preset)])
      let file = try kind.bytes {
        ($0.frames, $0.bidirectional) = (20, bidirectional)
      }
      func number(_ place: Int) -> Int {
        file[place..<(place + 3)].reduce(0) { $0 << 8 | Int($1) }
      }
      var list: [Piece] = []
      var place = 13
      while place + 11 <= file.count {
        let (size, time) = (number(place + 1), number(place + 4))
        let content = Array(file[(place + 11)..<(place + 11 + size)])
        list.append(Piece(kind: file[place], time: time, content: content))
        place += 15 + size
      }
      // Without names and the mark of the end.
      return list.filter { $0.kind == 9 && $0.content[1] != 2 }
    }

    static func file(_ list: [Piece]) -> [UInt8] {
      func bytes(_ number: Int, _ count: Int) -> [UInt8] {
        (0..<count).reversed().map { UInt8(number >> (8 * $0) & 255) }
      }
      let hasSound = list.contains { $0.kind == 8 }
      var file: [UInt8] = Array("FLV".utf8)
      file += [1, hasSound ? 5 : 1, 0, 0, 0, 9, 0, 0, 0, 0]
      for piece in list {
        file.append(piece.kind)
        file += bytes(piece.content.count, 3)
        file += bytes(piece.time, 3)
        file += [0, 0, 0, 0]
        file += piece.content
        file += bytes(piece.content.count + 11, 4)
      }
      return file
    }
  }

  /// Recorders say in the middle again how pictures and sound are coded: that changes nothing.
  @Test(.enabled(if: ForeignClip.canEncode("libx264"), "this FFmpeg has no libx264"))
  func repeatedConfigurations() async throws {
    let pieces = try Piece.clip(preset: "veryfast", bidirectional: 0)
    // AAC of two channels at 44.1 kHz, and silence.
    let soundHead: [UInt8] = [0xAF, 0, 0x12, 0x10]
    let silence: [UInt8] = [0xAF, 1, 0x21, 0x00, 0x49, 0x90, 0x02, 0x19, 0x00, 0x23, 0x80]
    var list: [Piece] = []
    for (number, picture) in pieces.dropFirst().enumerated() {
      if number % 12 == 0 {
        list.append(Piece(kind: 9, time: picture.time, content: pieces[0].content))
        list.append(Piece(kind: 8, time: picture.time, content: soundHead))
      }
      list += [picture, Piece(kind: 8, time: picture.time, content: silence)]
    }
    let asset = Asset(source: MemorySource(Piece.file(list), name: "a.flv"))
    let sound = try #require(try await asset.loadTracks(withMediaType: .audio).first)
    #expect(try await sound.load(.sampleIndex).count == 20)
    _ = try await SoundSource(sound)
    let reader = try await FrameReader(asset)
    #expect(reader.properties.frameCount == 20)
    if case .unfit(let reason) = try await CodedClip.search(reader) {
      #expect(!reason.contains("changes"))
    }
  }

  /// Two recordings, one behind the other: the pictures of both are decoded, from wherever.
  @Test(.enabled(if: ForeignClip.canEncode("libx264"), "this FFmpeg has no libx264"))
  func otherConfigurations() async throws {
    let first = try Piece.clip(preset: "veryfast", bidirectional: 2)
    let second = try Piece.clip(preset: "ultrafast", bidirectional: 0)
    #expect(first[0].content != second[0].content)
    let end = try #require(first.last).time + 200
    let later = second.map { Piece(kind: 9, time: $0.time + end, content: $0.content) }
    let path = Self.path(Piece.file(first + later))
    defer { Self.remove(path) }
    let expected = try ReferenceDecoder.luma(of: path)
    #expect(expected.count == 40)
    let reader = try await FrameReader.open(path)
    #expect(reader.properties.frameCount == 40)
    while let frame = try await reader.next() {
      #expect(Self.luma(frame.pixelBuffer) == expected[frame.index].bytes, "\(frame.index)")
    }
    for number in [39, 3, 21, 18, 33, 0, 13] {
      let frame = try await reader.frame(number: number)
      #expect(Self.luma(frame.pixelBuffer) == expected[number].bytes, "\(number)")
    }
  }

  /// What is in force is not kept again; and of what is not, only so much.
  @Test(.enabled(if: ForeignClip.canEncode("libx264"), "this FFmpeg has no libx264"))
  func keptConfigurationsAreBounded() throws {
    let pieces = try Piece.clip(preset: "veryfast", bidirectional: 0)
    let other = try Piece.clip(preset: "ultrafast", bidirectional: 0)[0].content
    func scan(_ contents: [[UInt8]], changeSize: Int) throws(CinematicError) -> StreamScan? {
      var list = [pieces[0]]
      for (number, picture) in pieces.dropFirst().enumerated() {
        let content = contents[number % contents.count]
        list += [Piece(kind: 9, time: picture.time, content: content), picture]
      }
      let input = try InputContext.open(
        MemorySource(Piece.file(list), name: "a.flv"), Interruption())
      avformat_find_stream_info(input.pointer, nil)
      let description = try StreamDescription(input, name: "a.flv")
      return try StreamScan.scan(input, description, name: "a.flv", changeSize: changeSize)[1]
    }
    let same = try #require(try scan([pieces[0].content], changeSize: 0))
    #expect(same.changes.isEmpty && !same.changesCoding && same.index.count == 20)
    let changing = try #require(try scan([pieces[0].content, other], changeSize: 4096))
    #expect(changing.changes.map(\.firstSample) == Array(1..<20) && changing.changesCoding)
    let error = #expect(throws: CinematicError.self) {
      try scan([pieces[0].content, other], changeSize: 300)
    }
    #expect(error?.code == .unsupported && error?.message.contains("a.flv") == true)
  }

  /// Files of other kinds with a few bytes changed: values or errors.
  @Test func hostileFiles() async throws {
    let seeds = try [
      Self.kinds.first { $0.format == "webm" }, Self.kinds.first { $0.format == "avi" },
    ]
    .compactMap { try $0?.bytes { $0.frames = 8 } }
    var fuzzer = Fuzzer(seed: 11, seeds)
    for _ in 0..<60 {
      let asset = Asset(source: MemorySource(fuzzer.next()))
      _ = await failure { () async throws(CinematicError) in try await AssetTests.loadAll(asset) }
    }
  }
}

/// A number that pictures of other codes do not have, by any likelihood.
func fingerprint(_ buffer: PixelBuffer) -> UInt64 {
  var hash: UInt64 = 0xCBF2_9CE4_8422_2325
  for index in buffer.planes.indices {
    let plane = buffer.planes[index]
    buffer.withUnsafeBytes(ofPlane: index) { bytes in
      for y in 0..<plane.dimensions.height {
        let start = y * plane.bytesPerRow
        for byte in bytes[start..<(start + plane.dimensions.width * plane.bytesPerElement)] {
          hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3
        }
      }
    }
  }
  return hash
}
