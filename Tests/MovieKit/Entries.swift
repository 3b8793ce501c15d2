// SPDX-License-Identifier: Apache-2.0

import FocalBoxes

/// Sample entries as phones write them.
public enum Entry {
  /// A visual sample entry.
  public static func visual(
    _ format: FourCC, width: Int, height: Int, _ extensions: [Box]
  ) -> Box {
    var builder = ByteBuilder()
    builder.zeros(6)
    builder.u16(1)
    builder.zeros(16)
    builder.u16(width)
    builder.u16(height)
    builder.u32(0x48_0000)
    builder.u32(0x48_0000)
    builder.u32(0)
    builder.u16(1)
    builder.u8(4)
    builder.text("HEVC")
    builder.zeros(27)
    builder.u16(24)
    builder.u16(0xFFFF)
    for box in extensions { builder.bytes += box.bytes }
    return Box(format, data: builder.bytes)
  }

  /// A timed metadata entry; keys are numbered from 1.
  public static func metadata(_ keys: [(name: String, type: Int)]) -> Box {
    let boxes = keys.enumerated().map { index, key in
      Box(
        FourCC(rawValue: UInt32(index + 1)),
        [
          Box.of("keyd") { builder in
            builder.code("mdta")
            builder.text(key.name)
          },
          Box.of("dtyp") { builder in
            builder.u32(0)
            builder.u32(key.type)
          },
        ])
    }
    var builder = ByteBuilder()
    builder.zeros(6)
    builder.u16(1)
    builder.bytes += Box("keys", boxes).bytes
    return Box("mebx", data: builder.bytes)
  }

  /// A timed metadata sample: values after their sizes and keys.
  public static func sample(_ values: [(key: Int, bytes: [UInt8])]) -> [UInt8] {
    var builder = ByteBuilder()
    for (key, bytes) in values {
      builder.u32(8 + bytes.count)
      builder.u32(key)
      builder.bytes += bytes
    }
    return builder.bytes
  }

  /// `meta` with reverse-DNS keys, as QuickTime has it.
  public static func items(_ items: [(key: String, type: Int, value: [UInt8])]) -> Box {
    let handler = Box.full("hdlr") { builder in
      builder.u32(0)
      builder.code("mdta")
      builder.zeros(14)
    }
    let keys = Box.full("keys") { builder in
      builder.u32(items.count)
      for item in items {
        builder.u32(8 + item.key.utf8.count)
        builder.code("mdta")
        builder.text(item.key)
      }
    }
    let values = items.enumerated().map { index, item in
      Box(
        FourCC(rawValue: UInt32(index + 1)),
        [
          Box.of("data") { builder in
            builder.u32(item.type)
            builder.u32(0)
            builder.bytes += item.value
          }
        ])
    }
    return Box("meta", [handler, keys, Box("ilst", values)])
  }

  /// The names under which Apple's phones store what only they read.
  public static let appleKeys = [
    ("com.apple.quicktime.cinematic-video.rendering", 0),
    ("com.apple.quicktime.cinematic-video.cinematography", 0),
  ]
}
