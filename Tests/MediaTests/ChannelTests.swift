// SPDX-License-Identifier: Apache-2.0

import CFFmpeg
import FocalCore
import Testing

@testable import FocalMedia

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Sound that is encoded again has each channel where it was, or says where it went.
@Suite struct ChannelTests {
  /// Channels at places, and what becomes of them.
  struct Layout: Sendable, CustomTestStringConvertible {
    var mask: UInt64
    var change: WrittenSound.LayoutChange?
    var testDescription: String { SoundLayout(mask: mask).name }

    init(_ mask: UInt64, _ change: WrittenSound.LayoutChange? = nil) {
      (self.mask, self.change) = (mask, change)
    }
  }

  /// 3.0, quad, 5.0, 6.0, 7.0 and octagonal.
  @Test(arguments: [
    Layout(0x7), Layout(0x33), Layout(0x37), Layout(0x707), Layout(0x637), Layout(0x737),
  ])
  func aac(_ layout: Layout) async throws {
    try await Self.expectApart(layout, "film.mp4", "aac")
  }

  /// 3.0, quad, 5.0 with its pair behind and beside, 6.1; and 4.0 and 6.0, for whose places Opus has no names.
  @Test(arguments: [
    Layout(0x7), Layout(0x33), Layout(0x37), Layout(0x607), Layout(0x70F),
    Layout(0x107, .init(from: "4.0", to: nil)), Layout(0x707, .init(from: "6.0", to: nil)),
  ])
  func opus(_ layout: Layout) async throws {
    guard SoundFile.hasEncoder("libopus"), SoundFile.hasEncoder("libvpx-vp9") else {
      return try skip("this FFmpeg has no libopus or no libvpx")
    }
    try await Self.expectApart(layout, "film.webm", "opus")
  }

  /// ALAC's four channels are other ones than those of quad: no sample changes.
  @Test func alac() async throws {
    let layout = Layout(0x33, .init(from: "quad", to: "4.0"))
    let folder = ScratchFolder()
    try Self.file("flac", "matroska", layout.mask).write(
      to: folder.file("sound.mkv"), seconds: 0.5, value: Self.tone(layout.mask))
    let (path, sound) = try await ImportedSoundTests.movie(with: "sound.mkv", in: folder)
    #expect(sound == [.init(codec: "flac", storedAs: "alac", layoutChange: layout.change)])
    let (heard, meant) = (try DecodedSound(path), try DecodedSound(folder.file("sound.mkv")))
    try #require(heard.channels.count == 4 && meant.channels.count == 4)
    for (a, b) in zip(heard.channels, meant.channels) {
      // The last packet may be filled up.
      let isSame = a.count >= b.count && a[..<b.count] == b[...]
      #expect(isSame)
    }
  }

  /// Each channel comes to the place of its name; the others follow in order.
  @Test func orders() {
    let (quad, four) = (SoundLayout(mask: 0x33), SoundLayout(mask: 0x107))
    #expect(quad.order(for: four) == [0, 1, 2, 3])
    #expect(quad.order(for: SoundLayout(mask: 0x37)) == nil)
    // 5.1 with its pair beside or behind.
    #expect(SoundLayout(mask: 0x60F).isSame(as: SoundLayout(mask: 0x3F)))
    #expect(!SoundLayout(mask: 0x637).isSame(as: SoundLayout(mask: 0x13F)))
    // Of hexagonal's, the one right behind takes the place that is left.
    #expect(SoundLayout(mask: 0x137).order(for: SoundLayout(mask: 0x3F)) == [0, 1, 2, 5, 3, 4])
    #expect(SoundLayout(usual: 3).mask == 0x7 && !SoundLayout(usual: 3).isStated)
  }

  private static func file(_ encoder: String, _ container: String, _ mask: UInt64) -> SoundFile {
    var file = SoundFile(
      encoder: encoder, container: container, rate: 48000,
      channels: Int32(mask.nonzeroBitCount), format: AV_SAMPLE_FMT_S16)
    file.mask = mask
    return file
  }

  /// A channel's own height: a low one where only low frequencies are kept.
  private static func frequency(_ mask: UInt64, _ channel: Int) -> Double {
    let places = (0..<64).filter { mask >> UInt64($0) & 1 == 1 }
    return places[channel] == 3 ? 60 : 200 * Double(channel + 1)
  }

  private static func tone(_ mask: UInt64) -> (Int, Int) -> Double {
    { sample, channel in
      0.25 * sin(2 * Double.pi * frequency(mask, channel) * Double(sample) / 48000)
    }
  }

  private static func expectApart(_ layout: Layout, _ name: String, _ codec: String) async throws {
    let folder = ScratchFolder()
    try file("pcm_s16le", "mov", layout.mask).write(
      to: folder.file("sound.mov"), seconds: 0.5, value: tone(layout.mask))
    let source = try #require(try await AssetSound(Asset(path: folder.file("sound.mov"))))
    var settings = WebMTests.settings(folder)
    if !name.hasSuffix(".webm") {
      settings = WriterSettings(
        dimensions: MovieWriterTests.size, pixelFormat: .yuv420Video8, tags: .bt709)
      settings.encoderPreset = "ultrafast"
      settings.temporaryFiles = folder.temporaryFiles
    }
    settings.sound = .asset(source)
    let writer = try FrameWriter.create(folder.file(name), settings: settings)
    let picture =
      name.hasSuffix(".webm")
      ? try WebMTests.picture(0) : try MovieWriterTests.picture(0, .yuv420Video8, .bt709)
    try writer.append(picture, time: .zero, duration: Time(value: 1, timescale: 2))
    try writer.finish()
    #expect(
      writer.writtenSound
        == [.init(codec: "pcm_s16le", storedAs: codec, layoutChange: layout.change)])
    let heard = try DecodedSound(folder.file(name))
    try #require(heard.channels.count == layout.mask.nonzeroBitCount)
    for (place, samples) in heard.channels.enumerated() {
      try #require(samples.count > 18_000)
      for channel in heard.channels.indices {
        // Whole periods of every tone, far from the sound's ends.
        let power = amplitude(Array(samples[6000..<18_000]), frequency(layout.mask, channel))
        // What codecs lose of a tone, and hear of others, is less than a tenth.
        #expect(
          place == channel ? abs(power - 0.25) < 0.025 : power < 0.025,
          "place \(place), channel \(channel): \(power)")
      }
    }
  }

  private static func amplitude(_ samples: [Float], _ frequency: Double) -> Double {
    var (real, imaginary) = (0.0, 0.0)
    for (index, sample) in samples.enumerated() {
      let phase = 2 * Double.pi * frequency * Double(index) / 48000
      real += Double(sample) * cos(phase)
      imaginary += Double(sample) * sin(phase)
    }
    return 2 * sqrt(real * real + imaginary * imaginary) / Double(samples.count)
  }
}
