// SPDX-License-Identifier: Apache-2.0

import FocalBoxes
import FocalCore

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Descriptions by plain names, as files that are no QuickTime or MP4 have them.
extension FilmCompanions {
  /// Those of boxes that have a plain name included, and the date.
  var plainDescriptions: [(key: String, value: String)] {
    var result = boxes.flatMap(Self.items).compactMap { item in
      item.key.map { ($0, item.value) }
    }
    result += tags.map { ($0.key.lowercased(), $0.value) }
    if creationTime > 0 { result.append(("creation_time", Self.date(creationTime))) }
    return result
  }

  /// What the boxes call descriptions that have no plain name.
  var unnamedDescriptions: [String] {
    let all = boxes + fileBoxes
    return Set(all.flatMap(Self.items).filter { $0.key == nil }.map(\.stored)).sorted()
  }

  /// Whether a box of a track says its name and roles alone.
  static func isLabels(_ box: Box) -> Bool {
    box.type == "udta" && boxes(in: box).allSatisfy { ["name", "kind"].contains($0.type) }
  }

  private typealias Item = (key: String?, stored: String, value: String)

  /// The name of the program that wrote the source is not true of another film.
  private static let encoders = ["\u{A9}too", "\u{A9}swr"]

  /// All after a box's head, whether it was read or made.
  private static func content(_ box: Box) -> ArraySlice<UInt8> {
    box.bytes[...].dropFirst(box.headerSize)
  }

  private static func boxes(in box: Box) -> [Box] {
    (try? Box.prefix(content(box), count: .max)) ?? []
  }

  private static func items(_ box: Box) -> [Item] {
    switch box.type {
    case "udta": return boxes(in: box).flatMap(items)
    case "meta":
      // MP4's has a version in front.
      let data = content(box)
      let isPlain = data.dropFirst(4).starts(with: "hdlr".utf8)
      guard let parts = try? Box.prefix(isPlain ? data : data.dropFirst(4), count: .max) else {
        break
      }
      if parts.contains(where: { $0.type == "keys" }) { return keyed(parts) }
      guard let list = parts.first(where: { $0.type == "ilst" }) else { break }
      return boxes(in: list).compactMap(iTunes)
    case "uuid" where box.extendedType == BoxContainer.xmp: return [(nil, "XMP", "")]
    default:
      if let text = text(box) { return text.stored.map { [($0.key, $0.name, text.value)] } ?? [] }
    }
    return [(nil, "'\(box.type)'", "")]
  }

  /// A text of QuickTime's user data, which begins with its length and language; `stored` is `nil` for what is not to be kept.
  private static func text(_ box: Box) -> (stored: (key: String?, name: String)?, value: String)? {
    let (code, data) = (characters(box.type), Array(content(box)))
    guard UserDataText.isText(box.type), data.count >= 4 else { return nil }
    guard !encoders.contains(code) else { return (nil, "") }
    let text = UserDataText(data)
    // Of keys that lie in an MP4's user data, too.
    let other = userData.first { $0.code == box.type }?.quickTime
    let known = names.first { $0.value.iTunes == code || $0.value.quickTime == other }?.key
    let key = text?.isUTF8 == true ? known : nil
    return ((key, "'\(box.type)'"), String(decoding: text?.bytes ?? [], as: UTF8.self))
  }

  private static func characters(_ type: FourCC) -> String {
    let bytes = [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: type.rawValue >> $0) }
    return String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
  }

  private static func keyed(_ content: [Box]) -> [Item] {
    guard let parsed = try? Box.parse(Box("meta", content).bytes[...]).first,
      let list = try? ItemMetadata(parsed).items
    else { return [(nil, "'meta'", "")] }
    return list.map { item in
      let known = names.first { $0.value.quickTime == item.key }?.key
      let key = known ?? (item.key.contains(".") ? nil : item.key)
      return (
        item.dataType == 1 ? key : nil, item.key, String(decoding: item.value, as: UTF8.self)
      )
    }
  }

  private static func iTunes(_ entry: Box) -> Item? {
    let code = characters(entry.type)
    guard !encoders.contains(code) else { return nil }
    let data = boxes(in: entry).first { $0.type == "data" }?.data ?? []
    // The kind of value, 1 for text, and a locale stand in front.
    let isText = data.count > 8 && data.dropFirst(3).first == 1
    let key = names.first { $0.value.iTunes == code }?.key
    return (isText ? key : nil, code, String(decoding: data.dropFirst(8), as: UTF8.self))
  }

  /// `2024-05-06T07:08:09.000000Z` of seconds since 1904.
  private static func date(_ since1904: UInt32) -> String {
    // Seconds from then to 1970.
    var seconds = time_t(since1904) - 2_082_844_800
    var parts = tm()
    gmtime_r(&seconds, &parts)
    func two(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
    return "\(Int(parts.tm_year) + 1900)-\(two(parts.tm_mon + 1))-\(two(parts.tm_mday))T"
      + "\(two(parts.tm_hour)):\(two(parts.tm_min)):\(two(parts.tm_sec)).000000Z"
  }
}
