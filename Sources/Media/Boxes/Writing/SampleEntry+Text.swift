// SPDX-License-Identifier: Apache-2.0

import FocalCore

extension SampleEntry {
  /// An entry of QuickTime's plain text: the titles of chapters.
  public static var text: Box {
    Box("text") { writer in
      writer.zeros(6)
      writer.u16(1)
      writer.u32(1)  // not to be drawn
      writer.u32(1)  // centred
      writer.zeros(6 + 8 + 8 + 2 + 2 + 1 + 2 + 6)
      writer.u8(0)  // no font
    }
  }

  /// An entry of timed text (3GPP TS 26.245).
  ///
  /// - Parameters:
  ///   - justification: lines from the left 0, centred 1, to the right -1; at the top 0, in the middle 1, at the bottom -1.
  ///   - background: the colour behind text: red, green, blue and alpha from the highest byte down; 0 for none.
  public static func timedText(
    justification: (horizontal: Int8, vertical: Int8), background: UInt32 = 0
  ) -> Box {
    Box("tx3g") { writer in
      writer.zeros(6)
      writer.u16(1)
      writer.u32(0)
      writer.u8(UInt8(bitPattern: justification.horizontal))
      writer.u8(UInt8(bitPattern: justification.vertical))
      writer.u32(background)
      writer.zeros(8)
      // Style: all characters, font 1, 18 points, white.
      writer.zeros(4)
      writer.u16(1)
      writer.u8(0)
      writer.u8(18)
      writer.u32(0xFFFF_FFFF)
      writer.box(
        Box("ftab") { writer in
          writer.u16(1)
          writer.u16(1)
          let name = Array("Sans-Serif".utf8)
          writer.u8(UInt8(name.count))
          writer.append(name)
        })
    }
  }

  /// A sample of either: the text in UTF-8.
  public static func textSample(_ text: String, marksEncoding: Bool = false) -> [UInt8] {
    let utf8 = Array(text.utf8.prefix(0xFFFF))
    var writer = ByteWriter()
    writer.u16(UInt16(utf8.count))
    writer.append(utf8)
    if marksEncoding {
      writer.box(Box("encd") { $0.u32(0x0000_0100) })
    }
    return writer.bytes
  }

  /// The text of a sample of either.
  public static func text(ofSample sample: [UInt8]) -> String? {
    var reader = ByteReader(sample[...], of: "a text sample")
    guard let count = try? reader.u16(), reader.rest.count >= count else { return nil }
    let bytes = reader.rest.prefix(Int(count))
    let isWide = bytes.starts(with: [0xFE, 0xFF])
    guard isWide else { return String(decoding: bytes, as: UTF8.self) }
    let units = stride(from: bytes.startIndex + 2, to: bytes.endIndex - 1, by: 2).map {
      UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1])
    }
    return String(decoding: units, as: UTF16.self)
  }
}
