// SPDX-License-Identifier: Apache-2.0

import FocalCore

/// A picture whose rows are padded and whose memory lies between guard bands; what is not a pixel
/// holds a pattern that must stay untouched and would show as light or disparity.
package struct GuardedPicture: Sendable {
  package let buffer: PixelBuffer
  private let memory: Memory

  private static let bandByteCount = 4096

  /// The bytes, bands included.
  // @unchecked Sendable: the address never changes; the bytes are reached through the pixel buffer,
  // whose rules hold for them, and here only while no command renders to it.
  private final class Memory: @unchecked Sendable {
    let base: UnsafeMutableRawPointer
    let count: Int
    init(count: Int) {
      self.count = count
      base = .allocate(byteCount: count, alignment: 64)
      let bytes = UnsafeMutableRawBufferPointer(start: base, count: count)
      for index in 0..<count { bytes[index] = GuardedPicture.pattern(index) }
    }
    deinit { base.deallocate() }
  }

  /// Not-a-numbers as floats and as halves, with some bits that tell the place.
  fileprivate static func pattern(_ index: Int) -> UInt8 {
    index % 2 == 1 ? 0x7F : UInt8(truncatingIfNeeded: 0xC1 | index >> 1)
  }

  /// - Parameter padding: components between the end of a row and the next.
  package init(
    dimensions: Dimensions, format: PixelFormat, tags: ColorTags, padding: Int
  ) throws(CinematicError) {
    var end = Self.bandByteCount
    var planes: [(offset: Int, bytesPerRow: Int)] = []
    for plane in format.planes {
      let size = plane.dimensions(of: dimensions)
      let bytesPerRow = size.width * plane.bytesPerElement + padding * format.bytesPerComponent
      planes.append((end, bytesPerRow))
      end += (bytesPerRow * size.height + 63) / 64 * 64 + 64
    }
    let memory = Memory(count: end + Self.bandByteCount)
    self.memory = memory
    buffer = try PixelBuffer(
      dimensions: dimensions, format: format, tags: tags, baseAddress: memory.base,
      byteCount: memory.count, planes: planes, release: { _ in withExtendedLifetime(memory) {} })
  }

  /// A copy of a picture.
  package init(_ picture: PixelBuffer, padding: Int) throws(CinematicError) {
    try self.init(
      dimensions: picture.dimensions, format: picture.format, tags: picture.tags, padding: padding)
    for index in picture.planes.indices {
      let from = picture.planes[index]
      let to = buffer.planes[index]
      let count = from.dimensions.width * from.bytesPerElement
      picture.withUnsafeBytes(ofPlane: index) { source in
        buffer.withUnsafeMutableBytes(ofPlane: index) { target in
          for y in 0..<from.dimensions.height {
            let row = source[y * from.bytesPerRow..<y * from.bytesPerRow + count]
            let start = y * to.bytesPerRow
            UnsafeMutableRawBufferPointer(rebasing: target[start..<start + count]).copyBytes(
              from: row)
          }
        }
      }
    }
  }

  /// The first byte outside of the pixels that changed, counted from the first plane's start; `nil`
  /// where none did.
  package func firstBreach() -> Int? {
    let first = buffer.planes[0].offset
    let bytes = UnsafeRawBufferPointer(start: memory.base, count: memory.count)
    var index = 0
    func find(upTo end: Int) -> Int? {
      while index < end {
        if bytes[index] != Self.pattern(index) { return index - first }
        index += 1
      }
      return nil
    }
    for plane in buffer.planes {
      for y in 0..<plane.dimensions.height {
        let row = plane.offset + y * plane.bytesPerRow
        if let breach = find(upTo: row) { return breach }
        index = row + plane.dimensions.width * plane.bytesPerElement
      }
    }
    return find(upTo: memory.count)
  }
}
