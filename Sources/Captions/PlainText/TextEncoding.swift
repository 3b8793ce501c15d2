// SPDX-License-Identifier: Apache-2.0

import FocalCore

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Text files in other encodings than UTF-8, by the C library's iconv.
enum TextEncoding {
  /// - Returns: the bytes in UTF-8, U+FFFD for what is not of the encoding, and the lines that have such.
  /// - Throws: `invalidParameter` for an encoding that iconv does not know.
  static func utf8(
    _ bytes: [UInt8], from name: String
  ) throws(CinematicError) -> (bytes: [UInt8], faultyLines: [Int]) {
    // Behind a slash are iconv's own options.
    let isName = !name.isEmpty && name.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != 0x2F }
    let converter = isName ? iconv_open("UTF-8", name) : nil
    guard let converter, Int(bitPattern: converter) != -1 else {
      throw CinematicError(
        .invalidParameter, "there is no encoding '\(name)'",
        remedy:
          "name one as iconv --list does: windows-1251, ISO-8859-2, Shift_JIS, GB18030, UTF-16LE"
      )
    }
    defer { iconv_close(converter) }
    var result: [UInt8] = []
    result.reserveCapacity(bytes.count * 3 / 2)
    var faultyLines: [Int] = []
    var source = bytes
    var line = 1
    var part = [UInt8](repeating: 0, count: 1 << 14)
    source.withUnsafeMutableBytes { source in
      var input = source.baseAddress?.assumingMemoryBound(to: CChar.self)
      var left = source.count
      var isDone = false
      while !isDone {
        var failure: Int32 = 0
        // A letter may wait for a mark behind it: without input the last one comes.
        let isLast = left == 0
        let written = part.withUnsafeMutableBytes { part in
          var output = part.baseAddress?.assumingMemoryBound(to: CChar.self)
          var room = part.count
          let status =
            isLast
            ? iconv(converter, nil, nil, &output, &room)
            : iconv(converter, &input, &left, &output, &room)
          if status == -1 { failure = errno }
          return part.count - room
        }
        isDone = isLast && failure != E2BIG
        result += part.prefix(written)
        line += part.prefix(written).count { $0 == 0x0A }
        // A full buffer is emptied, and the conversion goes on.
        guard !isLast, failure == EILSEQ || failure == EINVAL else { continue }
        result += [0xEF, 0xBF, 0xBD]
        if faultyLines.last != line { faultyLines.append(line) }
        input = input?.advanced(by: 1)
        left -= 1
      }
    }
    // A mark of the byte order says nothing any more.
    if result.starts(with: [0xEF, 0xBB, 0xBF]) { result.removeFirst(3) }
    return (result, faultyLines)
  }

  /// The encoding that bytes which are not UTF-8 may have; `nil` where nothing tells.
  static func guess(_ bytes: [UInt8]) -> String? {
    let head = Array(bytes.prefix(1 << 16))
    let high = head.filter { $0 >= 0x80 }
    guard high.count >= 4 else { return nil }
    for name in ["Shift_JIS", "EUC-JP", "EUC-KR", "GB18030", "Big5"] {
      guard let (text, faults) = try? utf8(head, from: name),
        faults.count <= (head.count < bytes.count ? 1 : 0)
      else { continue }
      let others = String(decoding: text, as: UTF8.self).unicodeScalars.filter { $0.value >= 0x80 }
      func share(_ ranges: ClosedRange<UInt32>...) -> Double {
        Double(others.count { scalar in ranges.contains { $0.contains(scalar.value) } })
          / Double(max(1, others.count))
      }
      let isChinese = share(0x4E00...0x9FFF, 0x3000...0x303F, 0xFF00...0xFFEF) > 0.95
      switch name {
      // Japanese has its own letters in every sentence, and Korean has hardly any others.
      case "Shift_JIS" where share(0x3041...0x30FF) > 0.3 && share(0xFF61...0xFF9F) < 0.2,
        "EUC-JP" where share(0x3041...0x30FF) > 0.3,
        "EUC-KR" where share(0xAC00...0xD7A3) > 0.8,
        // The commonest ideographs are in the first level of each set.
        "GB18030" where isChinese && lead(head, 0xB0...0xD7) > 0.7,
        "Big5" where isChinese && lead(head, 0xA4...0xC6) > 0.7:
        return name
      default: continue
      }
    }
    // Letters of other scripts stand side by side; accents stand alone between ASCII.
    let pairs = zip(head, head.dropFirst()).count { $0 >= 0xC0 && $1 >= 0xC0 }
    guard pairs * 2 > high.count else { return nil }
    let capitals = high.count { (0xC0...0xDF).contains($0) }
    let small = high.count { $0 >= 0xE0 }
    if capitals == 0, high.allSatisfy({ $0 < 0xFB }) { return "windows-1255" }
    return small > 3 * capitals ? "windows-1251" : nil
  }

  /// Of pairs that begin with a high byte, how many begin with one of a range.
  private static func lead(_ bytes: [UInt8], _ range: ClosedRange<UInt8>) -> Double {
    var (count, first, index) = (0, 0, 0)
    while index + 1 < bytes.count {
      guard bytes[index] >= 0x80 else {
        index += 1
        continue
      }
      count += 1
      if range.contains(bytes[index]) { first += 1 }
      index += 2
    }
    return Double(first) / Double(max(1, count))
  }
}
