// SPDX-License-Identifier: Apache-2.0

import FocalBoxes
import FocalCore

/// The items of a HEIF file (ISO/IEC 14496-12, 8.11; ISO/IEC 23008-12, 9): what they are, have and refer to, and
/// their bytes.
struct HEIFItems {
  private typealias Place = (isInMeta: Bool, extents: [(start: Int, count: Int)])

  let fileType: Box
  /// The item that is shown.
  let primary: UInt32
  private(set) var types: [UInt32: FourCC] = [:]
  /// The properties of each item.
  private(set) var properties: [UInt32: [Box]] = [:]
  private(set) var references: [(type: FourCC, from: UInt32, to: [UInt32])] = []
  private var places: [UInt32: Place] = [:]
  private let file: [UInt8]
  /// The bytes that lie among the descriptions.
  private var ownBytes: ArraySlice<UInt8> = []

  /// - Throws: `malformed`.
  init(_ file: [UInt8]) throws(CinematicError) {
    let boxes = try Box.parse(file[...])
    guard let fileType = boxes.first(where: { $0.type == "ftyp" }),
      let meta = boxes.first(where: { $0.type == "meta" })
    else { throw Self.damaged }
    self.file = file
    self.fileType = fileType
    var first = try Self.reader(of: "pitm", in: meta)
    primary = try Self.item(&first.reader, isWide: first.version > 0)
    try readTypes(Self.reader(of: "iinf", in: meta))
    try readPlaces(Self.reader(of: "iloc", in: meta))
    if meta["iref"] != nil { try readReferences(Self.reader(of: "iref", in: meta)) }
    ownBytes = meta["idat"]?.data ?? []
    guard let described = meta["iprp"] else { throw Self.damaged }
    try readProperties(Box.parse(described.data))
  }

  private static var damaged: CinematicError {
    CinematicError(.malformed, "the items of the file are damaged")
  }

  /// The content of a full box behind its version and flags.
  private static func reader(
    of type: FourCC, in meta: Box
  ) throws(CinematicError) -> (reader: ByteReader, version: UInt8) {
    guard let box = meta[type] else { throw damaged }
    var reader = ByteReader(box.data, box: type)
    let version = try reader.versionAndFlags().version
    return (reader, version)
  }

  private static func item(
    _ reader: inout ByteReader, isWide: Bool
  ) throws(CinematicError) -> UInt32 {
    isWide ? try reader.u32() : UInt32(try reader.u16())
  }

  private mutating func readTypes(
    _ box: (reader: ByteReader, version: UInt8)
  ) throws(CinematicError) {
    var reader = box.reader
    try reader.skip(box.version == 0 ? 2 : 4)
    for entry in try Box.parse(reader.rest) where entry.type == "infe" {
      var reader = ByteReader(entry.data, box: "infe")
      let version = try reader.versionAndFlags().version
      guard version >= 2 else { continue }
      let item = try Self.item(&reader, isWide: version > 2)
      try reader.skip(2)
      types[item] = try reader.fourCC()
    }
  }

  private mutating func readPlaces(
    _ box: (reader: ByteReader, version: UInt8)
  ) throws(CinematicError) {
    var reader = box.reader
    func number(_ size: UInt16) throws(CinematicError) -> Int {
      guard size <= 8 else { throw Self.damaged }
      let value = try reader.bytes(Int(size)).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
      guard let value = Int(exactly: value) else { throw Self.damaged }
      return value
    }
    let sizes = try reader.u16()
    // Without lengths, few bytes would claim many places.
    guard sizes >> 8 & 15 > 0 else { throw Self.damaged }
    let count = try Self.item(&reader, isWide: box.version > 1)
    for _ in 0..<count {
      let item = try Self.item(&reader, isWide: box.version > 1)
      let method = box.version > 0 ? try reader.u16() & 15 : 0
      // Data in other files are not looked for.
      let isElsewhere = try reader.u16() != 0 || method > 1
      let base = try number(sizes >> 4 & 15)
      var extents: [(start: Int, count: Int)] = []
      for _ in 0..<(try reader.u16()) {
        if box.version > 0 { _ = try number(sizes & 15) }
        let (start, overflows) = base.addingReportingOverflow(try number(sizes >> 12))
        guard !overflows else { throw Self.damaged }
        extents.append((start, try number(sizes >> 8 & 15)))
      }
      if !isElsewhere { places[item] = (method == 1, extents) }
    }
  }

