// SPDX-License-Identifier: Apache-2.0

import FocalBoxes
import FocalCore

/// A file of a picture in tiles (ISO/IEC 23008-12, 6.6.2.3), of coded tiles that libheif writes as files. Version
/// 1.15 of it puts no grid together.
struct HEIFGrid {
  /// The picture's.
  let dimensions: Dimensions
  /// Each tile's: the last of a row and of a column reach beyond the picture.
  let tile: Dimensions
  let columns: Int
  let rows: Int

  private var fileType: Box?
  /// Of the tiles: configuration, size, colours, depth. Each tile's are numbers of these.
  private var properties: [Box] = []
  private var tiles: [(data: [UInt8], properties: [Int])] = []
  private var codedType: [UInt8] = []

  /// - Parameter largestTile: of its sides; a multiple of 64.
  init(_ dimensions: Dimensions, largestTile: Int) {
    self.dimensions = dimensions
    func divided(_ length: Int) -> (count: Int, side: Int) {
      let count = (length + largestTile - 1) / largestTile
      let side = ((length + count - 1) / count + 63) / 64 * 64
      return ((length + side - 1) / side, side)
    }
    let (across, down) = (divided(dimensions.width), divided(dimensions.height))
    (columns, rows) = (across.count, down.count)
    tile = Dimensions(width: across.side, height: down.side)
  }

  /// Adds the next tile, row by row.
  ///
  /// - Parameter tileFile: a file of one picture without anything else.
  /// - Throws: `unwritable` for a file that is none.
  mutating func add(tileFile: [UInt8], path: String) throws(CinematicError) {
    func unknown() -> CinematicError {
      CinematicError(
        .unwritable, "cannot encode \(path): this libheif writes pictures in an unknown form",
        remedy: "write .jpg or .png")
    }
    let boxes: [Box]
    do throws(CinematicError) { boxes = try Box.parse(tileFile[...]) } catch { throw unknown() }
    func within(_ box: Box?, _ type: FourCC, after head: Int = 0) -> Box? {
      guard let box else { return nil }
      if !box.boxes.isEmpty { return box[type] }
      return (try? Box.parse(box.data.dropFirst(head)))?.first { $0.type == type }
    }
    let meta = boxes.first { $0.type == "meta" }
    let items = within(meta, "iinf", after: 4)
    let list = within(within(meta, "iprp", after: 4), "ipco")
    // Version and flags, one item, its entry's head, version, flags, number and protection, its type.
    guard let type = boxes.first(where: { $0.type == "ftyp" }),
      let data = boxes.first(where: { $0.type == "mdat" })?.data,
      let entry = items?.bytes, entry.count >= 34, entry[12] == 0, entry[13] == 1,
      let list,
      let found = list.boxes.isEmpty ? try? Box.parse(list.data) : list.boxes
    else { throw unknown() }
    fileType = type
    codedType = Array(entry[30..<34])
    let numbers = found.map { property in
      if let number = properties.firstIndex(of: property) { return number }
      properties.append(property)
      return properties.count - 1
    }
    tiles.append((Array(data), numbers))
  }

  // MARK: - The file

  /// Number of the picture; tiles follow it, then what is said about it.
  private static let gridItem: UInt16 = 1

  /// The whole file.
  ///
  /// - Throws: `unwritable` for a file of 4 GB.
  func file(_ metadata: PictureMetadata, path: String) throws(CinematicError) -> [UInt8] {
    var said: [(type: String, content: String?, data: [UInt8])] = []
    // The TIFF structure begins at once.
    if let exif = metadata.exif { said.append(("Exif", nil, [0, 0, 0, 0] + exif)) }
    if let xmp = metadata.xmp { said.append(("mime", "application/rdf+xml", xmp)) }
    let data = tiles.map(\.data) + said.map(\.data)
    let byteCount = data.reduce(0) { $0 + $1.count }
    guard let fileType, tiles.count == columns * rows, byteCount < Int(UInt32.max) - (1 << 24),
      properties.count < 127
    else {
      throw CinematicError(
        .unwritable, "\(path) would have more bytes than its format can name",
        remedy: "write .png or .tif")
    }
    // Its size does not depend on the places.
    let (names, sizes) = (said.map { ($0.type, $0.content) }, data.map(\.count))
    let head = fileType.size + metaBox(names, sizes, at: 0).size
    let meta = metaBox(names, sizes, at: head + 8)
    var writer = ByteWriter()
    writer.box(fileType)
    writer.box(meta)
    writer.u32(UInt32(8 + byteCount))
    writer.fourCC("mdat")
    for part in data { writer.append(part) }
    return writer.bytes
  }

