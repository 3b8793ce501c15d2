// SPDX-License-Identifier: Apache-2.0

extension TimedMetadata {
  /// The sample entry of a track whose samples hold values of these keys.
  public static func sampleEntry(_ keys: [MetadataKey]) -> Box {
    let entries = keys.map { key in
      let declaration = Box("keyd") { writer in
        writer.fourCC(key.namespace)
        writer.append(key.name)
      }
      let type = Box("dtyp") { writer in
        switch key.dataType {
        case .wellKnown(let number):
          writer.u32(0)
          writer.u32(number)
        case .named(let name):
          writer.u32(1)
          writer.append(name)
        }
      }
      return Box(FourCC(rawValue: key.localID), [declaration, type] + key.extras)
    }
    return Box("mebx") { writer in
      writer.zeros(6)
      writer.u16(1)  // the data lies in this file
      writer.box(Box("keys", entries))
    }
  }

  /// A sample of values, each after its size and its key's number.
  public static func sample(_ items: [Item]) -> [UInt8] {
    var writer = ByteWriter()
    for item in items {
      writer.u32(UInt32(8 + item.value.count))
      writer.u32(item.localID)
      writer.append(item.value)
    }
    return writer.bytes
  }
}
