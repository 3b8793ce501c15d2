// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// How the codes of a gain map become factors of light: ISO 21496-1, Adobe's Gain Map 1.0, and Apple's, whose
/// maps say how much headroom they need.
struct GainMapCoding: Hashable, Sendable {
  /// Of one colour: light of high dynamic range is (base + `baseOffset`) · 2^gain - `offset`.
  struct Channel: Hashable, Sendable {
    /// The gains of codes 0 and 1, in stops.
    var low = 0.0
    var high = 0.0
    /// A code is the gain's place between both, to this power.
    var gamma = 1.0
    var baseOffset = GainMapCoding.usualOffset
    var offset = GainMapCoding.usualOffset
  }

  /// Keeps the factors of dark pixels small (Gain Map 1.0).
  static let usualOffset = 1.0 / 64

  /// Red, green and blue.
  var channels: [Channel]
  /// The headroom of screens, in stops, from which on the map has an effect, and where it has all of it.
  var headroom: ClosedRange<Double>
  /// Apple's: codes are by BT.709's curve, and 1 is this many times the light.
  var appleHeadroom: Double?

  /// Whether red, green and blue are coded alike.
  var isOneChannel: Bool { channels[1] == channels[0] && channels[2] == channels[0] }

  init(channels: [Channel], headroom: ClosedRange<Double>) {
    self.channels = channels
    self.headroom = headroom
  }

  /// Apple's, which says how much brighter the brightest is.
  init?(appleHeadroom headroom: Double) {
    guard headroom > 1, headroom <= 1024 else { return nil }
    var channel = Channel(low: 0, high: log2(headroom))
    (channel.baseOffset, channel.offset) = (0, 0)
    self.init(channels: [channel, channel, channel], headroom: 0...log2(headroom))
    appleHeadroom = headroom
  }

  /// Apple's, by the map's own XMP, else by the note of the camera in the photograph's EXIF.
  init?(apple xmp: XMPPacket?, exif: [UInt8]?) {
    let said = xmp?.number("HDRGainMap:HDRGainMapHeadroom")
    guard let headroom = said ?? exif.flatMap({ EXIFBlock($0)?.appleHeadroom }) else { return nil }
    self.init(appleHeadroom: headroom)
  }

  /// The gain of a code of 0 to 1, in stops.
  func stops(_ code: Double, _ channel: Int) -> Double {
    if let appleHeadroom {
      let light = code < 0.081 ? code / 4.5 : pow((code + 0.099) / 1.099, 1 / 0.45)
      return log2(1 + (appleHeadroom - 1) * light)
    }
    let coding = channels[channel]
    return coding.low + (coding.high - coding.low) * pow(code, 1 / coding.gamma)
  }

  /// Whether every number makes sense; others would make light of nothing.
  private var isUsable: Bool {
    channels.allSatisfy { channel in
      let stops = -32.0...32
      return stops.contains(channel.low) && stops.contains(channel.high)
        && channel.high >= channel.low && channel.gamma > 1e-3 && channel.gamma < 1e3
        && (-1.0...1).contains(channel.baseOffset) && (-1.0...1).contains(channel.offset)
    } && headroom.lowerBound >= 0 && headroom.upperBound <= 32
  }
}

// MARK: - Gain Map 1.0, in XMP

extension GainMapCoding {
  static let namespace = "http://ns.adobe.com/hdr-gain-map/1.0/"

  /// `nil` where the packet says none, or one whose base is the brighter rendition.
  init?(xmp: XMPPacket) {
    guard xmp["hdrgm:Version"] != nil, xmp["hdrgm:BaseRenditionIsHDR"]?.lowercased() != "true",
      let most = Self.numbers("GainMapMax", xmp)
    else { return nil }
    let least = Self.numbers("GainMapMin", xmp) ?? [0, 0, 0]
    let gamma = Self.numbers("Gamma", xmp) ?? [1, 1, 1]
    let base = Self.numbers("OffsetSDR", xmp) ?? [Double](repeating: Self.usualOffset, count: 3)
    let other = Self.numbers("OffsetHDR", xmp) ?? [Double](repeating: Self.usualOffset, count: 3)
    let from = Self.numbers("HDRCapacityMin", xmp)?[0] ?? 0
    guard let to = Self.numbers("HDRCapacityMax", xmp)?[0], to > from else { return nil }
    self.init(
      channels: (0..<3).map {
        Channel(
          low: least[$0], high: most[$0], gamma: gamma[$0], baseOffset: base[$0],
          offset: other[$0])
      }, headroom: from...to)
    guard isUsable else { return nil }
  }

