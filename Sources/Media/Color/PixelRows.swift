// SPDX-License-Identifier: Apache-2.0

import CFFmpeg
import FocalCore

/// The rows of a gray or RGBA pixel buffer as floats, where codes are divided by their maximum.
struct PixelRows {
  let buffer: PixelBuffer
  /// 1 for gray and disparity, else 4.
  let channels: Int
  /// Whether any pixel is not opaque; only then is alpha worth storing.
  let hasAlpha: Bool

  /// - Parameter hasAlpha: where it is known.
  /// - Precondition: the buffer has one plane.
  init(_ buffer: PixelBuffer, hasAlpha: Bool? = nil) {
    precondition(!buffer.format.isBiPlanar, "rows of luma and chroma are not pixels")
    self.buffer = buffer
    channels = Self.channels(of: buffer.format)
    self.hasAlpha = hasAlpha ?? (channels == 4 && Self.isTranslucent(buffer))
  }

  /// 1 for gray and disparity, else 4.
  static func channels(of format: PixelFormat) -> Int {
    switch format {
    case .rgba8, .rgbaHalf, .rgbaFloat: 4
    default: 1
    }
  }

  private static func isTranslucent(_ buffer: PixelBuffer) -> Bool {
    if buffer.format == .rgba8 { return isTranslucentOfCodes(buffer) }
    return withUnsafeTemporaryAllocation(of: Float.self, capacity: buffer.width) { alpha in
      for y in 0..<buffer.height {
        read(buffer, channel: 3, of: 4, row: y, into: alpha.baseAddress!)
        var x = 0
        while x < buffer.width {
          // Resampling rounds; no code of 16 bits is as near to 1.
          if !(alpha[x] >= 1 - 1e-5) { return true }
          x += 1
        }
      }
      return false
    }
  }

  private static func isTranslucentOfCodes(_ buffer: PixelBuffer) -> Bool {
    buffer.withUnsafeBytes { bytes in
      for y in 0..<buffer.height {
        let row = (bytes.baseAddress! + y * buffer.planes[0].bytesPerRow)
          .assumingMemoryBound(to: UInt8.self)
        var least = UInt8.max
        for x in 0..<buffer.width { least = min(least, row[4 * x + 3]) }
        if least < UInt8.max { return true }
      }
      return false
    }
  }

  /// Whether values need more than 8 bits.
  var isDeep: Bool { buffer.format.bitsPerComponent > 8 }

  /// Whether red, green and blue are equal everywhere, but for what dither does to codes of 8 bits.
  static func isGray(_ buffer: PixelBuffer) -> Bool {
    guard channels(of: buffer.format) == 4 else { return true }
    let allowed: Float = buffer.format == .rgba8 ? 1.5 / 255 : 0
    return withUnsafeTemporaryAllocation(of: Float.self, capacity: 2 * buffer.width) { values in
      let (red, other) = (values.baseAddress!, values.baseAddress! + buffer.width)
      for y in 0..<buffer.height {
        read(buffer, channel: 0, of: 4, row: y, into: red)
        for channel in 1...2 {
          read(buffer, channel: channel, of: 4, row: y, into: other)
          for x in 0..<buffer.width where abs(red[x] - other[x]) > allowed { return false }
        }
      }
      return true
    }
  }

  /// Stores every pixel in a frame of the same size.
  func fill(_ frame: PictureFrame, _ layout: PixelLayout) {
    if buffer.format == .rgba8 || buffer.format == .gray8, layout.holdsBytes {
      return fillCodes(frame, layout)
    }
    withUnsafeTemporaryAllocation(of: Float.self, capacity: buffer.width) { values in
      for y in 0..<buffer.height {
        for component in layout.components.indices {
          let channel = component == layout.alpha ? channels - 1 : min(component, channels - 1)
          Self.read(
            buffer, channel: channel, of: channels, row: y, into: values.baseAddress!)
          layout.writeValues(
            frame, component: component, row: y, count: buffer.width, from: values.baseAddress!)
        }
      }
    }
  }

  /// Codes of 8 bits that stay as they are.
  private func fillCodes(_ frame: PictureFrame, _ layout: PixelLayout) {
    let isSame = layout.components.count == channels
    buffer.withUnsafeBytes { bytes in
      for y in 0..<buffer.height {
        let codes = (bytes.baseAddress! + y * buffer.planes[0].bytesPerRow)
          .assumingMemoryBound(to: UInt8.self)
        if isSame, layout.isPackedInOrder {
          let row = frame.row(y, ofPlane: 0)
          row.copyMemory(from: codes, byteCount: channels * buffer.width)
          continue
        }
        for (index, component) in layout.components.enumerated() {
          let channel = index == layout.alpha ? channels - 1 : min(index, channels - 1)
          let row = (frame.row(y, ofPlane: component.plane) + component.offset)
            .assumingMemoryBound(to: UInt8.self)
          var x = 0
          while x < buffer.width {
            row[x * component.step] = codes[x * channels + channel]
            x += 1
          }
        }
      }
    }
  }

  static func read(
    _ buffer: PixelBuffer, channel: Int, of channels: Int, row y: Int,
    into values: UnsafeMutablePointer<Float>
  ) {
    let width = buffer.width
    buffer.withUnsafeBytes { bytes in
      let row = bytes.baseAddress! + y * buffer.planes[0].bytesPerRow
      var x = 0
      switch buffer.format {
      case .rgba8, .gray8:
        let codes = row.assumingMemoryBound(to: UInt8.self) + channel
        while x < width {
          values[x] = Float(codes[x * channels]) / 255
          x += 1
        }
      case .gray16:
        let codes = row.assumingMemoryBound(to: UInt16.self)
        while x < width {
          values[x] = Float(codes[x]) / 65535
          x += 1
        }
      case .rgbaHalf, .disparityHalf:
        let halves = row.assumingMemoryBound(to: UInt16.self) + channel
        while x < width {
          values[x] = singlePrecision(halves[x * channels])
          x += 1
        }
      default:
        let floats = row.assumingMemoryBound(to: Float.self) + channel
        while x < width {
          values[x] = floats[x * channels]
          x += 1
        }
      }
    }
  }

  /// A 16-bit float's value; written out because not every platform has `Float16`.
  private static func singlePrecision(_ half: UInt16) -> Float {
    let sign = UInt32(half & 0x8000) << 16
    let exponent = UInt32(half >> 10) & 31
    let fraction = UInt32(half & 1023)
    switch exponent {
    case 0:
      let magnitude = Float(fraction) * 0x1p-24
      return sign == 0 ? magnitude : -magnitude
    case 31: return Float(bitPattern: sign | 0x7F80_0000 | fraction << 13)
    default: return Float(bitPattern: sign | (exponent + 112) << 23 | fraction << 13)
    }
  }
}
