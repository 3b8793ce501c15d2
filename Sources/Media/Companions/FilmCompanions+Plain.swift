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
    Set(boxes.flatMap(Self.items).filter { $0.key == nil }.map(\.stored)).sorted()
  }

  private typealias Item = (key: String?, stored: String, value: String)

  /// The name of the program that wrote the source is not true of another film.
  private static let encoder = "\u{A9}too"

  private static func items(_ box: Box) -> [Item] {
    switch box.type {
    case "udta": return ((try? Box.prefix(box.data, count: .max)) ?? []).flatMap(items)
    case "meta":
      // MP4's has a version in front.
      let isPlain = box.data.dropFirst(4).starts(with: "hdlr".utf8)
      let data = isPlain ? box.data : box.data.dropFirst(4)
      guard let content = try? Box.prefix(data, count: .max) else { break }
      if content.contains(where: { $0.type == "keys" }) { return keyed(content) }
      let list = content.first { $0.type == "ilst" }
      return ((try? Box.prefix(list?.data ?? [], count: .max)) ?? []).compactMap(iTunes)
    default: break
    }
    return [(nil, "'\(box.type)'", "")]
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
    let bytes = [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: entry.type.rawValue >> $0) }
    let code = String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
    guard code != encoder else { return nil }
    let data = (try? Box.prefix(entry.data, count: .max))?.first { $0.type == "data" }?.data ?? []
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
