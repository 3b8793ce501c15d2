// SPDX-License-Identifier: Apache-2.0

import CFFmpeg
import FocalBoxes
import FocalCore
import MovieKit
import Testing

@testable import FocalMedia

/// Sample entries, damaged: what is said of coding, colours and light, and what decoders are made with.
/// `FOCAL_FUZZ_COUNT` and `FOCAL_FUZZ_SEED` make other runs: see ``Fuzzer``.
@Suite struct HostileEntryTests {
  /// AAC of two channels at 44.1 kHz.
  static let specific: [UInt8] = [0x12, 0x10]
  static let stream = SampleEntry.elementaryStream(
    objectType: 0x40, averageBitRate: 128_000, specific: specific)

  static let soundEntries: [Box] = {
    func entry(_ format: FourCC, _ extensions: [Box], packet: Int = 1024) -> Box {
      SampleEntry.sound(
        format, channelCount: 2, sampleRate: 44100, samplesPerPacket: packet,
        extensions: extensions)
    }
    let opus = Box("dOps", data: [0, 2, 1, 0x38, 0, 0, 0xBB, 0x80, 0, 0, 0])
    let lossless = Box(
      "alac",
      data: [0, 0, 0, 0, 0, 0, 16, 0, 0, 16, 40, 10, 14, 2, 0, 255]
        + [UInt8](
          repeating: 0, count: 8) + [0, 0, 0xAC, 0x44])
    let free = Box("dfLa", data: [UInt8](repeating: 0, count: 4) + [0x80, 0, 0, 34] + flac)
    let plain: [SampleEntry.PlainSound] = [
      .init(.signed, bitsPerSample: 16, isBigEndian: false),
      .init(.signed, bitsPerSample: 24, isBigEndian: true),
      .init(.float, bitsPerSample: 32, isBigEndian: false),
    ]
    return [
      entry("mp4a", [stream]), entry("alac", [lossless], packet: 4096), entry("fLaC", [free]),
      entry("Opus", [opus]), entry("ac-3", [Box("dac3", data: [0x10, 0x3D, 0x40])]),
      entry("ec-3", [Box("dec3", data: [0x06, 0, 0x20, 0x0F, 0])]), entry(".mp3", []),
      entry("ipcm", [Box("pcmC", data: [0, 0, 0, 0, 1, 16])]),
    ]
      + plain.compactMap {
        SampleEntry.plainSound(
          $0, channelCount: 2, sampleRate: 48000, channels: SampleEntry.channelLayout(3))
      }
  }()

  /// A stream of 44.1 kHz, two channels, 16 bits, in blocks of 4096.
  private static let flac: [UInt8] =
    [16, 0, 16, 0, 0, 0, 0, 0, 0, 0, 0x0A, 0xC4, 0x42, 0xF0] + [UInt8](repeating: 0, count: 20)

  @Test func theSoundsAreKnown() throws {
    for box in Self.soundEntries {
      let entry = try SampleEntry(box, handler: "soun")
      let parameters = try entry.soundParameters(
        packetDuration: Time(value: 1024, timescale: 44100))
      // Those of a Dolby sound's own description, whose entries say two by convention.
      let isDolby = ["ac-3", "ec-3"].contains("\(box.type)")
      #expect(parameters.channelCount == (isDolby ? 6 : 2), "\(box.type)")
      _ = try parameters.makeDecoder(name: "\(box.type)")
    }
  }

  /// The decoder's configuration comes back as it was written, whatever it is.
  @Test(arguments: [2, 5, 130, 20_000]) func elementaryStreams(_ count: Int) throws {
    let specific = Self.specific + [UInt8](repeating: 0, count: count - 2)
    let stream = SampleEntry.elementaryStream(
      objectType: 0x40, averageBitRate: 1, specific: specific)
    let box = SampleEntry.sound(
      "mp4a", channelCount: 2, sampleRate: 44100, samplesPerPacket: 1024, extensions: [stream])
    let parameters = try SampleEntry(box, handler: "soun").soundParameters(packetDuration: .zero)
    let values = parameters.pointer.pointee
    #expect(values.codec_id == AV_CODEC_ID_AAC)
    let kept = UnsafeBufferPointer(start: values.extradata, count: Int(values.extradata_size))
    #expect(kept.elementsEqual(specific))
  }

  /// QuickTime's oldest name stands for bytes around 128, and for words with a sign.
  @Test(arguments: [(8, AV_CODEC_ID_PCM_U8), (16, AV_CODEC_ID_PCM_S16BE)])
  func rawSound(_ bits: Int, _ codec: AVCodecID) throws {
    let box = Box.of("raw ") { builder in
      builder.zeros(16)
      builder.u16(2)
      builder.u16(bits)
      builder.u32(0)
      builder.u32(22050 << 16)
    }
    let entry = try SampleEntry(box, handler: "soun")
    #expect(try entry.soundParameters(packetDuration: .zero).codec == codec)
    #expect(entry.soundPacking?.byteCount == bits / 4)
  }

