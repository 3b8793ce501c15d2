// SPDX-License-Identifier: Apache-2.0

import FocalBoxes
import TIFFCoding

/// A directory of a TIFF structure, which TIFF files and EXIF are alike (TIFF 6.0, section 2), with
/// the directories that it refers to.
struct TIFFDirectory {
  struct Entry {
    var tag: UInt16
    var type: UInt16
    var count: Int
    /// In the structure's order of bytes.
    var value: [UInt8]
    var directory: TIFFDirectory?
  }

  /// By rising tags.
  var entries: [Entry]
  let isBigEndian: Bool
  /// How the file is laid out that the directory was read from.
  private(set) var layout = Layout.classic
  /// Entries whose values lie behind the end of the file, or are left out of an overfull structure.
  private(set) var cutOff: Set<UInt16> = []
  /// Whether values share bytes, here or in directories below: together they are larger than the structure. Those that go
  /// beyond its size are left out.
  private(set) var isOverfull = false
  /// The place of the next one of the file's pages; 0 behind the last.
  private var next = 0

  enum Tag {
    /// Its lowest bit is set for a smaller version of another picture in the file, the third for a mask.
    static let subfileType: UInt16 = 254
    static let light: UInt16 = 262
    /// Directories below, where cameras have their raw data (TIFF/EP).
    static let branches: UInt16 = 330
    /// Light of a sensor's filters, and of raw data behind them (TIFF/EP, DNG).
    static let rawLight: Set<Int> = [32803, 34892]
    /// Adobe's version of raw data (DNG 1.7, section "DNGVersion").
    static let rawVersion: UInt16 = 50706
    static let orientation: UInt16 = 0x0112
    static let xResolution: UInt16 = 0x011A
    static let yResolution: UInt16 = 0x011B
    static let resolutionUnit: UInt16 = 0x0128
    static let xmp: UInt16 = 700
    static let iptc: UInt16 = 33723
    static let photoshop: UInt16 = 34377
    static let profile: UInt16 = 34675
    static let exif: UInt16 = 0x8769
    static let gps: UInt16 = 0x8825
    /// Bits of the samples and their format.
    static let samples: Set<UInt16> = [258, 339]
    /// Tags that describe a picture and not the storage of its pixels: description, make, model,
    /// software, date, artist, host, copyright.
    static let descriptive: Set<UInt16> = [
      0x010E, 0x010F, 0x0110, 0x0131, 0x0132, 0x013B, 0x013C, 0x8298, exif, gps,
    ]
    static let directories: Set<UInt16> = [exif, gps, 0xA005]
  }

  /// Bytes of a value by its type; 0 for an unknown one.
  private static func size(ofType type: UInt16) -> Int {
    let sizes = [0, 1, 1, 2, 4, 8, 1, 1, 2, 4, 8, 4, 8, 4, 0, 0, 8, 8, 8]
    return sizes.indices.contains(Int(type)) ? sizes[Int(type)] : 0
  }

  init(entries: [Entry], isBigEndian: Bool) {
    self.entries = entries
    self.isBigEndian = isBigEndian
  }

  /// The first directory of a structure; `nil` where there is none. Entries that cannot be read are
  /// left out.
  ///
  /// - Parameter seeksPicture: whether it is that of the picture in a file of pages: the first that is neither a smaller
  ///   version nor the mask of another one. Where all that are looked at (``mostPages``) are, and of raw data, it is the
  ///   first.
  init?(_ bytes: [UInt8], seeksPicture: Bool = false) {
    self.init(byteCount: bytes.count, seeksPicture: seeksPicture) { place, count in
      place <= bytes.count - count ? Array(bytes[place..<(place + count)]) : nil
    }
  }

  /// The same of a file.
  init?(_ file: FileByteSource, seeksPicture: Bool = false) {
    guard let byteCount = try? file.fileSize() else { return nil }
    self.init(byteCount: Int(byteCount), seeksPicture: seeksPicture) { place, count in
      let bytes = try? file.bytes(Int64(place)..<Int64(place + count))
      return bytes?.count == count ? bytes : nil
    }
  }

  /// Gives bytes of a structure, which need not be in memory; `nil` where it ends before.
  typealias Reading = (_ place: Int, _ count: Int) -> [UInt8]?

  /// Among how many pages the picture is sought; previews are one or two.
  static let mostPages = Int(FOCAL_TIFF_MOST_PAGES)

  /// What may still be read of a page. No directory is read twice, and never very many; no byte is a value twice, so
  /// that all values together take no more than the structure.
  private struct Rest {
    let byteCount: Int
    var valueBytes: Int
    /// Where directories were read.
    var visited: Set<Int> = []
    static let mostDirectories = 8

    init(_ byteCount: Int) { (self.byteCount, valueBytes) = (byteCount, byteCount) }
  }

