// SPDX-License-Identifier: Apache-2.0

/// Photographs as cameras and phones write them, put together byte by byte.
enum PhotographMaterial {
  // MARK: - TIFF structures

  /// A value of a TIFF structure.
  struct Entry {
    var tag: Int
    var type: Int
    var count: Int
    var value: [UInt8]

    static func text(_ tag: Int, _ text: String) -> Entry {
      let bytes = Array(text.utf8) + [0]
      return Entry(tag: tag, type: 2, count: bytes.count, value: bytes)
    }
    static func short(_ tag: Int, _ value: Int) -> Entry {
      Entry(tag: tag, type: 3, count: 1, value: little(value, 2))
    }
    static func long(_ tag: Int, _ value: Int) -> Entry {
      Entry(tag: tag, type: 4, count: 1, value: little(value, 4))
    }
    static func rationals(_ tag: Int, _ values: [Int]) -> Entry {
      Entry(
        tag: tag, type: 5, count: values.count,
        value: values.flatMap { little($0, 4) + little(1, 4) })
    }
  }

  static func little(_ value: Int, _ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
  }
  static func big(_ value: Int, _ count: Int) -> [UInt8] { little(value, count).reversed() }

  /// A directory as it lies at an offset.
  private static func directory(_ entries: [Entry], at offset: Int, next: Int = 0) -> [UInt8] {
    var head = little(entries.count, 2)
    var rest: [UInt8] = []
    for entry in entries {
      head += little(entry.tag, 2) + little(entry.type, 2) + little(entry.count, 4)
      if entry.value.count <= 4 {
        head += entry.value + [UInt8](repeating: 0, count: 4 - entry.value.count)
      } else {
        head += little(offset + 6 + 12 * entries.count + rest.count, 4)
        rest += entry.value + (entry.value.count % 2 == 0 ? [] : [0])
      }
    }
    return head + little(next, 4) + rest
  }

  /// EXIF with a date, a maker, a place and a thumbnail's directory.
  static func exif(orientation: Int, width: Int, height: Int) -> [UInt8] {
    let details: [Entry] = [
      .text(0x9003, "2024:05:06 07:08:09"), .long(0xA002, width), .long(0xA003, height),
    ]
    let place: [Entry] = [
      .text(0x0001, "N"), .rationals(0x0002, [48, 8, 15]),
      .text(0x0003, "E"), .rationals(0x0004, [11, 34, 5]),
    ]
    func main(_ details: Int, _ place: Int) -> [Entry] {
      [
        .text(0x010F, "Maker"), .short(0x0112, orientation), .rationals(0x011A, [240]),
        .rationals(0x011B, [240]), .short(0x0128, 2), .text(0x0132, "2024:05:06 07:08:09"),
        .text(0x8298, "(c) Somebody"), .long(0x8769, details), .long(0x8825, place),
      ]
    }
    let mainSize = directory(main(0, 0), at: 8).count
    let detailsPlace = 8 + mainSize
    let placePlace = detailsPlace + directory(details, at: 0).count
    let thumbnailPlace = placePlace + directory(place, at: 0).count
    return Array("II".utf8) + little(42, 2) + little(8, 4)
      + directory(main(detailsPlace, placePlace), at: 8, next: thumbnailPlace)
      + directory(details, at: detailsPlace) + directory(place, at: placePlace)
      + directory([.short(0x0103, 6)], at: thumbnailPlace)
  }

  // MARK: - Profiles

  /// An ICC profile of version 2 by the colorants of its primaries, adapted to D50, and one gamma.
  static func profile(
    red: [Double], green: [Double], blue: [Double], gamma: Double
  ) -> [UInt8] {
    let curve = curve(gamma)
    return profile(
      "RGB ",
      [
        ("rXYZ", xyz(red)), ("gXYZ", xyz(green)), ("bXYZ", xyz(blue)),
        ("rTRC", curve), ("gTRC", curve), ("bTRC", curve),
      ])
  }

  /// The same of gray.
  static func grayProfile(gamma: Double) -> [UInt8] { profile("GRAY", [("kTRC", curve(gamma))]) }