  /// Of AAC the codec's own description counts, whatever the entry says.
  @Test(arguments: [0, 1, 65, 65535]) func channelsOfAAC(_ channels: Int) throws {
    let box = SampleEntry.sound(
      "mp4a", channelCount: channels, sampleRate: 44100, samplesPerPacket: 1024,
      extensions: [Self.stream])
    let parameters = try SampleEntry(box, handler: "soun").soundParameters(packetDuration: .zero)
    #expect(parameters.channelCount == 2)
  }

  @Test func mutatedSoundEntries() {
    var fuzzer = Fuzzer(seed: Fuzzer.seed, Self.soundEntries.map(\.bytes))
    var (known, refused) = (0, 0)
    for number in 0..<Fuzzer.count(10_000) {
      let bytes = fuzzer.next()
      let length = Time(
        value: Int64(truncatingIfNeeded: fuzzer.random.next() >> (fuzzer.random.next() % 64)),
        timescale: Int32(truncatingIfNeeded: fuzzer.random.next() >> 33) | 1)
      do throws(CinematicError) {
        for box in try Box.parse(bytes[...]) {
          let entry = try SampleEntry(box, handler: "soun")
          let parameters = try entry.soundParameters(packetDuration: length)
          let values = parameters.pointer.pointee
          precondition(Int(values.extradata_size) <= bytes.count + 64, "it grows")
          precondition(values.sample_rate > 0 && values.ch_layout.nb_channels > 0)
          known += 1
          // Opening every one would test FFmpeg more than this.
          if number % 8 == 0 { _ = try parameters.makeDecoder(name: "fuzz") }
        }
      } catch {
        precondition(!error.message.isEmpty)
        refused += 1
      }
    }
    #expect(known > 0 && refused > 0, "\(known) \(refused)")
  }

  @Test(.enabled(if: EncodedClip.isPossible, "this FFmpeg has no libx265"))
  func mutatedPictureEntries() throws {
    let clip = try EncodedClip(width: 32, height: 16, frames: 3) { frame, _, x, y in
      64 + frame * 9 + x + y
    }
    var entry = clip.entry.bytes
    for box in Self.lightBoxes { entry += box.bytes }
    let whole = Box(clip.entry.type, data: Array(entry.dropFirst(8))).bytes
    var fuzzer = Fuzzer(seed: Fuzzer.seed, [whole, clip.entry.bytes])
    let samples = clip.samples.map(\.data)
    var (known, refused) = (0, 0)
    for number in 0..<Fuzzer.count(10_000) {
      do throws(CinematicError) {
        for box in try Box.parse(fuzzer.next()[...]) {
          let entry = try SampleEntry(box, handler: "vide")
          try Self.read(entry, samples, opens: number % 64 == 0)
          known += 1
        }
      } catch {
        precondition(!error.message.isEmpty)
        refused += 1
      }
    }
    #expect(known > 0 && refused > 0, "\(known) \(refused)")
  }

  /// Screen, light, room, shape and part of the pictures.
  private static let lightBoxes: [Box] = [
    Box("mdcv", data: [UInt8](repeating: 0x33, count: 24)), Box("clli", data: [3, 232, 1, 144]),
    Box("amve", data: [0, 0, 0x4E, 0x20, 0x3D, 0x13, 0x40, 0x42]),
    SampleEntry.pixelAspect(4, 3),
    SampleEntry.cleanAperture(
      of: Dimensions(width: 32, height: 16), shown: Dimensions(width: 30, height: 16)),
    SampleEntry.ColorDescription(primaries: 9, transfer: 18, matrix: 9, isFullRange: true).box,
  ]

  private static func read(
    _ entry: SampleEntry, _ samples: [[UInt8]], opens: Bool
  ) throws(CinematicError) {
    _ = (entry.hdrMetadata, entry.color, entry.containerColor, entry.codecDescription)
    if let size = entry.dimensions, let aperture = entry.cleanAperture {
      precondition(aperture.left >= 0 && aperture.left + aperture.dimensions.width <= size.width)
      precondition(aperture.top >= 0 && aperture.top + aperture.dimensions.height <= size.height)
    }
    if let disposable = DisposablePictures(entry) {
      for sample in samples { _ = disposable.contains(sample) }
    }
    if opens { _ = try entry.makeDecoder(name: "fuzz", timescale: 600, delay: 0) }
  }
}
