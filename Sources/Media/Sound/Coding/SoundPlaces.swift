// SPDX-License-Identifier: Apache-2.0

/// Where an encoder has the channels of a source: at the same places, if it knows them.
struct SoundPlaces {
  /// As the bits of WAVE files.
  var mask: UInt64
  /// Whether the coding says only how many channels there are, not where they are heard.
  var isUnnamed = false

  /// The places that an encoder may be given for the channels of a source, the best first: it may refuse some. The last
  /// are for more channels than it holds, which are mixed.
  static func candidates(
    _ coding: SoundCompressor.Coding, for layout: SoundLayout
  ) -> [SoundPlaces] {
    let known = known(by: coding)
    let equal = known.filter { $0.nonzeroBitCount == layout.count }
    var masks = known.filter { SoundLayout(mask: $0).isSame(as: layout) }
    // Of channels of which nobody says where they are heard, any places will do.
    if !layout.isStated { masks += equal }
    var places = masks.map { SoundPlaces(mask: $0) }
    if let mask = layout.mask {
      switch coding {
      case .aac: places.append(SoundPlaces(mask: mask))
      case .opus: places.append(SoundPlaces(mask: mask, isUnnamed: true))
      case .alac: break
      }
    }
    // Other places of as many channels: those without one of low frequencies alone keep all that each of them has.
    let full = coding == .aac ? fullRange.filter { $0.nonzeroBitCount == layout.count } : []
    places += (full + equal).map { SoundPlaces(mask: $0) }
    if let most = known.last { places.append(SoundPlaces(mask: most)) }
    return places
  }

  /// The places that decoders know by the number of channels.
  private static func known(by coding: SoundCompressor.Coding) -> [UInt64] {
    let (three, five, six) = (front | centre, front | centre | back, front | centre | low | back)
    let eight = six | side
    switch coding {
    case .aac: return [centre, front, three, three | backCentre, five, six, eight]
    case .alac: return [centre, front, three, three | backCentre, five, six]
    // RFC 7845 §5.1.1.2.
    case .opus:
      let seven = three | low | backCentre | side
      return [centre, front, three, front | back, five, six, seven, eight]
    }
  }

  /// Three to eight channels, none of which has low frequencies alone.
  private static let fullRange: [UInt64] = {
    let three = front | centre
    let six = three | back | backCentre
    return [three, three | backCentre, three | back, six, three | back | side, six | side]
  }()

  private static let front: UInt64 = 0x3
  private static let centre: UInt64 = 0x4
  private static let low: UInt64 = 0x8
  private static let back: UInt64 = 0x30
  private static let backCentre: UInt64 = 0x100
  private static let side: UInt64 = 0x600
}
