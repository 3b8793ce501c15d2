// SPDX-License-Identifier: Apache-2.0

extension ItemMetadata.Item {
  /// UTF-8.
  public static func text(_ key: String, _ value: String) -> Self {
    Self(key: key, dataType: 1, value: Array(value.utf8))
  }

  /// A 32-bit float.
  public static func float(_ key: String, _ value: Float) -> Self {
    var writer = ByteWriter()
    writer.f32(value)
    return Self(key: key, dataType: 23, value: writer.bytes)
  }

  /// A 32-bit unsigned integer.
  public static func unsigned(_ key: String, _ value: UInt32) -> Self {
    var writer = ByteWriter()
    writer.u32(value)
    return Self(key: key, dataType: 77, value: writer.bytes)
  }
}

extension Box {
  /// QuickTime's `meta` box with a table of keys and the values in their order.
  public static func metadata(_ items: [ItemMetadata.Item]) -> Box {
    let handler = Box("hdlr", version: 0) { writer in
      writer.u32(0)
      writer.fourCC("mdta")
      writer.zeros(13)
    }
    let keys = Box("keys", version: 0) { writer in
      writer.u32(UInt32(items.count))
      for item in items {
        writer.u32(UInt32(8 + item.key.utf8.count))
        writer.fourCC(item.namespace)
        writer.append(item.key.utf8)
      }
    }
    let values = items.enumerated().map { index, item in
      Box(
        FourCC(rawValue: UInt32(index + 1)),
        [
          Box("data") { writer in
            writer.u32(item.dataType)
            writer.u32(0)  // no country, no language
            writer.append(item.value)
          }
        ])
    }
    return Box("meta", [handler, keys, Box("ilst", values)])
  }
}
