// SPDX-License-Identifier: Apache-2.0

import CFFmpeg
import FocalBoxes
import FocalCore

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A byte source or a pipe as libavformat's input. Used by one thread at a time, one that may wait.
final class SourceIO {
  let name: String
  /// How many bytes the source has.
  let byteCount: Int64
  /// Ends the reads of the job that is under way.
  var interruption: Interruption
  private(set) var context: UnsafeMutablePointer<AVIOContext>?

  private let reader: BlockingReader?
  private let pipe: InputPipe?
  private var position: Int64 = 0
  /// The length that is stated in a pipe's bytes so far.
  private var walk = PassingWalk()
  /// The first error of the source: libavformat itself hands on a number only.
  private var failure: CinematicError?

  /// The bytes of one read: enough for the head of most files.
  private static let bufferSize: Int32 = 32 << 10

  /// - Throws: what the source throws when it is asked how long it is.
  init(_ source: any ByteSource, _ interruption: Interruption) throws(CinematicError) {
    name = source.name
    let reader = BlockingReader(source: source)
    self.reader = reader
    pipe = nil
    self.interruption = interruption
    byteCount = try reader.byteCount(until: interruption)
    try makeContext()
  }

  /// Reads a pipe: in order, and once.
  ///
  /// - Throws: `outOfMemory`.
  init(_ pipe: InputPipe, _ interruption: Interruption) throws(CinematicError) {
    name = pipe.name
    reader = nil
    self.pipe = pipe
    self.interruption = interruption
    byteCount = .max
    try makeContext()
    context?.pointee.seekable = 0
  }

  private func makeContext() throws(CinematicError) {
    guard let buffer = av_malloc(Int(Self.bufferSize)) else { throw .outOfMemory(for: name) }
    // The context does not outlive this object: unretained references stay valid.
    context = avio_alloc_context(
      buffer.assumingMemoryBound(to: UInt8.self), Self.bufferSize, 0,
      Unmanaged.passUnretained(self).toOpaque(),
      { object, buffer, count in
        Unmanaged<SourceIO>.fromOpaque(object!).takeUnretainedValue().read(buffer!, Int(count))
      }, nil,
      pipe != nil
        ? nil
        : { object, offset, whence in
          Unmanaged<SourceIO>.fromOpaque(object!).takeUnretainedValue().seek(offset, whence)
        })
    guard context != nil else {
      av_free(buffer)
      throw .outOfMemory(for: name)
    }
  }

  deinit {
    guard context != nil else { return }
    // The buffer may have been replaced by a larger one.
    av_free(context!.pointee.buffer)
    avio_context_free(&context)
  }

  var interruptCallback: AVIOInterruptCB {
    AVIOInterruptCB(
      callback: { object in
        Unmanaged<SourceIO>.fromOpaque(object!).takeUnretainedValue().interruption.isOver ? 1 : 0
      }, opaque: Unmanaged.passUnretained(self).toOpaque())
  }

  /// The meaning of a code of libavformat's.
  func error(_ code: Int32) -> CinematicError {
    if interruption.isOver { return CinematicError(.cancelled, "reading \(name) was cancelled") }
    if let failure { return failure }
    if code == FFmpeg.outOfMemory { return .outOfMemory(for: name) }
    if pipe != nil {
      return CinematicError(
        .unsupported,
        "\(name) is nothing that can be read as it comes, or it is damaged\(Self.reason(code))",
        remedy: "send a picture, PNG pictures, Y4M, NUT or Matroska, or name a file")
    }
    return CinematicError(
      .unsupported,
      "\(name) is no movie of a known kind and no picture, or it is damaged\(Self.reason(code))",
      remedy:
        "give a whole movie (QuickTime, MP4, Matroska, WebM or another that FFmpeg reads), or a"
        + " picture (\(StillKind.names))"
    )
  }

  private static func reason(_ code: Int32) -> String {
    FFmpeg.damage(code).map { " (\($0))" } ?? ""
  }

  /// Bytes past libavformat's buffer; fewer where the source ends or fails.
  func peek(_ offset: Int64, _ count: Int) -> [UInt8] {
    let end = min(offset.addingReportingOverflow(Int64(count)).partialValue, byteCount)
    guard let reader, offset >= 0, offset < end else { return [] }
    return (try? reader.bytes(offset..<end, until: interruption)) ?? []
  }

  /// A pipe may end like a whole stream where it was cut: so much says its content.
  ///
  /// - Throws: `malformed` for one that ends before its content does, and what reading it throws.
  func checkPipeEnd() throws(CinematicError) {
    guard let pipe else { return }
    // A demuxer that has all pictures reads no farther.
    while walk.byteCount < walk.claimedEnd {
      let more = try pipe.read(Int(Self.bufferSize), until: interruption)
      if more.isEmpty { break }
      walk.pass(more)
    }
    walk.finish()
    guard walk.byteCount < walk.claimedEnd else { return }
    throw CinematicError(
      .malformed,
      "\(name) is cut short: it ends after \(walk.byteCount) bytes, and its content goes on to"
        + " \(walk.claimedEnd)", remedy: "check the program that writes it")
  }

  private func read(_ buffer: UnsafeMutablePointer<UInt8>, _ count: Int) -> Int32 {
    guard !interruption.isOver else { return FFmpeg.interrupted }
    guard failure == nil else { return focal_averror_of_errno(EIO) }
    guard position < byteCount else { return FFmpeg.endOfFile }
    let end = position + min(Int64(count), byteCount - position)
    do throws(CinematicError) {
      var bytes: [UInt8] = []
      if let pipe {
        bytes = try pipe.read(count, until: interruption)
        walk.pass(bytes)
      } else if let reader {
        bytes = try reader.bytes(position..<end, until: interruption)
      }
      // A caller's source may give more than it was asked for.
      let got = min(bytes.count, count)
      guard got > 0 else { return FFmpeg.endOfFile }
      bytes.withUnsafeBufferPointer { buffer.update(from: $0.baseAddress!, count: got) }
      position += Int64(got)
      return Int32(got)
    } catch {
      if error.code != .cancelled { failure = error }
      return interruption.isOver ? FFmpeg.interrupted : focal_averror_of_errno(EIO)
    }
  }

  private func seek(_ offset: Int64, _ whence: Int32) -> Int64 {
    let base: Int64
    switch whence & ~AVSEEK_FORCE {
    case AVSEEK_SIZE: return byteCount
    case SEEK_SET: base = 0
    case SEEK_CUR: base = position
    case SEEK_END: base = byteCount
    default: return Int64(focal_averror_of_errno(EINVAL))
    }
    let (target, overflow) = base.addingReportingOverflow(offset)
    guard !overflow, target >= 0 else { return Int64(focal_averror_of_errno(EINVAL)) }
    position = target
    return target
  }
}