  private mutating func readReferences(
    _ box: (reader: ByteReader, version: UInt8)
  ) throws(CinematicError) {
    for reference in try Box.parse(box.reader.rest) {
      var reader = ByteReader(reference.data, box: reference.type)
      let from = try Self.item(&reader, isWide: box.version > 0)
      var to: [UInt32] = []
      for _ in 0..<(try reader.u16()) {
        to.append(try Self.item(&reader, isWide: box.version > 0))
      }
      references.append((reference.type, from, to))
    }
  }

  private mutating func readProperties(_ described: [Box]) throws(CinematicError) {
    guard let list = described.first(where: { $0.type == "ipco" }) else { throw Self.damaged }
    let all = try Box.parse(list.data)
    var uses = 0
    for box in described where box.type == "ipma" {
      var reader = ByteReader(box.data, box: "ipma")
      let (version, flags) = try reader.versionAndFlags()
      for _ in 0..<(try reader.u32()) {
        let item = try Self.item(&reader, isWide: version > 0)
        for _ in 0..<(try reader.u8()) {
          // The highest bit says that readers must know the property.
          let place =
            flags & 1 != 0 ? Int(try reader.u16() & 0x7FFF) : Int(try reader.u8() & 0x7F)
          guard place > 0 else { continue }
          uses += 1
          guard place <= all.count, uses <= Box.maximumCount else { throw Self.damaged }
          properties[item, default: []].append(all[place - 1])
        }
      }
    }
  }

  /// The first property of a type.
  func property(_ type: FourCC, of item: UInt32) -> Box? {
    properties[item]?.first { $0.type == type }
  }

  /// The items that one refers to.
  func items(_ type: FourCC, from item: UInt32) -> [UInt32] {
    references.filter { $0.type == type && $0.from == item }.flatMap(\.to)
  }

  /// The bytes of an item.
  ///
  /// - Throws: `malformed` for bytes that are not there.
  func data(of item: UInt32) throws(CinematicError) -> [UInt8] {
    guard let place = places[item] else { throw Self.damaged }
    let source = place.isInMeta ? ownBytes : file[...]
    var bytes: [UInt8] = []
    for (start, count) in place.extents {
      // No byte is of an item twice, so that few cannot claim many.
      guard start <= source.count, count > 0, count <= source.count - start,
        bytes.count + count <= source.count
      else { throw Self.damaged }
      bytes += source.dropFirst(start).prefix(count)
    }
    return bytes
  }
}

extension HEIFItems {
  /// The chroma of the picture, or of its first tile; `nil` where nothing is said of it, and of gray.
  var chroma: CodedPixels.Chroma? {
    let item = types[primary] == "grid" ? items("dimg", from: primary).first ?? primary : primary
    func byte(_ number: Int, of type: FourCC) -> UInt8? {
      guard let data = property(type, of: item)?.data, data.count > number else { return nil }
      return data[data.startIndex + number]
    }
    // ISO/IEC 14496-15, 8.3.2.1: chroma_format_idc.
    if let format = byte(16, of: "hvcC") {
      switch format & 3 {
      case 1: return .yuv420
      case 2: return .yuv422
      case 3: return .yuv444
      default: return nil
      }
    }
    // AV1 Codec ISO Media File Format, 2.3.3: monochrome, subsampled columns, subsampled rows.
    guard let format = byte(2, of: "av1C"), format & 0x10 == 0 else { return nil }
    switch (format & 8 != 0, format & 4 != 0) {
    case (true, true): return .yuv420
    case (true, false): return .yuv422
    default: return .yuv444
    }
  }
}

extension HEIFItems {
  /// Coded pictures are whole blocks; what lies beyond the size that is said is cut off.
  private static let largestMargin = 128

