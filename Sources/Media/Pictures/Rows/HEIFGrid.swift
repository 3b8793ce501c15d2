// SPDX-License-Identifier: Apache-2.0

import FocalBoxes
import FocalCore

/// A file of a picture in tiles (ISO/IEC 23008-12, 6.6.2.3), of coded tiles that libheif writes as files. Version
/// 1.15 of it puts no grid together. Alpha is another grid, the picture's auxiliary one.
struct HEIFGrid {
  /// How files call alpha.
  enum Alpha: String {
    /// ISO/IEC 23008-12, 7.5.
    case hevc = "urn:mpeg:hevc:2015:auxid:1"
    /// AV1 Image File Format, 4.1.
    case av1 = "urn:mpeg:mpegB:cicp:systems:auxiliary:alpha"
  }

  private typealias Tile = (data: [UInt8], properties: [Int])

  /// The picture's.
  let dimensions: Dimensions
  /// Each tile's: the last of a row and of a column reach beyond the picture.
  let tile: Dimensions
  let columns: Int
  let rows: Int

  private var fileType: Box?
  /// Of the tiles: configuration, size, colours, depth. Each tile's are numbers of these.
  private var properties: [Box] = []
  private var tiles: [Tile] = []
  private var alphaTiles: [Tile] = []
  private let alpha: Alpha?
  private var codedType: [UInt8] = []

  /// - Parameters:
  ///   - largestTile: of its sides; a multiple of 64.
  ///   - alpha: `nil` for opaque pictures.
  init(_ dimensions: Dimensions, largestTile: Int, alpha: Alpha? = nil) {
    self.dimensions = dimensions
    self.alpha = alpha
    func divided(_ length: Int) -> (count: Int, side: Int) {
      let count = (length + largestTile - 1) / largestTile
      let side = ((length + count - 1) / count + 63) / 64 * 64
      return ((length + side - 1) / side, side)
    }
    let (across, down) = (divided(dimensions.width), divided(dimensions.height))
    (columns, rows) = (across.count, down.count)
    tile = Dimensions(width: across.side, height: down.side)
  }

  /// Adds the next tile, row by row, of colours or of alpha.
  ///
  /// - Parameter tileFile: a file of one picture without anything else.
  /// - Throws: `unwritable` for a file that is none.
  mutating func add(
    tileFile: [UInt8], isAlpha: Bool = false, path: String
  ) throws(CinematicError) {
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
    if isAlpha {
      alphaTiles.append((Array(data), numbers))
    } else {
      tiles.append((Array(data), numbers))
    }
  }

  // MARK: - The file

  /// A grid among the items of the file: its tiles follow it.
  private struct Layer {
    let grid: UInt16
    let tiles: [UInt16]
  }

  /// The picture, and its alpha. Items of metadata follow them.
  private var layers: [Layer] {
    let count = UInt16(columns * rows + 1)
    return (0..<UInt16(alpha == nil ? 1 : 2)).map { index in
      let grid = 1 + index * count
      return Layer(grid: grid, tiles: Array((grid + 1)..<(grid + count)))
    }
  }

