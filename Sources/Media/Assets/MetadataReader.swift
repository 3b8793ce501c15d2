// SPDX-License-Identifier: Apache-2.0

import FocalBoxes
import FocalCore

/// Finds the metadata items of a movie or a track, without their values.
struct MetadataReader {
  private let browser: BoxBrowser

  /// How many items are believed.
  private static let maximumCount = 1 << 12

  init(_ browser: BoxBrowser) { self.browser = browser }

  /// The items in `meta`, and those in `udta`'s, of a `moov` or a `trak`.
  func items(in parent: BoxHeader) async throws(CinematicError) -> [MetadataItem] {
    var items: [MetadataItem] = []
    if let meta = try await browser.first("meta", in: parent) { items += try await read(meta) }
    guard let udta = try await browser.first("udta", in: parent) else { return items }
    do throws(CinematicError) {
      if let meta = try await browser.first("meta", in: udta) { items += try await read(meta) }
    } catch {
      // The contents of `udta` come from many makers and are not always well formed, which is no reason to fail. That
      // it could not be read is one.
      guard [.malformed, .unsupported].contains(error.code) else { throw error }
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
