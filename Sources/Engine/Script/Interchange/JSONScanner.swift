// SPDX-License-Identifier: Apache-2.0

import FocalCore

/// Reads JSON (RFC 8259) front to back without keeping a tree of it: an hour of detections is a
/// hundred megabytes of text, and a tree of those takes ten times as much.
struct JSONScanner {
  private let bytes: UnsafeBufferPointer<UInt8>
  private var position = 0
  /// Values within values, at most; deeper ones are refused.
  private static let maximumDepth = 64
  private var depth = 0
  /// Keys that were passed over, also by copies.
  let unknownKeys = UnknownKeys()

  /// Text of UTF-8; the mark of the byte order that some editors begin it with is no part of it.
  init(_ bytes: UnsafeBufferPointer<UInt8>) {
    self.bytes = bytes
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { position = 3 }
  }

  /// An error at the present place.
  func malformed(_ what: String) -> CinematicError {
    let line = 1 + bytes[..<min(position, bytes.count)].count { $0 == 0x0A }
    return CinematicError(.malformed, "line \(line) of the script: \(what)")
  }

  private mutating func peek() -> UInt8? {
    while position < bytes.count {
      switch bytes[position] {
      case 0x20, 0x09, 0x0A, 0x0D: position += 1
      default: return bytes[position]
      }
    }
    return nil
  }

  /// The next value as it stands in the text.
  mutating func text() throws(CinematicError) -> String {
    _ = peek()
    let start = position
    try skip()
    return String(decoding: bytes[start..<position], as: UTF8.self)
  }

  private mutating func expect(_ byte: UInt8) throws(CinematicError) {
    guard peek() == byte else {
      let name = byte == 0x22 ? "a quotation mark" : "\"\(Character(UnicodeScalar(byte)))\""
      throw malformed("\(name) is missing")
    }
    position += 1
  }

  mutating func end() throws(CinematicError) {
    guard peek() == nil else { throw malformed("something follows the script") }
  }

  /// Passes over the value of a key that nothing reads.
  mutating func skip(unknown key: String) throws(CinematicError) {
    unknownKeys.add(key)
    try skip()
  }

  /// Calls `body` with each key of an object; it reads or skips the value.
  mutating func object(
    _ body: (inout JSONScanner, String) throws(CinematicError) -> Void
  ) throws(CinematicError) {
    try expect(0x7B)
    try enter()
    if peek() == 0x7D {
      position += 1
    } else {
      while true {
        let key = try string()
        try expect(0x3A)
        try body(&self, key)
        if peek() == 0x2C {
          position += 1
          continue
        }
        try expect(0x7D)
        break
      }
    }
    depth -= 1
  }

  /// Calls `body` once an element of an array; it reads or skips the element.
  mutating func array(
    _ body: (inout JSONScanner) throws(CinematicError) -> Void
  ) throws(CinematicError) {
    try expect(0x5B)
    try enter()
    if peek() == 0x5D {
      position += 1
    } else {
      while true {
        try body(&self)
        if peek() == 0x2C {
          position += 1
          continue
        }
        try expect(0x5D)
        break
      }
    }
    depth -= 1
  }

  private mutating func enter() throws(CinematicError) {
    depth += 1
    guard depth <= Self.maximumDepth else { throw malformed("values are nested too deeply") }
  }

  mutating func string() throws(CinematicError) -> String {
    try expect(0x22)
    let start = position
    while position < bytes.count, bytes[position] != 0x22, bytes[position] != 0x5C {
      guard bytes[position] >= 0x20 else { throw malformed("a string holds a control character") }
      position += 1
    }
    guard position < bytes.count else { throw malformed("a string does not end") }
    var text = String(decoding: bytes[start..<position], as: UTF8.self)
    while bytes[position] == 0x5C {
      text.unicodeScalars.append(try escape())
      let next = position
      while position < bytes.count, bytes[position] != 0x22, bytes[position] != 0x5C {
        guard bytes[position] >= 0x20 else { throw malformed("a string holds a control character") }
        position += 1
      }
      guard position < bytes.count else { throw malformed("a string does not end") }
      text += String(decoding: bytes[next..<position], as: UTF8.self)
    }
    position += 1
    return text
  }

  private mutating func escape() throws(CinematicError) -> Unicode.Scalar {
    guard position + 1 < bytes.count else { throw malformed("a string does not end") }
    let kind = bytes[position + 1]
    position += 2
    switch kind {
    case 0x22, 0x5C, 0x2F: return Unicode.Scalar(kind)
    case 0x62: return "\u{8}"
    case 0x66: return "\u{C}"
    case 0x6E: return "\n"
    case 0x72: return "\r"
    case 0x74: return "\t"
    case 0x75:
      let unit = try hexadecimalUnit()
      if let scalar = Unicode.Scalar(UInt32(unit)) { return scalar }
      guard unit < 0xDC00, position + 1 < bytes.count, bytes[position] == 0x5C,
        bytes[position + 1] == 0x75
      else { throw malformed("a string holds half a character") }
      position += 2
      let low = try hexadecimalUnit()
      guard (0xDC00...0xDFFF).contains(low),
        let scalar = Unicode.Scalar(
          0x10000 + (UInt32(unit) - 0xD800) << 10 + (UInt32(low) - 0xDC00))
      else { throw malformed("a string holds half a character") }
      return scalar
    default: throw malformed("a string holds an unknown escape")
    }
  }

