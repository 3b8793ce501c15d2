// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalMedia
import FocalSample
import Foundation

/// Copies of files with a few bytes changed, numbered: a number and a seed give the same copy in every run.
struct DamagedCopies {
  struct Copy {
    var path: String
    var bytes: [UInt8]
    /// Whether only coded pictures were changed, so that the file around them is sound and a decoder gets them.
    var isInside: Bool
  }

  private struct Original {
    var path: String
    var bytes: [UInt8]
    /// Where coded pictures lie.
    var inside: [Range<Int>]
  }

  private let originals: [Original]
  private let seed: UInt64

  /// - Throws: `unreadable`.
  init(of paths: [String], seed: UInt64) throws(CinematicError) {
    self.seed = seed
    var originals: [Original] = []
    for path in paths {
      guard let data = FileManager.default.contents(atPath: path), !data.isEmpty else {
        throw CinematicError(.unreadable, "cannot read \(path), or it is empty", remedy: "check it")
      }
      let bytes = [UInt8](data)
      originals.append(Original(path: path, bytes: bytes, inside: Self.inside(bytes)))
    }
    self.originals = originals
  }

  /// Whether a copy is one of a picture or a movie, and not of a script or of changes.
  func holdsPictures(_ number: Int) -> Bool {
    let path = originals[number % originals.count].path
    return !path.hasSuffix(".json") && !path.hasSuffix(".focus")
  }

  func copy(_ number: Int) -> Copy {
    var random = SeededGenerator(seed: seed &+ UInt64(number) &* 0x9E37_79B9_7F4A_7C15)
    let original = originals[number % originals.count]
    var bytes = original.bytes
    let isInside = !original.inside.isEmpty && Int.random(in: 0..<5, using: &random) > 0
    if isInside {
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        if let range = original.inside.randomElement(using: &random) {
          Self.change(&bytes, in: range, &random)
        }
      }
      if bytes.starts(with: Self.png) { Self.putSumsRight(&bytes) }
    } else {
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        Self.change(&bytes, in: 0..<bytes.count, &random)
      }
      Self.changeLength(&bytes, &random)
    }
    return Copy(path: original.path, bytes: bytes, isInside: isInside)
  }

  private static func change(
    _ bytes: inout [UInt8], in range: Range<Int>, _ random: inout SeededGenerator
  ) {
    guard let place = range.randomElement(using: &random) else { return }
    switch Int.random(in: 0..<4, using: &random) {
    case 0: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
    case 1: bytes[place] = UInt8.random(in: 0...255, using: &random)
    case 2: bytes[place] = [0, 1, 0x7F, 0x80, 0xFF].randomElement(using: &random) ?? 0
    default:
      // A piece of it, elsewhere.
      let count = min(Int.random(in: 1...64, using: &random), range.upperBound - place)
      guard let source = (range.lowerBound...range.upperBound - count).randomElement(using: &random)
      else { return }
      let piece = Array(bytes[source..<source + count])
      bytes.replaceSubrange(place..<place + count, with: piece)
    }
  }

  private static func changeLength(_ bytes: inout [UInt8], _ random: inout SeededGenerator) {
    let place = Int.random(in: 0..<bytes.count, using: &random)
    switch Int.random(in: 0..<8, using: &random) {
    case 0: bytes.removeLast(bytes.count - place)
    case 1: bytes.removeSubrange(place..<min(place + 16, bytes.count))
    case 2: bytes.insert(contentsOf: bytes[place..<min(place + 16, bytes.count)], at: place)
    default: break
    }
  }

  // MARK: Where pictures lie

  private static let png: [UInt8] = [0x89, 0x50, 0x4E, 0x47]

  private static func inside(_ bytes: [UInt8]) -> [Range<Int>] {
    if bytes.starts(with: png) { return chunks(bytes).filter { $0.type == "IDAT" }.map(\.content) }
    if bytes.starts(with: [0xFF, 0xD8]) { return scan(bytes).map { [$0] } ?? [] }
    let boxes = mediaBoxes(bytes)
    if !boxes.isEmpty { return boxes }
    // Texts have no inside; of TIFF, OpenEXR, PFM and DPX, heads and tables lie at the ends.
    if bytes.first == UInt8(ascii: "{") { return [] }
    return [bytes.count * 3 / 10..<bytes.count * 8 / 10]
  }

  private static func number(_ bytes: [UInt8], _ place: Int) -> Int {
    bytes[place..<place + 4].reduce(0) { $0 << 8 | Int($1) }
  }

  private static func chunks(_ bytes: [UInt8]) -> [(type: String, content: Range<Int>)] {
    var found: [(type: String, content: Range<Int>)] = []
    var place = 8
    while place + 12 <= bytes.count {
      let end = place + 8 + number(bytes, place)
      guard end + 4 <= bytes.count else { break }
      found.append(
        (String(decoding: bytes[place + 4..<place + 8], as: UTF8.self), place + 8..<end))
      place = end + 4
    }
    return found
  }

  /// The codes of a JPEG's scan.
  private static func scan(_ bytes: [UInt8]) -> Range<Int>? {
    var place = 2
    while place + 4 <= bytes.count, bytes[place] == 0xFF {
      let length = Int(bytes[place + 2]) << 8 | Int(bytes[place + 3])
      let isScan = bytes[place + 1] == 0xDA
      place += 2 + length
      if isScan { return place < bytes.count - 2 ? place..<bytes.count - 2 : nil }
    }
    return nil
  }

  /// The contents of the boxes of media at the top of a file.
  private static func mediaBoxes(_ bytes: [UInt8]) -> [Range<Int>] {
    var found: [Range<Int>] = []
    var place = 0
    while place + 8 <= bytes.count {
      let size = number(bytes, place)
      guard size >= 8, place + size <= bytes.count else { return [] }
      if bytes[place + 4..<place + 8].elementsEqual("mdat".utf8), size > 8 {
        found.append(place + 8..<place + size)
      }
      place += size
    }
    return found
  }

  // MARK: Sums of PNG

  private static func putSumsRight(_ bytes: inout [UInt8]) {
    for (_, content) in chunks(bytes) {
      var sum = ~UInt32(0)
      for index in content.lowerBound - 4..<content.upperBound {
        sum ^= UInt32(bytes[index])
        for _ in 0..<8 { sum = sum >> 1 ^ (sum & 1 == 0 ? 0 : 0xEDB8_8320) }
      }
      sum = ~sum
      for index in 0..<4 {
        bytes[content.upperBound + index] = UInt8(
          truncatingIfNeeded: sum >> (24 - 8 * UInt32(index)))
      }
    }
  }
}
