// SPDX-License-Identifier: Apache-2.0

import FocalCore

@testable import FocalCaptions

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Random numbers that are the same in every run (SplitMix64).
struct Seeded: RandomNumberGenerator {
  private var state: UInt64
  init(_ seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }

  mutating func below(_ bound: Int) -> Int { Int(next() % UInt64(max(1, bound))) }
  mutating func chance(_ one: Int) -> Bool { below(one) == 0 }
  mutating func pick<Value>(_ values: [Value]) -> Value { values[below(values.count)] }
}

/// How many cases a run has: `FOCAL_FUZZ_COUNT` for others than the usual.
func caseCount(_ usual: Int) -> Int {
  getenv("FOCAL_FUZZ_COUNT").flatMap { Int(String(cString: $0)) } ?? usual
}

func frames(_ count: Int) -> Time { TimeCodeRate.ntsc.time(ofFrame: count) }

/// A caption file's screen, wherever it changes: what a receiver shows.
struct Playback: Equatable {
  struct Change: Equatable {
    var frame: Int
    var screen: CEA608.Screen
  }
  var changes: [Change] = []

  init(_ bytes: [UInt8], channel: CEA608.Channel = .one) throws {
    var scanner = try SCCScanner(bytes)
    var decoder = CEA608.Decoder(channel: channel)
    for sent in scanner.transmission() {
      decoder.receive(sent.pair, frame: sent.frame)
      note(decoder.screen, sent.frame)
    }
  }

  init(_ captions: [Caption]) {
    let conversion = CaptionConversion(captions, doubling: true)
    var decoder = CEA608.Decoder()
    for (frame, pair) in conversion.sent {
      decoder.receive(pair, frame: frame)
      note(decoder.screen, frame)
    }
  }

  private mutating func note(_ screen: CEA608.Screen, _ frame: Int) {
    if screen != changes.last?.screen ?? CEA608.Screen() {
      changes.append(Change(frame: frame, screen: screen))
    }
  }

  func screen(at frame: Int) -> CEA608.Screen {
    changes.last { $0.frame <= frame }?.screen ?? CEA608.Screen()
  }

  /// The first frame at which two differ, for messages.
  func difference(from other: Playback) -> String {
    for (a, b) in zip(changes, other.changes) where a != b {
      let rows = (0..<15).map {
        "\($0): \(a.screen.text(row: $0) ?? "-") | \(b.screen.text(row: $0) ?? "-")"
      }
      .filter { !$0.hasSuffix("- | -") }
      return "frame \(a.frame) against \(b.frame): \(rows)"
    }
    return "\(changes.count) changes against \(other.changes.count)"
  }
}

/// A stream of pairs written down by the codes' own rules, apart from the module's encoder.
struct PairWriter {
  var text = "Scenarist_SCC V1.0\n"
  var doubles = true
  var channel: UInt16 = 0
  private(set) var frame = 0

  init(doubles: Bool = true) { self.doubles = doubles }

  static func odd(_ byte: UInt16) -> UInt16 {
    var ones = 0
    for bit in 0..<7 where byte >> UInt16(bit) & 1 == 1 { ones += 1 }
    return ones % 2 == 0 ? byte | 0x80 : byte
  }

  mutating func line(at frame: Int) {
    self.frame = frame
    let (seconds, rest) = frame.quotientAndRemainder(dividingBy: 30)
    func two(_ value: Int) -> String { value < 10 ? "0\(value)" : "\(value)" }
    text += "\n\(two(seconds / 3600)):\(two(seconds / 60 % 60)):\(two(seconds % 60)):\(two(rest))\t"
  }

  mutating func pair(_ value: UInt16) {
    let coded = Self.odd(value >> 8) << 8 | Self.odd(value & 0xFF)
    let digits = String(coded, radix: 16)
    text += String(repeating: "0", count: 4 - digits.count) + digits + " "
    frame += 1
  }

  mutating func control(_ code: UInt16) {
    pair(code | channel)
    if doubles { pair(code | channel) }
  }

  /// ASCII without the bytes that other characters have.
  mutating func characters(_ string: String) {
    var bytes = string.utf8.map { UInt16($0) }
    if bytes.count % 2 == 1 { bytes.append(0) }
    for index in stride(from: 0, to: bytes.count, by: 2) {
      pair(bytes[index] << 8 | bytes[index + 1])
    }
  }

  var bytes: [UInt8] { Array(text.utf8) }
}
