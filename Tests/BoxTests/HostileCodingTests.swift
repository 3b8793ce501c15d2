// SPDX-License-Identifier: Apache-2.0

import FocalBoxes
import FocalCore
import MovieKit
import Testing

/// Damaged descriptions of coded pictures and sound: a description that fits its box, or none.
/// `FOCAL_FUZZ_COUNT` and `FOCAL_FUZZ_SEED` make other runs: see ``Fuzzer``.
@Suite struct HostileCodingTests {
  /// Parameter sets of H.264, high profile, and of HEVC with two sub-layers, written bit by bit.
  static let sequences: [(DecoderConfiguration.Codec, [UInt8])] = [
    (
      .h264,
      [0, 0, 0, 1, 0x67, 100, 0, 31, 0b1_010_1_1_1_0, 0x80, 0, 0, 1, 0x68, 0xCE, 0, 0, 1, 0x6D, 4]
    ),
    (
      .hevc,
      [0, 0, 0, 1, 0x40, 1, 12, 1] + [0, 0, 1, 0x42, 1, 0b0000_001_1]
        // Profile, compatibility, constraints, level.
        + [2, 0x20, 0, 0, 3, 0, 0x90, 0, 0, 3, 0, 0, 3, 0, 93]
        // A sub-layer with profile and level, and the two bits of the seven others.
        + [0b11_000000, 0b0000_0000] + [UInt8](repeating: 2, count: 12)
        // Set 0, chroma 4:2:0, 16 by 16 pixels, no window, ten bits.
        + [0b1_010_0000, 0b1_0001_000, 0b0_10001_0_0, 0b11_011_1_00]
        + [0, 0, 1, 0x44, 1, 0xC1, 0x73] + [0, 0, 1, 0x26, 1, 9, 9, 9]
    ),
  ]

  @Test func theSeedsAreWhole() throws {
    for (codec, stream) in Self.sequences {
      let configuration = try DecoderConfiguration(codec, stream)
      #expect(configuration.isComplete)
      #expect(configuration.parameterSets.count == 3)
    }
  }

  @Test(arguments: sequences.indices) func mutatedParameterSets(_ number: Int) throws {
    let (codec, stream) = Self.sequences[number]
    let boxed = Array(try DecoderConfiguration(codec, stream).box.data)
    var fuzzer = Fuzzer(seed: Fuzzer.seed, [stream, stream + stream, boxed])
    let whole = try DecoderConfiguration(codec, stream)
    var (valid, refused) = (0, 0)
    for _ in 0..<Fuzzer.count(20_000) {
      let bytes = fuzzer.next()
      // As the pictures of a movie whose sets are those of the seed.
      if let sample = try? whole.sample(fromStartCodes: bytes[...]) {
        precondition(sample.count <= bytes.count * 2, "a sample grows")
      }
      guard let configuration = try? DecoderConfiguration(codec, bytes) else {
        refused += 1
        continue
      }
      valid += 1
      let size = configuration.box.data.count
      precondition(size <= bytes.count + 64, "a description of \(size) of \(bytes.count) bytes")
      // The result of parameter sets has them all.
      if !configuration.parameterSets.isEmpty {
        precondition(configuration.isComplete, "\(bytes)")
      } else {
        _ = configuration.isComplete
      }
      let sets = configuration.parameterSets.reduce(0) { $0 + $1.count }
      precondition(sets <= bytes.count)
    }
    #expect(valid > 0 && refused > 0)
  }

  /// A set whose length does not fit into its box is refused, and so is a number of layers that no
  /// stream has.
  @Test func setsThatDoNotFit() throws {
    for (codec, stream) in Self.sequences {
      let type: UInt8 = codec == .hevc ? 0x44 : 0x68
      let long = stream + [0, 0, 1, type] + [UInt8](repeating: 7, count: 0x1_0000)
      #expect(throws: CinematicError.self) { try DecoderConfiguration(codec, long) }
    }
    var layers = Self.sequences[1].1
    layers[13] |= 0b1110
    #expect(throws: CinematicError.self) { try DecoderConfiguration(.hevc, layers) }
  }