  /// The whole file.
  ///
  /// - Throws: `unwritable` for a file of 4 GB.
  func file(_ metadata: PictureMetadata, path: String) throws(CinematicError) -> [UInt8] {
    var said: [(type: String, content: String?, data: [UInt8])] = []
    // The TIFF structure begins at once.
    if let exif = metadata.exif { said.append(("Exif", nil, [0, 0, 0, 0] + exif)) }
    if let xmp = metadata.xmp { said.append(("mime", "application/rdf+xml", xmp)) }
    let data = tiles.map(\.data) + alphaTiles.map(\.data) + said.map(\.data)
    let byteCount = data.reduce(0) { $0 + $1.count }
    guard let fileType, tiles.count == columns * rows,
      alpha == nil || alphaTiles.count == tiles.count, byteCount < Int(UInt32.max) - (1 << 24),
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
    let layers = layers
    let picture = layers[0].grid
    let firstSaid = layers.reduce(1) { $0 + 1 + UInt16($1.tiles.count) }
    let saidItems = said.indices.map { firstSaid + UInt16($0) }
    var boxes: [Box] = [
      Box("hdlr", version: 0) { writer in
        writer.u32(0)
        writer.fourCC("pict")
        writer.zeros(13)
      },
      Box("pitm", version: 0) { writer in writer.u16(picture) },
      locations(layers, saidItems, sizes, at: place),
    ]
    boxes.append(
      Box("iinf", version: 0) { writer in
        writer.u16(firstSaid - 1 + UInt16(said.count))
        for layer in layers {
          writer.box(Self.entry(layer.grid, Array("grid".utf8), nil))
          for item in layer.tiles {
            writer.box(Self.entry(item, codedType, nil, isHidden: true))
          }
        }
        for (item, kind) in zip(saidItems, said) {
          writer.box(Self.entry(item, Array(kind.type.utf8), kind.content))
        }
      })
    boxes.append(propertyBoxes(layers))
    boxes.append(
      Box("iref", version: 0) { writer in
        func refer(_ type: FourCC, _ from: UInt16, to items: [UInt16]) {
          writer.box(
            Box(type) { writer in
              writer.u16(from)
              writer.u16(UInt16(items.count))
              for item in items { writer.u16(item) }
            })
        }
        for layer in layers { refer("dimg", layer.grid, to: layer.tiles) }
        for layer in layers.dropFirst() { refer("auxl", layer.grid, to: [picture]) }
        for item in saidItems { refer("cdsc", item, to: [picture]) }
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

  /// Where items lie: the grids' description, which is the same, in this box, the others behind each other in the
  /// file.
  private func locations(
    _ layers: [Layer], _ said: [UInt16], _ sizes: [Int], at place: Int
  ) -> Box {
    let items = layers.flatMap(\.tiles) + said
    return Box("iloc", version: 1) { writer in
      writer.u16(0x4400)
      writer.u16(UInt16(layers.count + items.count))
      func add(_ item: UInt16, method: UInt16, _ offset: Int, _ size: Int) {
        for number in [item, method, 0, 1] { writer.u16(number) }
        writer.u32(UInt32(offset))
        writer.u32(UInt32(size))
      }
      let inThisBox: UInt16 = 1
      for layer in layers { add(layer.grid, method: inThisBox, 0, description.count) }
      var offset = place
      for (item, size) in zip(items, sizes) {
        add(item, method: 0, offset, size)
        offset += size
      }
    }
  }

  /// The properties, and which item has which. A grid has colours and depth of its first tile.
  private func propertyBoxes(_ layers: [Layer]) -> Box {
    var all = properties
    all.append(
      Box("ispe", version: 0) { writer in
        writer.u32(UInt32(dimensions.width))
        writer.u32(UInt32(dimensions.height))
      })
    let size = all.count - 1
    if let alpha {
      all.append(
        Box("auxC", version: 0) { writer in writer.append(Array(alpha.rawValue.utf8) + [0]) })
    }
    let uses = Box("ipma", version: 0) { writer in
      writer.u32(UInt32(layers.reduce(0) { $0 + 1 + $1.tiles.count }))
      // None can be shown without its configuration, and alpha is no picture.
      let essential: [FourCC] = ["hvcC", "av1C", "auxC"]
      func add(_ item: UInt16, _ numbers: [Int]) {
        writer.u16(item)
        writer.u8(UInt8(numbers.count))
        for number in numbers {
          let mark: UInt8 = essential.contains(all[number].type) ? 0x80 : 0
          writer.u8(mark | UInt8(number + 1))
        }
      }
      for (layer, tiles) in zip(layers, [tiles, alphaTiles]) {
        let isAlpha = layer.grid != layers[0].grid
        let shared: [FourCC] = isAlpha ? ["pixi"] : ["colr", "pixi"]
        let own = (tiles.first?.properties ?? []).filter { shared.contains(all[$0].type) }
        add(layer.grid, [size] + own + (isAlpha ? [all.count - 1] : []))
        for (item, tile) in zip(layer.tiles, tiles) { add(item, tile.properties) }
      }
    }
    return Box("iprp", [Box("ipco", all), uses])
  }
}
