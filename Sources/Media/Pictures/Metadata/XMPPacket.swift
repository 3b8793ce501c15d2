// SPDX-License-Identifier: Apache-2.0

/// The few properties of an XMP packet that concern pixels. A property is an attribute or an element
/// of its own; both are looked for by its name, whatever stands around them.
struct XMPPacket {
  let text: String

  init(_ bytes: [UInt8]) { text = String(decoding: bytes, as: UTF8.self) }

  /// The first value of a property, such as `GDepth:Near`.
  subscript(_ name: String) -> String? { values(name).first }

  /// Every value of a property, in the packet's order.
  func values(_ name: String) -> [String] {
    let bytes = text.utf8
    var found: [String] = []
    var rest = bytes[...]
    let needle = Array(name.utf8)
    while let place = Self.find(needle, in: rest) {
      let before = place > bytes.startIndex ? bytes[bytes.index(before: place)] : UInt8(ascii: " ")
      rest = bytes[bytes.index(place, offsetBy: needle.count)...]
      var cursor = rest.drop { Self.isSpace($0) }
      let end: UInt8
      if cursor.first == UInt8(ascii: "="), Self.isSpace(before) {
        cursor = cursor.dropFirst().drop { Self.isSpace($0) }
        guard let quote = cursor.first, quote == 0x22 || quote == 0x27 else { continue }
        end = quote
      } else if cursor.first == UInt8(ascii: ">"), before == UInt8(ascii: "<") {
        end = UInt8(ascii: "<")
      } else {
        continue
      }
      let value = cursor.dropFirst().prefix { $0 != end }
      found.append(Self.unescaped(String(decoding: value, as: UTF8.self)))
      rest = bytes[value.endIndex...]
    }
    return found
  }

  /// A number by the name of its property.
  func number(_ name: String) -> Double? {
    guard let value = self[name].flatMap(Double.init), value.isFinite else { return nil }
    return value
  }

  /// The packet for pixels that stand upright, without what it says of other pictures in its file: they
  /// are not in the file that is written. `nil` if it then says nothing.
  static func upright(_ bytes: [UInt8]) -> [UInt8]? {
    guard var result = XMPFilter(bytes).kept else { return nil }
    for name in ["tiff:Orientation=\"", "tiff:Orientation='", "tiff:Orientation>"] {
      let needle = Array(name.utf8)
      if let place = find(needle, in: result[...]) {
        let digit = place + needle.count
        if digit < result.count, (0x31...0x38).contains(result[digit]) { result[digit] = 0x31 }
      }
    }
    return result
  }

  /// A packet with the properties of another one, without those of either that speak of other pictures in
  /// the file. Writers divide long packets so (XMP specification part 3, 1.1.3.1).
  static func merged(_ main: [UInt8], _ other: [UInt8]) -> [UInt8] {
    let end = Array("</rdf:RDF>".utf8)
    guard let kept = XMPFilter(other).kept, let place = find(end, in: main[...]),
      let open = find(Array("<rdf:RDF".utf8), in: kept[...]),
      let first = kept[open...].firstIndex(of: UInt8(ascii: ">")),
      let last = find(end, in: kept[...]), first < last
    else { return main }
    return Array(main[..<place]) + kept[(first + 1)..<last] + main[place...]
  }

  private static func isSpace(_ byte: UInt8) -> Bool { byte <= 0x20 }

  private static func unescaped(_ text: String) -> String {
    guard text.utf8.contains(UInt8(ascii: "&")) else { return text }
    var result = ""
    var rest = text[...]
    let names = ["&lt;": "<", "&gt;": ">", "&quot;": "\"", "&apos;": "'", "&amp;": "&"]
    while let character = rest.first {
      if character == "&", let name = names.first(where: { rest.hasPrefix($0.key) }) {
        result += name.value
        rest.removeFirst(name.key.count)
      } else {
        result.append(character)
        rest.removeFirst()
      }
    }
    return result
  }

  /// Where a sequence first begins.
  static func find<Bytes: BidirectionalCollection>(
    _ needle: [UInt8], in bytes: Bytes
  ) -> Bytes.Index? where Bytes.Element == UInt8 {
    guard let first = needle.first else { return nil }
    var rest = bytes[...]
    while let start = rest.firstIndex(of: first) {
      if rest[start...].starts(with: needle) { return start }
      rest = rest[rest.index(after: start)...]
    }
    return nil
  }
}
