// SPDX-License-Identifier: Apache-2.0

import CFFmpeg
import FocalCore

extension PictureFrame {
  /// Copies codes of luma and chroma as they are.
  ///
  /// - Parameter wide: whether the buffer has ten bits, which stand in the high ones of 16.
  /// - Returns: whether the planes are those of 4:2:0 in one of the buffer's orders; else nothing was copied.
  func copyBiPlanar(to buffer: PixelBuffer, wide: Bool) -> Bool {
    let interleaved: Bool
    switch pixelFormat {
    case AV_PIX_FMT_YUV420P where !wide, AV_PIX_FMT_YUVJ420P where !wide: interleaved = false
    case AV_PIX_FMT_NV12 where !wide: interleaved = true
    case AV_PIX_FMT_YUV420P10LE where wide: interleaved = false
    case AV_PIX_FMT_P010LE where wide: interleaved = true
    default: return false
    }
    let size = dimensions
    for (index, plane) in buffer.planes.enumerated() {
      buffer.withUnsafeMutableBytes(ofPlane: index) { bytes in
        for y in 0..<plane.dimensions.height {
          let out = bytes.baseAddress! + y * plane.bytesPerRow
          let count = plane.dimensions.width
          if interleaved || (index == 0 && !wide) {
            out.copyMemory(
              from: row(y, ofPlane: index), byteCount: count * plane.bytesPerElement)
          } else if index == 0 {
            Self.shiftUp(row(y, ofPlane: 0), to: out, count: size.width)
          } else if wide {
            Self.interleaveWide(
              row(y, ofPlane: 1), row(y, ofPlane: 2), to: out, count: count)
          } else {
            Self.interleave(
              row(y, ofPlane: 1), row(y, ofPlane: 2), to: out, count: count)
          }
        }
      }
    }
    return true
  }

  /// 10-bit codes move to the high bits of 16.
  private static func shiftUp(
    _ source: UnsafeRawPointer, to out: UnsafeMutableRawPointer, count: Int
  ) {
    let codes = source.assumingMemoryBound(to: UInt16.self)
    let result = out.assumingMemoryBound(to: UInt16.self)
    var x = 0
    while x < count {
      result[x] = codes[x] << 6
      x += 1
    }
  }

  private static func interleaveWide(
    _ first: UnsafeRawPointer, _ second: UnsafeRawPointer, to out: UnsafeMutableRawPointer,
    count: Int
  ) {
    let blue = first.assumingMemoryBound(to: UInt16.self)
    let red = second.assumingMemoryBound(to: UInt16.self)
    let result = out.assumingMemoryBound(to: UInt16.self)
    var x = 0
    while x < count {
      result[2 * x] = blue[x] << 6
      result[2 * x + 1] = red[x] << 6
      x += 1
    }
  }

  private static func interleave(
    _ first: UnsafeRawPointer, _ second: UnsafeRawPointer, to out: UnsafeMutableRawPointer,
    count: Int
  ) {
    let blue = first.assumingMemoryBound(to: UInt8.self)
    let red = second.assumingMemoryBound(to: UInt8.self)
    let result = out.assumingMemoryBound(to: UInt8.self)
    var x = 0
    while x < count {
      result[2 * x] = blue[x]
      result[2 * x + 1] = red[x]
      x += 1
    }
  }
}