  /// Heads of AAC in a broadcast stream, of AC-3 at 48 kHz with six channels, and of Enhanced AC-3.
  static let soundFrames: [[UInt8]] = [
    [0xFF, 0xF1, 0x50, 0x80, 0x04, 0x1F, 0xFC] + [UInt8](repeating: 0x21, count: 25),
    [0xFF, 0xF0, 0x4C, 0x80, 0x04, 0x1F, 0xFC, 1, 2] + [UInt8](repeating: 0x21, count: 23),
    [0x0B, 0x77, 0, 0, 0x1E, 0x40, 0b111_00_00_1, 0] + [UInt8](repeating: 3, count: 24),
    [0x0B, 0x77, 0x00, 0x0F, 0b00_11_111_1, 0b10000_000] + [UInt8](repeating: 0, count: 26),
  ]

  @Test func theSoundsAreKnown() {
    #expect(SoundFrameHeader.ADTS(Self.soundFrames[0])?.size == 7)
    #expect(SoundFrameHeader.ADTS(Self.soundFrames[1])?.size == 9)
    #expect(SoundFrameHeader.ac3(Self.soundFrames[2]) != nil)
    #expect(SoundFrameHeader.enhancedAC3(Self.soundFrames[3], bitRate: 192_000) != nil)
  }

  /// What a frame of MPEG audio says of itself: rate, channels, length.
  @Test(
    arguments: [
      ([0xFF, 0xFB, 0x90, 0x64], [44100, 2, 1152]), ([0xFF, 0xFB, 0x54, 0xC4], [48000, 1, 1152]),
      ([0xFF, 0xF3, 0x48, 0xC4], [16000, 1, 576]), ([0xFF, 0xE3, 0x10, 0x44], [11025, 2, 576]),
      ([0xFF, 0xFD, 0xA4, 0xC0], [48000, 1, 1152]), ([0xFF, 0xFF, 0x94, 0x00], [48000, 2, 384]),
    ] as [([UInt8], [Int])])
  func headsOfMPEGAudio(_ bytes: [UInt8], _ meant: [Int]) throws {
    let head = try #require(SoundFrameHeader.MPEGAudio(bytes))
    #expect([head.sampleRate, head.channelCount, head.frameLength] == meant)
    #expect(SoundFrameHeader.MPEGAudio(bytes.dropLast()) == nil)
  }

  /// Reserved versions, layers, rates and bit rates, and bytes that are no head.
  @Test(
    arguments: [
      [0xFF, 0xEB, 0x90, 0x64], [0xFF, 0xF9, 0x90, 0x64], [0xFF, 0xFB, 0x9C, 0x64],
      [0xFF, 0xFB, 0xF0, 0x64], [0xFE, 0xFB, 0x90, 0x64], [0xFF, 0x1B, 0x90, 0x64],
    ] as [[UInt8]])
  func noHeadsOfMPEGAudio(_ bytes: [UInt8]) {
    #expect(SoundFrameHeader.MPEGAudio(bytes) == nil)
  }

  @Test func mutatedSoundFrames() {
    var fuzzer = Fuzzer(seed: Fuzzer.seed, Self.soundFrames)
    var known = [0, 0, 0]
    for _ in 0..<Fuzzer.count(40_000) {
      let bytes = fuzzer.next()
      if let head = SoundFrameHeader.ADTS(bytes) {
        known[0] += 1
        precondition((head.size == 7 || head.size == 9) && head.specific.count == 2)
      }
      if let box = SoundFrameHeader.ac3(bytes) {
        known[1] += 1
        precondition(box.data.count == 3)
      }
      let rates = [Int.min, -1, 0, 640_000, .max]
      if let box = SoundFrameHeader.enhancedAC3(bytes, bitRate: rates[known[1] % rates.count]) {
        known[2] += 1
        precondition(box.data.count == 5)
      }
    }
    #expect(known.allSatisfy { $0 > 0 }, "\(known)")
    // Cut at every byte, and as slices with indices of their own.
    for bytes in Self.soundFrames {
      for count in 0...bytes.count {
        let head = ([9] + bytes.prefix(count)).dropFirst()
        _ = SoundFrameHeader.ADTS(head)
        _ = SoundFrameHeader.ac3(head)
        _ = SoundFrameHeader.enhancedAC3(Array(head), bitRate: 1)
      }
    }
  }
}
