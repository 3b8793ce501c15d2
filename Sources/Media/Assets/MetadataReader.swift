// SPDX-License-Identifier: Apache-2.0

import FocalBoxes
import FocalCore

/// Finds the metadata items of a movie or a track, without the values that may be large.
struct MetadataReader {
  private let browser: BoxBrowser

  /// How many items are believed.
  private static let maximumCount = 1 << 12

  init(_ browser: BoxBrowser) { self.browser = browser }

  /// The items in `meta`, those in `udta`'s, and the texts in `udta` itself, of a `moov` or a `trak`.
  func items(in parent: BoxHeader) async throws(CinematicError) -> [MetadataItem] {
    var items: [MetadataItem] = []
    if let meta = try await browser.first("meta", in: parent) { items += try await read(meta) }
    guard let udta = try await browser.first("udta", in: parent) else { return items }
    do throws(CinematicError) {
      let place = items.count
      if let meta = try await browser.first("meta", in: udta) { items += try await read(meta) }
      // In front, so that of two of one name the newer kind is the last.
      items.insert(contentsOf: try await texts(in: udta), at: place)
    } catch {
      // The contents of `udta` come from many makers and are not always well formed, which is no reason to fail. That
      // it could not be read is one.
      guard [.malformed, .unsupported].contains(error.code) else { throw error }
    }
    return items
  }

  /// The texts of QuickTime's user data, by their boxes' types. One that its box does not hold whole is none.
  private func texts(in udta: BoxHeader) async throws(CinematicError) -> [MetadataItem] {
    var items: [MetadataItem] = []
    for box in try await browser.all(in: udta) where UserDataText.isText(box.type) {
      guard items.count < Self.maximumCount else { break }
      let content = try await browser.prefix(of: box, count: UserDataText.maximumSize)
      guard let text = UserDataText(Array(content)) else { continue }
      items.append(
        MetadataItem(
          namespace: "udta", key: "\(box.type)", dataType: text.isUTF8 ? 1 : 0,
          byteCount: text.bytes.count
        ) { () async throws(CinematicError) -> [UInt8] in text.bytes })
    }
    return items
  }

  private func read(_ meta: BoxHeader) async throws(CinematicError) -> [MetadataItem] {
    // QuickTime's is a plain box, ISO's a full one; both begin with their handler.
    let head = try await browser.prefix(of: meta, count: 8)
    let leading: Int64 = head.dropFirst(4).elementsEqual("hdlr".utf8) ? 0 : 4
    guard meta.contentSize >= leading,
      let list = try await browser.first("ilst", in: meta, leading: leading)
    else { return [] }
    var names: [(FourCC, String)]?
    if let keys = try await browser.first("keys", in: meta, leading: leading) {
      let content = try await browser.content(keys)
      do throws(CinematicError) {
        names = try ItemMetadata.keys(content)
      } catch {
        throw error.naming(browser.source.name)
      }
    }
    var items: [MetadataItem] = []
    for entry in try await browser.all(in: list) {
      guard items.count < Self.maximumCount else { break }
      let name: (FourCC, String)
      if let names {
        let index = Int(entry.type.rawValue)
        guard index >= 1, index <= names.count else { continue }
        name = names[index - 1]
      } else {
        name = ("itsk", "\(entry.type)")
      }
      guard let data = try await browser.first("data", in: entry), data.contentSize >= 8 else {
        continue
      }
      var reader = ByteReader(try await browser.prefix(of: data, count: 4), box: "data")
      let type = try reader.u32() & 0xFF_FFFF
      items.append(
        MetadataItem(
          namespace: name.0, key: name.1, dataType: type, byteCount: Int(data.contentSize - 8)
        ) { [browser] () async throws(CinematicError) -> [UInt8] in
          Array(try await browser.content(data).dropFirst(8))
        })
    }
    return items
  }
}
