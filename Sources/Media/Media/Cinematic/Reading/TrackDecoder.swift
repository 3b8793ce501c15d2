// SPDX-License-Identifier: Apache-2.0

import CFFmpeg
import FocalBoxes
import FocalCore

/// Decodes any picture of a track, the next one or one far away. Used by one thread at a time.
///
/// Pictures come out as a decoder that had started at the track's beginning would give them.
final class TrackDecoder {
  private let name: String
  private let reader: BlockingReader
  private let index: SampleIndex
  private let entries: [SampleEntry]
  private let timescale: Int32
  /// Samples by the time they are shown, and the place of each sample there.
  private let order: [Int32]
  private let places: [Int32]

  private var decoder: CodecContext?
  private var description = 0
  private let packet: Packet
  /// The sample to hand to the decoder next.
  private var nextSample = 0
  private var isDraining = false
  /// What came out last, and its place.
  private var current: (frame: PictureFrame, place: Int)?

  init(
    name: String, source: any ByteSource, index: SampleIndex, order: [Int32],
    entries: [SampleEntry], timescale: Int32
  ) throws(CinematicError) {
    guard let packet = Packet() else { throw .outOfMemory(for: name) }
    self.name = name
    self.packet = packet
    reader = BlockingReader(source: source)
    self.index = index
    self.order = order
    self.entries = entries
    self.timescale = timescale
    var places = [Int32](repeating: 0, count: order.count)
    for (place, sample) in order.enumerated() { places[Int(sample)] = Int32(place) }
    self.places = places
  }

  /// The picture of a sample, decoded from the nearest sample where that can begin.
  ///
  /// - Parameter isWanted: asked between samples; where it says no, decoding stops.
  /// - Returns: `nil` where the picture was no longer wanted.
  /// - Throws: `malformed` for damaged pictures, `unsupported` for a codec this FFmpeg lacks, and
  ///   what the source throws.
  func picture(
    of sample: Int, while isWanted: () -> Bool
  ) throws(CinematicError) -> PictureFrame? {
    let wanted = Int(places[sample])
    if let current, current.place == wanted { return current.frame }
    do throws(CinematicError) {
      if !isAhead(sample, wanted) { try begin(at: index.decodingStart(for: sample)) }
      while isWanted() {
        guard let (frame, place) = try next() else {
          throw damaged(sample, "it is not in the data")
        }
        current = (frame, place)
        if place == wanted { return frame }
        guard place < wanted else { throw damaged(sample, "it is not in the data") }
      }
      return nil
    } catch {
      // What comes after an error begins anew.
      decoder = nil
      current = nil
      throw error
    }
  }

  /// Whether going on leads to the sample sooner than beginning anew.
  private func isAhead(_ sample: Int, _ place: Int) -> Bool {
    guard decoder != nil, (current?.place ?? -1) < place else { return false }
    // Without a picture yet, what was begun for may lie behind the sample.
    guard current != nil else { return false }
    let start = index.decodingStart(for: sample)
    return start <= nextSample
  }

  private func begin(at sample: Int) throws(CinematicError) {
    current = nil
    isDraining = false
    nextSample = sample
    if let decoder, index[sample].description == description {
      avcodec_flush_buffers(decoder.pointer)
    } else {
      decoder = nil
      try open(index[sample].description)
    }
  }

  private func open(_ number: Int) throws(CinematicError) {
    guard entries.indices.contains(number) else {
      throw CinematicError(
        .malformed, "\(name): a sample refers to the sample entry \(number + 1), which is missing",
        remedy: "copy or download the file again")
    }
    description = number
    decoder = try entries[number].makeDecoder(name: name, timescale: timescale)
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
        guard focal_frame_is_damaged(frame.pointer) == 0 else {
          throw damaged(Int(order[Int(place)]), "the data is damaged")
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
      guard code == FFmpeg.again else { throw damaged(nextSample - 1, FFmpeg.text(code)) }
      try feed(decoder)
    }
  }

  /// Hands one more sample to the decoder, or tells it that there is none.
  private func feed(_ decoder: CodecContext) throws(CinematicError) {
    guard !isDraining else { throw damaged(nextSample - 1, "the decoder does not finish") }
    guard nextSample < index.count, index[nextSample].description == description else {
      isDraining = true
      avcodec_send_packet(decoder.pointer, nil)
      return
    }
    let sample = index[nextSample]
    let bytes = try reader.sample(sample)
    defer { av_packet_unref(packet.pointer) }
    guard av_new_packet(packet.pointer, Int32(bytes.count)) == 0 else {
      throw .outOfMemory(for: name)
    }
    bytes.withUnsafeBytes { bytes in
      if let base = bytes.baseAddress {
        UnsafeMutableRawPointer(packet.pointer.pointee.data).copyMemory(
          from: base, byteCount: bytes.count)
      }
    }
    // A picture carries its place on the screen through the decoder.
    packet.pointer.pointee.pts = Int64(places[nextSample])
    packet.pointer.pointee.dts = Int64(nextSample)
    if sample.isSync { packet.pointer.pointee.flags |= AV_PKT_FLAG_KEY }
    let code = avcodec_send_packet(decoder.pointer, packet.pointer)
    guard code >= 0 else { throw damaged(nextSample, FFmpeg.text(code)) }
    nextSample += 1
  }

  private func damaged(_ sample: Int, _ reason: String) -> CinematicError {
    CinematicError(
      .malformed, "\(name) is damaged at sample \(max(sample, 0)): \(reason)",
      remedy: "copy or download the file again, or choose only what lies before it")
  }
}
