// SPDX-License-Identifier: Apache-2.0

import CFFmpeg
import Dispatch
import FocalBoxes
import FocalCore

/// A sample, with what a cue of captions says beside its text.
struct StreamCue: Sendable {
  var text: [UInt8] = []
  /// Of WebVTT: where the cue stands, and its name.
  var settings = ""
  var identifier = ""
}

/// Reads the samples of one stream through libavformat, the next one or one far away.
///
/// A jump leads to a place from which libavformat believes to see the sample; where it has landed, the
/// bytes of the packets tell. Where they do not, the file is read from its beginning: a sample is
/// never another one.
// @unchecked Sendable: used by one thread at a time, that of the decoder or of the queue it is made
// for.
final class StreamSampleReader: SampleReader, @unchecked Sendable {
  private let scan: StreamScan
  private let stream: Int32
  private let source: any ByteSource
  private var input: InputContext?
  private var packet: Packet?
  /// The sample that the next packet is; below zero before the first one that is kept.
  private var next = 0
  /// Whether everything was read from the file's beginning.
  private var isFromStart = false

  private(set) var besideLast: [UInt8]?
  /// Of the sample that was read last, if it is a cue, all but its text.
  private(set) var lastCue = StreamCue()

  /// A sample that lies no farther ahead is reached by reading on.
  private static let reach = 64

  init(_ scan: StreamScan, _ stream: Int32, _ source: any ByteSource) {
    self.scan = scan
    self.stream = stream
    self.source = source
  }

  func another() -> any SampleReader { StreamSampleReader(scan, stream, source) }

  func sample(_ number: Int) throws(CinematicError) -> [UInt8] {
    do throws(CinematicError) {
      if input == nil || number < next || number > next + Self.reach {
        if let bytes = try jump(to: number) { return bytes }
      }
      if let bytes = try read(upTo: number) { return bytes }
      // Lost after a jump: from the beginning there is no doubt.
      guard !isFromStart else { throw changed() }
      try rewind()
      guard let bytes = try read(upTo: number) else { throw changed() }
      return bytes
    } catch {
      input = nil
      throw error
    }
  }

  private func changed() -> CinematicError {
    CinematicError(
      .malformed, "\(source.name) changed while it was read, or it is damaged",
      remedy: "try again, or copy the file first")
  }

  // MARK: - Packets

  /// Reads on to a sample.
  ///
  /// - Returns: `nil` where other packets come than were found before.
  private func read(upTo number: Int) throws(CinematicError) -> [UInt8]? {
    while next <= number {
      guard let packet = try nextPacket() else { return nil }
      defer { av_packet_unref(packet) }
      let place = next
      next += 1
      guard place >= 0 else { continue }
      guard scan.marks[place] == StreamScan.mark(packet) else { return nil }
      if place == number { return bytes(packet) }
    }
    return nil
  }

  /// The stream's next packet, to be given back with `av_packet_unref`; `nil` at the end.
  private func nextPacket() throws(CinematicError) -> UnsafeMutablePointer<AVPacket>? {
    guard let input, let packet = packet?.pointer else { return nil }
    while true {
      let code = av_read_frame(input.pointer, packet)
      if code == FFmpeg.endOfFile { return nil }
      if code == FFmpeg.again { continue }
      guard code >= 0 else { throw input.io.error(code) }
      if packet.pointee.stream_index == stream, packet.pointee.size > 0 { return packet }
      av_packet_unref(packet)
    }
  }

  private func bytes(_ packet: UnsafeMutablePointer<AVPacket>) -> [UInt8] {
    var count = 0
    let beside = av_packet_get_side_data(packet, AV_PKT_DATA_MATROSKA_BLOCKADDITIONAL, &count)
    besideLast = beside.map { [UInt8](UnsafeBufferPointer(start: $0, count: count)) }
    let bytes = [UInt8](
      UnsafeBufferPointer(start: packet.pointee.data, count: Int(packet.pointee.size)))
    if isCaptions { lastCue = cue(packet) }
    return bytes
  }

  private var isCaptions: Bool {
    input?.pointer.pointee.streams[Int(stream)]?.pointee.codecpar.pointee.codec_type
      == AVMEDIA_TYPE_SUBTITLE
  }