  private static func fixed(_ value: Double) -> [UInt8] {
    big(Int((value * 65536).rounded()), 4)
  }

  private static func xyz(_ values: [Double]) -> [UInt8] {
    Array("XYZ ".utf8) + big(0, 4) + values.flatMap(fixed)
  }

  private static func curve(_ gamma: Double) -> [UInt8] {
    Array("curv".utf8) + big(0, 4) + big(1, 4) + big(Int((gamma * 256).rounded()), 2) + [0, 0]
  }

  private static func profile(_ space: String, _ colors: [(String, [UInt8])]) -> [UInt8] {
    let text = Array("text".utf8) + big(0, 4) + Array("none".utf8) + [0, 0, 0, 0]
    let name = Array("test".utf8) + [0]
    let description =
      Array("desc".utf8) + big(0, 4) + big(name.count, 4) + name
      + [UInt8](repeating: 0, count: 4 + 4 + 2 + 1 + 67 + 4)
    let tags: [(String, [UInt8])] =
      [
        ("desc", description), ("cprt", text), ("wtpt", xyz([0.9642, 1, 0.8249])),
      ] + colors
    var table = big(tags.count, 4)
    var data: [UInt8] = []
    let start = 128 + 4 + 12 * tags.count
    for (name, content) in tags {
      table += Array(name.utf8) + big(start + data.count, 4) + big(content.count, 4)
      data += content + [UInt8](repeating: 0, count: (4 - content.count % 4) % 4)
    }
    var header = big(start + data.count, 4) + big(0, 4) + big(0x0240_0000, 4)
    header += Array("mntr\(space)XYZ ".utf8) + [UInt8](repeating: 0, count: 12)
    header += Array("acsp".utf8) + [UInt8](repeating: 0, count: 28)
    header += fixed(0.9642) + fixed(1) + fixed(0.8249)
    header += [UInt8](repeating: 0, count: 128 - header.count)
    return header + table + data
  }

  /// Adobe RGB (1998).
  static let adobeRGB = profile(
    red: [0.60974, 0.31111, 0.01947], green: [0.20528, 0.62567, 0.06087],
    blue: [0.14919, 0.06322, 0.74457], gamma: 563.0 / 256)

  // MARK: - JPEG

  static func segment(_ marker: Int, _ content: [UInt8]) -> [UInt8] {
    [0xFF, UInt8(marker)] + big(content.count + 2, 2) + content
  }

  /// Segments put behind the first two bytes of a JPEG.
  static func adding(_ segments: [[UInt8]], to jpeg: [UInt8]) -> [UInt8] {
    Array(jpeg.prefix(2)) + segments.flatMap { $0 } + jpeg.dropFirst(2)
  }

  static func exifSegment(_ exif: [UInt8]) -> [UInt8] {
    segment(0xE1, Array("Exif\0\0".utf8) + exif)
  }
  static func profileSegment(_ profile: [UInt8]) -> [UInt8] {
    segment(0xE2, Array("ICC_PROFILE\0".utf8) + [1, 1] + profile)
  }
  static func xmpSegment(_ xmp: String) -> [UInt8] {
    segment(0xE1, Array("http://ns.adobe.com/xap/1.0/\0".utf8) + Array(xmp.utf8))
  }

  static func xmp(_ attributes: String, _ content: String = "") -> String {
    """
    <x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF \
    xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description rdf:about="" \
    \(attributes)>\(content)</rdf:Description></rdf:RDF></x:xmpmeta>
    """
  }

