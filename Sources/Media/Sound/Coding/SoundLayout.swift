// SPDX-License-Identifier: Apache-2.0

import CFFmpeg
import FocalCore

/// Where the channels of sound are heard, in the order in which they are stored.
struct SoundLayout: Hashable, Sendable {
  /// FFmpeg's numbers, the lower of which are the bits of WAVE files; below zero where nothing is known.
  let places: [Int32]
  /// Whether the source says the places; otherwise they are the usual ones.
  let isStated: Bool
  /// For people: "quad", "5.1".
  let name: String

  private static let backLeft: Int32 = 4
  private static let backRight: Int32 = 5
  private static let sideLeft: Int32 = 9
  private static let sideRight: Int32 = 10

  private init(places: [Int32], isStated: Bool, name: String) {
    (self.places, self.isStated, self.name) = (places, isStated, name)
  }

  /// - Parameter layout: a valid one.
  init(_ layout: AVChannelLayout) {
    var layout = layout
    guard layout.order != AV_CHANNEL_ORDER_UNSPEC else {
      self.init(usual: layout.nb_channels)
      return
    }
    var places: [Int32] = []
    for number in 0..<max(layout.nb_channels, 0) {
      let channel = av_channel_layout_channel_from_index(&layout, UInt32(number))
      places.append(Int32(channel.rawValue))
    }
    self.init(places: places, isStated: true, name: Self.name(&layout))
  }

  /// Places as the bits of WAVE files.
  init(mask: UInt64) {
    var layout = AVChannelLayout()
    av_channel_layout_from_mask(&layout, mask)
    defer { av_channel_layout_uninit(&layout) }
    self.init(places: Self.bits(mask), isStated: true, name: Self.name(&layout))
  }

  /// Channels whose places nobody says: those where so many are usually heard, of up to eight.
  init(usual count: Int32) {
    let known = Self.bits(SoundForm.channelMask(count: count))
    let isKnown = known.count == Int(count)
    self.init(
      places: isKnown ? known : Array(repeating: -1, count: max(0, Int(count))), isStated: false,
      name: "\(count) channels")
  }

  var count: Int { places.count }

  /// As the bits of WAVE files; `nil` for channels that these do not name, or not in this order.
  var mask: UInt64? {
    guard places.allSatisfy({ (0..<64).contains($0) }), places == places.sorted(),
      Set(places).count == count
    else { return nil }
    var mask: UInt64 = 0
    for place in places { mask |= 1 << UInt64(place) }
    return mask
  }

  /// Whether both have the same channels, in whatever order. Where there is one pair beside or behind the listener,
  /// it is the same one under two names.
  func isSame(as other: SoundLayout) -> Bool {
    count == other.count && Set(settled) == Set(other.settled)
  }

  /// Whether the other has a place for each channel.
  func isPart(of other: SoundLayout) -> Bool {
    Set(places).isSubset(of: other.places) || Set(settled).isSubset(of: other.settled)
  }

  /// For each channel of another layout of as many, which of these is heard there: the one of its name; channels
  /// without one take the places that are left, in order.
  ///
  /// - Returns: `nil` where the numbers of channels differ.
  func order(for other: SoundLayout) -> [Int]? {
    guard count == other.count else { return nil }
    let (mine, theirs) = (settled, other.settled)
    var result = theirs.map { place in place < 0 ? nil : mine.firstIndex(of: place) }
    var left = mine.indices.filter { !result.contains($0) }[...]
    for index in result.indices where result[index] == nil { result[index] = left.popFirst() }
    return result.compactMap { $0 }
  }

  /// The places with a pair beside the listener as one behind, if it is the only one.
  private var settled: [Int32] {
    guard !places.contains(Self.backLeft), !places.contains(Self.backRight) else { return places }
    return places.map { place in
      switch place {
      case Self.sideLeft: Self.backLeft
      case Self.sideRight: Self.backRight
      default: place
      }
    }
  }

  private static func bits(_ mask: UInt64) -> [Int32] {
    (Int32(0)..<64).filter { mask >> UInt64($0) & 1 == 1 }
  }

  private static func name(_ layout: inout AVChannelLayout) -> String {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer in
      buffer.initialize(repeating: 0)
      av_channel_layout_describe(&layout, buffer.baseAddress!, buffer.count)
      return String(cString: buffer.baseAddress!)
    }
  }
}

extension SoundParameters {
  /// What is known of the channels' places before all is decoded: by the container, the codec's configuration, or the
  /// first packet.
  ///
  /// - Parameter firstPacket: of codings that say it there; empty for others.
  /// - Throws: as ``makeDecoder(name:)``, `outOfMemory`.
  func layout(firstPacket: [UInt8], name: String) throws(CinematicError) -> SoundLayout {
    let said = SoundLayout(pointer.pointee.ch_layout)
    guard !said.isStated, channelCount > 2, bytesPerFrame == 0 else { return said }
    let decoder = try makeDecoder(name: name)
    if !firstPacket.isEmpty {
      guard let packet = Packet(), let frame = SoundFrame() else { throw .outOfMemory(for: name) }
      guard packet.fill(firstPacket) else { throw .outOfMemory(for: name) }
      // A packet that cannot be decoded leaves the layout unsaid.
      if avcodec_send_packet(decoder.pointer, packet.pointer) >= 0 {
        avcodec_receive_frame(decoder.pointer, frame.pointer)
      }
    }
    return withExtendedLifetime(decoder) {
      let found = decoder.pointer.pointee.ch_layout
      return found.nb_channels == channelCount ? SoundLayout(found) : said
    }
  }
}