  private func metaBox(
    _ said: [(type: String, content: String?)], _ sizes: [Int], at place: Int
  ) -> Box {
    let tileItems = (0..<tiles.count).map { Self.gridItem + 1 + UInt16($0) }
    let saidItems = said.indices.map { Self.gridItem + 1 + UInt16(tiles.count + $0) }
    var boxes: [Box] = [
      Box("hdlr", version: 0) { writer in
        writer.u32(0)
        writer.fourCC("pict")
        writer.zeros(13)
      },
      Box("pitm", version: 0) { writer in writer.u16(Self.gridItem) },
      locations(tileItems + saidItems, sizes, at: place),
    ]
    boxes.append(
      Box("iinf", version: 0) { writer in
        writer.u16(UInt16(1 + tiles.count + said.count))
        writer.box(Self.entry(Self.gridItem, Array("grid".utf8), nil))
        for item in tileItems { writer.box(Self.entry(item, codedType, nil, isHidden: true)) }
        for (item, kind) in zip(saidItems, said) {
          writer.box(Self.entry(item, Array(kind.type.utf8), kind.content))
        }
      })
    boxes.append(propertyBoxes(tileItems))
    boxes.append(
      Box("iref", version: 0) { writer in
        writer.box(
          Box("dimg") { writer in
            writer.u16(Self.gridItem)
            writer.u16(UInt16(tileItems.count))
            for item in tileItems { writer.u16(item) }
          })
        for item in saidItems {
          writer.box(
            Box("cdsc") { writer in
              for number in [item, 1, Self.gridItem] { writer.u16(number) }
            })
        }
      })
    boxes.append(Box("idat", data: description))
    return Box("meta", leading: [0, 0, 0, 0], boxes)
  }

  /// How many tiles, and the picture's size in 32 bits.
  private var description: [UInt8] {
    var writer = ByteWriter()
    for byte in [0, 1, UInt8(rows - 1), UInt8(columns - 1)] { writer.u8(byte) }
    writer.u32(UInt32(dimensions.width))
    writer.u32(UInt32(dimensions.height))
    return writer.bytes
  }

  private static func entry(
    _ item: UInt16, _ type: [UInt8], _ content: String?, isHidden: Bool = false
  ) -> Box {
    Box("infe", version: 2, flags: isHidden ? 1 : 0) { writer in
      writer.u16(item)
      writer.u16(0)
      writer.append(type)
      writer.u8(0)
      if let content {
        writer.append(Array(content.utf8))
        writer.u8(0)
      }
    }
  }

  /// Where items lie: the grid's description in this box, the others behind each other in the file.
  private func locations(_ items: [UInt16], _ sizes: [Int], at place: Int) -> Box {
    Box("iloc", version: 1) { writer in
      writer.u16(0x4400)
      writer.u16(UInt16(1 + items.count))
      func add(_ item: UInt16, method: UInt16, _ offset: Int, _ size: Int) {
        for number in [item, method, 0, 1] { writer.u16(number) }
        writer.u32(UInt32(offset))
        writer.u32(UInt32(size))
      }
      let inThisBox: UInt16 = 1
      add(Self.gridItem, method: inThisBox, 0, description.count)
      var offset = place
      for (item, size) in zip(items, sizes) {
        add(item, method: 0, offset, size)
        offset += size
      }
    }
  }

  /// The properties, and which item has which. The picture has colours and depth of its first tile.
  private func propertyBoxes(_ tileItems: [UInt16]) -> Box {
    let size = Box("ispe", version: 0) { writer in
      writer.u32(UInt32(dimensions.width))
      writer.u32(UInt32(dimensions.height))
    }
    let all = properties + [size]
    let shared: [FourCC] = ["colr", "pixi"]
    let own = (tiles.first?.properties ?? []).filter { shared.contains(properties[$0].type) }
    let uses = Box("ipma", version: 0) { writer in
      writer.u32(UInt32(1 + tiles.count))
      func add(_ item: UInt16, _ numbers: [Int]) {
        writer.u16(item)
        writer.u8(UInt8(numbers.count))
        for number in numbers {
          let type = all[number].type
          // None can be shown without its configuration.
          let isEssential: UInt8 = type == "hvcC" || type == "av1C" ? 0x80 : 0
          writer.u8(isEssential | UInt8(number + 1))
        }
      }
      add(Self.gridItem, [all.count - 1] + own)
      for (item, tile) in zip(tileItems, tiles) { add(item, tile.properties) }
    }
    return Box("iprp", [Box("ipco", all), uses])
  }
}
