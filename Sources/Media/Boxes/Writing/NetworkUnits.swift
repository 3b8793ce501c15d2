// SPDX-License-Identifier: Apache-2.0

import FocalCore

/// The units (NAL units) of H.264 and HEVC streams, and the two ways to part them.
public enum NetworkUnits {
  /// Whether bytes begin with a start code, as broadcast streams and encoders part units.
  public static func hasStartCode(_ bytes: some Collection<UInt8>) -> Bool {
    let head = Array(bytes.prefix(4))
    return head.starts(with: [0, 0, 1]) || head == [0, 0, 0, 1]
  }

  /// The units of a stream with start codes (ITU-T H.264 and H.265, annex B).
  public static func split(_ bytes: ArraySlice<UInt8>) -> [ArraySlice<UInt8>] {
    bytes.withUnsafeBufferPointer { buffer in
      var units: [ArraySlice<UInt8>] = []
      var start: Int?
      var index = 0
      func close(at end: Int) {
        guard let start else { return }
        // Zeros before a start code belong to it.
        var end = end
        while end > start, buffer[end - 1] == 0 { end -= 1 }
        if end > start {
          units.append(bytes[(bytes.startIndex + start)..<(bytes.startIndex + end)])
        }
      }
      while index + 2 < buffer.count {
        if buffer[index + 2] > 1 {
          index += 3
        } else if buffer[index] == 0, buffer[index + 1] == 0, buffer[index + 2] == 1 {
          close(at: index)
          start = index + 3
          index += 3
        } else {
          index += 1
        }
      }
      close(at: buffer.count)
      return units
    }
  }

  /// Units one after another, each after its length in four bytes, as movie files part them.
  public static func joined(_ units: [ArraySlice<UInt8>]) -> [UInt8] {
    var writer = ByteWriter()
    for unit in units {
      writer.u32(UInt32(truncatingIfNeeded: unit.count))
      writer.append(unit)
    }
    return writer.bytes
  }

  /// The payload of a unit: without the bytes that keep start codes from appearing in it.
  static func payload(_ unit: ArraySlice<UInt8>) -> [UInt8] {
    var payload: [UInt8] = []
    payload.reserveCapacity(unit.count)
    var zeros = 0
    for byte in unit {
      if zeros >= 2, byte == 3 {
        zeros = 0
        continue
      }
      zeros = byte == 0 ? zeros + 1 : 0
      payload.append(byte)
    }
    return payload
  }
}

/// Reads bits, the highest of a byte first. Beyond the end there are zeros.
struct BitReader {
  private let bytes: [UInt8]
  private var position = 0

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  var isBeyondEnd: Bool { position > bytes.count * 8 }

  mutating func bits(_ count: Int) -> UInt32 {
    var value: UInt32 = 0
    for _ in 0..<count {
      let byte = position >> 3
      let bit = byte < bytes.count ? bytes[byte] >> UInt8(7 - position & 7) & 1 : 0
      value = value << 1 | UInt32(bit)
      position += 1
    }
    return value
  }

  mutating func skip(_ count: Int) { position += count }

  /// An unsigned Exp-Golomb number of up to 32 bits.
  mutating func golomb() -> UInt32 {
    var zeros = 0
    while zeros < 32, !isBeyondEnd, bits(1) == 0 { zeros += 1 }
    guard zeros < 32 else { return .max }
    return (1 << UInt32(zeros)) - 1 + bits(zeros)
  }
}
