// SPDX-License-Identifier: Apache-2.0

import CFFmpeg
import FocalBoxes
import FocalCore

/// Decodes the pictures of a movie's track.
///
/// Pictures come out as a decoder that had started at the track's beginning would give them. On the
/// way to one, those that nothing refers to are passed over.
///
/// A picture that cannot be decoded because what it refers to is gone, as behind the cut that a
/// recording begins with, is the next one that can.
final class TrackDecoder: PictureDecoder {
  private let name: String
  private let reader: any SampleReader
  private let index: SampleIndex
  private let maker: DecoderMaker
  private let damage: DamageResponse
  /// Samples by the time they are shown, and the place of each sample there; below zero for those
  /// that are not shown.
  private let order: [Int32]
  private let places: [Int32]
  /// By how many pictures the order of the screen lags behind that of decoding.
  private let delay: Int
  /// Of each sample entry.
  private let apertures: [CleanAperture?]
  private let disposable: [DisposablePictures?]

  private var decoder: CodecContext?
  private var description = 0
  private let packet: Packet
  /// The sample to hand to the decoder next.
  private var nextSample = 0
  /// How many of the maker's changes the decoder knows.
  private var toldCount = 0
  /// The place that is wanted: what is shown before it need not come out.
  private var target = 0
  private var isDraining = false
  /// Whether decoding began with the track and nothing has come out yet.
  private var isFirst = false
  /// The last picture, and the places that it stands for.
  private var current: (frame: PictureFrame, places: ClosedRange<Int>)?

  init(
    name: String, reader: any SampleReader, index: SampleIndex, order: [Int32],
    entries: [SampleEntry], maker: DecoderMaker, damage: DamageResponse
  ) throws(CinematicError) {
    guard let packet = Packet() else { throw .outOfMemory(for: name) }
    self.name = name
    self.packet = packet
    self.reader = reader
    self.index = index
    self.order = order
    self.maker = maker
    self.damage = damage
    apertures = entries.map(\.cleanAperture)
    // An entry says how pictures are parted until another configuration is in force.
    disposable =
      maker.changes.contains { $0.kind == .configuration }
      ? [] : entries.map { DisposablePictures($0) }
    var places = [Int32](repeating: -1, count: index.count)
    for (place, sample) in order.enumerated() { places[Int(sample)] = Int32(place) }
    self.places = places
    delay = places.enumerated().reduce(0) {
      $1.element < 0 ? $0 : max($0, $1.offset - Int($1.element))
    }
  }

  var codecName: String {
    decoder?.pointer.pointee.codec.map { String(cString: $0.pointee.name) } ?? ""
  }

  /// The picture of a sample, decoded from the nearest sample where that can begin.
  ///
  /// - Throws: `malformed` for damaged pictures, `unsupported` for a codec this FFmpeg lacks, and
  ///   what the source throws.
  func picture(
    of sample: Int, while isWanted: () -> Bool
  ) throws(CinematicError) -> PictureFrame? {
    let wanted = Int(places[sample])
    if let current, current.places.contains(wanted) { return current.frame }
    do throws(CinematicError) {
      if !isAhead(sample, wanted) { try begin(at: index.decodingStart(for: sample)) }
      target = wanted
      while isWanted() {
        guard let (frame, place) = try next() else {
          // The track ends without it: what is on the screen stays.
          guard let current else { throw missing(sample) }
          if maker.pictures == .complete { try damage.meet(missing(sample)) }
          self.current = (current.frame, current.places.lowerBound...wanted)
          return current.frame
        }
        current = (frame, min(place, wanted)...place)
        if place < wanted {
          current = (frame, place...place)
          continue
        }
        if place != wanted, maker.pictures == .complete, !index.isLeading(sample) {
          try damage.meet(missing(sample))
        }
        return frame
      }
      return nil
    } catch {
      // Decoding begins anew after an error.
      decoder = nil
      current = nil
      throw error
    }
  }

  /// Whether going on leads to the sample sooner than beginning anew.
  private func isAhead(_ sample: Int, _ place: Int) -> Bool {
    // Without a picture yet, what was begun for may lie behind the sample.
    guard decoder != nil, let current, current.places.upperBound < place else { return false }
    // On the way to one that was given up, this one may have been passed over.
    guard place >= target else { return false }
    let start = index.decodingStart(for: sample)
    return start <= nextSample
  }

  private func begin(at sample: Int) throws(CinematicError) {
    current = nil
    target = 0
    isDraining = false
    isFirst = sample == 0
    nextSample = sample
    // What a decoder was told it does not forget.
    if let decoder, index[sample].description == description, maker.changes.isEmpty {
      avcodec_flush_buffers(decoder.pointer)
    } else {
      decoder = nil
      try open(index[sample].description)
    }
  }

  private func open(_ number: Int) throws(CinematicError) {
    description = number
    toldCount = 0
    decoder = try maker.make(number, delay, damage)
  }

  // MARK: - Decoding

