// SPDX-License-Identifier: Apache-2.0

import CFFmpeg
import FocalBoxes
import FocalCore
import Foundation
import Testing

@testable import FocalMedia

/// Films in WebM: VP9 with alpha beside its pictures, AV1, and sound as Opus or Vorbis.
@Suite(.enabled(if: TestClip.hasEncoder("libvpx-vp9"), "this FFmpeg has no libvpx"))
struct WebMTests {
  static let size = Dimensions(width: 97, height: 53)

  static func settings(
    _ folder: ScratchFolder, hasAlpha: Bool = true, tags: ColorTags = .bt709
  ) -> WriterSettings {
    var settings = WriterSettings(dimensions: size, pixelFormat: .rgbaFloat, tags: tags)
    settings.codedPixels =
      hasAlpha
      ? CodedPixels(.yuv420, bitDepth: 8, hasAlpha: true) : CodedPixels(.yuv444, bitDepth: 10)
    settings.temporaryFiles = folder.temporaryFiles
    return settings
  }

  /// Colours that hardly change, and alpha that is another picture from frame 15 on.
  static func picture(_ number: Int, tags: ColorTags = .bt709) throws -> PixelBuffer {
    let picture = try Scene.smooth(
      size.width, size.height, .rgbaFloat, tags: tags, phase: Double(number) / 40)
    picture.setAlpha { x, y in alpha(number, x, y) }
    return picture
  }

  static func alpha(_ number: Int, _ x: Int, _ y: Int) -> Float {
    number < 15 ? Float((x + 2 * number) % 97) / 96 : x > y + number ? 1 : 0.25
  }

  /// Alpha comes back at its place, in order, after a jump and by FFmpeg's own way, and begins anew where the colours do.
  @Test func alphaComesBack() async throws {
    let folder = ScratchFolder()
    var settings = Self.settings(folder)
    // Two seconds are ten frames.
    settings.nominalFrameDuration = Time(value: 1, timescale: 5)
    let times = MovieTests.steady(32, settings.nominalFrameDuration)
    let film = try await MovieTests.roundTrip(
      folder, "a.webm", settings, times: times, lastDuration: settings.nominalFrameDuration
    ) { try Self.picture($0) }
    let properties = film.properties
    #expect(properties.codedPixels == CodedPixels(.yuv420, bitDepth: 8, hasAlpha: true))
    #expect(properties.dimensions == Self.size && properties.tags == .bt709)
    #expect(properties.nominalFrameDuration == settings.nominalFrameDuration)
    #expect(properties.unkeptExtras.isEmpty, "\(properties.unkeptExtras)")
    #expect(film.frames.map(\.time) == times)
    for (number, frame) in film.frames.enumerated() {
      let source = try Self.picture(number).values(Float.self).map(Double.init)
      let found = try frame.pixelBuffer.rgbValues()
      for (channels, least) in [([0, 1, 2], 36.0), ([3], 30)] {
        let picked = { (values: [Double]) in
          values.indices.filter { channels.contains($0 % 4) }.map { values[$0] }
        }
        let quality = psnr(picked(found), picked(source), peak: 1)
        #expect(quality > least, "frame \(number), \(channels): \(quality)")
      }
    }
    let again = try await FrameReader.open(folder.file("a.webm"))
    for number in [31, 17, 3, 25, 9] {
      let picture = try await again.frame(number: number).pixelBuffer
      #expect(picture.values(Float.self) == film.frames[number].pixelBuffer.values(Float.self))
    }
    // The file itself says that it has alpha, beside every picture.
    let input = try InputContext(path: folder.file("a.webm"))
    let stream = try #require(input.streams[0])
    let mode = av_dict_get(stream.pointee.metadata, "alpha_mode", nil, AV_DICT_IGNORE_SUFFIX)
    #expect(mode.map { String(cString: $0.pointee.value) } == "1")
    let packet = try #require(Packet())
    var count = 0
    while av_read_frame(input.pointer, packet.pointer) >= 0 {
      #expect((packet.sideData(AV_PKT_DATA_MATROSKA_BLOCKADDITIONAL)?.count ?? 0) > 8)
      av_packet_unref(packet.pointer)
      count += 1
    }
    #expect(count == 32)
  }

