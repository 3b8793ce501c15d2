// SPDX-License-Identifier: Apache-2.0

import FocalCore

/// Lines of text files.
enum PlainText {
  /// The bytes as UTF-8: of UTF-16 by its mark, without a mark otherwise.
  static func utf8(_ bytes: [UInt8]) -> ArraySlice<UInt8> {
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { return bytes.dropFirst(3) }
    let isMarked =
      bytes.count >= 2 && (bytes.prefix(2) == [0xFE, 0xFF] || bytes.prefix(2) == [0xFF, 0xFE])
    guard let isBig = isMarked ? bytes[0] == 0xFE : unmarkedUTF16IsBig(bytes) else {
      return bytes[...]
    }
    var units: [UInt16] = []
    var index = isMarked ? 2 : 0
    while index + 1 < bytes.count {
      let (a, b) = (UInt16(bytes[index]), UInt16(bytes[index + 1]))
      units.append(isBig ? a << 8 | b : b << 8 | a)
      index += 2
    }
    return Array(String(decoding: units, as: UTF16.self).utf8)[...]
  }

  /// Whether a text that is UTF-16 without a mark has its high bytes first; `nil` for one that is not. Digits, line ends
  /// and arrows have a zero in every second byte, and no text has zeros otherwise.
  private static func unmarkedUTF16IsBig(_ bytes: [UInt8]) -> Bool? {
    let head = bytes.prefix(64)
    guard head.count >= 8, !head.allSatisfy({ $0 == 0 }) else { return nil }
    let even = head.indices.count { $0 & 1 == 0 && head[$0] == 0 }
    let odd = head.indices.count { $0 & 1 == 1 && head[$0] == 0 }
    if even == 0, odd * 4 >= head.count { return false }
    if odd == 0, even * 4 >= head.count { return true }
    return nil
  }

  /// Lines without their ends; a line that is not UTF-8 is read as Windows-1252, and told.
  static func lines(_ bytes: [UInt8], _ log: inout IssueLog) -> [Substring] {
    let text = utf8(bytes)
    var lines: [Substring] = []
    var start = text.startIndex
    var told = false
    while start < text.endIndex {
      var end = start
      while end < text.endIndex, text[end] != 0x0A, text[end] != 0x0D { end += 1 }
      let line = text[start..<end]
      if let string = String(validating: line, as: UTF8.self) {
        lines.append(string[...])
      } else {
        if !told {
          let guess = TextEncoding.guess(bytes).map { ": it looks like \($0)" } ?? ""
          log.add(
            line: lines.count + 1, as: .error,
            "not UTF-8; read as Windows-1252, here and later\(guess); say the encoding if it is another"
          )
        }
        told = true
        lines.append(windows1252(line)[...])
      }
      start = end + 1
      if end + 1 < text.endIndex, text[end] == 0x0D, text[end + 1] == 0x0A { start += 1 }
    }
    return lines
  }

  private static let windows: [Unicode.Scalar] = Array(
    "€\u{81}‚ƒ„…†‡ˆ‰Š‹Œ\u{8D}Ž\u{8F}\u{90}‘’“”•–—˜™š›œ\u{9D}žŸ".unicodeScalars)

  private static func windows1252(_ bytes: ArraySlice<UInt8>) -> String {
    var scalars = String.UnicodeScalarView()
    for byte in bytes {
      scalars.append(
        (0x80...0x9F).contains(byte) ? windows[Int(byte) - 0x80] : Unicode.Scalar(byte))
    }
    return String(scalars)
  }

  /// `HH:MM:SS,mmm`, hours left out at will, `.` for `,`.
  static func time(_ text: Substring) -> Time? {
    let fields = text.split(separator: ":", omittingEmptySubsequences: false)
    guard (2...3).contains(fields.count), let last = fields.last else { return nil }
    var whole = 0
    for field in fields.dropLast() {
      guard let number = TTMLClock.number(field), number < 1_000_000 else { return nil }
      whole = whole * 60 + number
    }
    guard let seconds = TTMLClock.decimal(last.replacing(",", with: ".")[...]),
      seconds < Time(value: 61, timescale: 1)
    else { return nil }
    return Time(value: Int64(whole) * 60, timescale: 1) + seconds
  }

  /// A time in milliseconds, rounded.
  static func text(_ time: Time, separator: String) -> String {
    let (seconds, milliseconds) = max(0, time.converted(to: 1000).value)
      .quotientAndRemainder(dividingBy: 1000)
    let whole = Int(seconds)
    return "\(two(whole / 3600)):\(two(whole / 60 % 60)):\(two(whole % 60))\(separator)"
      + String(1000 + milliseconds).dropFirst()
  }

  /// Whether a line ends a caption: it is empty, or has nothing but spaces and tabs.
  static func isBlank(_ line: some StringProtocol) -> Bool {
    line.utf8.allSatisfy { $0 == 0x20 || $0 == 0x09 }
  }

  /// Where an arrow between two times stands.
  static func arrow(in line: Substring) -> Range<Substring.Index>? { range(of: "-->", in: line) }

  /// Where a sign stands: in bytes, as a mark may combine with its end.
  private static func range(of sign: String, in text: Substring) -> Range<Substring.Index>? {
    var rest = text.utf8
    while let start = rest.firstIndex(where: { $0 == sign.utf8.first }) {
      rest = rest[start...]
      if rest.starts(with: sign.utf8) {
        return start..<rest.index(start, offsetBy: sign.utf8.count)
      }
      rest = rest.dropFirst()
    }
    return nil
  }

  /// A text with something else in the place of a sign: of an arrow, which would begin a caption.
  static func replacing(_ sign: String = "-->", with other: String, in text: String) -> String {
    var result = ""
    var rest = text[...]
    while let place = range(of: sign, in: rest) {
      result += rest[..<place.lowerBound]
      result += other
      rest = rest[place.upperBound...]
    }
    return result + rest
  }

  /// A text without blank lines, which would end it: they get a filler.
  static func filled(_ text: String, with filler: String) -> (text: String, isChanged: Bool) {
    let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
    guard lines.contains(where: { isBlank($0) }) else {
      return (lines.joined(separator: "\n"), false)
    }
    return (lines.map { isBlank($0) ? filler : String($0) }.joined(separator: "\n"), true)
  }

  /// What is said of captions that ``shown(_:)`` makes longer.
  static let lengthened = "a caption shorter than a millisecond, here and later, lasts one"

  /// A time range of whole milliseconds, at least one: readers skip what ends when it begins.
  static func shown(_ range: TimeRange) -> (range: TimeRange, isLengthened: Bool) {
    let start = range.start.converted(to: 1000)
    let end = range.end.converted(to: 1000)
    guard end <= start else { return (TimeRange(start: start, end: end), false) }
    return (TimeRange(start: start, duration: Time(value: 1, timescale: 1000)), true)
  }

  /// Tells which times are not whole milliseconds: once.
  static func rounding(_ captions: [Caption]) -> [CaptionIssue] {
    let rounded = captions.first {
      $0.timeRange.start.converted(to: 1000) != $0.timeRange.start
        || $0.timeRange.end.converted(to: 1000) != $0.timeRange.end
    }
    return rounded.map {
      [
        CaptionIssue(
          time: $0.timeRange.start, severity: .note,
          reason: "times, here and later, are rounded to milliseconds")
      ]
    } ?? []
  }
}