  private func next() throws(CinematicError) -> (frame: PictureFrame, place: Int)? {
    while true {
      guard let decoder else { return nil }
      guard let frame = PictureFrame() else { throw .outOfMemory(for: name) }
      let code = avcodec_receive_frame(decoder.pointer, frame.pointer)
      if code == 0 {
        let place = frame.pointer.pointee.pts
        guard place != FFmpeg.noTimestamp, place >= 0, place < Int64(order.count) else { continue }
        if focal_frame_is_damaged(frame.pointer) != 0, !mayBeBroken {
          try damage.meet(damaged(Int(order[Int(place)]), "the data is damaged"))
        }
        if frame.lacksPalette { try damage.meet(.lacksPalette(name)) }
        isFirst = false
        if description < apertures.count, let aperture = apertures[description] {
          frame.crop(to: aperture)
        }
        return (frame, Int(place))
      }
      if code == FFmpeg.endOfFile {
        guard nextSample < index.count else { return nil }
        // The rest is coded in another way.
        isDraining = false
        self.decoder = nil
        try open(index[nextSample].description)
        continue
      }
      if code == FFmpeg.again {
        try feed(decoder)
      } else {
        try meet(code, at: nextSample - 1, of: decoder)
      }
    }
  }

  /// Whether errors are those of a recording that begins anywhere.
  private var mayBeBroken: Bool { isFirst && maker.pictures == .mayBeginBroken }

  /// Hands one more sample to the decoder, or tells it that there is none.
  private func feed(_ decoder: CodecContext) throws(CinematicError) {
    guard !isDraining else { throw damaged(nextSample - 1, "the decoder does not finish") }
    while nextSample < index.count, index[nextSample].description == description {
      let bytes = try reader.sample(nextSample)
      let beside = reader.besideLast
      let number = nextSample
      nextSample += 1
      guard !isPassedOver(number, bytes) else { continue }
      return try send(bytes, beside, number, to: decoder)
    }
    isDraining = true
    avcodec_send_packet(decoder.pointer, nil)
  }

  /// Whether a sample is shown before the wanted one and no other needs it.
  private func isPassedOver(_ number: Int, _ bytes: [UInt8]) -> Bool {
    guard places[number] < target, places[number] >= 0, !index.isSync(number),
      description < disposable.count, let disposable = disposable[description]
    else { return false }
    return disposable.contains(bytes)
  }

  private func send(
    _ bytes: [UInt8], _ beside: [UInt8]?, _ number: Int, to decoder: CodecContext
  ) throws(CinematicError) {
    defer { av_packet_unref(packet.pointer) }
    guard packet.fill(bytes) else { throw .outOfMemory(for: name) }
    if let beside, !packet.add(beside, as: AV_PKT_DATA_MATROSKA_BLOCKADDITIONAL) {
      throw .outOfMemory(for: name)
    }
    try addChanges(upTo: number)
    // A picture carries its place on the screen through the decoder.
    packet.pointer.pointee.pts = places[number] < 0 ? FFmpeg.noTimestamp : Int64(places[number])
    packet.pointer.pointee.dts = Int64(number)
    if index.isSync(number) { packet.pointer.pointee.flags |= AV_PKT_FLAG_KEY }
    let code = avcodec_send_packet(decoder.pointer, packet.pointer)
    if code < 0 { try meet(code, at: number, of: decoder) }
  }

  /// Puts beside the packet what is in force from its sample on and the decoder does not know: one that begins amid the
  /// track gets what was told before, too.
  private func addChanges(upTo number: Int) throws(CinematicError) {
    let due = maker.changes[toldCount...].prefix { $0.firstSample <= number }
    toldCount += due.count
    for kind in DecoderChange.Kind.allCases {
      guard let change = due.last(where: { $0.kind == kind }) else { continue }
      guard packet.add(change.bytes, as: kind.type) else { throw .outOfMemory(for: name) }
    }
  }

  /// Answers a decoder's error.
  ///
  /// - Parameter sample: the last one that was handed over.
  private func meet(
    _ code: Int32, at sample: Int, of decoder: CodecContext
  ) throws(CinematicError) {
    guard code != FFmpeg.outOfMemory else { throw .outOfMemory(for: name) }
    guard !mayBeBroken else { return }
    let answered = sample - (isDraining ? 0 : decoder.lag)
    try damage.meet(damaged(max(answered, 0), FFmpeg.text(code)))
  }

  /// A sample's place on the screen; that of the next sample shown if it is not.
  private func frameNumber(_ sample: Int) -> Int {
    Int(places[min(sample, places.count)...].first { $0 >= 0 } ?? 0)
  }

  private func missing(_ sample: Int) -> CinematicError { damaged(sample, "it is not in the data") }

  private func damaged(_ sample: Int, _ reason: String) -> CinematicError {
    let number = max(sample, 0)
    // Containers that are not read by their boxes say no place.
    let byte = number < index.count ? index[number].offset : 0
    let place = byte > 0 ? ", byte \(byte)" : ""
    return CinematicError(
      .malformed, "\(name) is damaged at frame \(frameNumber(number))\(place): \(reason)",
      remedy: "copy or download the file again, or choose only what lies before it")
  }
}

extension PictureFrame {
  /// Leaves the part of the coded picture that is shown; a picture of another size stays whole.
  func crop(to aperture: CleanAperture) {
    let right = dimensions.width - aperture.left - aperture.dimensions.width
    let bottom = dimensions.height - aperture.top - aperture.dimensions.height
    guard right >= 0, bottom >= 0 else { return }
    pointer.pointee.crop_left = aperture.left
    pointer.pointee.crop_top = aperture.top
    pointer.pointee.crop_right = right
    pointer.pointee.crop_bottom = bottom
    av_frame_apply_cropping(pointer, Int32(AV_FRAME_CROP_UNALIGNED))
  }
}