  /// The codec that is meant where none is named, what others keep, and the same bytes from the same pictures.
  @Test(arguments: [WriterSettings.Codec.automatic, .av1])
  func codecsWithoutAlpha(_ codec: WriterSettings.Codec) async throws {
    let folder = ScratchFolder()
    let tags = ColorTags(primaries: .bt2020, transfer: .hlg, matrix: .bt2020)
    var settings = Self.settings(folder, hasAlpha: false, tags: tags)
    settings.codec = codec
    settings.hdrMetadata.contentLight = .init(maximum: 1000, maximumFrameAverage: 200)
    let film = try await MovieTests.roundTrip(
      folder, "a.webm", settings, times: MovieTests.steady(4),
      lastDuration: Time(value: 1, timescale: 30)
    ) { try Self.picture($0, tags: tags) }
    #expect(film.properties.codedPixels == CodedPixels(.yuv444, bitDepth: 10))
    #expect(film.properties.tags == tags)
    #expect(film.properties.hdrMetadata.contentLight == settings.hdrMetadata.contentLight)
    #expect(film.properties.codecDescription.contains(codec == .av1 ? "av1" : "vp9"))
    for (number, frame) in film.frames.enumerated() {
      let source = try Self.picture(number, tags: tags).values(Float.self).map(Double.init)
      let found = try frame.pixelBuffer.rgbValues()
      let colors = { (values: [Double]) in values.indices.filter { $0 % 4 < 3 }.map { values[$0] } }
      #expect(psnr(colors(found), colors(source), peak: 1) > 38)
      // Milliseconds.
      #expect(abs(frame.time.seconds - Double(number) / 30) < 0.00051)
    }
    _ = try await MovieTests.roundTrip(
      folder, "b.webm", settings, times: MovieTests.steady(4),
      lastDuration: Time(value: 1, timescale: 30)
    ) { try Self.picture($0, tags: tags) }
    let files = try ["a.webm", "b.webm"].map {
      try Data(contentsOf: URL(fileURLWithPath: folder.file($0)))
    }
    #expect(files[0] == files[1])
  }

