// SPDX-License-Identifier: Apache-2.0

import FocalBoxes

/// Tells which coded pictures no other picture refers to, so that a decoder on its way to another one
/// may pass them over without a change of any bit.
struct DisposablePictures {
  private enum Codec {
    case h264
    /// The highest sub-layer: pictures of a lower one may be needed by it, whatever they say.
    case hevc(top: UInt8)
  }

  private let codec: Codec
  /// Bytes of a unit's length.
  private let lengthSize: Int

  /// - Returns: `nil` where pictures are coded in a way that says nothing about this, or where the
  ///   entry does not say how units are parted.
  init?(_ entry: SampleEntry) {
    if let box = entry.extensions.first(where: { $0.type == "hvcC" }) {
      var reader = ByteReader(box.data, box: "hvcC")
      guard (try? reader.skip(21)) != nil, let flags = try? reader.u8() else { return nil }
      // ISO/IEC 14496-15 §8.3.3.1: zero layers mean that the number is unknown.
      let layers = flags >> 3 & 7
      guard layers > 0 else { return nil }
      codec = .hevc(top: layers - 1)
      lengthSize = Int(flags & 3) + 1
    } else if let box = entry.extensions.first(where: { $0.type == "avcC" }) {
      var reader = ByteReader(box.data, box: "avcC")
      guard (try? reader.skip(4)) != nil, let flags = try? reader.u8() else { return nil }
      codec = .h264
      lengthSize = Int(flags & 3) + 1
    } else {
      return nil
    }
  }

  /// Whether a sample is a picture that no other refers to, and nothing else that others need.
  func contains(_ sample: [UInt8]) -> Bool {
    var reader = ByteReader(sample[...], of: "a sample")
    var hasPicture = false
    while !reader.isAtEnd {
      guard let size = try? reader.bytes(lengthSize) else { return false }
      let count = size.reduce(0) { $0 << 8 | Int($1) }
      guard let unit = try? reader.bytes(count) else { return false }
      switch kind(unit) {
      case .needed: return false
      case .disposable: hasPicture = true
      case .aside: break
      }
    }
    return hasPicture
  }

  private enum Kind {
    case needed
    case disposable
    /// Units that describe a picture and go with it.
    case aside
  }

  private func kind(_ unit: ArraySlice<UInt8>) -> Kind {
    guard unit.count >= 2, let first = unit.first else { return .needed }
    switch codec {
    case .h264:
      switch first & 31 {
      // ITU-T H.264 §7.4.1: no reference where nal_ref_idc is zero.
      case 1: return first & 0x60 == 0 ? .disposable : .needed
      case 6, 9, 12: return .aside
      default: return .needed
      }
    case .hevc(let top):
      let layer = unit[unit.startIndex + 1] & 7
      switch first >> 1 & 63 {
      // ITU-T H.265 §7.4.2.2: even numbers below 16 are no reference in their sub-layer.
      case 0, 2, 4, 6, 8: return layer == top + 1 ? .disposable : .needed
      case 35, 38, 39, 40: return .aside
      default: return .needed
      }
    }
  }
}
