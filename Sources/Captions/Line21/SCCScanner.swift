// SPDX-License-Identifier: Apache-2.0

import FocalCore

/// The lines of a Scenarist caption file: a time code and the pairs that are sent from its frame on.
struct SCCScanner {
  struct Line {
    /// In the file, from 1.
    var number: Int
    var isDropFrame: Bool
    /// The first pair's.
    var frame: Int
    /// Whether there is such a time code.
    var isPossible: Bool
    /// Without parity.
    var pairs: [UInt16]
  }

  private(set) var lines: [Line] = []
  private(set) var log = IssueLog()

  /// - Throws: `malformed` for bytes without a single line of captions and without the header.
  init(_ bytes: [UInt8]) throws(CinematicError) {
    var position = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
    var number = 0
    var hasHeader = false
    while position < bytes.count {
      var end = position
      while end < bytes.count, bytes[end] != 0x0A, bytes[end] != 0x0D { end += 1 }
      number += 1
      let line = bytes[position..<end]
      position = end + 1
      if end + 1 < bytes.count, bytes[end] == 0x0D, bytes[end + 1] == 0x0A { position += 1 }
      if line.allSatisfy({ $0 == 0x20 || $0 == 0x09 }) { continue }
      if !hasHeader, lines.isEmpty, line.starts(with: "Scenarist_SCC".utf8) {
        hasHeader = true
        continue
      }
      read(line, number)
    }
    guard hasHeader || !lines.isEmpty else {
      throw CinematicError(
        .malformed, "this is no Scenarist caption file: it begins without 'Scenarist_SCC V1.0'",
        remedy: "name a .scc file")
    }
    if !hasHeader { log.add(line: 1, as: .error, "the line 'Scenarist_SCC V1.0' is missing") }
  }

  private mutating func read(_ line: ArraySlice<UInt8>, _ number: Int) {
    var rest = line
    rest = rest.drop { $0 == 0x20 || $0 == 0x09 }
    guard let (fields, separators) = Self.timeCode(&rest) else {
      log.add(line: number, as: .error, "the line does not begin with a time code, and was skipped")
      return
    }
    let isDropFrame = separators.contains { $0 != 0x3A }
    let rate: TimeCodeRate = isDropFrame ? .ntscDrop : .ntsc
    let isPossible = fields[1] < 60 && fields[2] < 60 && fields[3] < 30
    if !isPossible {
      log.add(line: number, as: .error, "the time code counts beyond 59:59:29")
    } else if isDropFrame, fields[3] < 2, fields[2] == 0, fields[1] % 10 != 0 {
      log.add(line: number, "drop-frame counting has no such time code")
    }
    var pairs: [UInt16] = []
    pairs.reserveCapacity(rest.count / 5)
    while true {
      rest = rest.drop { $0 == 0x20 || $0 == 0x09 }
      guard !rest.isEmpty else { break }
      let word = rest.prefix { $0 != 0x20 && $0 != 0x09 }
      rest = rest[word.endIndex...]
      guard word.count == 4, let value = Self.hexadecimal(word) else {
        log.add(
          line: number, as: .error,
          "'\(String(decoding: word.prefix(20), as: UTF8.self))' is no pair of bytes, and was skipped"
        )
        continue
      }
      let pair = value & 0x7F7F
      if CEA608.withParity(pair) != value {
        log.add(
          line: number, as: .error,
          "the pair \(String(value, radix: 16)) has wrong parity, and was read without it")
      }
      pairs.append(pair)
    }
    guard !pairs.isEmpty else {
      log.add(line: number, as: .note, "the line has a time code and no pairs")
      return
    }
    lines.append(
      Line(
        number: number, isDropFrame: isDropFrame,
        frame: rate.frame(
          hours: fields[0], minutes: fields[1], seconds: fields[2], frames: fields[3]),
        isPossible: isPossible, pairs: pairs))
  }

  private static func timeCode(
    _ rest: inout ArraySlice<UInt8>
  ) -> (fields: [Int], separators: [UInt8])? {
    var fields: [Int] = []
    var separators: [UInt8] = []
    while true {
      let digits = rest.prefix { (0x30...0x39).contains($0) }
      guard (1...4).contains(digits.count) else { return nil }
      fields.append(digits.reduce(0) { $0 * 10 + Int($1 - 0x30) })
      rest = rest[digits.endIndex...]
      if fields.count == 4 { break }
      guard let separator = rest.first, [0x3A, 0x3B, 0x2E, 0x2C].contains(separator) else {
        return nil
      }
      separators.append(separator)
      rest = rest.dropFirst()
    }
    guard rest.first.map({ $0 == 0x20 || $0 == 0x09 }) ?? true else { return nil }
    return (fields, separators)
  }

  private static func hexadecimal(_ word: ArraySlice<UInt8>) -> UInt16? {
    var value: UInt16 = 0
    for digit in word {
      switch digit {
      case 0x30...0x39: value = value << 4 | UInt16(digit - 0x30)
      case 0x41...0x46: value = value << 4 | UInt16(digit - 0x37)
      case 0x61...0x66: value = value << 4 | UInt16(digit - 0x57)
      default: return nil
      }
    }
    return value
  }