  /// Everything but Opus and Vorbis becomes Opus, to the sample where it was; those are copied if they are whole.
  @Test(arguments: [
    ("pcm_s16le", AV_SAMPLE_FMT_S16, "wav", "wav", Int32(48000), Int32(2)),
    ("aac", AV_SAMPLE_FMT_FLTP, "mov", "mov", 44100, 1),
    ("pcm_s16le", AV_SAMPLE_FMT_S16, "wav", "wav", 48000, 4),
    ("pcm_s16le", AV_SAMPLE_FMT_S16, "wav", "wav", 48000, 6),
    ("libopus", AV_SAMPLE_FMT_FLT, "webm", "webm", 48000, 2),
    ("libopus", AV_SAMPLE_FMT_FLT, "mp4", "mp4", 48000, 2),
    ("libvorbis", AV_SAMPLE_FMT_FLTP, "matroska", "mkv", 44100, 2),
  ])
  func sound(
    _ encoder: String, _ format: AVSampleFormat, _ container: String, _ ending: String,
    rate: Int32, channels: Int32
  ) async throws {
    guard SoundFile.hasEncoder(encoder), SoundFile.hasEncoder("libopus") else {
      return try skip("this FFmpeg has no \(encoder) or no libopus")
    }
    let folder = ScratchFolder()
    let file = SoundFile(
      encoder: encoder, container: container, rate: rate, channels: channels, format: format)
    _ = try file.write(to: folder.file("sound." + ending), seconds: 1.3) { sample, _ in
      Clicks.value(sample, rate: rate)
    }
    let source = try #require(try await AssetSound(Asset(path: folder.file("sound." + ending))))
    let isCopied = encoder.hasPrefix("lib")
    for (extent, name) in [(Sound.Extent.whole, "a.webm"), (.whilePictures, "b.webm")] {
      var settings = Self.settings(folder)
      settings.sound = .asset(source, extent: extent)
      let writer = try FrameWriter.create(folder.file(name), settings: settings)
      for index in 0..<30 {
        try writer.append(
          try Self.picture(index), time: Time(value: Int64(index), timescale: 30),
          duration: Time(value: 1, timescale: 30))
      }
      try writer.finish()
      let isPart = extent == .whilePictures
      #expect((writer.writtenSound.first?.storedAs == nil) == (isCopied && !isPart))
      let (heard, meant) = (
        try DecodedSound(folder.file(name)), try DecodedSound(folder.file("sound." + ending))
      )
      #expect(heard.codec == (encoder == "libvorbis" && !isPart ? "vorbis" : "opus"))
      #expect(heard.channels.count == Int(channels))
      // The end as well, to the sample; Vorbis in Matroska has none within a packet, and a first packet that is silent.
      let isVorbis = encoder == "libvorbis"
      let wanted = isPart ? 1 - heard.start : isVorbis ? meant.seconds : 1.3
      #expect(
        abs(heard.seconds - wanted) < (isPart && isVorbis ? 0.0006 : 0.0001),
        "\(heard.seconds) \(wanted)")
      #expect(abs(heard.start - meant.start) < 0.0011, "\(heard.start) \(meant.start)")
      // Times are whole milliseconds, and so may those of the source be.
      let (found, expected) = (Self.clicks(heard), Self.clicks(meant))
      #expect(found.count == (isPart ? 5 : 6))
      for (found, expected) in zip(found, expected) {
        #expect(abs(found - expected) < 0.0012, "\(found) \(expected)")
      }
      // Nothing is missing in between, and nothing is played slower.
      for (found, number) in zip(found, 0...) {
        #expect(abs(found - (Clicks.time(0) + 0.2 * Double(number)) - meant.start) < 0.0012)
      }
    }
  }

  /// When each click is heard, in seconds on the container's clock: where its energy is in the mean.
  private static func clicks(_ sound: DecodedSound) -> [Double] {
    (0..<6).compactMap { number in
      let middle = Int(Clicks.time(number) * Double(sound.rate))
      let range = middle - Int(sound.rate) / 30..<middle + Int(sound.rate) / 30
      guard range.upperBound <= sound.channels[0].count else { return nil }
      let energies = range.map {
        (Double($0), Double(sound.channels[0][$0]) * Double(sound.channels[0][$0]))
      }
      let sum = energies.reduce(0) { $0 + $1.1 }
      guard sum > 1e-3 else { return nil }
      return sound.start + energies.reduce(0) { $0 + $1.0 * $1.1 } / sum / Double(sound.rate)
    }
  }

  /// Bursts of a tone, five a second.
  private enum Clicks {
    static func time(_ number: Int) -> Double { 0.1 + 0.2 * Double(number) }

    static func value(_ sample: Int, rate: Int32) -> Double {
      let time = Double(sample) / Double(rate)
      let away = (time - 0.1).truncatingRemainder(dividingBy: 0.2)
      let near = abs(away) < 0.1 ? away : away - 0.2
      guard abs(near) < 0.004 else { return 0 }
      return 0.7 * cos(2 * .pi * 1500 * near) * (0.5 + 0.5 * cos(.pi * near / 0.004))
    }
  }

  /// Title, date, chapters and languages; what has no place is named.
  @Test func companions() async throws {
    let folder = ScratchFolder()
    var settings = Self.settings(folder)
    settings.companions.tags = [("TITLE", "A long walk"), ("artist", "Somebody")]
    settings.companions.creationTime = FilmCompanions.seconds(
      since1904: "2024-02-29T12:34:56.000000Z")!
    settings.companions.chapters = [
      Chapter(time: .zero, title: "Morning"),
      Chapter(time: Time(value: 1, timescale: 10), title: "Evening"),
    ]
    settings.companions.pictureLabels = TrackLabels(name: "Camera A")
    settings.companions.pictureLanguageCode = "deu"
    _ = try await MovieTests.roundTrip(
      folder, "a.webm", settings, times: MovieTests.steady(6),
      lastDuration: Time(value: 1, timescale: 30)
    ) { try Self.picture($0) }
    let found = try await FilmCompanions(
      Asset(path: folder.file("a.webm")), frameDuration: Time(value: 1, timescale: 30))
    let texts = Dictionary(
      found.tags.map { ($0.key.lowercased(), $0.value) }, uniquingKeysWith: { first, _ in first })
    #expect(texts["title"] == "A long walk" && texts["artist"] == "Somebody")
    #expect(found.creationTime == settings.companions.creationTime)
    #expect(found.chapters == settings.companions.chapters)
    #expect(found.pictureLabels.name == "Camera A")
    // Matroska may use another of two codes of a language.
    #expect(["deu", "ger"].contains(found.pictureLanguageCode))
    var others = settings.companions
    others.boxes = [
      .metadata([
        .text("com.apple.quicktime.title", "A film"), .text("com.example.mood", "glad"),
      ])
    ]
    #expect(others.losses(in: .webM) == ["the metadata com.example.mood"])
    var packet = Box("uuid", data: Array("<x:xmpmeta/>".utf8))
    packet.extendedType = BoxContainer.xmp
    others.fileBoxes = [packet]
    #expect(others.losses(in: .webM) == ["the metadata XMP, com.example.mood"])
    #expect(others.plainDescriptions.contains { $0 == ("title", "A film") })
    others.timecode = Timecode("10:20:30:12", frameDuration: Time(value: 1, timescale: 30))
    #expect(others.losses(in: .webM).contains("the timecode"))
  }

  /// Chapters end where the next one begins, the last one with the film, and those behind it are none.
  @Test func chaptersOfAPart() async throws {
    let folder = ScratchFolder()
    var settings = Self.settings(folder)
    settings.companions.chapters = [(0, "a"), (100, "b"), (1000, "c")].map {
      Chapter(time: Time(value: $0.0, timescale: 1000), title: $0.1)
    }
    settings.companions.cut(from: Time(value: 1, timescale: 20))
    _ = try await MovieTests.roundTrip(
      folder, "a.webm", settings, times: MovieTests.steady(6),
      lastDuration: Time(value: 1, timescale: 30)
    ) { try Self.picture($0) }
    let input = try InputContext(path: folder.file("a.webm"))
    let found = (0..<Int(input.pointer.pointee.nb_chapters)).compactMap { number in
      input.pointer.pointee.chapters[number].map { chapter in
        let unit = av_q2d(chapter.pointee.time_base)
        return [chapter.pointee.start, chapter.pointee.end].map {
          Int((Double($0) * unit * 1000).rounded())
        }
      }
    }
    #expect(found == [[0, 50], [50, 200]])
  }

  @Test func whatIsRefused() throws {
    let folder = ScratchFolder()
    func refusal(_ name: String, _ change: (inout WriterSettings) -> Void) -> CinematicError? {
      var settings = Self.settings(folder)
      change(&settings)
      return failure { () throws(CinematicError) in
        let writer = try FrameWriter.create(folder.file(name), settings: settings)
        writer.cancel()
      }
    }
    #expect(refusal("a.webm") { _ in } == nil)
    for codec in [WriterSettings.Codec.h264, .hevc, .proRes4444, .ffv1] {
      let error = refusal("a.webm") { $0.codec = codec }
      #expect(error?.code == .invalidParameter)
      #expect(error?.message.contains("cannot hold \(codec.title)") == true)
    }
    let turned = refusal("a.webm") { $0.preferredTransform = .clockwise90 }
    #expect(turned?.code == .unsupported && turned?.message.contains("turned") == true)
    let deep = refusal("a.webm") { $0.codedPixels?.bitDepth = 10 }
    #expect(deep?.code == .unsupported)
    // Frames that would be shown at the same millisecond.
    let near = failure { () throws(CinematicError) in
      var settings = Self.settings(folder)
      settings.timescale = 10000
      let writer = try FrameWriter.create(folder.file("b.webm"), settings: settings)
      let step = Time(value: 1, timescale: 10000)
      let picture = try PixelBuffer(dimensions: Self.size, format: .rgbaFloat, tags: .bt709)
      for index in 0..<40 { try writer.append(picture, time: step * index, duration: step) }
      try writer.finish()
    }
    #expect(near?.code == .unsupported && near?.message.contains("milliseconds") == true)
    #expect(folder.names.isEmpty)
  }

  /// Alpha goes before finer chroma and more bits, and only WebM has a place for it.
  @Test func formsOfVP9() throws {
    let cinema = CodedPixels(.yuv444, bitDepth: 12, hasAlpha: true)
    func chosen(
      _ codec: WriterSettings.Codec, _ container: OutputFormat.Container,
      chroma: CodedPixels.Chroma? = nil
    ) throws -> String {
      try FilmCoding(codec, chroma: chroma)
        .pixels(for: cinema, isClip: true, isDeep: true, in: container).description
    }
    #expect(try chosen(.automatic, .webM) == "4:2:0 of 8 bits with alpha")
    #expect(try chosen(.vp9, .webM) == "4:2:0 of 8 bits with alpha")
    #expect(try chosen(.vp9, .webM, chroma: .yuv444) == "4:4:4 of 12 bits")
    #expect(try chosen(.vp9, .mp4) == "4:4:4 of 12 bits")
    #expect(try chosen(.av1, .webM) == "4:4:4 of 12 bits")
    let pixels = try OutputFormat(path: "a.webm").pixelFormat(
      forSource: .rgbaFloat, tags: .pq, coded: cinema)
    #expect(pixels.tags.transfer != .pq && pixels.format == .rgbaFloat)
  }
}
