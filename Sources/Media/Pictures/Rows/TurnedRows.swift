// SPDX-License-Identifier: Apache-2.0

import FocalCore

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The pixels of a picture that is rendered strip by strip, each turned: the first row of the result needs pixels
/// of every strip, so that they wait in a file. Used by one thread.
final class TurnedRows {
  private let format: PixelFormat
  private let tags: ColorTags
  private let size: Dimensions
  private let turn: QuarterTurn
  private let pixelByteCount: Int
  // Goes with this object, and is never given its name.
  private let file: OutputFile
  private let descriptor: FileDescriptor
  /// Rows that came together. They lie in the file turned, one strip behind the other.
  private var strips: [Range<Int>] = []

  /// - Parameters:
  ///   - pixel: of the format and the tags of all.
  ///   - size: before the turn.
  ///   - path: of the output, in whose folder the pixels wait.
  /// - Throws: `unwritable`.
  init(
    _ pixel: PixelBuffer, size: Dimensions, turn: QuarterTurn, beside path: String,
    registry: TemporaryFiles
  ) throws(CinematicError) {
    format = pixel.format
    tags = pixel.tags
    self.size = size
    self.turn = turn
    pixelByteCount = pixel.planes[0].bytesPerElement
    file = try OutputFile(path: path, overwrite: true, registry: registry)
    descriptor = try FileDescriptor(writing: file)
  }

  private var isAcross: Bool { turn == .clockwise90 || turn == .clockwise270 }

  /// Adds the next rows, which have been turned.
  ///
  /// - Throws: `unwritable`.
  func append(_ strip: PixelBuffer) throws(CinematicError) {
    let first = strips.last?.upperBound ?? 0
    let byteCount = strip.width * pixelByteCount
    let row = strip.planes[0].bytesPerRow
    var place = first * size.width * pixelByteCount
    // Without what lies between rows in memory, some megabytes at a time.
    let step = max((4 << 20) / byteCount, 1)
    for top in stride(from: 0, to: strip.height, by: step) {
      let count = min(step, strip.height - top)
      var bytes = [UInt8](repeating: 0, count: count * byteCount)
      bytes.withUnsafeMutableBytes { to in
        strip.withUnsafeBytes { from in
          for y in 0..<count {
            (to.baseAddress! + y * byteCount).copyMemory(
              from: from.baseAddress! + (top + y) * row, byteCount: byteCount)
          }
        }
      }
      try transfer(bytes.count, at: place) { done, place in
        bytes.withUnsafeBytes {
          pwrite(descriptor.number, $0.baseAddress! + done, $0.count - done, place)
        }
      }
      place += bytes.count
    }
    strips.append(first..<first + turn.inverse.applied(to: strip.dimensions).height)
  }

  /// Rows of the picture after the turn, once all strips are there.
  ///
  /// - Throws: `unwritable` for a file that cannot be read again, `outOfMemory`.
  func rows(_ rows: Range<Int>) throws(CinematicError) -> PixelBuffer {
    let width = turn.applied(to: size).width
    let result = try PixelBuffer(
      dimensions: Dimensions(width: width, height: rows.count), format: format, tags: tags)
    for strip in strips {
      // Where the strip lies after the turn.
      let isFlipped = turn == .clockwise90 || turn == .clockwise180
      let extent = isAcross ? width : turn.applied(to: size).height
      let band =
        isFlipped ? extent - strip.upperBound..<extent - strip.lowerBound : strip
      let lines = isAcross ? rows : rows.clamped(to: band)
      guard !lines.isEmpty else { continue }
      let byteCount = (isAcross ? strip.count : width) * pixelByteCount
      let firstLine = isAcross ? lines.lowerBound : lines.lowerBound - band.lowerBound
      var bytes = [UInt8](repeating: 0, count: byteCount * lines.count)
      let place = strip.lowerBound * size.width * pixelByteCount + firstLine * byteCount
      try transfer(bytes.count, at: place) { done, place in
        bytes.withUnsafeMutableBytes {
          pread(descriptor.number, $0.baseAddress! + done, $0.count - done, place)
        }
      }
      let left = isAcross ? band.lowerBound * pixelByteCount : 0
      result.withUnsafeMutableBytes { to in
        for index in 0..<lines.count {
          let row = lines.lowerBound - rows.lowerBound + index
          bytes.withUnsafeBytes { from in
            (to.baseAddress! + row * result.planes[0].bytesPerRow + left).copyMemory(
              from: from.baseAddress! + index * byteCount, byteCount: byteCount)
          }
        }
      }
    }
    return result
  }

  /// Reads or writes all of some bytes.
  private func transfer(
    _ count: Int, at place: Int, _ part: (_ done: Int, _ place: off_t) -> Int
  ) throws(CinematicError) {
    var done = 0
    while done < count {
      let more = part(done, off_t(place + done))
      if more < 0 && errno == EINTR { continue }
      guard more > 0 else { throw OutputFile.failure(file.path, more < 0 ? errno : EIO) }
      done += more
    }
  }
}