  private func cue(_ packet: UnsafeMutablePointer<AVPacket>) -> StreamCue {
    // The first two lines of an addition, behind its number, are the settings and the name.
    let lines = besideLast?.dropFirst(8).split(
      separator: 0x0A, maxSplits: 2, omittingEmptySubsequences: false)
    let addition = (lines ?? []).map { String(decoding: $0, as: UTF8.self) }
    return StreamCue(
      settings: text(AV_PKT_DATA_WEBVTT_SETTINGS, of: packet) ?? addition.first ?? "",
      identifier: text(AV_PKT_DATA_WEBVTT_IDENTIFIER, of: packet)
        ?? addition.dropFirst().first ?? "")
  }

  private func text(
    _ type: AVPacketSideDataType, of packet: UnsafeMutablePointer<AVPacket>
  ) -> String? {
    var count = 0
    let data = av_packet_get_side_data(packet, type, &count)
    return data.map {
      String(decoding: UnsafeBufferPointer(start: $0, count: count), as: UTF8.self)
    }
  }

  // MARK: - Jumping

  private func rewind() throws(CinematicError) {
    input = nil
    if packet == nil { packet = Packet() }
    guard packet != nil else { throw .outOfMemory(for: source.name) }
    let opened = try InputContext.open(source, Interruption())
    let code = avformat_find_stream_info(opened.pointer, nil)
    guard code >= 0 else { throw opened.io.error(code) }
    opened.keepOnly(stream)
    input = opened
    next = -scan.firstPacket
    isFromStart = true
  }

  /// Goes to a sample or to one before it.
  ///
  /// - Returns: the sample's bytes, where it was the first that was met.
  private func jump(to number: Int) throws(CinematicError) -> [UInt8]? {
    if input == nil || number <= Self.reach { try rewind() }
    guard number > Self.reach, let input else { return nil }
    var sync = number
    while sync > 0, !scan.index.isSync(sync) { sync -= 1 }
    let stamp = scan.stamps[sync]
    isFromStart = false
    guard avformat_seek_file(input.pointer, stream, .min, stamp, stamp, 0) >= 0 else {
      try rewind()
      return nil
    }
    // The first packet may be the rest of one.
    for _ in 0..<(number - sync + Self.reach) {
      guard let packet = try nextPacket() else { break }
      defer { av_packet_unref(packet) }
      guard let place = place(of: packet) else { continue }
      guard place <= number else { break }
      next = place + 1
      return place == number ? bytes(packet) : nil
    }
    try rewind()
    return nil
  }

  /// Which sample a packet is; `nil` where several could be it.
  private func place(of packet: UnsafeMutablePointer<AVPacket>) -> Int? {
    let mark = StreamScan.mark(packet)
    let places = scan.marks.indices.filter { scan.marks[$0] == mark }
    if places.count < 2 { return places.first }
    let stamps = [packet.pointee.pts, packet.pointee.dts]
    let stamped = places.filter {
      scan.stamps[$0] != FFmpeg.noTimestamp && stamps.contains(scan.stamps[$0])
    }
    return stamped.count == 1 ? stamped[0] : nil
  }
}

/// Reads single samples for tasks, on a thread of its own.
// @unchecked Sendable: `reader` is touched only by jobs on `queue`, one after another.
final class StreamSampleQueue: @unchecked Sendable {
  private let queue = DispatchQueue(label: "focal.samples")
  private var reader: StreamSampleReader?

  func sample(
    _ number: Int, of scan: StreamScan, _ stream: Int32, _ source: any ByteSource
  ) async throws(CinematicError) -> [UInt8] {
    try await cue(number, of: scan, stream, source).text
  }

  /// A sample of captions.
  func cue(
    _ number: Int, of scan: StreamScan, _ stream: Int32, _ source: any ByteSource
  ) async throws(CinematicError) -> StreamCue {
    let result = await withCheckedContinuation {
      (continuation: CheckedContinuation<Result<StreamCue, CinematicError>, Never>) in
      queue.async { [self] in
        let reader = reader ?? StreamSampleReader(scan, stream, source)
        self.reader = reader
        do throws(CinematicError) {
          let bytes = try reader.sample(number)
          var cue = reader.lastCue
          cue.text = bytes
          continuation.resume(returning: .success(cue))
        } catch {
          continuation.resume(returning: .failure(error))
        }
      }
    }
    return try result.get()
  }
}
