// SPDX-License-Identifier: Apache-2.0

import FocalCore

/// How the colours of a picture with alpha are stored.
public enum AlphaMode: Hashable, Sendable {
  /// Colours are those of the surface, whatever its alpha: PNG, TIFF, HEIC.
  case straight
  /// Colours have been multiplied by alpha, in linear light: OpenEXR.
  case premultiplied
}

/// A picture with alpha, taken apart to be rendered and put together again.
///
/// A lens blurs what reaches it: light, which is colour times alpha, and coverage alike. The kernels
/// blur three colours, so that such a picture is two: its light, and its alpha as grey. Pictures without
/// alpha never come here.
struct AlphaParts: Sendable {
  private let frame: FrameRenderer.Frame
  /// Its destination holds the rendered light.
  let light: FrameRenderer.Frame
  /// Its destination holds the rendered alpha.
  let coverage: FrameRenderer.Frame

  /// Below this a pixel is empty: its colour could not be told from rounding.
  private static let leastAlpha: Float = 1.0 / 65536

  /// `nil` for a picture whose pixels are all opaque, and where the destination has no alpha.
  ///
  /// - Throws: `outOfMemory`.
  init?(_ frame: FrameRenderer.Frame) throws(CinematicError) {
    guard frame.sourceImage.format.hasAlpha, frame.destination.format.hasAlpha,
      frame.attributes.toneMapping == nil, frame.sourceImage.isTranslucent
    else { return nil }
    self.frame = frame
    let source = try frame.sourceImage.linearRGBA()
    let light = try PixelBuffer(
      dimensions: source.dimensions, format: .rgbaFloat, tags: source.tags,
      bytesPerRowAlignment: 16)
    let coverage = try PixelBuffer(
      dimensions: source.dimensions, format: .rgbaFloat, tags: source.tags,
      bytesPerRowAlignment: 16)
    let isStraight = frame.sourceAlpha == .straight
    source.withPixels { pixels, count in
      light.withPixels { light, _ in
        coverage.withPixels { coverage, _ in
          for index in 0..<count {
            var pixel = pixels[index]
            let alpha = Self.clamped(pixel.w)
            if isStraight { pixel *= alpha }
            pixel.w = 1
            light[index] = pixel
            coverage[index] = SIMD4(alpha, alpha, alpha, 1)
          }
        }
      }
    }
    var parts: [FrameRenderer.Frame] = []
    for part in [light, coverage] {
      var job = frame
      job.sourceImage = part
      var tags = frame.destination.tags
      tags.transfer = .linear
      job.destination = try PixelBuffer(
        dimensions: frame.destination.dimensions, format: .rgbaFloat, tags: tags,
        bytesPerRowAlignment: 16)
      parts.append(job)
    }
    self.light = parts[0]
    self.coverage = parts[1]
  }

  /// Puts both parts together in the frame's destination.
  func combine() throws(CinematicError) {
    let result = light.destination
    let isStraight = frame.destinationAlpha == .straight
    result.withPixels { pixels, count in
      coverage.destination.withPixels { coverage, _ in
        for index in 0..<count {
          let alpha = Self.clamped(coverage[index].x)
          var pixel = pixels[index]
          if isStraight, alpha >= Self.leastAlpha { pixel *= 1 / alpha }
          pixel.w = alpha
          pixels[index] = pixel
        }
      }
    }
    try frame.destination.store(linearRGBA: result)
  }

  /// Alpha of 0 to 1; what is nearly one of them is it, so that rounding makes no opaque pixel
  /// translucent.
  private static func clamped(_ alpha: Float) -> Float {
    alpha > leastAlpha ? (alpha < 1 - leastAlpha ? alpha : 1) : 0
  }
}

extension PixelFormat {
  /// Whether pixels have an alpha.
  fileprivate var hasAlpha: Bool {
    switch self {
    case .rgba8, .rgbaHalf, .rgbaFloat: true
    default: false
    }
  }
}

extension PixelBuffer {
  /// The pixels of `rgbaFloat` rows without padding.
  fileprivate func withPixels(_ body: (UnsafeMutablePointer<SIMD4<Float>>, Int) -> Void) {
    precondition(format == .rgbaFloat && planes[0].bytesPerRow == 16 * width)
    withUnsafeMutableBytes { bytes in
      body(bytes.baseAddress!.assumingMemoryBound(to: SIMD4<Float>.self), dimensions.count)
    }
  }

  /// Whether any pixel's alpha is below 1.
  ///
  /// - Precondition: the format has alpha.
  fileprivate var isTranslucent: Bool {
    withUnsafeBytes { bytes in
      for y in 0..<height {
        let row = bytes.baseAddress! + y * planes[0].bytesPerRow
        // Without branches in a row: opaque pictures are looked through to their end.
        switch format {
        case .rgba8:
          let pixels = row.assumingMemoryBound(to: UInt32.self)
          var all = UInt32.max
          for x in 0..<width { all &= pixels[x].littleEndian }
          if all >> 24 != 255 { return true }
        case .rgbaHalf:
          let halves = row.assumingMemoryBound(to: UInt16.self)
          // Halves of 0 to 1 are ordered as their bits are; 1 is 0x3C00. Negative ones are larger.
          var least: UInt16 = 0x3C00
          var most: UInt16 = 0
          for x in 0..<width {
            least = min(least, halves[4 * x + 3])
            most = max(most, halves[4 * x + 3])
          }
          if least < 0x3C00 || most > 0x7C00 { return true }
        default:
          let floats = row.assumingMemoryBound(to: Float.self)
          var isOpaque = true
          for x in 0..<width { isOpaque = isOpaque && floats[4 * x + 3] >= 1 }
          if !isOpaque { return true }
        }
      }
      return false
    }
  }
}
