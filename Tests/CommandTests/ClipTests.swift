// SPDX-License-Identifier: Apache-2.0

import CFFmpeg
import FocalCore
import FocalMedia
import Testing

/// Clips keep their times, their depth, their colours and their sound.
@Suite struct ClipTests {
  /// 90000ths of a second with steps of every length.
  private static let uneven = [0, 3003, 6006, 7000, 19000, 19090, 60000].map {
    Time(value: $0, timescale: 90000)
  }

  @Test(arguments: [("out.mp4", "clip.mov"), ("out.mov", "clip.mp4")])
  func variableFrameRate(_ output: String, _ input: String) async throws {
    let folder = Folder()
    let last = Time(value: 4500, timescale: 90000)
    try Material.clip(input, in: folder, times: Self.uneven, last: last)
    try Material.clip("map.mp4", in: folder, times: Self.uneven, last: last)
    try await works(["render", input, "--disparity", "map.mp4", "-o", output], in: folder)
    let before = try await Material.frames(folder.file(input))
    let after = try await Material.frames(folder.file(output))
    #expect(before.frames.map(\.time) == Self.uneven)
    #expect(after.frames.map(\.time) == Self.uneven)
    #expect(after.frames.map(\.duration) == before.frames.map(\.duration))
    #expect(after.properties.tags == before.properties.tags)
  }

  /// Frames are matched to maps by time where both have times: here every other frame has one.
  @Test func mapsAtHalfTheRate() async throws {
    let folder = Folder()
    try Material.clip("clip.mp4", in: folder, times: Material.steady(9))
    try Material.clip(
      "map.mp4", in: folder, times: (0..<5).map { Time(value: $0, timescale: 15) },
      last: Time(value: 1, timescale: 15))
    try await works(["render", "clip.mp4", "--disparity", "map.mp4", "-o", "out.mp4"], in: folder)
    #expect(try await Material.frames(folder.file("out.mp4")).frames.count == 9)
  }

  @Test(arguments: [
    (PixelFormat.yuv420Video8, ColorTags.bt709, "h264"), (.yuv420Full8, .bt709, "h264"),
    (.yuv420Video10, .hlg, "hevc"), (.yuv420Video10, .pq, "hevc"),
    (.yuv420Full10, .bt709, "hevc"),
  ])
  func depthAndColours(_ format: PixelFormat, _ tags: ColorTags, _ codec: String) async throws {
    let folder = Folder()
    try Material.clip(
      "clip.mp4", in: folder, times: Material.steady(4), format: format, tags: tags)
    try Material.numberedMaps(4, in: folder)
    let render = [
      "render", "clip.mp4", "--disparity", "maps/%04d.png", "--f-number", "inf", "-o",
    ]
    try await works(render + ["out.mov"], in: folder)
    let before = try await Material.frames(folder.file("clip.mp4"))
    let after = try await Material.frames(folder.file("out.mov"))
    #expect(after.properties.pixelFormat == format)
    #expect(after.properties.tags == tags)
    #expect(after.properties.colorCodes == before.properties.colorCodes)
    #expect(after.properties.codecDescription.hasPrefix(codec))
    // Pictures of a deep clip have 16 bits.
    try await works(render + ["out.png", "--frames", "1"], in: folder)
    let depth = try await Material.frames(folder.file("out.png")).properties.bitDepth
    #expect(depth == (codec == "hevc" ? 16 : 8))
  }

