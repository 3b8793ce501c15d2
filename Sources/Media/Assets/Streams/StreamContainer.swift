// SPDX-License-Identifier: Apache-2.0

import CFFmpeg
import Dispatch
import FocalBoxes
import FocalCore

/// A file that is neither QuickTime nor MP4, read through libavformat: Matroska and WebM, AVI, MPEG
/// streams, sound files and what else it knows.
///
/// It is opened for the first property. A length that stands in the file's head costs the head, the
/// tracks as many packets as show how they are coded, and samples and their times the whole file,
/// since such files have no list of them.
// @unchecked Sendable: `input` is touched only by jobs on `queue`, one after another.
final class StreamContainer: AssetContainer, @unchecked Sendable {
  let source: any ByteSource
  private let queue = DispatchQueue(label: "focal.streams")
  /// The opened context, as far as it was read.
  private var input: (context: InputContext, isDescribed: Bool)?
  private let head = SharedLoad<Time?>()
  private let described = SharedLoad<StreamDescription>()
  private let scanned = SharedLoad<[UInt32: StreamScan]>()
  private let trackList = SharedLoad<[StreamTrack.Content]>()

  var name: String { source.name }

  init(_ source: any ByteSource) { self.source = source }

  // MARK: - Properties

  func duration() async throws(CinematicError) -> Time {
    let stated = try await head.value { [self] () async throws(CinematicError) -> Time? in
      try await job { input throws(CinematicError) in
        // Without a head, libavformat has not seen all streams yet.
        input.pointer.pointee.ctx_flags & AVFMTCTX_NOHEADER == 0 ? input.statedDuration : nil
      }
    }
    if let stated { return stated }
    if let duration = try await description().duration { return duration }
    var end = Time.zero
    for track in try await tracks() { end = max(end, try await track.timeRange().end) }
    return end
  }

  func tracks() async throws(CinematicError) -> [any TrackContainer] {
    // Tracks keep their container alive, so it must not keep them.
    let contents = try await trackList.value {
      [self] () async throws(CinematicError) -> [StreamTrack.Content] in
      try await description().streams.map { StreamTrack.Content($0) }
    }
    return contents.map { StreamTrack($0, in: self) }
  }

  func metadata() async throws(CinematicError) -> [MetadataItem] {
    try await description().tags.map(MetadataItem.init)
  }

  func startTime() async throws(CinematicError) -> Time { try await description().startTime }
  func timelineStart() -> Time { .zero }
  func fileType() -> FileType? { nil }
  func containsFragments() -> Bool { false }

  // MARK: - Reading

  func description() async throws(CinematicError) -> StreamDescription {
    try await described.value { [self] () async throws(CinematicError) -> StreamDescription in
      try await job { [self] input throws(CinematicError) in
        let code = avformat_find_stream_info(input.pointer, nil)
        guard code >= 0 else { throw input.io.error(code) }
        let description = try StreamDescription(input, name: name)
        self.input?.isDescribed = true
        return description
      }
    }
  }

  /// The stream of a QuickTime or MP4 file's track; `nil` if libavformat does not know it.
  func stream(trackID: UInt32) async throws(CinematicError) -> StreamDescription.Stream? {
    try await description().streams.first { UInt32(bitPattern: $0.id) == trackID }
  }

  /// The samples of every track: one walk through the file for all of them.
  func scan() async throws(CinematicError) -> [UInt32: StreamScan] {
    let description = try await description()
    return try await scanned.value {
      [self] () async throws(CinematicError) -> [UInt32: StreamScan] in
      try await job { [self] input throws(CinematicError) in
        // The packets that showed how streams are coded come again; those before are gone.
        if self.input?.isDescribed != true {
          let code = avformat_find_stream_info(input.pointer, nil)
          guard code >= 0 else { throw input.io.error(code) }
        }
        defer { self.input = nil }
        return try StreamScan.scan(input, description, name: name)
      }
    }
  }

  /// The palette that stands in the container's head and comes beside a stream's first packet; `nil` for pictures
  /// without one.
  func palette(of stream: StreamDescription.Stream) async throws(CinematicError) -> [UInt8]? {
    guard stream.parameters.values.format == AV_PIX_FMT_PAL8.rawValue else { return nil }
    return try await job { [self] input throws(CinematicError) -> [UInt8]? in
      // What is read here is gone.
      defer { self.input = nil }
      guard let packet = Packet() else { throw .outOfMemory(for: name) }
      input.keepOnly(stream.index)
      while true {
        let code = av_read_frame(input.pointer, packet.pointer)
        if code == FFmpeg.endOfFile { return nil }
        if code == FFmpeg.again { continue }
        guard code >= 0 else { throw input.io.error(code) }
        defer { av_packet_unref(packet.pointer) }
        if packet.pointer.pointee.stream_index == stream.index {
          return packet.sideData(AV_PKT_DATA_PALETTE)
        }
      }
    }
  }

  /// Does something with the opened file on a thread that may wait.
  ///
  /// - Throws: what `body` throws, `unsupported` for a file that libavformat does not know,
  ///   `cancelled` where the calling task is cancelled; what was opened is then given up.
  private func job<Value: Sendable>(
    _ body: @escaping @Sendable (InputContext) throws(CinematicError) -> Value
  ) async throws(CinematicError) -> Value {
    let interruption = Interruption()
    let result = await withTaskCancellationHandler {
      await withCheckedContinuation {
        (continuation: CheckedContinuation<Result<Value, CinematicError>, Never>) in
        queue.async { [self] in
          do throws(CinematicError) {
            let input = try open(interruption)
            continuation.resume(returning: .success(try body(input)))
          } catch {
            input = nil
            continuation.resume(returning: .failure(error))
          }
        }
      }
    } onCancel: {
      interruption.interrupt()
    }
    return try result.get()
  }

  private func open(_ interruption: Interruption) throws(CinematicError) -> InputContext {
    if let input {
      input.context.io.interruption = interruption
      return input.context
    }
    let opened = try InputContext.open(source, interruption)
    input = (opened, false)
    return opened
  }
}

extension InputContext {
  /// Opens a byte source with libavformat.
  ///
  /// - Throws: `unsupported` for pictures, playlists and what libavformat does not know; what the
  ///   source throws.
  static func open(
    _ source: any ByteSource, _ interruption: Interruption
  ) throws(CinematicError) -> InputContext {
    try InputContext(SourceIO(source, interruption))
  }
}

extension MetadataItem {
  /// A named text of a container that has no keys and types.
  convenience init(_ tag: StreamDescription.Tag) {
    let bytes = Array(tag.value.utf8)
    self.init(
      namespace: "tags", key: tag.key, dataType: 1, byteCount: bytes.count
    ) { () async throws(CinematicError) -> [UInt8] in bytes }
  }
}