  /// A portrait as Apple's phones write it as JPEG: further JPEGs in a multi-picture index, each of
  /// which says what it is.
  static func applePortrait(_ jpeg: [UInt8], others: [(type: String, jpeg: [UInt8])]) -> [UInt8] {
    let auxiliary = others.map { other in
      adding(
        [
          xmpSegment(
            xmp(
              "xmlns:apdi=\"http://ns.apple.com/pixeldatainfo/1.0/\""
                + " apdi:AuxiliaryImageType=\"\(other.type)\" apdi:NativeFormat=\"1751411059\""
                + " apdi:FloatMinValue=\"0.86\" apdi:FloatMaxValue=\"1.37\""))
        ], to: other.jpeg)
    }
    let count = 1 + others.count
    func index(_ offsets: [Int], _ sizes: [Int]) -> [UInt8] {
      let entries = zip(offsets, sizes).flatMap { offset, size in
        little(0, 4) + little(size, 4) + little(offset, 4) + little(0, 4)
      }
      let head = Array("II".utf8) + little(42, 2) + little(8, 4)
      return Array("MPF\0".utf8) + head
        + directory(
          [
            Entry(tag: 0xB000, type: 7, count: 4, value: Array("0100".utf8)),
            .long(0xB001, count),
            Entry(tag: 0xB002, type: 7, count: entries.count, value: entries),
          ], at: 8)
    }
    let empty = index(
      [Int](repeating: 0, count: count), [Int](repeating: 0, count: count))
    // The index stands first; places are counted from behind its four letters.
    let origin = 2 + 4 + 4
    let total = jpeg.count + empty.count + 4
    var offsets = [0]
    var sizes = [total]
    var next = total - origin
    for picture in auxiliary {
      offsets.append(next)
      sizes.append(picture.count)
      next += picture.count
    }
    return adding([segment(0xE2, index(offsets, sizes))], to: jpeg) + auxiliary.flatMap { $0 }
  }

  /// A photograph with its depth in the XMP, as older Android cameras write it.
  static func depthInXMP(
    _ jpeg: [UInt8], map: [UInt8], format: String, near: Double, far: Double
  ) -> [UInt8] {
    let name = "xmlns:GDepth=\"http://ns.google.com/photos/1.0/depthmap/\""
    let main = xmp(
      "\(name) GDepth:Format=\"\(format)\" GDepth:Near=\"\(near)\" GDepth:Far=\"\(far)\""
        + " GDepth:Mime=\"image/png\"")
    let extended = Array(xmp("\(name) GDepth:Data=\"\(base64(map))\"").utf8)
    let digest = [UInt8](repeating: UInt8(ascii: "A"), count: 32)
    let room = 60000
    let parts = stride(from: 0, to: extended.count, by: room).map { start in
      segment(
        0xE1,
        Array("http://ns.adobe.com/xmp/extension/\0".utf8) + digest + big(extended.count, 4)
          + big(start, 4) + extended[start..<min(start + room, extended.count)])
    }
    return adding([xmpSegment(main)] + parts, to: jpeg)
  }

  /// A photograph with its depth behind it, as newer Android cameras write it.
  static func depthInContainer(
    _ jpeg: [UInt8], map: [UInt8], near: Double, far: Double
  ) -> [UInt8] {
    let directory = """
      <Container:Directory><rdf:Seq>\
      <rdf:li><Container:Item Item:Mime="image/jpeg" Item:Semantic="Primary"/></rdf:li>\
      <rdf:li><Container:Item Item:Mime="image/png" Item:Semantic="Depth" \
      Item:Length="\(map.count)"/></rdf:li></rdf:Seq></Container:Directory>
      """
    let main = xmp(
      "xmlns:Container=\"http://ns.google.com/photos/dd/1.0/container/\""
        + " xmlns:Item=\"http://ns.google.com/photos/dd/1.0/item/\""
        + " xmlns:DepthMap=\"http://ns.google.com/photos/dd/1.0/depthmap/\""
        + " DepthMap:Format=\"RangeInverse\" DepthMap:Near=\"\(near)\" DepthMap:Far=\"\(far)\"",
      directory)
    return adding([xmpSegment(main)], to: jpeg) + map
  }

  static func base64(_ bytes: [UInt8]) -> String {
    let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
    var text = ""
    for start in stride(from: 0, to: bytes.count, by: 3) {
      let part = Array(bytes[start..<min(start + 3, bytes.count)])
      let bits = (0..<3).reduce(0) { $0 << 8 | Int(part.indices.contains($1) ? part[$1] : 0) }
      for index in 0..<4 {
        text.append(index <= part.count ? letters[bits >> (18 - 6 * index) & 63] : "=")
      }
    }
    return text
  }
}