  /// The same of a structure that is read where it lies.
  ///
  /// - Parameters:
  ///   - byteCount: of the structure.
  ///   - seeksPicture: as for ``init(_:seeksPicture:)``.
  init?(byteCount: Int, seeksPicture: Bool = false, read: Reading) {
    guard let head = read(0, 8) else { return nil }
    let isBigEndian: Bool
    switch (head[0], head[1]) {
    case (0x49, 0x49): isBigEndian = false
    case (0x4D, 0x4D): isBigEndian = true
    default: return nil
    }
    let order = TIFFDirectory(entries: [], isBigEndian: isBigEndian)
    let layout = order.number(head, 2, 2) == 43 ? Layout.big : .classic
    guard layout == .big || order.number(head, 2, 2) == 42,
      let first = read(layout.firstPlace, layout.place).flatMap({
        order.number($0, 0, layout.place)
      })
    else { return nil }
    let picture =
      seeksPicture ? Self.picture(from: first, isBigEndian, layout, byteCount, read) : nil
    var rest = Rest(byteCount)
    self.init(read, at: picture ?? first, isBigEndian, layout, &rest)
  }

  /// The place of the picture's directory; `nil` where it is not among the pages that are looked at, and of raw data.
  private static func picture(
    from first: Int, _ isBigEndian: Bool, _ layout: Layout, _ byteCount: Int, _ read: Reading
  ) -> Int? {
    var place = first
    for number in 0..<mostPages {
      // What else pages say, and the directories below them, is not read.
      var rest = Rest(byteCount)
      guard
        let page = TIFFDirectory(
          read, at: place, isBigEndian, layout, &rest, only: [Tag.subfileType, Tag.rawVersion]),
        number > 0 || page[Tag.rawVersion] == nil
      else { return nil }
      guard page.isOfAnother else { return place }
      guard page.next > 0 else { return nil }
      place = page.next
    }
    return nil
  }

  /// The bytes of a directory's fields.
  enum Layout {
    /// Of 32 bits.
    case classic
    /// Of 64 bits: BigTIFF.
    case big

    /// How many entries there are.
    var count: Int { self == .big ? 8 : 2 }
    /// A place in the file, a number of values, and a value that stands in its entry.
    var place: Int { self == .big ? 8 : 4 }
    var entry: Int { 4 + 2 * place }
    /// Places beyond are none, and can be added to.
    static let mostPlace = 1 << 56
    /// Where a file says the place of its first directory.
    var firstPlace: Int { self == .big ? 8 : 4 }
    /// How many bytes of a file can be named.
    var mostBytes: Int { self == .big ? Self.mostPlace : Int(UInt32.max) }
    /// The type of a directory's place: LONG, or LONG8.
    var placeType: Int { self == .big ? 16 : 4 }
  }

  /// - Parameter tags: of the entries that are read; `nil` for all.
  private init?(
    _ read: Reading, at offset: Int, _ isBigEndian: Bool, _ layout: Layout, _ rest: inout Rest,
    only tags: Set<UInt16>? = nil
  ) {
    self.isBigEndian = isBigEndian
    self.layout = layout
    entries = []
    guard rest.visited.count < Rest.mostDirectories, rest.visited.insert(offset).inserted,
      (0..<Layout.mostPlace).contains(offset),
      let count = read(offset, layout.count).flatMap({ number($0, 0, layout.count) }),
      (0...Int(UInt16.max)).contains(count)
    else { return nil }
    for index in 0..<count {
      let place = offset + layout.count + layout.entry * index
      guard let stored = read(place, layout.entry), let tag = number(stored, 0, 2),
        let type = number(stored, 2, 2), let items = number(stored, 4, layout.place),
        let target = number(stored, 4 + layout.place, layout.place)
      else { return nil }
      if let tags, !tags.contains(UInt16(tag)) { continue }
      let (size, overflow) = Self.size(ofType: UInt16(type)).multipliedReportingOverflow(by: items)
      guard size > 0 || overflow || items < 0 else { continue }
      let start = size <= layout.place ? place + 4 + layout.place : target
      let isInside =
        !overflow && (0...rest.byteCount).contains(start)
        && (0...(rest.byteCount - start)).contains(size)
      guard isInside, size <= rest.valueBytes, let value = read(start, size) else {
        isOverfull = isOverfull || isInside && size > rest.valueBytes
        cutOff.insert(UInt16(tag))
        continue
      }
      rest.valueBytes -= size
      var entry = Entry(tag: UInt16(tag), type: UInt16(type), count: items, value: value)
      if Tag.directories.contains(entry.tag) {
        guard
          let directory = TIFFDirectory(read, at: target, isBigEndian, layout, &rest)
        else {
          continue
        }
        isOverfull = isOverfull || directory.isOverfull
        entry.directory = directory
      }
      entries.append(entry)
    }
    let end = offset + layout.count + layout.entry * count
    next = read(end, layout.place).flatMap { number($0, 0, layout.place) } ?? 0
  }

  /// Whether it is that of a smaller version or of the mask of another picture in the file.
  private var isOfAnother: Bool { (integer(Tag.subfileType) ?? 0) & 5 != 0 }

  subscript(_ tag: UInt16) -> Entry? { entries.first { $0.tag == tag } }

  /// The first number of an entry.
  func integer(_ tag: UInt16) -> Int? {
    guard let entry = self[tag] else { return nil }
    return number(entry.value, 0, Self.size(ofType: entry.type))
  }

