// SPDX-License-Identifier: Apache-2.0

import FocalBoxes
import FocalCore

extension TimedTextSamples {
  static func captions(_ samples: [CaptionTrack.Sample], _ entry: Box) -> CaptionDocument {
    var joiner = CaptionJoiner()
    var log = IssueLog()
    var told: Set<String> = []
    func tell(_ range: TimeRange, _ severity: CaptionIssue.Severity, _ reason: String) {
      if told.insert(reason).inserted { log.add(time: range.start, as: severity, reason) }
    }
    let usual = defaults(entry)
    for (range, data) in samples where !range.isEmpty {
      let whole = SampleEntry.text(ofSample: data)
      if whole == nil, !data.isEmpty {
        tell(
          range, .error, "a text, here and later, is longer than its sample, and was skipped")
      }
      guard let text = whole, !text.isEmpty else {
        joiner.add([], range)
        continue
      }
      let modifiers = modifiers(data)
      for (type, severity, reason) in unread where modifiers.contains(where: { $0.type == type }) {
        tell(range, severity, "\(reason) ('\(type)'), here and later")
      }
      var caption = Caption(
        pieces: pieces(text, styles(modifiers, entry.type), usual.style), timeRange: range)
      caption.region = usual.place.region
      caption.textAlignment = usual.place.alignment
      joiner.add([caption], range)
    }
    return CaptionDocument(captions: joiner.all, format: .subRip, issues: log.all)
  }

  /// What samples may say of their text that captions do not have (TS 26.245, 5.17).
  private static let unread: [(type: FourCC, severity: CaptionIssue.Severity, reason: String)] = [
    ("tbox", .warning, "captions with places of their own stand where the others do"),
    ("hlit", .warning, "highlights are left out"),
    ("krok", .warning, "words that light up one after the other do so at no time"),
    ("dlay", .warning, "delays of text that scrolls are left out"),
    ("href", .note, "links are left out"),
    ("blnk", .warning, "blinking text stands still"),
  ]

  /// The boxes behind a sample's text.
  private static func modifiers(_ data: [UInt8]) -> [Box] {
    guard data.count > 2 else { return [] }
    let count = Int(data[0]) << 8 | Int(data[1])
    guard data.count > 2 + count else { return [] }
    return (try? Box.prefix(data[(2 + count)...], count: .max)) ?? []
  }

  /// Where the entry lets captions stand, and the style of text that has none of its own. The colour behind text is that
  /// of all of it.
  private static func defaults(_ entry: Box) -> (place: Place, style: Caption.Style) {
    guard entry.type == "tx3g" else { return (.usual, .plain) }
    var reader = ByteReader(
      entry.bytes[...].dropFirst(entry.headerSize), box: "tx3g")
    // The data reference, flags; behind the background the box.
    guard (try? reader.skip(12)) != nil, let horizontal = try? reader.u8(),
      let vertical = try? reader.u8(), let background = try? reader.u32(),
      (try? reader.skip(8)) != nil, var style = style(&reader)?.style
    else { return (.usual, .plain) }
    let color = Caption.Color(rgba: background)
    if color.alpha > 0, !isUnstyled(entry) { style.backgroundColor = color }
    return (
      Place(horizontal: Int8(bitPattern: horizontal), vertical: Int8(bitPattern: vertical)), style
    )
  }

  /// Whether an entry is the one that FFmpeg writes for text that says nothing of its look: it has black behind white text
  /// of Arial. The size goes by the pictures' height.
  private static func isUnstyled(_ entry: Box) -> Bool {
    let content = Array(entry.bytes[...].dropFirst(entry.headerSize))
    // The data reference, flags, centred at the bottom, the background, the box; the style's range, font and face.
    let head: [UInt8] = [
      0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0xFF, 0, 0, 0, 0xFF, 0, 0, 0, 0, 0, 0, 0, 0,
      0, 0, 0, 0, 0, 1, 0,
    ]
    let font: [UInt8] = [0, 1, 0, 1, 5]
    var tail = [UInt8](repeating: 0xFF, count: 4)
    tail += Box("ftab", data: font + Array("Arial".utf8)).bytes
    return content.starts(with: head) && content.dropFirst(head.count + 1).starts(with: tail)
  }

