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

/// A file that libavformat writes into and goes back in.
final class WebMOutput {
  private(set) var io: UnsafeMutablePointer<AVIOContext>?
  /// The first error of the file: libavformat itself hands on a number only.
  private(set) var failure: CinematicError?
  private let sink: FileSink
  /// Where the next byte goes, and where the file ends.
  private var (position, end): (Int64, Int64) = (0, 0)

  private static let bufferSize: Int32 = 1 << 16

  /// - Throws: `outOfMemory`.
  init(_ sink: FileSink, path: String) throws(CinematicError) {
    self.sink = sink
    guard let buffer = av_malloc(Int(Self.bufferSize)) else { throw .outOfMemory(for: path) }
    // The context does not outlive this object: unretained references stay valid.
    io = avio_alloc_context(
      buffer.assumingMemoryBound(to: UInt8.self), Self.bufferSize, 1,
      Unmanaged.passUnretained(self).toOpaque(), nil,
      { object, bytes, count in
        Unmanaged<WebMOutput>.fromOpaque(object!).takeUnretainedValue()
          .write(UnsafeRawBufferPointer(start: bytes, count: Int(count)))
      },
      { object, offset, whence in
        Unmanaged<WebMOutput>.fromOpaque(object!).takeUnretainedValue().seek(offset, whence)
      })
    guard io != nil else {
      av_free(buffer)
      throw .outOfMemory(for: path)
    }
  }

  deinit {
    guard io != nil else { return }
    // The buffer may have been replaced by a larger one.
    av_free(io!.pointee.buffer)
    avio_context_free(&io)
  }

  /// Hands over what is buffered, and waits until the disk has it.
  ///
  /// - Throws: `unwritable`.
  func finish() throws(CinematicError) {
    avio_flush(io)
    if let failure { throw failure }
    try sink.synchronize()
  }

  private func write(_ bytes: UnsafeRawBufferPointer) -> Int32 {
    guard failure == nil else { return focal_averror_of_errno(EIO) }
    do throws(CinematicError) {
      let inside = Int(min(Int64(bytes.count), max(end - position, 0)))
      if inside > 0 { try sink.patch(Array(bytes[..<inside]), at: position) }
      if inside < bytes.count { try sink.write(Array(bytes[inside...])) }
      position += Int64(bytes.count)
      end = max(end, position)
      return Int32(bytes.count)
    } catch {
      failure = error
      return focal_averror_of_errno(EIO)
    }
  }

  /// - Returns: the place; only what was written can be gone back to.
  private func seek(_ offset: Int64, _ whence: Int32) -> Int64 {
    let base: Int64
    switch whence & ~AVSEEK_FORCE {
    case AVSEEK_SIZE: return end
    case SEEK_SET: base = 0
    case SEEK_CUR: base = position
    case SEEK_END: base = end
    default: return Int64(focal_averror_of_errno(EINVAL))
    }
    let (target, overflow) = base.addingReportingOverflow(offset)
    guard !overflow, target >= 0, target <= end else {
      return Int64(focal_averror_of_errno(EINVAL))
    }
    position = target
    return target
  }
}
