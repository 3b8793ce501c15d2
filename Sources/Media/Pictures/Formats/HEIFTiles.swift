// SPDX-License-Identifier: Apache-2.0

import FocalBoxes
import FocalCore

/// The tiles of a picture that is a grid (ISO/IEC 23008-12, 6.6.2.3), each as a file of its own that libheif
/// decodes: up to version 1.17 it decodes grids as a whole only.
struct HEIFTiles {
  private struct Grid {
    let dimensions: Dimensions
    let columns: Int
    let tiles: [UInt32]
  }

  /// The picture's.
  var dimensions: Dimensions { grid.dimensions }
  /// Each tile's: the last of a row and of a column reach beyond the picture.
  let tile: Dimensions
  var columns: Int { grid.columns }

  private let items: HEIFItems
  private let grid: Grid
  private let alpha: Grid?
  /// The properties of colours: the grid's go before the tiles'.
  private let colors: [Box]
  /// The properties of alpha as such.
  private let auxiliary: [Box]

  /// Of an item: files name them by seven bits.
  private static let mostProperties = 32

  /// `nil` for a file of another kind, one whose grid is turned or cut, and one whose alpha has other tiles.
  init?(_ file: [UInt8]) {
    guard let items = try? HEIFItems(file), let grid = Self.grid(items.primary, items),
      items.properties[items.primary]?.count ?? 0 <= Self.mostProperties,
      let tile = Self.size(of: grid.tiles, items),
      grid.columns * tile.width >= grid.dimensions.width,
      grid.tiles.count / grid.columns * tile.height >= grid.dimensions.height
    else { return nil }
    let alphaItem = items.references.first { reference in
      reference.type == "auxl" && reference.to.contains(items.primary)
        && Self.isAlpha(items.property("auxC", of: reference.from))
    }?.from
    var alpha: Grid?
    if let alphaItem {
      alpha = Self.grid(alphaItem, items)
      guard let alpha, alpha.dimensions == grid.dimensions, alpha.columns == grid.columns,
        Self.size(of: alpha.tiles, items) == tile
      else { return nil }
    }
    self.items = items
    self.grid = grid
    self.tile = tile
    self.alpha = alpha
    colors = (items.properties[items.primary] ?? []).filter { $0.type == "colr" }
    auxiliary = alphaItem.flatMap { items.property("auxC", of: $0) }.map { [$0] } ?? []
  }

  private static func isAlpha(_ property: Box?) -> Bool {
    guard let name = property?.data.dropFirst(4).prefix(while: { $0 != 0 }) else { return false }
    return [HEIFGrid.Alpha.hevc.rawValue, HEIFGrid.Alpha.av1.rawValue].contains {
      name.elementsEqual($0.utf8)
    }
  }

  private static func grid(_ item: UInt32, _ items: HEIFItems) -> Grid? {
    guard items.types[item] == "grid", !isChanged(item, items),
      let data = try? items.data(of: item),
      let grid = try? HEIFItems.Grid(data),
      grid.columns * grid.rows == items.items("dimg", from: item).count,
      grid.dimensions.width > 0, grid.dimensions.height > 0
    else { return nil }
    return Grid(
      dimensions: grid.dimensions, columns: grid.columns, tiles: items.items("dimg", from: item))
  }

  /// Whether an item is turned, mirrored or cut.
  private static func isChanged(_ item: UInt32, _ items: HEIFItems) -> Bool {
    ["irot", "imir", "clap"].contains { items.property($0, of: item) != nil }
  }

  /// The size that all tiles have.
  private static func size(of tiles: [UInt32], _ items: HEIFItems) -> Dimensions? {
    var found: Dimensions?
    for tile in tiles {
      guard !isChanged(tile, items), items.properties[tile]?.count ?? 0 <= mostProperties,
        let size = items.saidSize(of: tile), size.width > 0, size.height > 0, found ?? size == size
      else { return nil }
      found = size
    }
    return found
  }

  /// A file of one tile, and its alpha.
  ///
  /// - Parameter index: row by row.
  /// - Throws: `malformed` for a tile whose bytes are not there.
  func file(_ index: Int) throws(CinematicError) -> [UInt8] {
    var parts = [grid.tiles[index]]
    if let alpha { parts.append(alpha.tiles[index]) }
    let own = parts.enumerated().map { place, item in
      let said = items.properties[item] ?? []
      guard place == 0 else { return said.filter { $0.type != "auxC" } + auxiliary }
      return colors.isEmpty ? said : said.filter { $0.type != "colr" } + colors
    }
    var data: [[UInt8]] = []
    for item in parts { data.append(try items.data(of: item)) }
    // Its size does not depend on the places.
    let head = items.fileType.size + 8
    let size = metaBox(parts, own, data.map(\.count), at: 0).size
    var writer = ByteWriter()
    writer.box(items.fileType)
    writer.box(metaBox(parts, own, data.map(\.count), at: head + size))
    writer.u32(UInt32(8 + data.reduce(0) { $0 + $1.count }))
    writer.fourCC("mdat")
    for part in data { writer.append(part) }
    return writer.bytes
  }

  /// - Parameters:
  ///   - properties: of each part.
  ///   - place: of the first part's bytes in the file.
  private func metaBox(
    _ parts: [UInt32], _ properties: [[Box]], _ sizes: [Int], at place: Int
  ) -> Box {
    let numbers = parts.indices.map { UInt16($0 + 1) }
    var boxes: [Box] = [
      Box("hdlr", version: 0) { writer in
        writer.u32(0)
        writer.fourCC("pict")
        writer.zeros(13)
      },
      Box("pitm", version: 0) { writer in writer.u16(1) },
      Box("iloc", version: 0) { writer in
        writer.u16(0x4400)
        writer.u16(UInt16(parts.count))
        var offset = place
        for (number, size) in zip(numbers, sizes) {
          for field in [number, 0, 1] { writer.u16(field) }
          writer.u32(UInt32(offset))
          writer.u32(UInt32(size))
          offset += size
        }
      },
      Box("iinf", version: 0) { writer in
        writer.u16(UInt16(parts.count))
        for (number, item) in zip(numbers, parts) {
          writer.box(
            Box("infe", version: 2) { writer in
              writer.u16(number)
              writer.u16(0)
              writer.fourCC(items.types[item] ?? "free")
              writer.u8(0)
            })
        }
      },
    ]
    let uses = Box("ipma", version: 0) { writer in
      writer.u32(UInt32(parts.count))
      var property: UInt8 = 1
      for (number, own) in zip(numbers, properties) {
        writer.u16(number)
        writer.u8(UInt8(own.count))
        for box in own {
          let isEssential = ["hvcC", "av1C", "auxC"].contains(box.type)
          writer.u8(property | (isEssential ? 0x80 : 0))
          property += 1
        }
      }
    }
    boxes.append(Box("iprp", [Box("ipco", properties.flatMap(\.self)), uses]))
    if parts.count > 1 {
      boxes.append(
        Box("iref", version: 0) { writer in
          writer.box(
            Box("auxl") { writer in
              for field in [2, 1, 1] as [UInt16] { writer.u16(field) }
            })
          guard items.isPremultiplied(items.primary) else { return }
          writer.box(
            Box("prem") { writer in
              for field in [1, 1, 2] as [UInt16] { writer.u16(field) }
            })
        })
    }
    return Box("meta", leading: [0, 0, 0, 0], boxes)
  }
}