  /// A text in stretches of one style each: what no record covers has the usual one.
  private static func pieces(
    _ text: String, _ records: [(start: Int, end: Int, style: Caption.Style)],
    _ usual: Caption.Style
  ) -> [(text: String, style: Caption.Style)] {
    let scalars = text.unicodeScalars
    var pieces: [(text: String, style: Caption.Style)] = []
    var (position, index) = (0, scalars.startIndex)
    func take(to end: Int, _ style: Caption.Style) {
      guard end > position, index < scalars.endIndex else { return }
      let next =
        scalars.index(index, offsetBy: end - position, limitedBy: scalars.endIndex)
        ?? scalars.endIndex
      var style = style
      style.backgroundColor = usual.backgroundColor
      pieces.append((String(scalars[index..<next]), style))
      (position, index) = (end, next)
    }
    for record in records.sorted(by: { $0.start < $1.start }) where record.end > record.start {
      take(to: record.start, usual)
      take(to: record.end, record.style)
    }
    take(to: .max, usual)
    return pieces
  }

  /// The records of a sample's styles, for an entry of a type.
  private static func styles(
    _ modifiers: [Box], _ type: FourCC
  ) -> [(start: Int, end: Int, style: Caption.Style)] {
    guard let records = modifiers.first(where: { $0.type == "styl" }) else { return [] }
    var reader = ByteReader(records.data, box: "styl")
    guard let number = try? reader.u16() else { return [] }
    // FFmpeg writes 3GPP's records into QuickTime's text, too.
    if type == "text", number > 0, reader.remaining >= 20 * Int(number) {
      return quickTimeStyles(&reader, count: Int(number))
    }
    var styles: [(start: Int, end: Int, style: Caption.Style)] = []
    for _ in 0..<number {
      guard let record = style(&reader) else { break }
      styles.append(record)
    }
    return styles
  }

  /// QuickTime's records (QuickTime File Format, Text Media): each is in force to where the next one begins.
  private static func quickTimeStyles(
    _ reader: inout ByteReader, count: Int
  ) -> [(start: Int, end: Int, style: Caption.Style)] {
    var styles: [(start: Int, end: Int, style: Caption.Style)] = []
    for _ in 0..<count {
      // The line's height, the ascent and the font lie between; behind the face a byte and the size.
      guard let start = try? reader.u32(), (try? reader.skip(6)) != nil,
        let face = try? reader.u8(), (try? reader.skip(3)) != nil,
        let red = try? reader.u16(), let green = try? reader.u16(), let blue = try? reader.u16()
      else { break }
      let color = Caption.Color(
        red: UInt8(red >> 8), green: UInt8(green >> 8), blue: UInt8(blue >> 8), alpha: 255)
      styles.append((Int(start), Int.max, style(face: face, color)))
    }
    styles.sort { $0.start < $1.start }
    for index in styles.indices.dropLast() { styles[index].end = styles[index + 1].start }
    return styles
  }

  /// A record of 3GPP's: a range of characters, a font, a face, a size, a colour.
  private static func style(
    _ reader: inout ByteReader
  ) -> (start: Int, end: Int, style: Caption.Style)? {
    guard let start = try? reader.u16(), let end = try? reader.u16(),
      (try? reader.skip(2)) != nil, let face = try? reader.u8(), (try? reader.skip(1)) != nil,
      let color = try? reader.u32()
    else { return nil }
    return (Int(start), Int(end), Self.style(face: face, Caption.Color(rgba: color)))
  }

  /// The style of the bits of a face and a colour, which both have in common.
  private static func style(face: UInt8, _ color: Caption.Color) -> Caption.Style {
    var style = Caption.Style()
    if face & 1 != 0 { style.fontWeight = .bold }
    if face & 2 != 0 { style.fontStyle = .italic }
    if face & 4 != 0 { style.decoration = .underline }
    if color != .white, color.alpha > 0 { style.textColor = color }
    return style
  }
}

extension Caption.Color {
  /// Red, green, blue and alpha from the highest byte down, as timed text stores a colour.
  fileprivate init(rgba: UInt32) {
    self.init(
      red: UInt8(rgba >> 24), green: UInt8(rgba >> 16 & 255), blue: UInt8(rgba >> 8 & 255),
      alpha: UInt8(rgba & 255))
  }

  /// The same way.
  var rgba: UInt32 {
    UInt32(red) << 24 | UInt32(green) << 16 | UInt32(blue) << 8 | UInt32(alpha)
  }
}
