// SPDX-License-Identifier: Apache-2.0

/// An XMP packet without what it says of other pictures in its file: depth, gain maps, a container's
/// items, a moving picture behind the photograph. Everything else stays byte for byte.
///
/// Such properties are told by their namespaces; an element goes with all that is in it.
struct XMPFilter {
  /// The packet; `nil` if nothing is left of it. One that is not well formed stays as it is.
  private(set) var kept: [UInt8]?

  private let bytes: [UInt8]
  /// Prefixes of the namespaces that go.
  private var companions: Set<String> = []

  private static let namespaces = [
    "http://ns.google.com/photos/1.0/depthmap/", "http://ns.google.com/photos/1.0/image/",
    "http://ns.google.com/photos/1.0/container/", "http://ns.google.com/photos/1.0/camera/",
    "http://ns.google.com/photos/dd/1.0/", "http://ns.adobe.com/hdr-gain-map/",
    "http://ns.apple.com/HDRGainMap/", "http://ns.apple.com/pixeldatainfo/",
  ]
  /// Refers to a second packet.
  private static let extensionMark = "xmpNote:HasExtendedXMP"
  /// Prefixes of what holds properties and is none.
  private static let structure: Set<String> = ["x", "rdf", "xmlns", "xml"]

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
    kept = filtered()
  }

  /// A name, a value and where both lie.
  private struct Attribute {
    var name: String
    var value: String
    var range: Range<Int>
  }

  /// The text between < and >.
  private struct Tag {
    var name: String
    var attributes: [Attribute]
    var range: Range<Int>
    var isEnd: Bool
    var isEmpty: Bool
  }

  private mutating func filtered() -> [UInt8]? {
    var result: [UInt8] = []
    var place = 0
    // Whether any property is left.
    var says = false
    // The elements that are open within one that goes.
    var dropped = 0
    while let open = bytes[place...].firstIndex(of: UInt8(ascii: "<")) {
      if dropped == 0 { result += bytes[place..<open] }
      if let end = instruction(at: open) {
        if dropped == 0 { result += bytes[open..<end] }
        place = end
        continue
      }
      guard let tag = tag(at: open) else { return bytes }
      place = tag.range.upperBound
      for attribute in tag.attributes where attribute.name.hasPrefix("xmlns:") {
        if Self.namespaces.contains(where: attribute.value.hasPrefix) {
          companions.insert(String(attribute.name.dropFirst(6)))
        }
      }
      if dropped > 0 || goes(tag.name) {
        if tag.isEnd { dropped -= 1 } else if !tag.isEmpty { dropped += 1 }
        guard dropped >= 0 else { return bytes }
        continue
      }
      if !Self.structure.contains(Self.prefix(tag.name)) { says = true }
      var next = tag.range.lowerBound
      for attribute in tag.attributes {
        let isDeclaration =
          attribute.name.hasPrefix("xmlns:")
          && companions.contains(String(attribute.name.dropFirst(6)))
        if isDeclaration || goes(attribute.name) {
          result += bytes[next..<attribute.range.lowerBound]
          next = attribute.range.upperBound
        } else if !Self.structure.contains(Self.prefix(attribute.name)) {
          says = true
        }
      }
      result += bytes[next..<tag.range.upperBound]
    }
    guard dropped == 0 else { return bytes }
    result += bytes[place...]
    return says ? result : nil
  }

  private func goes(_ name: String) -> Bool {
    name == Self.extensionMark || companions.contains(Self.prefix(name))
  }

  private static func prefix(_ name: String) -> String {
    name.firstIndex(of: ":").map { String(name[..<$0]) } ?? ""
  }

  // MARK: - Markup

  /// The end of a processing instruction, a comment or a declaration; `nil` for anything else.
  private func instruction(at open: Int) -> Int? {
    for (start, end) in [("<?", "?>"), ("<!--", "-->"), ("<!", ">")]
    where bytes[open...].starts(with: Array(start.utf8)) {
      let close = Array(end.utf8)
      return XMPPacket.find(close, in: bytes[open...]).map { $0 + close.count } ?? bytes.count
    }
    return nil
  }

  private static func isSpace(_ byte: UInt8) -> Bool { byte <= 0x20 }

  private func tag(at open: Int) -> Tag? {
    var place = open + 1
    func skip(while condition: (UInt8) -> Bool) {
      while place < bytes.count, condition(bytes[place]) { place += 1 }
    }
    let isEnd = place < bytes.count && bytes[place] == UInt8(ascii: "/")
    if isEnd { place += 1 }
    func name() -> String {
      let start = place
      skip { !Self.isSpace($0) && ![0x2F, 0x3D, 0x3E].contains($0) }
      return String(decoding: bytes[start..<place], as: UTF8.self)
    }
    var tag = Tag(name: name(), attributes: [], range: open..<open, isEnd: isEnd, isEmpty: false)
    while place < bytes.count {
      let start = place
      skip(while: Self.isSpace)
      guard place < bytes.count else { return nil }
      if bytes[place] == UInt8(ascii: ">") {
        tag.range = open..<(place + 1)
        return tag
      }
      if bytes[place] == UInt8(ascii: "/") {
        tag.isEmpty = true
        place += 1
        continue
      }
      let attribute = name()
      skip(while: Self.isSpace)
      guard !attribute.isEmpty, place < bytes.count, bytes[place] == UInt8(ascii: "=") else {
        return nil
      }
      place += 1
      skip(while: Self.isSpace)
      guard place < bytes.count, bytes[place] == 0x22 || bytes[place] == 0x27,
        let end = bytes[(place + 1)...].firstIndex(of: bytes[place])
      else { return nil }
      let value = String(decoding: bytes[(place + 1)..<end], as: UTF8.self)
      place = end + 1
      tag.attributes.append(Attribute(name: attribute, value: value, range: start..<place))
    }
    return nil
  }
}
