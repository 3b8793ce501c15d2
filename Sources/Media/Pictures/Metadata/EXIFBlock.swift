// SPDX-License-Identifier: Apache-2.0

import FocalCore

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// EXIF as cameras write it (CIPA DC-008), read and changed where it lies: what makers add refers to
/// places in the block, so that nothing may move.
struct EXIFBlock {
  private(set) var bytes: [UInt8]
  private let isBigEndian: Bool

  private enum Tag {
    static let orientation: UInt16 = 0x0112
    static let xResolution: UInt16 = 0x011A
    static let yResolution: UInt16 = 0x011B
    static let resolutionUnit: UInt16 = 0x0128
    static let exif: UInt16 = 0x8769
    static let width: UInt16 = 0xA002
    static let height: UInt16 = 0xA003
    static let makerNote: UInt16 = 0x927C
  }

  /// `nil` for bytes that are no TIFF structure.
  init?(_ bytes: [UInt8]) {
    guard bytes.count >= 14 else { return nil }
    switch (bytes[0], bytes[1]) {
    case (0x49, 0x49): isBigEndian = false
    case (0x4D, 0x4D): isBigEndian = true
    default: return nil
    }
    self.bytes = bytes
    guard u16(2) == 42 else { return nil }
  }

  /// How the pixels lie, 1 to 8.
  var orientation: Int? {
    guard let place = value(of: Tag.orientation, in: u32(4)), let value = u16(place),
      (1...8).contains(value)
    else { return nil }
    return Int(value)
  }

  var resolution: PictureMetadata.Resolution? {
    guard let x = rational(Tag.xResolution), let y = rational(Tag.yResolution) else { return nil }
    let unit = value(of: Tag.resolutionUnit, in: u32(4)).flatMap { u16($0) } ?? 2
    // Without a unit only the ratio is said, which is that of square pixels nearly always.
    switch unit {
    case 3: return .init(dotsPerInch: x * 2.54, y * 2.54)
    case 2: return .init(dotsPerInch: x, y)
    default: return nil
    }
  }

  /// Says how many pixels there are, and that they stand upright; leaves out the thumbnail.
  mutating func describe(_ dimensions: Dimensions) {
    let first = u32(4)
    if let place = value(of: Tag.orientation, in: first) { set(1, bytes: 2, at: place) }
    if let directory = first, let count = u16(Int(directory)) {
      set(0, bytes: 4, at: Int(directory) + 2 + 12 * Int(count))
    }
    let exif = value(of: Tag.exif, in: first).flatMap { u32($0) }
    for (tag, size) in [(Tag.width, dimensions.width), (Tag.height, dimensions.height)] {
      guard let (entry, type) = entry(tag, in: exif) else { continue }
      // A size is a short or a long.
      set(UInt32(size), bytes: type == 3 && size < 65536 ? 2 : 4, at: entry + 8)
      if type == 3, size >= 65536 { set(4, bytes: 2, at: entry + 2) }
    }
  }

  /// How many times as bright as white Apple's gain map makes its brightest, by two numbers of its maker's
  /// note (Apple, "Applying Apple HDR effect to your photos").
  var appleHeadroom: Double? {
    let exif = value(of: Tag.exif, in: u32(4)).flatMap { u32($0) }
    guard let entry = value(of: Tag.makerNote, in: exif), let place = u32(entry) else { return nil }
    let note = Int(place)
    let name = Array("Apple iOS\0".utf8)
    guard note >= 0, note + 14 <= bytes.count, bytes[note...].starts(with: name),
      let inner = EXIFBlock(note: Array(bytes[note...])),
      let first = inner.signedRational(0x21), let second = inner.signedRational(0x30)
    else { return nil }
    let stops =
      first < 1
      ? (second <= 0.01 ? -20 * second + 1.8 : -0.101 * second + 1.601)
      : (second <= 0.01 ? -70 * second + 3 : -0.303 * second + 2.303)
    return exp2(max(stops, 0))
  }

  /// The directory of Apple's note, whose places are counted from its start.
  private init?(note: [UInt8]) {
    guard note.count > 16 else { return nil }
    bytes = note
    isBigEndian = note[12] == 0x4D
  }

  private func signedRational(_ tag: UInt16) -> Double? {
    let directory: UInt32 = 14
    guard let (entry, type) = entry(tag, in: directory), type == 10, let place = u32(entry + 8),
      let top = u32(Int(place)), let bottom = u32(Int(place) + 4), bottom > 0
    else { return nil }
    return Double(Int32(bitPattern: top)) / Double(Int32(bitPattern: bottom))
  }

  // MARK: - Entries

  /// Where an entry of a directory begins, and its type.
  private func entry(_ tag: UInt16, in directory: UInt32?) -> (place: Int, type: UInt16)? {
    guard let directory, let count = u16(Int(directory)) else { return nil }
    for index in 0..<Int(count) {
      let place = Int(directory) + 2 + 12 * index
      guard let found = u16(place), let type = u16(place + 2) else { return nil }
      if found == tag { return (place, type) }
    }
    return nil
  }

  /// Where the value of an entry of up to four bytes lies.
  private func value(of tag: UInt16, in directory: UInt32?) -> Int? {
    entry(tag, in: directory).map { $0.place + 8 }
  }

  private func rational(_ tag: UInt16) -> Double? {
    guard let place = value(of: tag, in: u32(4)), let offset = u32(place),
      let top = u32(Int(offset)), let bottom = u32(Int(offset) + 4), bottom > 0
    else { return nil }
    return Double(top) / Double(bottom)
  }

  // MARK: - Numbers

  private func u16(_ place: Int) -> UInt16? {
    guard place >= 0, place + 2 <= bytes.count else { return nil }
    let (a, b) = (UInt16(bytes[place]), UInt16(bytes[place + 1]))
    return isBigEndian ? a << 8 | b : b << 8 | a
  }

  private func u32(_ place: Int) -> UInt32? {
    guard let a = u16(place), let b = u16(place + 2) else { return nil }
    return isBigEndian ? UInt32(a) << 16 | UInt32(b) : UInt32(b) << 16 | UInt32(a)
  }

  private mutating func set(_ value: UInt32, bytes count: Int, at place: Int) {
    guard place >= 0, place + count <= bytes.count else { return }
    for index in 0..<count {
      let shift = UInt32(8 * (isBigEndian ? count - 1 - index : index))
      bytes[place + index] = UInt8(truncatingIfNeeded: value >> shift)
    }
  }
}
