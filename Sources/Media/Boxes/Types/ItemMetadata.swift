// SPDX-License-Identifier: Apache-2.0

import FocalCore

/// The items of a `meta` box whose handler is `mdta`: named values of a movie or a track.
public struct ItemMetadata: Hashable, Sendable {
  /// A named value.
  public struct Item: Hashable, Sendable {
    /// `mdta` for reverse-DNS names.
    public var namespace: FourCC
    /// The name.
    public var key: String
    /// QuickTime's number of how the value is stored: 1 UTF-8, 21 and 22 integers, 23 a float…
    public var dataType: UInt32
    /// The value, as it is stored.
    public var value: ArraySlice<UInt8>

    /// A value under a name.
    public init(namespace: FourCC = "mdta", key: String, dataType: UInt32, value: [UInt8]) {
      self.namespace = namespace
      self.key = key
      self.dataType = dataType
      self.value = value[...]
    }
  }

  /// The values, in the order of the file.
  public var items: [Item]

  /// - Parameter box: a parsed `meta`. Boxes of another handler have no items here.
  /// - Throws: `malformed` for names and values that are cut short.
  public init(_ box: Box) throws(CinematicError) {
    items = []
    guard let keysBox = box["keys"], let list = box["ilst"] else { return }
    let names = try Self.keys(keysBox.data)
    for entry in list.boxes {
      let index = Int(entry.type.rawValue)
      guard index >= 1, index <= names.count else { continue }
      for value in try Box.prefix(entry.data, count: .max) where value.type == "data" {
        var reader = ByteReader(value.data, box: "data")
        let type = try reader.u32()
        try reader.skip(4)  // locale
        let name = names[index - 1]
        var item = Item(
          namespace: name.namespace, key: name.key, dataType: type & 0xFF_FFFF, value: [])
        item.value = reader.rest
        items.append(item)
      }
    }
  }

  /// The names in `keys`, which the children of `ilst` refer to by their place, from 1.
  ///
  /// - Parameter content: the box's contents.
  package static func keys(
    _ content: ArraySlice<UInt8>
  ) throws(CinematicError) -> [(namespace: FourCC, key: String)] {
    var reader = ByteReader(content, box: "keys")
    _ = try reader.versionAndFlags()
    let count = try reader.elementCount(ofSize: 8)
    return try Box.prefix(reader.rest, count: count).map {
      ($0.type, String(decoding: $0.data, as: UTF8.self))
    }
  }
}

extension Box {
  /// A parsed `meta` without the values of some names, as one of bytes. Everything else in it stays: countries,
  /// languages, what is said of single values.
  ///
  /// - Returns: `nil` where no value is left; the same box where it has no names.
  package func droppingItems(where isDropped: (String) -> Bool) -> Box? {
    guard let keys = self["keys"], let list = self["ilst"],
      let names = try? Box.prefix(keys.data.dropFirst(8), count: .max)
    else { return self }
    var numbers: [UInt32: UInt32] = [:]
    var kept: [Box] = []
    for (index, name) in names.enumerated()
    where !isDropped(String(decoding: name.data, as: UTF8.self)) {
      kept.append(name)
      numbers[UInt32(index + 1)] = UInt32(kept.count)
    }
    let values = list.boxes.compactMap { value -> Box? in
      guard let number = numbers[value.type.rawValue] else { return nil }
      var value = value
      value.type = FourCC(rawValue: number)
      return value
    }
    guard !values.isEmpty else { return nil }
    let table = Box("keys", version: 0) { writer in
      writer.u32(UInt32(kept.count))
      for name in kept { writer.box(name) }
    }
    var result = self
    result.boxes = boxes.map { box in
      switch box.type {
      case "keys": return table
      case "ilst": return Box("ilst", values)
      default: return box
      }
    }
    return Box(type, data: Array(result.bytes.dropFirst(result.headerSize)))
  }
}
