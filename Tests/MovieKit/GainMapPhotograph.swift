// SPDX-License-Identifier: Apache-2.0

/// Photographs of high dynamic range as JPEG, put together byte by byte.
public enum GainMapPhotograph {
  public enum Layout: String, CaseIterable, Sendable {
    /// Listed in the picture's XMP, with numbers in its own.
    case xmp
    /// Listed in an index, with numbers by ISO 21496-1.
    case iso
    /// Apple's: listed in an index, with its headroom in its XMP.
    case apple
  }

  /// A photograph whose gains rise from 0 to a number of stops: evenly with the code, of Apple's its light
  /// with the code's light.
  ///
  /// - Parameters:
  ///   - jpeg: the base.
  ///   - map: the codes, a JPEG.
  public static func file(
    _ jpeg: [UInt8], map: [UInt8], stops: Double, _ layout: Layout
  ) -> [UInt8] {
    switch layout {
    case .xmp:
      let map = adding(
        [
          xmp(
            "xmlns:hdrgm=\"http://ns.adobe.com/hdr-gain-map/1.0/\" hdrgm:Version=\"1.0\""
              + " hdrgm:GainMapMax=\"\(stops)\" hdrgm:HDRCapacityMax=\"\(stops)\"")
        ], to: map)
      let directory = """
        <Container:Directory><rdf:Seq>\
        <rdf:li rdf:parseType="Resource"><Container:Item Item:Semantic="Primary" \
        Item:Mime="image/jpeg"/></rdf:li>\
        <rdf:li rdf:parseType="Resource"><Container:Item Item:Semantic="GainMap" \
        Item:Mime="image/jpeg" Item:Length="\(map.count)"/></rdf:li></rdf:Seq></Container:Directory>
        """
      let main = xmp(
        "xmlns:hdrgm=\"http://ns.adobe.com/hdr-gain-map/1.0/\" hdrgm:Version=\"1.0\""
          + " xmlns:Container=\"http://ns.google.com/photos/1.0/container/\""
          + " xmlns:Item=\"http://ns.google.com/photos/1.0/container/item/\""
          + " xmlns:dc=\"http://purl.org/dc/elements/1.1/\" dc:source=\"A camera\"", directory)
      return adding([main], to: jpeg) + map
    case .iso:
      let name = Array("urn:iso:std:iso:ts:21496:-1\0".utf8)
      var numbers = ByteBuilder()
      numbers.u32(0)
      numbers.u8(0x40)
      for value in [0, stops, 0, stops, 1, 1.0 / 64, 1.0 / 64] {
        numbers.u32(Int((value * 4096).rounded()))
        numbers.u32(4096)
      }
      return indexed(
        adding([segment(0xE2, name + [0, 0, 0, 0])], to: jpeg),
        adding([segment(0xE2, name + numbers.bytes)], to: map))
    case .apple:
      var headroom = 1.0
      // Whole and half stops are exact.
      for _ in 0..<Int(2 * stops) { headroom *= 2.0.squareRoot() }
      return indexed(
        jpeg,
        adding(
          [
            xmp(
              "xmlns:apdi=\"http://ns.apple.com/pixeldatainfo/1.0/\""
                + " apdi:AuxiliaryImageType=\"urn:com:apple:photo:2020:aux:hdrgainmap\""
                + " xmlns:HDRGainMap=\"http://ns.apple.com/HDRGainMap/1.0/\""
                + " HDRGainMap:HDRGainMapHeadroom=\"\(headroom)\"")
          ], to: map))
    }
  }

  /// A picture, an index of two, and the second one.
  private static func indexed(_ jpeg: [UInt8], _ other: [UInt8]) -> [UInt8] {
    func index(_ pictureSize: Int) -> [UInt8] {
      var index = ByteBuilder()
      index.text("MPF\0MM\0\u{2A}")
      index.u32(8)
      index.u16(1)
      index.u16(0xB002)
      index.u16(7)
      index.u32(32)
      index.u32(8 + 2 + 12 + 4)
      index.u32(0)
      // Places are counted from behind the segment's four letters.
      for (size, place) in [(pictureSize, 0), (other.count, pictureSize - 10)] {
        for number in [0, size, place, 0] { index.u32(number) }
      }
      return index.bytes
    }
    let size = adding([segment(0xE2, index(16))], to: jpeg).count
    return adding([segment(0xE2, index(size))], to: jpeg) + other
  }

  private static func segment(_ marker: UInt8, _ content: [UInt8]) -> [UInt8] {
    let length = content.count + 2
    return [0xFF, marker, UInt8(length >> 8), UInt8(truncatingIfNeeded: length)] + content
  }

  private static func adding(_ segments: [[UInt8]], to jpeg: [UInt8]) -> [UInt8] {
    Array(jpeg.prefix(2)) + segments.flatMap { $0 } + jpeg.dropFirst(2)
  }

  private static func xmp(_ attributes: String, _ content: String = "") -> [UInt8] {
    let text = """
      http://ns.adobe.com/xap/1.0/\0<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF \
      xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description rdf:about="" \
      \(attributes)>\(content)</rdf:Description></rdf:RDF></x:xmpmeta>
      """
    return segment(0xE1, Array(text.utf8))
  }
}