  /// Names something that is found in the pairs.
  mutating func tell(line: Int, _ reason: String) { log.add(line: line, reason) }

  // MARK: Transmission

  /// A pair and the frame that it is sent in.
  struct Sent {
    var frame: Int
    var pair: UInt16
    var line: Int
    /// How many frames later than its time code says.
    var delay = 0
  }

  /// Every pair in the frame that it is sent in: one a frame, so that a line which begins before the
  /// one before it has ended waits. Fillers are left out.
  mutating func transmission() -> [Sent] {
    var sent: [Sent] = []
    sent.reserveCapacity(lines.reduce(0) { $0 + $1.pairs.count })
    var free = Int.min
    for line in ordered() {
      var frame = line.frame
      var due = frame
      if frame < free {
        log.add(
          line: line.number,
          "the line begins \(free - frame) frame\(free - frame == 1 ? "" : "s") before the one"
            + " before it has been sent, and waits")
        frame = free
      }
      for pair in line.pairs {
        if pair != 0 {
          sent.append(
            Sent(frame: frame, pair: pair, line: line.number, delay: frame - due))
        }
        due += 1
        frame += 1
      }
      free = frame
    }
    return sent
  }

  /// Lines in the order of their times, which count on over midnight; a time code that there is not comes from
  /// the lines around it.
  private mutating func ordered() -> [Line] {
    var ordered = lines
    var days = 0
    var isSorted = true
    // The next time code that there is, behind each line.
    var following: [Int?] = []
    if lines.contains(where: { !$0.isPossible }) {
      var next: Int?
      for line in lines.reversed() {
        following.append(next)
        if line.isPossible { next = line.frame }
      }
      following.reverse()
    }
    for index in ordered.indices {
      let rate: TimeCodeRate = ordered[index].isDropFrame ? .ntscDrop : .ntsc
      let day = rate.frame(hours: 24, minutes: 0, seconds: 0, frames: 0)
      ordered[index].frame += days * day
      guard index > 0 else {
        if !ordered[0].isPossible { placeFirst(&ordered[0], before: following[0], day) }
        continue
      }
      let last = ordered[index - 1]
      if !ordered[index].isPossible {
        let next = following[index].map { $0 + days * day }
        // Up to the next line, or of the last one for two minutes.
        let latest = next.map { max($0, last.frame) } ?? last.frame + 3600
        if !(last.frame...latest).contains(ordered[index].frame) {
          ordered[index].frame = last.frame + last.pairs.count
          log.add(line: ordered[index].number, "the line is sent behind the one before it")
        }
      } else if last.frame - ordered[index].frame > day / 2 {
        days += 1
        ordered[index].frame += day
        log.add(
          line: ordered[index].number,
          "the time code begins again: it is counted on, as after midnight, here and later")
      } else if ordered[index].frame < last.frame {
        isSorted = false
        log.add(
          line: ordered[index].number,
          "the line begins before the one above it, and is sent before it: lines are in the order of"
            + " their times")
      }
    }
    guard !isSorted else { return ordered }
    return ordered.enumerated().sorted {
      ($0.element.frame, $0.offset) < ($1.element.frame, $1.offset)
    }
    .map(\.element)
  }

  /// Moves a first line whose time code there is not, if it would end after the next line has begun: all others would be
  /// counted from it.
  private mutating func placeFirst(_ line: inout Line, before next: Int?, _ day: Int) {
    let latest = (next ?? day) - line.pairs.count
    guard line.frame > latest else { return }
    line.frame = next == nil ? 0 : max(0, latest)
    log.add(
      line: line.number,
      next == nil
        ? "the line is sent at the beginning" : "the line is sent before the one behind it")
  }

  /// The field whose commands most of the pairs have; another one's are told.
  mutating func field(of sent: [Sent]) -> CEA608.Field {
    var (first, second) = (0, 0)
    var told: Int?
    for one in sent {
      switch one.pair & 0x77F0 {
      case 0x1420: first += 1
      case 0x1520:
        second += 1
        told = told ?? one.line
      default: break
      }
    }
    if first > 0, second > 0, let told {
      log.add(line: told, "codes of both fields, here and later, were read as those of one")
    }
    return second > first ? .two : .one
  }

  /// Whether control codes are sent twice: most of those that could be are.
  static func doublesControlCodes(_ sent: [Sent]) -> Bool {
    var (doubled, single, index) = (0, 0, 0)
    while index < sent.count {
      guard sent[index].pair & 0x7000 == 0x1000 else {
        index += 1
        continue
      }
      if index + 1 < sent.count, sent[index + 1].pair == sent[index].pair {
        doubled += 1
        index += 2
      } else {
        single += 1
        index += 1
      }
    }
    return doubled >= single
  }
}
