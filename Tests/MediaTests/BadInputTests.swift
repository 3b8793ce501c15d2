// SPDX-License-Identifier: Apache-2.0

import CFFmpeg
import FocalCore
import FocalMedia
import Testing

@Suite struct BadInputTests {
  /// Opens and reads everything; the error.
  static func reading(
    _ path: String, _ options: ReadOptions = ReadOptions()
  ) async -> CinematicError? {
    await failure { () async throws(CinematicError) in _ = try await frames(path, options) }
  }

  @Test func missing() async {
    let folder = ScratchFolder()
    for name in ["none.png", "none.mp4", "no/folder/%04d.png", "%04d.png", "a%%.png"] {
      let error = await Self.reading(folder.file(name))
      #expect(error?.code == .unreadable, "\(name)")
      #expect(error?.message.contains(folder.path) == true)
      #expect(error?.remedy != nil)
    }
  }

  @Test func folderEmptyAndForeign() async throws {
    let folder = ScratchFolder()
    #expect(await Self.reading(folder.path)?.code == .unreadable)
    #expect(await Self.reading(folder.path)?.message.contains("folder") == true)
    folder.write([], to: "empty.mp4")
    #expect(await Self.reading(folder.file("empty.mp4"))?.code == .malformed)
    #expect(
      await Self.reading(folder.file("empty.mp4"))?.message.contains("empty.mp4 is empty") == true)
    folder.write(String(repeating: "All work and no play.\n", count: 200), to: "text.txt")
    folder.write(String(repeating: "1,2,3\n", count: 20), to: "movie.mp4")
    folder.write("not a picture", to: "a.png")
    folder.write((0..<4096).map { UInt8(truncatingIfNeeded: $0 &* 97) }, to: "noise.mov")
    folder.write(AudioTests.wave(seconds: 0.5), to: "sound.wav")
    for name in ["text.txt", "movie.mp4", "a.png", "noise.mov", "sound.wav"] {
      let error = await Self.reading(folder.file(name))
      #expect(error?.code == .malformed || error?.code == .unsupported, "\(name): \(error as Any)")
      #expect(error?.message.contains(name) == true)
    }
  }

  /// Texts that stand for other places, called a movie: a session that would be listened for on the network, lists
  /// of files and of addresses. Refused by what they are, at once, and nothing that they name is opened.
  @Test(
    .timeLimit(.minutes(10)),
    arguments: [
      "v=0\no=- 0 0 IN IP4 127.0.0.1\ns=x\nc=IN IP4 127.0.0.1\nt=0 0\nm=video 5004 RTP/AVP 96\na=rtpmap:96 H264/90000\n",
      "#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\nhttp://127.0.0.1:9/a.ts\n#EXT-X-ENDLIST\n",
      "ffconcat version 1.0\nfile /etc/hostname\n",
      "<?xml version=\"1.0\"?><MPD xmlns=\"urn:mpeg:dash:schema:mpd:2011\" profiles=\"urn:mpeg:dash:profile:isoff-live:2011\"></MPD>",
      ";FFMETADATA1\ntitle=a\n",
    ])
  func textsThatNameOtherPlaces(_ text: String) async throws {
    let folder = ScratchFolder()
    folder.write(text, to: "a.mp4")
    let error = await Self.reading(folder.file("a.mp4"))
    #expect(error?.code == .unsupported || error?.code == .malformed, "\(error as Any)")
    #expect(error?.message.contains("a.mp4") == true)
  }

  /// Every kind of picture, cut at many places: never a picture, always the file's name.
  @Test(arguments: ["png", "tif", "pfm", "exr"])
  func truncatedPictures(_ ending: String) async throws {
    let folder = ScratchFolder()
    let isFloat = ending == "pfm" || ending == "exr"
    let picture = try Scene.noise(
      40, 40, isFloat ? .rgbaFloat : .rgba8, tags: isFloat ? .linearBT709 : .sRGB)
    try PictureWriter.write(picture, to: folder.file("whole.\(ending)"))
    let bytes = folder.read("whole.\(ending)")
    for share in [0.02, 0.1, 0.3, 0.5, 0.75, 0.9, 0.99] {
      folder.write(Array(bytes.prefix(Int(Double(bytes.count) * share))), to: "cut.\(ending)")
      let error = await Self.reading(folder.file("cut.\(ending)"))
      #expect(error?.code == .malformed, "\(share) of \(ending): \(error as Any)")
      #expect(error?.message.contains("cut.\(ending)") == true)
    }
  }

  @Test func zeroSizedPicture() async throws {
    let folder = ScratchFolder()
    try PictureWriter.write(Scene.noise(4, 4, .rgba8), to: folder.file("a.png"))
    var bytes = folder.read("a.png")
    bytes[19] = 0
    folder.write(bytes, to: "zero.png")
    #expect(await Self.reading(folder.file("zero.png"))?.message.contains("0x4") == true)
  }

  /// Movies cut anywhere: an error, never a silent short clip.
  @Test(arguments: ["mp4", "mov", "mkv", "avi"], [0.3, 0.6, 0.9, 0.98])
  func truncatedMovies(_ ending: String, share: Double) async throws {
    let folder = ScratchFolder()
    if ending == "mp4" || ending == "mov" {
      var settings = WriterSettings(
        dimensions: Dimensions(width: 64, height: 64), pixelFormat: .yuv420Video8, tags: .bt709)
      settings.encoderPreset = "ultrafast"
      let writer = try MovieWriter(folder.file("whole.\(ending)"), settings: settings)
      for time in MovieTests.steady(20) {
        try writer.append(
          video: Scene.noise(64, 64, .yuv420Video8, seed: UInt64(time.value + 1)), time: time,
          duration: Time(value: 1, timescale: 30))
      }
      try writer.finish()
    } else {
      try TestClip(
        codec: "ffv1", format: AV_PIX_FMT_YUV420P, size: Dimensions(width: 64, height: 64),
        frameCount: 20
      ) { frame, plane, x, y in (frame * 5 + x * 3 + y * 7 + plane * 50) % 255 }
      .write(to: folder.file("whole.\(ending)"))
    }
    #expect(try await frames(folder.file("whole.\(ending)")).count == 20)
    let bytes = folder.read("whole.\(ending)")
    folder.write(Array(bytes.prefix(Int(Double(bytes.count) * share))), to: "cut.\(ending)")
    let error = await Self.reading(folder.file("cut.\(ending)"))
    #expect(error?.code == .malformed, "\(error as Any)")
    #expect(error?.message.contains("cut.\(ending)") == true)
  }

  /// Damage in the middle names the frame: PNG by its checksums, H.264 by what it made up.
  @Test(arguments: ["png", "h264"])
  func damagedFrame(_ codec: String) async throws {
    let folder = ScratchFolder()
    if codec == "png" {
      try TestClip(
        codec: "png", format: AV_PIX_FMT_GRAY8, size: Dimensions(width: 64, height: 64),
        frameCount: 10
      ) { frame, _, x, y in (frame * 5 + x * x * 3 + y * y * 7) % 255 }
      .write(to: folder.file("a.mov"))
    } else {
      var settings = WriterSettings(
        dimensions: Dimensions(width: 64, height: 64), pixelFormat: .yuv420Video8, tags: .bt709)
      settings.encoderPreset = "ultrafast"
      let writer = try MovieWriter(folder.file("a.mov"), settings: settings)
      for time in MovieTests.steady(10) {
        try writer.append(
          video: Scene.noise(64, 64, .yuv420Video8, seed: UInt64(time.value + 1)), time: time,
          duration: Time(value: 1, timescale: 30))
      }
      try writer.finish()
    }
    var bytes = folder.read("a.mov")
    // Noise is partly stored as plain samples, in which damage cannot be told: enough for more.
    let count = codec == "png" ? 400 : 4000
    for place in (bytes.count / 2)..<(bytes.count / 2 + count) { bytes[place] ^= 0x5A }
    folder.write(bytes, to: "bad.mov")
    let error = await Self.reading(folder.file("bad.mov"))
    #expect(error?.code == .malformed, "\(error as Any)")
    #expect(error?.message.contains("bad.mov is damaged at frame") == true)
  }

  /// Two transport streams of different sizes behind each other.
  @Test func sizeChangesInTheMiddle() async throws {
    let folder = ScratchFolder()
    for (name, width) in [("a.ts", 64), ("b.ts", 96)] {
      try TestClip(
        codec: "mpeg2video", format: AV_PIX_FMT_YUV420P, size: Dimensions(width: width, height: 64),
        frameCount: 8
      ) { frame, _, x, _ in 60 + frame * 3 + x }.write(to: folder.file(name))
    }
    folder.write(folder.read("a.ts") + folder.read("b.ts"), to: "ab.ts")
    let error = await Self.reading(folder.file("ab.ts"))
    #expect(error?.code == .incompatible, "\(error as Any)")
    #expect(error?.message.contains("96x64") == true)
  }

  @Test func readersKeepTheirError() async throws {
    let folder = ScratchFolder()
    try PictureWriter.write(Scene.noise(8, 8, .rgba8), to: folder.file("0.png"))
    try PictureWriter.write(Scene.noise(9, 8, .rgba8), to: folder.file("1.png"))
    let reader = try await FrameReader.open(folder.file("%d.png"))
    _ = try await reader.next()
    let first = await failure { () async throws(CinematicError) in _ = try await reader.next() }
    #expect(first?.code == .incompatible)
    let second = await failure { () async throws(CinematicError) in _ = try await reader.next() }
    #expect(first == second)
  }
}
