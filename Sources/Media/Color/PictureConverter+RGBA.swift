// SPDX-License-Identifier: Apache-2.0

import FocalCore

/// Red, green, blue and gray.
extension PictureConverter {
  func copyGray(_ frame: PictureFrame, _ layout: PixelLayout, to buffer: PixelBuffer) {
    let width = buffer.width
    let maximum = UInt64(layout.maximum)
    let target: UInt64 = buffer.format == .gray8 ? 255 : 65535
    withRow(width) { row in
      row.withMemoryRebound(to: UInt32.self, capacity: width) { codes in
        buffer.withUnsafeMutableBytes { bytes in
          for y in 0..<buffer.height {
            layout.readCodes(frame, component: 0, row: y, count: width, into: codes)
            let out = bytes.baseAddress! + y * buffer.planes[0].bytesPerRow
            for x in 0..<width {
              let code = (UInt64(codes[x]) * target + maximum / 2) / maximum
              if target == 255 {
                out.storeBytes(of: UInt8(code), toByteOffset: x, as: UInt8.self)
              } else {
                out.storeBytes(of: UInt16(code), toByteOffset: 2 * x, as: UInt16.self)
              }
            }
          }
        }
      }
    }
  }

  func copyRGBA(_ frame: PictureFrame, _ layout: PixelLayout, to buffer: PixelBuffer) {
    let width = buffer.width
    let colors = layout.isGray ? [0, 0, 0] : [0, 1, 2]
    withRow(width) { row in
      buffer.withUnsafeMutableBytes { bytes in
        for y in 0..<buffer.height {
          let out = bytes.baseAddress! + y * buffer.planes[0].bytesPerRow
          for channel in 0..<4 {
            if let component = channel < 3 ? colors[channel] : layout.alpha {
              layout.readValues(frame, component: component, row: y, count: width, into: row)
            } else {
              row.update(repeating: 1, count: width)
            }
            if buffer.format == .rgba8 {
              let result = out.assumingMemoryBound(to: UInt8.self) + channel
              var x = 0
              while x < width {
                result[4 * x] = UInt8(row[x] * 255 + 0.5)
                x += 1
              }
            } else {
              let result = out.assumingMemoryBound(to: Float.self) + channel
              var x = 0
              while x < width {
                result[4 * x] = row[x]
                x += 1
              }
            }
          }
        }
      }
    }
  }

  private func withRow(_ width: Int, _ body: (UnsafeMutablePointer<Float>) -> Void) {
    if row.count < width { row = [Float](repeating: 0, count: width) }
    row.withUnsafeMutableBufferPointer { body($0.baseAddress!) }
  }
}
