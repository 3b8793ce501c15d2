// SPDX-License-Identifier: Apache-2.0

import FocalBoxes

/// HEIC and AVIF files that say more than their writers let them: what lies behind the descriptions moves.
public enum ChangedHEIF {
  public struct Failure: Error {}

  /// The file with another property of the item that is shown.
  public static func adding(_ property: Box, to file: [UInt8]) throws -> [UInt8] {
    try changing(file) { meta in
      guard let shown = meta["pitm"]?.data.dropFirst(4).prefix(2), let old = meta["iprp"] else {
        throw Failure()
      }
      let parts = try Box.parse(old.data)
      guard parts.count == 2, parts[0].type == "ipco", parts[1].type == "ipma" else {
        throw Failure()
      }
      let number = try Box.parse(parts[0].data).count + 1
      var uses = Array(parts[1].data)
      // Version, flags and a count; then an item, how many properties it has, and a byte for each.
      var place = 8
      while place + 3 <= uses.count, !uses[place..<(place + 2)].elementsEqual(shown) {
        place += 3 + Int(uses[place + 2])
      }
      guard place + 3 <= uses.count, uses[3] & 1 == 0, number < 128 else { throw Failure() }
      uses[place + 2] += 1
      uses.insert(UInt8(number), at: place + 2 + Int(uses[place + 2]))
      let list = Box("ipco", data: Array(parts[0].data) + property.bytes)
      meta.replace(Box("iprp", data: list.bytes + Box("ipma", data: uses).bytes))
    }
  }

  /// The file with another reference of one item to one.
  public static func adding(
    reference type: FourCC, from: Int, to: Int, in file: [UInt8]
  ) throws -> [UInt8] {
    try changing(file) { meta in
      let reference = Box.of(type) { builder in
        for field in [from, 1, to] { builder.u16(field) }
      }
      let known = meta["iref"].map { Array($0.data) } ?? [0, 0, 0, 0]
      meta.replace(Box("iref", data: known + reference.bytes))
    }
  }

  /// The file whose first statements of a picture's size are others; what is behind does not move.
  public static func resizing(_ file: [UInt8], to width: Int, _ height: Int) throws -> [UInt8] {
    var builder = ByteBuilder()
    for side in [width, height] { builder.u32(side) }
    let name = Array("ispe".utf8)
    let first = file.indices.dropLast(16).first { file[$0..<($0 + 4)].elementsEqual(name) }
    guard let first else { throw Failure() }
    var changed = file
    changed.replaceSubrange((first + 8)..<(first + 16), with: builder.bytes)
    return changed
  }

  private static func changing(
    _ file: [UInt8], _ change: (inout Box) throws -> Void
  ) throws -> [UInt8] {
    var boxes = try Box.parse(file[...])
    guard let index = boxes.firstIndex(where: { $0.type == "meta" }),
      let places = boxes[index]["iloc"]
    else { throw Failure() }
    let size = boxes[index].size
    try change(&boxes[index])
    let newPlaces = try moved(places.data, by: boxes[index].size - size)
    boxes[index].replace(Box("iloc", data: newPlaces))
    return boxes.flatMap(\.bytes)
  }

  /// Places of items in the file (ISO/IEC 14496-12, 8.11.3), of four bytes.
  private static func moved(_ places: ArraySlice<UInt8>, by count: Int) throws -> [UInt8] {
    var bytes = Array(places)
    guard bytes.count >= 8, bytes[0] < 2, bytes[4] == 0x44, bytes[5] & 15 == 0 else {
      throw Failure()
    }
    let head = (bytes[0] == 1 ? 6 : 4) + Int(bytes[5] >> 4)
    func number(_ place: Int, _ size: Int) throws -> Int {
      guard place + size <= bytes.count else { throw Failure() }
      return bytes[place..<(place + size)].reduce(0) { $0 << 8 | Int($1) }
    }
    var place = 8
    for _ in 0..<(try number(6, 2)) {
      let isInMeta = try bytes[0] == 1 && number(place + 2, 2) & 15 == 1
      place += head
      let extents = try number(place, 2)
      place += 2
      for _ in 0..<extents {
        var builder = ByteBuilder()
        builder.u32(try number(place, 4) + (isInMeta ? 0 : count))
        bytes.replaceSubrange(place..<(place + 4), with: builder.bytes)
        place += 8
      }
    }
    return bytes
  }
}

extension Box {
  /// Puts a box in the place of the one of its type within, or behind all where there is none.
  fileprivate mutating func replace(_ box: Box) {
    if let place = boxes.firstIndex(where: { $0.type == box.type }) {
      boxes[place] = box
    } else {
      boxes.append(box)
    }
  }
}
