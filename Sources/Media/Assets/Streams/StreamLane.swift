// SPDX-License-Identifier: Apache-2.0

import CFFmpeg
import FocalBoxes
import FocalCore

/// Notes about one stream's packets, taken while its file is walked through.
struct StreamLane {
  struct Packet {
    var presentation: Int64?
    var decode: Int64?
    var duration: Int64
    var size: Int
    var position: Int64
    var isSync: Bool
    /// Whether it is decoded but not shown.
    var isHidden: Bool
    var mark: UInt64
    /// Where the container finds it.
    var stamp: Int64
  }

  /// Samples of sound that are not heard.
  struct Hidden {
    /// Of the first packet's beginning.
    var start: Int64 = 0
    /// Of the last packet's end.
    var end: Int64 = 0
  }

  /// In ticks of the track.
  struct Times {
    var decode: Int64
    var presentation: Int64
    var duration: Int64
  }

  let stream: StreamDescription.Stream
  private(set) var packets: [Packet] = []
  private(set) var hidden = Hidden()
  /// Whether a packet brings another decoder configuration than was in force.
  private(set) var changesCoding = false
  /// What decoders of pictures are told on the way; first samples are counted in packets.
  private(set) var changes: [DecoderChange] = []
  /// What decoders were told last.
  private var inForce: [DecoderChange.Kind: [UInt8]] = [:]
  /// Asked where a picture comes without the time at which it is shown.
  private var order: PictureOrder?
  private let formatName: String
  /// Ticks of the stream that a packet lasts that does not say it.
  private let step: Int64
  /// Whether the stream's clock may begin anew, as it does where recordings were put one behind the other.
  private let mayRestart: Bool
  /// The offset that continues the clock after it began anew.
  private var shift: Int64 = 0

  /// - Parameters:
  ///   - source: libavformat's own description of the stream.
  ///   - formatName: the demuxer's.
  ///   - mayRestart: whether the container allows the stream's clock to begin anew.
  init(
    _ stream: StreamDescription.Stream, _ source: UnsafeMutablePointer<AVStream>,
    formatName: String, mayRestart: Bool
  ) {
    self.stream = stream
    self.mayRestart = mayRestart
    self.formatName = formatName
    // Matroska has a time for every block.
    order =
      stream.mediaType == .video && !formatName.hasPrefix("matroska")
      ? PictureOrder(source.pointee.codecpar) : nil
    let (rate, base) = (source.pointee.avg_frame_rate, source.pointee.time_base)
    step =
      rate.num > 0 && rate.den > 0
      ? max(av_rescale_q(1, AVRational(num: rate.den, den: rate.num), base), 1) : 1
    inForce[.configuration] = stream.parameters.extradata
  }

  /// - Returns: how many bytes are kept for decoders.
  /// - Throws: `unsupported` for more samples than an index may have.
  mutating func append(_ packet: UnsafeMutablePointer<AVPacket>) throws(CinematicError) -> Int {
    guard packets.count < SampleIndex.maximumSampleCount else {
      throw CinematicError(
        .unsupported, "a track has more than \(SampleIndex.maximumSampleCount) samples",
        remedy: "cut the movie into parts")
    }
    let values = packet.pointee
    let kept = noteChanges(packet)
    noteHidden(packet)
    continueClock(values.dts)
    func time(_ stamp: Int64) -> Int64? {
      stamp == FFmpeg.noTimestamp ? nil : stamp.addingReportingOverflow(shift).partialValue
    }
    let (presentation, decode) = (time(values.pts), time(values.dts))
    packets.append(
      Packet(
        presentation: presentation, decode: decode, duration: max(values.duration, 0),
        size: Int(values.size), position: values.pos,
        isSync: values.flags & AV_PKT_FLAG_KEY != 0,
        isHidden: values.flags & AV_PKT_FLAG_DISCARD != 0 || Self.isHidden(stream, packet),
        mark: StreamScan.mark(packet),
        stamp: (formatName.hasPrefix("matroska") ? presentation ?? decode : decode ?? presentation)
          .map { $0.subtractingReportingOverflow(shift).partialValue } ?? 0))
    order?.append(packet)
    return kept
  }

  /// Takes down what a packet tells decoders that is not in force yet: recorders repeat what is.
  ///
  /// - Returns: how many bytes that takes.
  private mutating func noteChanges(_ packet: UnsafeMutablePointer<AVPacket>) -> Int {
    var kept = 0
    for kind in DecoderChange.Kind.allCases {
      var count = 0
      guard let data = av_packet_get_side_data(packet, kind.type, &count), count > 0 else {
        continue
      }
      let bytes = UnsafeBufferPointer(start: data, count: count)
      guard !bytes.elementsEqual(inForce[kind] ?? []) else { continue }
      if kind == .configuration { changesCoding = true }
      // Of other tracks that they change is all that matters.
      guard stream.mediaType == .video else { continue }
      let change = DecoderChange(kind: kind, firstSample: packets.count, bytes: [UInt8](bytes))
      inForce[kind] = change.bytes
      changes.append(change)
      kept += count
    }
    return kept
  }

