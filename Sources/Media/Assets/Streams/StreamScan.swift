// SPDX-License-Identifier: Apache-2.0

import CFFmpeg
import FocalBoxes
import FocalCore

/// The samples of a stream, found by walking through its file.
///
/// Memory is 16 bytes a sample beside the index's own 25, and at most ``maximumChangeSize`` a file for what decoders are
/// told on the way.
struct StreamScan: Sendable {
  /// Offsets are where the container says that a packet begins; not all keep it in one piece.
  private(set) var index = SampleIndex()
  /// Marks of the packets' bytes, by which they are known again after a jump.
  private(set) var marks: [UInt64] = []
  /// Where the container finds the samples: ticks of the stream.
  private(set) var stamps: [Int64] = []
  /// Of sound.
  private(set) var hidden = StreamLane.Hidden()
  /// Whether a packet brings another decoder configuration than was in force.
  private(set) var changesCoding = false
  /// What decoders of pictures are told on the way, in the order of the samples.
  private(set) var changes: [DecoderChange] = []
  /// Packets before the first sample that is kept.
  private(set) var firstPacket = 0

  /// Bytes that are kept of palettes and configurations: another palette a picture for half an hour.
  static let maximumChangeSize = 64 << 20

  /// Walks through a file from where it stands, its beginning, to its end.
  ///
  /// - Parameter changeSize: how many bytes of palettes and configurations may be kept.
  /// - Returns: the samples by track number.
  /// - Throws: `malformed` for a file that is cut short or damaged, `unsupported` for more samples
  ///   than an index may have, and for more changes of the coding than are kept.
  static func scan(
    _ input: InputContext, _ description: StreamDescription, name: String,
    changeSize: Int = Self.maximumChangeSize
  ) throws(CinematicError) -> [UInt32: StreamScan] {
    try checkLength(input, name)
    var lanes = [StreamLane?](repeating: nil, count: Int(input.pointer.pointee.nb_streams))
    for stream in description.streams where lanes.indices.contains(Int(stream.index)) {
      lanes[Int(stream.index)] = StreamLane(
        stream, input.streams[Int(stream.index)]!, formatName: description.formatName,
        mayRestart: description.mayBeginBroken)
    }
    guard let packet = Packet() else { throw .outOfMemory(for: name) }
    var lastEnd: Int64?
    var room = changeSize
    while true {
      let code = av_read_frame(input.pointer, packet.pointer)
      if code == FFmpeg.endOfFile { break }
      if code == FFmpeg.again { continue }
      guard code >= 0 else { throw damaged(input, name, code) }
      defer { av_packet_unref(packet.pointer) }
      let number = Int(packet.pointer.pointee.stream_index)
      // Streams that begin later than the head says are no tracks.
      guard packet.pointer.pointee.size > 0, lanes.indices.contains(number) else { continue }
      guard packet.pointer.pointee.flags & AV_PKT_FLAG_CORRUPT == 0 || description.mayBeginBroken
      else {
        throw CinematicError(
          .malformed, "\(name) is cut short or damaged",
          remedy: "copy or download the file again")
      }
      lastEnd = packet.pointer.pointee.pos + Int64(packet.pointer.pointee.size)
      if let kept = try lanes[number]?.append(packet.pointer) { room -= kept }
      guard room >= 0 else {
        throw CinematicError(
          .unsupported, "\(name) changes its palette or its coding too often",
          remedy: "cut it into parts, or convert it to H.264 or HEVC")
      }
    }
    guard !input.endsWithinFrame(lastPacketEnd: lastEnd) else {
      throw CinematicError(
        .malformed, "\(name) is cut short: it ends within a frame",
        remedy: "copy or download it again")
    }
    if let error = input.pointer.pointee.pb?.pointee.error, error < 0, error != FFmpeg.endOfFile {
      throw damaged(input, name, error)
    }
    var scans: [UInt32: StreamScan] = [:]
    for case let lane? in lanes {
      do throws(CinematicError) {
        scans[lane.stream.trackID] = try StreamScan(lane)
      } catch {
        throw error.naming(name)
      }
    }
    return scans
  }

  /// The containers that say how long they are say when they are cut short, too: a demuxer ends there
  /// as if nothing were missing.
  private static func checkLength(_ input: InputContext, _ name: String) throws(CinematicError) {
    let io = input.io
    let claimed = FileShape.claimedByteCount(fileSize: io.byteCount) { io.peek($0, $1) }
    guard let claimed else { return }
    throw CinematicError(
      .malformed, "\(name) is cut short: it has \(io.byteCount) of \(claimed) bytes",
      remedy: "copy or download it again")
  }

  private static func damaged(
    _ input: InputContext, _ name: String, _ code: Int32
  ) -> CinematicError {
    let error = input.io.error(code)
    if error.code != .unsupported { return error }
    return CinematicError(
      .malformed, "\(name) is damaged: \(FFmpeg.text(code))",
      remedy: "copy or download the file again")
  }

  /// How long captions are shown, in ticks: none lasts until the next. Of other tracks, none.
  private(set) var lengths: [Int64] = []

  private init(_ lane: StreamLane) throws(CinematicError) {
    if lane.stream.mediaType == .subtitle { lengths = lane.times.map(\.duration) }
    let times = lane.times
    hidden = lane.hidden
    changesCoding = lane.changesCoding
    let firstPacket = lane.packets.count - times.count
    self.firstPacket = firstPacket
    changes = lane.changes.map { change in
      // What came before the first sample that is kept is in force there.
      var change = change
      change.firstSample = max(change.firstSample - firstPacket, 0)
      return change
    }
    for (packet, time) in zip(lane.packets.dropFirst(firstPacket), times) {
      let sample = SampleIndex.Sample(
        offset: packet.position, size: packet.size, decodeTime: time.decode,
        compositionTime: time.presentation, duration: time.duration, isSync: packet.isSync,
        description: 0)
      try index.append(sample, isHidden: packet.isHidden)
      marks.append(packet.mark)
      stamps.append(packet.stamp)
    }
  }

  /// A number that packets of other bytes do not have, by any likelihood.
  static func mark(_ packet: UnsafeMutablePointer<AVPacket>) -> UInt64 {
    guard let data = packet.pointee.data else { return 0 }
    let bytes = UnsafeRawBufferPointer(start: data, count: Int(packet.pointee.size))
    var mark = UInt64(bytes.count) &* 0x9E37_79B9_7F4A_7C15
    var position = 0
    func mix(_ word: UInt64) {
      mark = (mark ^ word) &* 0x9E37_79B9_7F4A_7C15
      mark ^= mark >> 32
    }
    while position + 8 <= bytes.count {
      mix(bytes.loadUnaligned(fromByteOffset: position, as: UInt64.self))
      position += 8
    }
    while position < bytes.count {
      mix(UInt64(bytes[position]))
      position += 1
    }
    return mark
  }
}
