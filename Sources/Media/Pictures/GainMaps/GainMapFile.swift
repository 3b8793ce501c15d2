// SPDX-License-Identifier: Apache-2.0

import FocalCore

/// A gain map as a JPEG holds it: a JPEG of its own behind the picture's, which a directory in the picture's XMP
/// and an index (CIPA DC-007) list. Its codes are said twice, as Gain Map 1.0 in XMP and by ISO 21496-1.
public struct GainMapFile: Hashable, Sendable {
  private let bytes: [UInt8]

  /// Chroma of a coarse map is not worth what it costs.
  private static let leastQuality = 90

  /// - Parameters:
  ///   - map: lies as the picture is shown.
  ///   - quality: the picture's.
  package init(_ map: GainMap, quality: Int?, path: String) throws(CinematicError) {
    var metadata = PictureMetadata()
    metadata.xmp = map.coding.xmp
    metadata.isGray = map.isGray
    var picture = StillPicture(
      buffer: try map.stored(), metadata: metadata,
      quality: max(quality ?? JPEGFormat.defaultQuality, Self.leastQuality), path: path)
    picture.segments = [Self.segment(GainMapCoding.isoHead + map.coding.iso)]
    bytes = try JPEGFormat.file(picture)
  }

  private static func segment(_ content: [UInt8]) -> (marker: Int32, content: [UInt8]) {
    (0xE2, content)
  }

  // MARK: - The picture's segments

  /// The picture's XMP with the directory; one without room for it stays as it is, and the index alone tells.
  func listed(in xmp: [UInt8]?) -> [UInt8] {
    let description = """
      <rdf:Description rdf:about="" xmlns:hdrgm="\(GainMapCoding.namespace)" hdrgm:Version="1.0" \
      xmlns:Container="http://ns.google.com/photos/1.0/container/" \
      xmlns:Item="http://ns.google.com/photos/1.0/container/item/"><Container:Directory><rdf:Seq>\
      <rdf:li rdf:parseType="Resource"><Container:Item Item:Semantic="Primary" \
      Item:Mime="image/jpeg"/></rdf:li>\
      <rdf:li rdf:parseType="Resource"><Container:Item Item:Semantic="GainMap" \
      Item:Mime="image/jpeg" Item:Length="\(bytes.count)"/></rdf:li>\
      </rdf:Seq></Container:Directory></rdf:Description>
      """
    guard let xmp else {
      return Array(
        ("<x:xmpmeta xmlns:x=\"adobe:ns:meta/\"><rdf:RDF"
          + " xmlns:rdf=\"http://www.w3.org/1999/02/22-rdf-syntax-ns#\">\(description)</rdf:RDF>"
          + "</x:xmpmeta>").utf8)
    }
    guard let end = XMPPacket.find(Array("</rdf:RDF>".utf8), in: xmp[...]) else { return xmp }
    return xmp[..<end] + Array(description.utf8) + xmp[end...]
  }

  private static let indexHead = Array("MPF\0".utf8)

  /// The segments that the picture needs, the index without places.
  var segments: [(marker: Int32, content: [UInt8])] {
    [
      Self.segment(GainMapCoding.isoHead + GainMapCoding.isoVersion),
      Self.segment(Self.indexHead + index(pictureSize: 0, place: 0)),
    ]
  }

  /// A TIFF structure of two pictures.
  ///
  /// - Parameter place: of the index in the file, from which places are counted.
  private func index(pictureSize: Int, place: Int) -> [UInt8] {
    func big(_ value: Int, _ count: Int) -> [UInt8] {
      (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * (count - 1 - $0))) }
    }
    func entry(_ tag: Int, _ type: Int, _ count: Int, _ value: [UInt8]) -> [UInt8] {
      big(tag, 2) + big(type, 2) + big(count, 4) + value
    }
    let (undefined, long, entryBytes) = (7, 4, 16)
    // A head of 8 bytes, a count, three entries of 12 bytes, no next directory.
    let entries = 8 + 2 + 3 * 12 + 4
    let baselinePrimary = 0x0003_0000
    return Array("MM".utf8) + big(42, 2) + big(8, 4) + big(3, 2)
      + entry(0xB000, undefined, 4, Array("0100".utf8))
      + entry(0xB001, long, 1, big(2, 4))
      + entry(0xB002, undefined, 2 * entryBytes, big(entries, 4)) + big(0, 4)
      + big(baselinePrimary, 4) + big(pictureSize, 4) + big(0, 4) + big(0, 4)
      + big(0, 4) + big(bytes.count, 4) + big(pictureSize - place, 4) + big(0, 4)
  }

  /// Puts the map behind a JPEG that has ``segments``, and its place into the index.
  func append(to jpeg: inout [UInt8]) {
    let head: [UInt8] = [0xFF, 0xE2]
    let empty = index(pictureSize: 0, place: 0)
    let length = Self.indexHead.count + empty.count + 2
    let needle =
      head + [UInt8(length >> 8), UInt8(truncatingIfNeeded: length)] + Self.indexHead
    if let start = XMPPacket.find(needle, in: jpeg[...]) {
      let place = start + needle.count
      jpeg.replaceSubrange(
        place..<(place + empty.count), with: index(pictureSize: jpeg.count, place: place))
    }
    jpeg += bytes
  }
}