  /// Three numbers: one that is a property's, or those of its sequence.
  private static func numbers(_ name: String, _ xmp: XMPPacket) -> [Double]? {
    if let number = xmp.number("hdrgm:\(name)") { return [number, number, number] }
    let text = xmp.text.utf8
    guard let start = XMPPacket.find(Array("<hdrgm:\(name)>".utf8), in: text) else { return nil }
    let rest = text[start...]
    let end = XMPPacket.find(Array("</hdrgm:\(name)>".utf8), in: rest) ?? rest.endIndex
    let numbers = XMPPacket(Array(rest[..<end])).values("rdf:li").compactMap(Double.init)
    switch numbers.count {
    case 1: return [numbers[0], numbers[0], numbers[0]]
    case 3...: return Array(numbers.prefix(3))
    default: return nil
    }
  }

  /// The packet of the map's own file.
  var xmp: [UInt8] {
    var attributes = ""
    var elements = ""
    func add(_ name: String, _ value: (Channel) -> Double) {
      if isOneChannel {
        attributes += " hdrgm:\(name)=\"\(value(channels[0]))\""
      } else {
        let items = channels.map { "<rdf:li>\(value($0))</rdf:li>" }.joined()
        elements += "<hdrgm:\(name)><rdf:Seq>\(items)</rdf:Seq></hdrgm:\(name)>"
      }
    }
    add("GainMapMin", \.low)
    add("GainMapMax", \.high)
    add("Gamma", \.gamma)
    add("OffsetSDR", \.baseOffset)
    add("OffsetHDR", \.offset)
    let text = """
      <x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF \
      xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description rdf:about="" \
      xmlns:hdrgm="\(Self.namespace)" hdrgm:Version="1.0" hdrgm:BaseRenditionIsHDR="False" \
      hdrgm:HDRCapacityMin="\(headroom.lowerBound)" hdrgm:HDRCapacityMax="\(headroom.upperBound)"\
      \(attributes)>\(elements)</rdf:Description></rdf:RDF></x:xmpmeta>
      """
    return Array(text.utf8)
  }
}

// MARK: - ISO 21496-1, in a segment

extension GainMapCoding {
  /// In front of the numbers.
  static let isoHead = Array("urn:iso:std:iso:ts:21496:-1\0".utf8)
  private static let isMultichannel: UInt8 = 0x80
  private static let usesBaseColors: UInt8 = 0x40
  /// libultrahdr's: the base is the brighter rendition, and all fractions have one denominator.
  private static let isBackward: UInt8 = 4
  private static let hasOneDenominator: UInt8 = 8

  /// The version that the picture itself states: the least that readers need, and the writer's.
  static let isoVersion: [UInt8] = [0, 0, 0, 0]

  /// - Parameter bytes: what follows the name.
  /// - Returns: `nil` for a later version, a base that is the brighter rendition, or numbers that make no sense.
  init?(iso bytes: [UInt8]) {
    guard bytes.count > 5, bytes[0] == 0, bytes[1] == 0 else { return nil }
    let flags = bytes[4]
    guard flags & Self.isBackward == 0 else { return nil }
    var place = 5
    func next() -> UInt32? {
      guard place + 4 <= bytes.count else { return nil }
      defer { place += 4 }
      return bytes[place..<(place + 4)].reduce(0) { $0 << 8 | UInt32($1) }
    }
    var common: UInt32?
    if flags & Self.hasOneDenominator != 0 {
      guard let number = next() else { return nil }
      common = number
    }
    func fraction(isSigned: Bool) -> Double? {
      guard let top = next(), let bottom = common ?? next(), bottom > 0 else { return nil }
      return (isSigned ? Double(Int32(bitPattern: top)) : Double(top)) / Double(bottom)
    }
    guard let base = fraction(isSigned: false), let other = fraction(isSigned: false), other > base
    else { return nil }
    var channels: [Channel] = []
    for _ in 0..<(flags & Self.isMultichannel != 0 ? 3 : 1) {
      guard let low = fraction(isSigned: true), let high = fraction(isSigned: true),
        let gamma = fraction(isSigned: false), let baseOffset = fraction(isSigned: true),
        let offset = fraction(isSigned: true)
      else { return nil }
      channels.append(
        Channel(low: low, high: high, gamma: gamma, baseOffset: baseOffset, offset: offset))
    }
    while channels.count < 3 { channels.append(channels[0]) }
    self.init(channels: channels, headroom: base...other)
    guard isUsable else { return nil }
  }

  /// The numbers in fractions.
  var iso: [UInt8] {
    var bytes = Self.isoVersion
    bytes.append(Self.usesBaseColors | (isOneChannel ? 0 : Self.isMultichannel))
    let bottom = 1_000_000.0
    func add(_ value: Double) {
      let top = UInt32(bitPattern: Int32(max(-2e9, min(2e9, (value * bottom).rounded()))))
      for number in [top, UInt32(bottom)] {
        bytes += (0..<4).map { UInt8(truncatingIfNeeded: number >> UInt32(24 - 8 * $0)) }
      }
    }
    add(headroom.lowerBound)
    add(headroom.upperBound)
    for channel in isOneChannel ? [channels[0]] : channels {
      add(channel.low)
      add(channel.high)
      add(channel.gamma)
      add(channel.baseOffset)
      add(channel.offset)
    }
    return bytes
  }
}