  @Test func selection() async throws {
    let folder = Folder()
    try Material.clip("clip.mp4", in: folder, times: Material.steady(9))
    try Material.numberedMaps(9, in: folder)
    folder.make("out")
    let render = ["render", "clip.mp4", "--disparity", "maps/%04d.png", "-o"]
    try await works(render + ["out/%03d.png", "--frames", "3-5"], in: folder)
    #expect(
      folder.names.filter { $0.hasPrefix("out/") }
        == ["out/003.png", "out/004.png", "out/005.png"])
    try await works(render + ["out.mp4", "--frames", "3-5"], in: folder)
    #expect(
      try await Material.frames(folder.file("out.mp4")).frames.map(\.time) == Material.steady(3))
  }

  @Test func scaled() async throws {
    let folder = Folder()
    try Material.clip("clip.mp4", in: folder, times: Material.steady(3))
    try Material.numberedMaps(3, in: folder)
    try await works(
      [
        "render", "clip.mp4", "--disparity", "maps/%04d.png", "-o", "out.mp4", "--size", "24x16",
      ], in: folder)
    let (properties, frames) = try await Material.frames(folder.file("out.mp4"))
    #expect(properties.dimensions == Dimensions(width: 24, height: 16))
    #expect(frames.map(\.time) == Material.steady(3))
  }

  // MARK: - Sound

  /// The bytes of a file's sound, packet after packet.
  private static func sound(_ path: String) throws -> [UInt8] {
    var context: UnsafeMutablePointer<AVFormatContext>?
    let code = avformat_open_input(&context, "file:" + path, nil, nil)
    try #require(code == 0)
    defer { avformat_close_input(&context) }
    var packet = av_packet_alloc()
    defer { av_packet_free(&packet) }
    var bytes: [UInt8] = []
    while let packet, av_read_frame(context, packet) >= 0 {
      let stream = context?.pointee.streams[Int(packet.pointee.stream_index)]
      if stream?.pointee.codecpar.pointee.codec_type == AVMEDIA_TYPE_AUDIO {
        bytes += UnsafeBufferPointer(start: packet.pointee.data, count: Int(packet.pointee.size))
      }
      av_packet_unref(packet)
    }
    return bytes
  }

  @Test func soundIsCopied() async throws {
    let folder = Folder()
    let wave = Material.wave(seconds: 1)
    folder.write(wave, to: "a.wav")
    try Material.clip(
      "clip.mov", in: folder, times: Material.steady(30),
      sound: try await AssetSound(Asset(path: folder.file("a.wav"))))
    try Material.numberedMaps(30, in: folder)
    let render = ["render", "clip.mov", "--disparity", "maps/%04d.png", "-o"]
    try await works(render + ["out.mov"], in: folder)
    #expect(try Self.sound(folder.file("out.mov")) == Array(wave.dropFirst(44)))
    // A third of the pictures with a third of the sound, up to whole packets.
    try await works(render + ["part.mov", "--frames", "10-19"], in: folder)
    let part = try Self.sound(folder.file("part.mov")).count
    #expect((16000 / 3...16000 / 3 + 3 * 2048).contains(part), "\(part)")
    // Pictures have no sound.
    try await works(render + ["out.png", "--frames", "0"], in: folder)
    // A film is what is asked for, as an export is.
    try await works(
      render + ["film.mov", "--no-sound", "--codec", "hevc", "--rate-factor", "30"], in: folder)
    let film = try await Material.frames(folder.file("film.mov")).properties
    #expect(!film.hasAudio)
    #expect(film.codecDescription.hasPrefix("hevc"))
    try await works(
      render + ["small.mov", "--preset", "preview", "--maximum-size", "24x24"], in: folder)
    let small = try await Material.frames(folder.file("small.mov")).properties
    #expect(small.dimensions == Dimensions(width: 24, height: 16))
    for option in [["--codec", "hevc"], ["--rate-factor", "9"], ["--no-sound"]] {
      try await refuses(
        render + ["film/%04d.png"] + option, in: folder, naming: [option[0], "film/%04d.png"])
    }
    try await refuses(
      render + ["film.mov", "--force", "--maximum-size", "24x24", "--size", "24x16"], in: folder,
      code: 64, naming: ["--size"])
  }

  @Test func soundThatDoesNotFitTheContainer() async throws {
    let folder = Folder()
    folder.write(Material.wave(seconds: 0.2), to: "a.wav")
    try Material.clip(
      "clip.mov", in: folder, times: Material.steady(6),
      sound: try await AssetSound(Asset(path: folder.file("a.wav"))))
    try Material.numberedMaps(6, in: folder)
    let outcome = try await Program.focal(
      ["render", "clip.mov", "--disparity", "maps/%04d.png", "-o", "out.mp4"], in: folder)
    if outcome.code != 0 {
      expectOneLine(outcome, naming: ["clip.mov", "out.mp4", ".mov"])
      #expect(!folder.names.contains("out.mp4"))
    } else {
      // Newer libraries hold this sound in MP4, too.
      #expect(try !Self.sound(folder.file("out.mp4")).isEmpty)
    }
    #expect(folder.unfinished.isEmpty)
  }

  /// Sound that the file does not hold is encoded, which is said.
  @Test func encodedSound() async throws {
    let folder = Folder()
    folder.write(Material.wave(seconds: 0.2), to: "sound.wav")
    let sound = try await AssetSound(Asset.named(folder.file("sound.wav")))
    try Material.clip("clip.mov", in: folder, times: Material.steady(6), sound: sound)
    try Material.numberedMaps(6, in: folder)
    let render = ["render", "clip.mov", "--disparity", "maps/%04d.png", "-o"]
    let encoded = try await Program.focal(render + ["film.mp4"], in: folder)
    #expect(encoded.code == 0, "\(encoded.errors)")
    #expect(
      encoded.errors.contains(
        "the sound (pcm_s16le) is encoded as AAC: film.mp4 does not hold it as it is"))
    let copied = try await Program.focal(render + ["film.mov"], in: folder)
    #expect(copied.code == 0 && !copied.errors.contains("encoded as"), "\(copied.errors)")
  }
}
