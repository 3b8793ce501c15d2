// SPDX-License-Identifier: Apache-2.0

import FocalBoxes
import FocalCore
import FocalMedia
import MovieKit
import Testing

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
