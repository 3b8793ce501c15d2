// SPDX-License-Identifier: Apache-2.0

/// The bytes of a base64 text that is part of the program: a kernel as a backend's module holds it.
///
/// Characters outside the alphabet are skipped, so that no text can make it trap.
package func bytes(ofBase64 text: StaticString) -> [UInt8] {
  var bytes: [UInt8] = []
  bytes.reserveCapacity(text.utf8CodeUnitCount / 4 * 3)
  var bits: UInt32 = 0
  var count = 0
  text.withUTF8Buffer { characters in
    for character in characters {
      let value: UInt8
      switch character {
      case UInt8(ascii: "A")...UInt8(ascii: "Z"): value = character - UInt8(ascii: "A")
      case UInt8(ascii: "a")...UInt8(ascii: "z"): value = character - UInt8(ascii: "a") + 26
      case UInt8(ascii: "0")...UInt8(ascii: "9"): value = character - UInt8(ascii: "0") + 52
      case UInt8(ascii: "+"): value = 62
      case UInt8(ascii: "/"): value = 63
      default: continue
      }
      bits = bits << 6 | UInt32(value)
      count += 6
      if count >= 8 {
        count -= 8
        bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(count)))
      }
    }
  }
  return bytes
}