  /// Refuses pictures that are larger by their coding than the file says: memory is decided by that.
  ///
  /// - Throws: `malformed`.
  func checkSizes() throws(CinematicError) {
    for (item, type) in types {
      guard let size = try size(of: item, type) else { continue }
      guard let said = saidSize(of: item), size.width <= said.width + Self.largestMargin,
        size.height <= said.height + Self.largestMargin
      else {
        throw CinematicError(
          .malformed,
          "one of its pictures has \(size) by its coding and \(saidSize(of: item)?.description ?? "no size") by the file"
        )
      }
    }
  }

  /// The largest picture that is decoded for an item, as the file says it: its own, one of those that it is made of, or
  /// one that belongs to any of these, as alpha does. What is cut off is cut off afterwards.
  ///
  /// - Parameter shown: the size in which the item is delivered.
  func decodedSize(of item: UInt32, shown: Dimensions) -> Dimensions {
    // Found once: files may have thousands of items that refer to each other.
    var parts: [UInt32: [UInt32]] = [:]
    for reference in references {
      switch reference.type {
      case "dimg": parts[reference.from, default: []] += reference.to
      case "auxl":
        for picture in reference.to { parts[picture, default: []].append(reference.from) }
      default: break
      }
    }
    var largest = shown
    var found: Set<UInt32> = [item]
    var waiting = [item]
    while let item = waiting.popLast() {
      if let size = saidSize(of: item), size.claimedCount > largest.claimedCount { largest = size }
      for part in parts[item] ?? [] where found.insert(part).inserted { waiting.append(part) }
    }
    return largest
  }

  /// Whether a picture's colours were multiplied by its alpha (ISO/IEC 23000-22, 7.3.5.2).
  func isPremultiplied(_ item: UInt32) -> Bool {
    references.contains { $0.type == "prem" && $0.from == item }
  }

  /// By the picture's own coding; `nil` for what is no picture, and of codings that are not known.
  private func size(of item: UInt32, _ type: FourCC) throws(CinematicError) -> Dimensions? {
    func configuration(_ type: FourCC) -> ArraySlice<UInt8> { property(type, of: item)?.data ?? [] }
    switch type {
    case "hvc1", "hev1":
      return CodedSize.hevc(
        configuration: configuration("hvcC"), picture: try data(of: item)[...])
    case "av01":
      return CodedSize.av1(
        configuration: configuration("av1C"), picture: try data(of: item)[...])
    case "grid": return try Grid(try data(of: item)).dimensions
    case "iovl":
      // Four components of a colour come first.
      var reader = ByteReader(try data(of: item)[...], of: "the overlay")
      try reader.skip(1)
      let isWide = try reader.u8() & 1 != 0
      try reader.skip(8)
      return try Self.size(&reader, isWide: isWide)
    default: return nil
    }
  }

  fileprivate static func size(
    _ reader: inout ByteReader, isWide: Bool
  ) throws(CinematicError) -> Dimensions {
    let width = isWide ? try reader.u32() : UInt32(try reader.u16())
    let height = isWide ? try reader.u32() : UInt32(try reader.u16())
    return Dimensions(width: Int(width), height: Int(height))
  }

  /// `ispe`.
  func saidSize(of item: UInt32) -> Dimensions? {
    guard let property = property("ispe", of: item) else { return nil }
    var reader = ByteReader(property.data, box: "ispe")
    guard (try? reader.versionAndFlags()) != nil else { return nil }
    return try? Self.size(&reader, isWide: true)
  }

  /// A picture made of tiles (ISO/IEC 23008-12, 6.6.2.3.2).
  struct Grid {
    let dimensions: Dimensions
    let columns: Int
    let rows: Int

    /// - Throws: `malformed`.
    init(_ data: [UInt8]) throws(CinematicError) {
      var reader = ByteReader(data[...], of: "the grid")
      let version = try reader.u8()
      let isWide = try reader.u8() & 1 != 0
      guard version == 0 else { throw reader.malformed("its version is unknown") }
      rows = Int(try reader.u8()) + 1
      columns = Int(try reader.u8()) + 1
      dimensions = try HEIFItems.size(&reader, isWide: isWide)
    }
  }
}