  private mutating func hexadecimalUnit() throws(CinematicError) -> UInt16 {
    guard position + 4 <= bytes.count,
      bytes[position..<(position + 4)].allSatisfy({ UnicodeScalar($0).properties.isASCIIHexDigit }),
      let unit = UInt16(
        String(decoding: bytes[position..<(position + 4)], as: UTF8.self), radix: 16)
    else { throw malformed("a string holds an unknown escape") }
    position += 4
    return unit
  }

  mutating func bool() throws(CinematicError) -> Bool {
    switch peek() {
    case 0x74 where take("true"): return true
    case 0x66 where take("false"): return false
    default: throw malformed("true or false is expected")
    }
  }

  /// Whether a null was read.
  mutating func null() -> Bool { peek() == 0x6E && take("null") }

  private mutating func take(_ word: StaticString) -> Bool {
    let count = word.utf8CodeUnitCount
    guard position + count <= bytes.count else { return false }
    for index in 0..<count where bytes[position + index] != word.utf8Start[index] { return false }
    position += count
    return true
  }

  /// The parts of a number: its digits as an integer where they fit 19, and the power of ten.
  private struct Number {
    var text: Range<Int>
    var digits: UInt64 = 0
    var digitCount = 0
    var exponent = 0
    var isNegative = false
  }

  private mutating func number() throws(CinematicError) -> Number {
    _ = peek()
    var number = Number(text: position..<position)
    func isDigit(_ index: Int) -> Bool {
      index < bytes.count && (0x30...0x39).contains(bytes[index])
    }
    func take(_ index: Int) {
      if number.digitCount > 0 || bytes[index] != 0x30 { number.digitCount += 1 }
      if number.digitCount <= 19 {
        number.digits = number.digits * 10 + UInt64(bytes[index] - 0x30)
      }
    }
    var index = position
    if index < bytes.count, bytes[index] == 0x2D {
      number.isNegative = true
      index += 1
    }
    guard isDigit(index) else { throw malformed("a number is expected") }
    if bytes[index] == 0x30, isDigit(index + 1) { throw malformed("a number starts with 0") }
    while isDigit(index) {
      take(index)
      index += 1
    }
    if index < bytes.count, bytes[index] == 0x2E {
      index += 1
      guard isDigit(index) else { throw malformed("a number ends with its point") }
      while isDigit(index) {
        take(index)
        number.exponent -= 1
        index += 1
      }
    }
    if index < bytes.count, bytes[index] | 0x20 == 0x65 {
      index += 1
      var sign = 1
      if index < bytes.count, bytes[index] == 0x2D || bytes[index] == 0x2B {
        sign = bytes[index] == 0x2D ? -1 : 1
        index += 1
      }
      guard isDigit(index) else { throw malformed("a number has no exponent") }
      var exponent = 0
      while isDigit(index) {
        exponent = min(exponent * 10 + Int(bytes[index] - 0x30), 100_000)
        index += 1
      }
      number.exponent += sign * exponent
    }
    number.text = position..<index
    position = index
    return number
  }

  private static let tens: [Double] = (0...22).map { power in
    (0..<power).reduce(1.0) { value, _ in value * 10 }
  }

  /// A finite number, correctly rounded.
  mutating func double() throws(CinematicError) -> Double {
    let number = try number()
    // exact operands, one rounding: the quick way of Clinger (1990)
    if number.digitCount <= 15, abs(number.exponent) <= 22 {
      let digits = Double(number.digits)
      let power = Self.tens[abs(number.exponent)]
      let value = number.exponent < 0 ? digits / power : digits * power
      return number.isNegative ? -value : value
    }
    guard let value = Double(text(of: number)), value.isFinite else {
      throw malformed("a number is too large")
    }
    return value
  }

  /// A finite number, rounded once, to single precision.
  mutating func float() throws(CinematicError) -> Float {
    let number = try number()
    if number.digitCount <= 7, abs(number.exponent) <= 10 {
      let digits = Float(number.digits)
      let power = Float(Self.tens[abs(number.exponent)])
      let value = number.exponent < 0 ? digits / power : digits * power
      return number.isNegative ? -value : value
    }
    guard let value = Float(text(of: number)), value.isFinite else {
      throw malformed("a number is too large")
    }
    return value
  }

  /// A whole number.
  mutating func integer() throws(CinematicError) -> Int64 {
    let number = try number()
    if number.exponent == 0, number.digitCount <= 18 {
      return number.isNegative ? -Int64(number.digits) : Int64(number.digits)
    }
    if let value = Int64(text(of: number)) { return value }
    guard let value = Double(text(of: number)), let whole = Int64(exactly: value) else {
      throw malformed("a whole number of 64 bits is expected")
    }
    return whole
  }

  private func text(of number: Number) -> String {
    String(decoding: bytes[number.text], as: UTF8.self)
  }

  /// Passes over any value.
  mutating func skip() throws(CinematicError) {
    switch peek() {
    case 0x7B: try object { (scanner, _) throws(CinematicError) in try scanner.skip() }
    case 0x5B: try array { (scanner) throws(CinematicError) in try scanner.skip() }
    case 0x22: _ = try string()
    case 0x74, 0x66: _ = try bool()
    case 0x6E where null(): break
    default: _ = try number()
    }
  }
}

/// Keys of a JSON text that nothing reads, each once.
final class UnknownKeys {
  private(set) var names: [String] = []
  /// So many are kept; a text may have any number.
  private static let most = 16

  func add(_ name: String) {
    guard names.count < Self.most, !names.contains(name) else { return }
    names.append(name)
  }
}
