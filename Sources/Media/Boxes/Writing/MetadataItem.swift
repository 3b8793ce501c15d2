// SPDX-License-Identifier: Apache-2.0

/// A description of a movie or a track under a reverse-DNS key, as QuickTime's `meta` box stores it.
public struct MetadataItem: Hashable, Sendable {
  public enum Value: Hashable, Sendable {
    case text(String)
    case float(Float)
    case unsigned(UInt32)
  }

  public var key: String
  public var value: Value

  public init(_ key: String, _ value: Value) {
    self.key = key
    self.value = value
  }

  /// The well-known type's number (QuickTime File Format, “Well-known types”), and the bytes.
  fileprivate var stored: (type: UInt32, bytes: [UInt8]) {
    var writer = ByteWriter()
    switch value {
    case .text(let text):
      writer.append(text.utf8)
      return (1, writer.bytes)
    case .float(let number):
      writer.f32(number)
      return (23, writer.bytes)
    case .unsigned(let number):
      writer.u32(number)
      return (77, writer.bytes)
    }
  }
}

extension Box {
  /// QuickTime's `meta` box with a table of keys and the values in their order.
  public static func metadata(_ items: [MetadataItem]) -> Box {
    let handler = Box("hdlr", version: 0) { writer in
      writer.fourCC(FourCC(rawValue: 0))
      writer.fourCC("mdta")
      writer.zeros(13)
    }
    let keys = Box("keys", version: 0) { writer in
      writer.u32(UInt32(items.count))
      for item in items {
        writer.u32(UInt32(8 + item.key.utf8.count))
        writer.fourCC("mdta")
        writer.append(item.key.utf8)
      }
    }
    let values = items.enumerated().map { index, item in
      let (type, bytes) = item.stored
      return Box(
        FourCC(rawValue: UInt32(index + 1)),
        [
          Box("data") { writer in
            writer.u32(type)
            writer.u32(0)  // no country, no language
            writer.append(bytes)
          }
        ])
    }
    return Box("meta", [handler, keys, Box("ilst", values)])
  }
}
