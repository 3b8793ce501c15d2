// SPDX-License-Identifier: Apache-2.0

import FocalCore
import Testing

@testable import FocalBoxes

@Suite struct ParameterSetTests {
  @Test func splitsUnitsAtStartCodes() {
    let stream: [UInt8] = [0, 0, 0, 1, 9, 8, 0, 0, 0, 0, 1, 7, 0, 0, 3, 1, 0, 0, 1, 5, 0]
    let units = NetworkUnits.split(stream[...]).map(Array.init)
    #expect(units == [[9, 8], [7, 0, 0, 3, 1], [5]])
    #expect(
      NetworkUnits.joined(NetworkUnits.split(stream[...]))
        == [0, 0, 0, 2, 9, 8, 0, 0, 0, 5, 7, 0, 0, 3, 1, 0, 0, 0, 1, 5])
    #expect(NetworkUnits.split([]).isEmpty)
    #expect(NetworkUnits.split([0, 0, 1]).isEmpty)
    // Bytes before the first start code are no unit, and slices keep their own indices.
    #expect(NetworkUnits.split([1, 2, 3, 0, 0, 1, 4][1...]).map(Array.init) == [[4]])
    #expect(NetworkUnits.payload([1, 0, 0, 3, 1, 0, 0, 3, 0, 0, 3]) == [1, 0, 0, 1, 0, 0, 0, 0])
  }

  @Test func readsBits() {
    // 1, 010, 011, 00100, 00101 in Exp-Golomb are 0 to 4.
    var reader = BitReader([0b1010_0110, 0b0100_0010, 0b1000_0000])
    #expect((0..<5).map { _ in reader.golomb() } == [0, 1, 2, 3, 4])
    #expect(!reader.isBeyondEnd)
    var empty = BitReader([])
    #expect(empty.golomb() == .max || empty.isBeyondEnd)
  }

  /// Damaged parameter sets are refused or give a box, and never stop the program.
  @Test func damagedParameterSets() {
    var state: UInt64 = 5
    func random(_ limit: UInt64) -> UInt64 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return (state >> 33) % limit
    }
    var refused = 0
    for _ in 0..<4000 {
      var bytes: [UInt8] = []
      for type in [32, 33, 34, 7, 8] as [UInt8] where random(4) > 0 {
        bytes += [0, 0, 1, type < 32 ? type : type << 1]
        bytes += (0..<random(40)).map { _ in UInt8(truncatingIfNeeded: random(256)) }
      }
      for codec in [DecoderConfiguration.Codec.h264, .hevc] {
        guard let configuration = try? DecoderConfiguration(codec, bytes) else {
          refused += 1
          continue
        }
        _ = configuration.isComplete
      }
    }
    #expect(refused > 0)
  }

  /// The bytes of a configuration record that ISO/IEC 14496-15 prescribes, for a set written bit by bit.
  @Test func advancedVideoConfiguration() throws {
    // Profile 100 (high), level 31; set 0, chroma 4:2:0, 8 bits, 8 bits.
    let sequence: [UInt8] = [0x67, 100, 0, 31, 0b1_010_1_1_1_0, 0x80]
    let picture: [UInt8] = [0x68, 0xCE]
    let stream = [0, 0, 0, 1] + sequence + [0, 0, 1] + picture
    let configuration = try DecoderConfiguration(.h264, stream)
    #expect(
      Array(configuration.box.data)
        == [1, 100, 0, 31, 0xFF, 0xE1, 0, 6] + sequence + [1, 0, 2] + picture
        + [0xFD, 0xF8, 0xF8, 0])
    #expect(configuration.isComplete)
    // Sets that are known already do not stand among the pictures.
    let sample = try configuration.sample(
      fromStartCodes: (stream + [0, 0, 1, 0x65, 1, 2, 3])[...])
    #expect(sample == [0, 0, 0, 4, 0x65, 1, 2, 3])
    #expect(throws: CinematicError.self) {
      try configuration.sample(fromStartCodes: [0, 0, 1, 0x67, 66, 0, 31, 0x80, 0, 0, 1, 0x65])
    }
  }
}
