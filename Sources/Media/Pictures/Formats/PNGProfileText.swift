// SPDX-License-Identifier: Apache-2.0

/// Metadata of other kinds that a PNG holds as text: XMP, and what ImageMagick and programs like it write in hexadecimal
/// digits behind the keyword "Raw profile type".
struct PNGProfileText {
  private static let rawKeyword = "Raw profile type "
  private static let xmpKeyword = "XML:com.adobe.xmp"
  /// Of a text that is inflated. Metadata have some hundred kilobytes, twice that in digits.
  static let mostByteCount = 16 << 20

  /// In Latin-1.
  private let keyword: String
  /// As it is stored: behind the keyword's end.
  private let content: ArraySlice<UInt8>
  private let type: String

  /// `nil` for a text of another kind.
  init?(_ type: String, _ content: ArraySlice<UInt8>) {
    guard let text = PNGText.parts(content), PNGText.chunks.contains(type),
      text.keyword.hasPrefix(Self.rawKeyword) || text.keyword == Self.xmpKeyword
    else { return nil }
    (keyword, self.content, self.type) = (text.keyword, text.content, type)
  }

  /// The chunk of a packet of XMP.
  static func chunk(xmp: [UInt8]) -> (type: String, content: [UInt8]) {
    ("iTXt", Array(xmpKeyword.utf8) + [0, 0, 0, 0, 0] + xmp)
  }

  /// Adds to metadata what texts hold that is not there yet, and the keywords of those that are not read.
  ///
  /// - Parameter metadata: with what the chunks of their own say, which newer programs write beside the texts.
  static func add(_ texts: [PNGProfileText], to metadata: inout PictureMetadata) {
    // Of each kind once: hundreds could each stand for megabytes.
    var tried: Set<String> = []
    var unread = Set(metadata.unreadTexts)
    for text in texts {
      let kind = text.keyword.dropFirst(rawKeyword.count).lowercased()
      // A text of this kind is EXIF or XMP.
      let most = kind == "app1" ? 2 : 1
      let number = (1...most).first { tried.insert("\(kind) \($0)").inserted }
      let isRead =
        switch kind {
        case _ where text.keyword == xmpKeyword:
          metadata.xmp != nil || number != nil && text.addPacket(to: &metadata)
        case "exif" where metadata.exif != nil, "xmp" where metadata.xmp != nil,
          "iptc" where metadata.iptc != nil, "8bim" where metadata.iptc != nil:
          true
        case "exif", "app1", "xmp", "iptc", "8bim":
          number != nil && text.add(kind, to: &metadata)
        default: false
        }
      if !isRead, unread.insert(text.keyword).inserted {
        metadata.unreadTexts.append(text.keyword)
      }
    }
  }

  /// - Returns: whether there is XMP in the text.
  private func addPacket(to metadata: inout PictureMetadata) -> Bool {
    guard let packet = text, !packet.isEmpty else { return false }
    metadata.xmp = packet
    return true
  }

  /// - Returns: whether the digits are metadata of a kind.
  private func add(_ kind: String, to metadata: inout PictureMetadata) -> Bool {
    guard let bytes = text.flatMap(Self.bytes) else { return false }
    func rest(_ head: [UInt8]) -> [UInt8]? {
      bytes.starts(with: head) ? Array(bytes.dropFirst(head.count)) : nil
    }
    switch kind {
    case "xmp": metadata.xmp = bytes
    case "exif", "app1":
      if let xmp = rest(JPEGSegments.xmpHead) {
        metadata.xmp = metadata.xmp ?? xmp
      } else {
        let exif = rest(JPEGSegments.exifHead) ?? bytes
        guard EXIFBlock(exif) != nil else { return false }
        metadata.exif = metadata.exif ?? exif
      }
    default:
      let blocks = rest(JPEGSegments.photoshopHead) ?? bytes
      let isRecord = blocks.first == PhotoshopBlocks.recordMark
      let iptc = isRecord ? PhotoshopBlocks.holding(iptc: blocks) : blocks
      guard PhotoshopBlocks.iptc(in: iptc) != nil else { return false }
      metadata.iptc = iptc
    }
    return true
  }

  /// The text itself; `nil` for one that is damaged or too long.
  private var text: [UInt8]? {
    switch type {
    case "tEXt": return content.count <= Self.mostByteCount ? Array(content) : nil
    case "zTXt":
      guard content.first == 0 else { return nil }
      return ZlibStream.inflated(content.dropFirst(), most: Self.mostByteCount)
    default:
      // Whether it is compressed, the method, a language and the keyword in it.
      let flags = Array(content.prefix(2))
      var rest = content.dropFirst(2)
      guard flags.count == 2 else { return nil }
      for _ in 0..<2 {
        guard let end = rest.firstIndex(of: 0) else { return nil }
        rest = rest[rest.index(after: end)...]
      }
      if flags[0] == 0 { return Array(rest) }
      return flags == [1, 0] ? ZlibStream.inflated(rest, most: Self.mostByteCount) : nil
    }
  }

  /// The bytes of digits: behind an empty line stand the name of the kind and, in the next line, how many bytes there are.
  private static func bytes(_ text: [UInt8]) -> [UInt8]? {
    let (newline, space) = (UInt8(ascii: "\n"), UInt8(ascii: " "))
    let body = text.drop { $0 == newline }
    guard let end = body.firstIndex(of: newline) else { return nil }
    let count = body[end...].drop { $0 == newline || $0 == space }
    let digits = count.prefix { $0 != newline && $0 != space }
    guard let size = Int(String(decoding: digits, as: UTF8.self)), size > 0, size <= text.count / 2
    else { return nil }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(size)
    var high: UInt8?
    for letter in count.dropFirst(digits.count) where letter != newline && letter != space {
      guard let digit = Self.digit(letter) else { return nil }
      if let first = high { bytes.append(first << 4 | digit) }
      high = high == nil ? digit : nil
    }
    return bytes.count == size && high == nil ? bytes : nil
  }

  private static func digit(_ letter: UInt8) -> UInt8? {
    switch letter {
    case 48...57: letter - 48
    case 65...70: letter - 55
    case 97...102: letter - 87
    default: nil
    }
  }
}