  /// Takes down which samples of a packet are not heard.
  private mutating func noteHidden(_ packet: UnsafeMutablePointer<AVPacket>) {
    var hidden: (start: UInt32, end: UInt32) = (0, 0)
    let isSaid = focal_packet_hidden_samples(packet, &hidden.start, &hidden.end) != 0
    if packets.isEmpty {
      self.hidden.start = isSaid ? Int64(hidden.start) : stream.sound?.preSkip ?? 0
    }
    self.hidden.end = isSaid ? Int64(hidden.end) : 0
  }

  /// Lets a packet follow the one before if its time of decoding falls: such times never do within one
  /// recording.
  private mutating func continueClock(_ stamp: Int64) {
    guard mayRestart, stamp != FFmpeg.noTimestamp, let last = packets.last,
      let decode = last.decode,
      stamp.addingReportingOverflow(shift).partialValue < decode
    else { return }
    shift =
      decode.addingReportingOverflow(last.duration > 0 ? last.duration : step).partialValue
      .subtractingReportingOverflow(stamp).partialValue
  }

  /// VP8 and VP9 have pictures that others refer to and that are never shown.
  private static func isHidden(
    _ stream: StreamDescription.Stream, _ packet: UnsafeMutablePointer<AVPacket>
  ) -> Bool {
    let first = packet.pointee.data[0]
    switch stream.parameters.values.codec_id {
    case AV_CODEC_ID_VP8: return first & 0x10 == 0
    case AV_CODEC_ID_VP9:
      // Several pictures in one packet end in an index; the last of them is shown.
      guard packet.pointee.data[Int(packet.pointee.size) - 1] & 0xE0 != 0xC0 else { return false }
      // Behind the marker and the profile: an old picture again, key picture, shown.
      let fields = first & 0x30 == 0x30 ? first << 5 : first << 4
      return fields & 0x80 == 0 && fields & 0x20 == 0
    default: return false
    }
  }

  // MARK: - Times

  /// The times of the packets that can be decoded: all, or those from the first sync sample of a
  /// video on.
  var times: [Times] {
    if let sound = stream.sound { return soundTimes(sound) }
    var first = 0
    if stream.mediaType == .video { first = packets.firstIndex { $0.isSync } ?? 0 }
    let kept = packets[first...]
    let clock = stream.clock
    let decode = decodeStamps.dropFirst(first).map { clock.ticks($0) }
    var presentation: [Int64]
    if kept.allSatisfy({ $0.presentation != nil }) {
      presentation = kept.map { clock.ticks($0.presentation!) }
    } else if let order {
      let sorted = decode.sorted()
      let ranks = order.ranks.dropFirst(first)
      // Those that were left out leave no gap.
      let places = Dictionary(
        uniqueKeysWithValues: zip(ranks.sorted(), sorted))
      presentation = ranks.map { places[$0] ?? 0 }
      // One known time tells all; AVI's are those of decoding.
      if formatName != "avi",
        let known = kept.firstIndex(where: { $0.presentation != nil })
      {
        // Both may be anything: what no movie has is refused where the index is made.
        let shift = clock.ticks(kept[known].presentation!)
          .subtractingReportingOverflow(presentation[known - first]).partialValue
        presentation = presentation.map { $0.addingReportingOverflow(shift).partialValue }
      }
    } else {
      presentation = zip(kept, decode).map { packet, time in
        packet.presentation.map { clock.ticks($0) } ?? time
      }
    }
    let steps = kept.map { clock.length($0.duration > 0 ? $0.duration : step) }
    let decoded = rising(decode, presentation)
    return presentation.indices.map {
      Times(decode: decoded[$0], presentation: presentation[$0], duration: steps[$0])
    }
  }

  /// Ticks of the stream; where the container has none, packets follow each other.
  private var decodeStamps: [Int64] {
    var next: Int64 = 0
    return packets.map { packet in
      let stamp = packet.decode ?? packet.presentation ?? next
      next =
        stamp.addingReportingOverflow(packet.duration > 0 ? packet.duration : step).partialValue
      return stamp
    }
  }

  /// Times of decoding that never fall: the container's, or where those are of no use, one picture
  /// after the other as early as the order of the screen demands.
  private func rising(_ decode: [Int64], _ presentation: [Int64]) -> [Int64] {
    if zip(decode, decode.dropFirst()).allSatisfy({ $0 <= $1 }) { return decode }
    let sorted = presentation.sorted()
    let delay =
      zip(sorted, presentation).map { $0.subtractingReportingOverflow($1).partialValue }
      .max() ?? 0
    return sorted.map { $0.subtractingReportingOverflow(max(delay, 0)).partialValue }
  }
}