  /// Whether it is that of raw sensor data, or of the thumbnail above them.
  var isRaw: Bool {
    self[Tag.rawVersion] != nil || Tag.rawLight.contains(integer(Tag.light) ?? 0)
      || isThumbnail && self[Tag.branches] != nil
  }

  /// Whether it is that of a smaller version of another picture in the file.
  var isThumbnail: Bool { (integer(Tag.subfileType) ?? 0) & 1 != 0 }

  /// All numbers of an entry; none where there is none.
  func integers(_ tag: UInt16) -> [Int] {
    guard let entry = self[tag] else { return [] }
    let size = Self.size(ofType: entry.type)
    return (0..<entry.count).compactMap { number(entry.value, $0 * size, min(size, 4)) }
  }

  func rational(_ tag: UInt16) -> Double? {
    guard let entry = self[tag], entry.type == 5, let top = number(entry.value, 0, 4),
      let bottom = number(entry.value, 4, 4), bottom > 0
    else { return nil }
    return Double(top) / Double(bottom)
  }

  mutating func set(_ tag: UInt16, type: UInt16, _ value: [UInt8]) {
    entries.removeAll { $0.tag == tag }
    let count = value.count / Self.size(ofType: type)
    entries.append(Entry(tag: tag, type: type, count: count, value: value))
  }

  /// Sets a resolution in dots per inch.
  mutating func set(_ resolution: PictureMetadata.Resolution) {
    let (x, y) = resolution.dotsPerInch
    for (tag, value) in [(Tag.xResolution, x), (Tag.yResolution, y)] {
      // Numerators have 32 bits.
      let denominator = value.rounded() == value || value > 4e5 ? 1.0 : 10000
      set(
        tag, type: 5,
        bytes(Int((value * denominator).rounded()), 4) + bytes(Int(denominator), 4))
    }
    set(Tag.resolutionUnit, type: 3, bytes(2, 2))
  }

  var resolution: PictureMetadata.Resolution? {
    guard let x = rational(Tag.xResolution), let y = rational(Tag.yResolution) else { return nil }
    switch integer(Tag.resolutionUnit) ?? 2 {
    case 3: return .init(dotsPerInch: x * 2.54, y * 2.54)
    case 2: return .init(dotsPerInch: x, y)
    default: return nil
    }
  }

  /// A whole structure.
  var structure: [UInt8] {
    bytes(isBigEndian ? 0x4D4D : 0x4949, 2) + bytes(42, 2) + bytes(8, 4)
      + stored(at: 8, as: .classic)
  }

  /// The directory and its values as they lie from an even offset on.
  ///
  /// - Parameter layout: of the file, by default the one that the directory was read from.
  func stored(at offset: Int, as layout: Layout? = nil) -> [UInt8] {
    let layout = layout ?? self.layout
    let place = layout.place
    let sorted = entries.sorted { $0.tag < $1.tag }
    var head = bytes(sorted.count, layout.count)
    var rest: [UInt8] = []
    let start = offset + layout.count + layout.entry * sorted.count + place
    for entry in sorted {
      head += bytes(Int(entry.tag), 2)
      if let directory = entry.directory {
        head += bytes(layout.placeType, 2) + bytes(1, place) + bytes(start + rest.count, place)
        rest += directory.stored(at: start + rest.count, as: layout)
      } else {
        head += bytes(Int(entry.type), 2) + bytes(entry.count, place)
        if entry.value.count <= place {
          head += entry.value + [UInt8](repeating: 0, count: place - entry.value.count)
        } else {
          head += bytes(start + rest.count, place)
          rest += entry.value
        }
      }
      if rest.count % 2 != 0 { rest.append(0) }
    }
    return head + bytes(0, place) + rest
  }

  /// The same values in another order of bytes. Values without a type of their own stay as they are.
  func ordered(asBigEndian: Bool) -> TIFFDirectory {
    guard asBigEndian != isBigEndian else { return self }
    var result = TIFFDirectory(entries: [], isBigEndian: asBigEndian)
    result.entries = entries.map { entry in
      var entry = entry
      // Rationals are two numbers of four bytes.
      let unit = [5, 10].contains(entry.type) ? 4 : Self.size(ofType: entry.type)
      if unit > 1 {
        entry.value = stride(from: 0, to: entry.value.count - unit + 1, by: unit).flatMap {
          entry.value[$0..<($0 + unit)].reversed()
        }
      }
      entry.directory = entry.directory?.ordered(asBigEndian: asBigEndian)
      return entry
    }
    return result
  }

  // MARK: - Numbers

  func bytes(_ value: Int, _ count: Int) -> [UInt8] {
    let little = (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    return isBigEndian ? little.reversed() : little
  }

  private func number(_ bytes: [UInt8], _ place: Int, _ count: Int) -> Int? {
    guard place >= 0, count > 0, place + count <= bytes.count else { return nil }
    let part = bytes[place..<(place + count)]
    return (isBigEndian ? Array(part) : part.reversed()).reduce(0) { $0 << 8 | Int($1) }
  }
}
