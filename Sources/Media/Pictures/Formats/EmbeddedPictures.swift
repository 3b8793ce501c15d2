// SPDX-License-Identifier: Apache-2.0

/// The pictures that phones put into a JPEG beside the one that is shown.
///
/// - Apple's are further JPEGs in the index of CIPA DC-007, each of which says in its own XMP what it is. Gain
/// maps of others lie there, too, and say it in XMP or by ISO 21496-1.
/// - Google's older ones are Base64 in the XMP (GDepth).
/// - Newer ones, moving pictures among them, follow the first JPEG, and a directory in its XMP lists them
/// in order (Container,
///   dynamic depth).
struct EmbeddedPictures {
  struct Picture {
    var kind: PictureMetadata.Companion
    var bytes: [UInt8]
    var coding: MapCoding
  }

  private(set) var pictures: [Picture] = []

  init(_ segments: JPEGSegments, in bytes: [UInt8]) {
    for range in segments.pictures {
      let part = Array(bytes[range])
      let said = JPEGSegments(part)
      let xmp = said.metadata.xmp.map { XMPPacket($0) }
      if let type = xmp?["apdi:AuxiliaryImageType"], let xmp,
        let kind = PictureMetadata.Companion(auxiliaryType: type)
      {
        pictures.append(Picture(kind: kind, bytes: part, coding: MapCoding(apple: xmp)))
      } else if said.gainMapNumbers != nil || xmp?["hdrgm:Version"] != nil {
        pictures.append(Picture(kind: .gainMap, bytes: part, coding: .disparity))
      }
    }
    guard let main = segments.metadata.xmp.map({ XMPPacket($0) }) else { return }
    if let length = main["GCamera:MicroVideoOffset"].flatMap(Int.init), length > 0,
      length <= bytes.count
    {
      pictures.append(
        Picture(kind: .video, bytes: Array(bytes.suffix(length)), coding: .disparity))
    }
    addListed(main, in: bytes)
    let extended = segments.extendedXMP.map { XMPPacket($0) }
    if let data = extended?["GDepth:Data"] ?? main["GDepth:Data"], let map = Base64.decoded(data) {
      // The description of its coding may stand in either packet.
      let coding = [main, extended].compactMap { $0 }.first { $0["GDepth:Format"] != nil } ?? main
      pictures.append(
        Picture(kind: .disparity, bytes: map, coding: MapCoding(google: coding, "GDepth")))
    }
  }

  /// Those of a container's directory: the first is the picture itself, the others lie at the end.
  private mutating func addListed(_ xmp: XMPPacket, in bytes: [UInt8]) {
    var meanings = xmp.values("Item:Semantic")
    if meanings.isEmpty {
      // Dynamic depth 1.0 names its items, and says which of the names the map has.
      let map = xmp["DepthMap:DepthURI"]
      meanings = xmp.values("Item:DataURI").map { $0 == map ? "Depth" : $0 }
    }
    let lengths = xmp.values("Item:Length").compactMap(Int.init)
    guard meanings.count > 1 else { return }
    // The first may say its length or not.
    let others = lengths.suffix(meanings.count - 1)
    guard others.count == meanings.count - 1 else { return }
    var end = bytes.count
    for (meaning, length) in zip(meanings.dropFirst(), others).reversed() {
      guard length > 0, length <= end else { return }
      let part = bytes[(end - length)..<end]
      end -= length
      let kind: PictureMetadata.Companion? =
        switch meaning.lowercased() {
        case "depth", "depthmap": .disparity
        case "gainmap", "recoverymap": .gainMap
        case "segmentation": .matte
        case "motionphoto": .video
        default: nil
        }
      guard let kind, !pictures.contains(where: { $0.kind == kind }) else { continue }
      pictures.append(
        Picture(kind: kind, bytes: Array(part), coding: MapCoding(google: xmp, "DepthMap")))
    }
  }
}

extension PictureMetadata.Companion {
  /// By the name that Apple and ISO give an auxiliary picture; `nil` for others.
  init?(auxiliaryType type: String) {
    let type = type.lowercased()
    if type.contains("gainmap") {
      self = .gainMap
    } else if type.contains("matte") || type.contains("segmentation") {
      self = .matte
    } else if type.contains("disparity") || type.contains("depth") || type.hasSuffix("auxid:2") {
      self = .disparity
    } else {
      return nil
    }
  }
}

/// Base64 (RFC 4648); spaces are skipped.
enum Base64 {
  static func decoded(_ text: String) -> [UInt8]? {
    var result: [UInt8] = []
    result.reserveCapacity(text.utf8.count * 3 / 4)
    var (bits, count): (UInt32, Int) = (0, 0)
    for letter in text.utf8 {
      let value: UInt8
      switch letter {
      case UInt8(ascii: "A")...UInt8(ascii: "Z"): value = letter - UInt8(ascii: "A")
      case UInt8(ascii: "a")...UInt8(ascii: "z"): value = letter - UInt8(ascii: "a") + 26
      case UInt8(ascii: "0")...UInt8(ascii: "9"): value = letter - UInt8(ascii: "0") + 52
      case UInt8(ascii: "+"), UInt8(ascii: "-"): value = 62
      case UInt8(ascii: "/"), UInt8(ascii: "_"): value = 63
      case UInt8(ascii: "="), 0...0x20: continue
      default: return nil
      }
      bits = bits << 6 | UInt32(value)
      count += 6
      if count >= 8 {
        count -= 8
        result.append(UInt8(truncatingIfNeeded: bits >> UInt32(count)))
      }
    }
    return result
  }
}
