// SPDX-License-Identifier: Apache-2.0

/// How likely a bit is set, learnt from the bits that were: the mean of a quick and a slow average,
/// so that it settles after a few bits and is exact after many.
struct BitProbability {
  private var quick: UInt16 = 0x8000
  private var slow: UInt16 = 0x8000

  /// In 1/65536, never 0 and never 1: each average stops short of both.
  var value: UInt32 { (UInt32(quick) + UInt32(slow)) >> 1 }

  mutating func update(_ bit: Bool) {
    if bit {
      quick += (0xFFFF - quick) >> 4
      slow += (0xFFFF - slow) >> 7
    } else {
      quick -= quick >> 4
      slow -= slow >> 7
    }
  }
}

/// Writes or reads bits of known probabilities, so that one model serves both ways.
protocol BitCoder {
  /// Writes `bit`, or reads one and passes over `bit`.
  ///
  /// - Returns: the bit that was written or read.
  mutating func code(_ bit: Bool, _ probability: inout BitProbability) -> Bool

  /// The same for a bit that is as likely set as not.
  mutating func codeEven(_ bit: Bool) -> Bool
}

/// The interval of 32 bits that arithmetic coding narrows bit by bit (Rissanen and Langdon 1979); the
/// leading bytes on which its ends agree are settled.
private struct CodingInterval {
  var low: UInt32 = 0
  var high: UInt32 = .max

  /// The last value that stands for a set bit.
  func split(_ probability: UInt32) -> UInt32 {
    low + UInt32(truncatingIfNeeded: (UInt64(high - low) * UInt64(probability)) >> 16)
  }

  mutating func narrow(_ bit: Bool, at split: UInt32) {
    if bit { high = split } else { low = split + 1 }
  }

  /// Takes out a settled byte; `nil` when none is.
  mutating func settledByte() -> UInt8? {
    guard (low ^ high) >> 24 == 0 else { return nil }
    defer { (low, high) = (low << 8, high << 8 | 0xFF) }
    return UInt8(high >> 24)
  }
}

struct ArithmeticEncoder: BitCoder {
  private var interval = CodingInterval()
  private var bytes: [UInt8] = []

  mutating func code(_ bit: Bool, _ probability: inout BitProbability) -> Bool {
    write(bit, probability.value)
    probability.update(bit)
    return bit
  }

  mutating func codeEven(_ bit: Bool) -> Bool {
    write(bit, 0x8000)
    return bit
  }

  private mutating func write(_ bit: Bool, _ probability: UInt32) {
    interval.narrow(bit, at: interval.split(probability))
    while let byte = interval.settledByte() { bytes.append(byte) }
  }

  /// Everything written, with as many bytes as the reader looks ahead.
  consuming func finish() -> [UInt8] {
    for shift in [24, 16, 8, 0] { bytes.append(UInt8(truncatingIfNeeded: interval.high >> shift)) }
    return bytes
  }
}

/// Reads what ``ArithmeticEncoder`` wrote. Past the end it reads zeros: bits that mean nothing, and
/// never too many, since the number of values is given.
struct ArithmeticDecoder: BitCoder {
  private var interval = CodingInterval()
  private var code: UInt32 = 0
  private let bytes: ArraySlice<UInt8>
  private var position: Int

  init(_ bytes: ArraySlice<UInt8>) {
    self.bytes = bytes
    position = bytes.startIndex
    for _ in 0..<4 { code = code << 8 | nextByte() }
  }

  private mutating func nextByte() -> UInt32 {
    guard position < bytes.endIndex else { return 0 }
    defer { position += 1 }
    return UInt32(bytes[position])
  }

  mutating func code(_ bit: Bool, _ probability: inout BitProbability) -> Bool {
    let bit = read(probability.value)
    probability.update(bit)
    return bit
  }

  mutating func codeEven(_ bit: Bool) -> Bool { read(0x8000) }

  private mutating func read(_ probability: UInt32) -> Bool {
    let split = interval.split(probability)
    let bit = code <= split
    interval.narrow(bit, at: split)
    while interval.settledByte() != nil { code = code << 8 | nextByte() }
    return bit
  }
}
