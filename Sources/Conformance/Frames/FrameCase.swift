// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalRendering

/// A whole frame that every device has to render alike.
package struct FrameCase: Sendable {
  /// Where the frame goes.
  package enum Target: Sendable {
    case picture(PixelFormat, ColorTags)
    /// A texture on the device, read back.
    case rgbaTexture(Texture.Format, ColorTags.Transfer)
    /// Luma and chroma textures of 8 or 10 bits.
    case lumaChromaTextures(deep: Bool)
  }

  package var name: String
  package var size = Dimensions(width: 97, height: 61)
  package var sourceFormat = PixelFormat.rgbaHalf
  package var sourceTags = ColorTags.linearBT709
  package var content = PictureContent.shapes
  package var map = MapContent.blurred
  package var mapSize = Dimensions(width: 24, height: 16)
  package var mapFormat = PixelFormat.disparityFloat
  package var quality = RenderingQuality.export
  package var target = Target.picture(.rgbaHalf, .linearBT709)
  /// The size that is rendered, as the source is oriented; `nil` for the source's.
  package var renderedSize: Dimensions?
  package var turn = QuarterTurn.identity
  /// Whether high dynamic range is mapped into the target's standard range.
  package var isToneMapped = false
  /// Stops by which clipped light is lifted.
  package var highlights: Float = 0
  /// The light from which on it is lifted.
  package var highlightThreshold = RenderingSession.Attributes.defaultHighlightThreshold
  package var mapEdges = RenderingSession.Attributes.MapEdges.measured
  /// Whether the blur of small thumbnails is worked out at half their size, too.
  package var halvesThumbnails = false
  /// Bytes of working memory; the frame is cut to take as many, or as few more as it can.
  package var workingMemoryLimit: Int?
  /// How alpha is stored; `nil` for sources that are rendered as if they were opaque.
  package var sourceAlpha: AlphaMode?
  package var destinationAlpha: AlphaMode?
  /// The view that is shown instead of the picture.
  package var view: RenderingSession.DebugView?
  /// Subjects that are put before a background, in place of a blur.
  package var layers: Layers?
  /// Whether the frame is rendered in two tiles, and what lies behind from strips of the source.
  package var isTiled = false
  /// Whether the map lies on the device, and the session is told nothing of it.
  package var hasMapTexture = false
  package var focus: Float = 0.5
  package var fNumber: Float = 2.8
  package var blurScale: Float = 1
  package var aperture = ApertureShape.disc
  package var character = LensCharacter()
  package var nearStrength: Float = 1
  package var farStrength: Float = 1
  /// Components between the rows of all pictures.
  package var padding = 3
  /// Frames of one session in flight at once, each of a source and a focus of its own; all are compared.
  package var framesInFlight = 1
  package var seed: UInt64 = 1

  package init(_ name: String) { self.name = name }

  /// Sets the lens so that the largest circle of a map from 0 to 1 has about this radius in pixels.
  package mutating func setRadius(_ radius: Float) {
    let step = max(focus, 1 - focus)
    let width = Float((renderedSize ?? size).width)
    fNumber = 2.8
    blurScale = 2 * radius * fNumber / (width * step)
    let most = RenderingSession.Attributes.maximumBlurScale
    if blurScale > most {
      fNumber = max(0.1, fNumber * most / blurScale)
      blurScale = most
    }
  }

  /// How the source's high dynamic range comes into a picture of standard range.
  package var toneMapping: ToneMapping? {
    guard case .picture(_, let tags) = target else { return nil }
    return ToneMapping(from: sourceTags, to: tags, peakLuminance: 2000)
  }

  /// The sources of all frames in flight.
  func makeSources() throws -> [PixelBuffer] {
    try (0..<framesInFlight).map { try makeSource(frame: $0) }
  }

  /// The source of a frame, in its format.
  ///
  /// - Parameter frame: its number among those in flight, from 0.
  package func makeSource(frame: Int = 0) throws -> PixelBuffer {
    let light = try SceneContent(seed: seed &+ UInt64(frame) &* 104_729).picture(size, content)
    if sourceAlpha != nil {
      light.withUnsafeMutableBytes { bytes in
        for y in 0..<size.height {
          for x in 0..<size.width {
            // Nothing, a ramp, all, and what is hardly there.
            let kinds: [Float] = [0, Float(x % 13) / 13, 1, 1e-4]
            bytes.storeBytes(
              of: kinds[(x / 11 + y / 7) % 4],
              toByteOffset: y * light.planes[0].bytesPerRow + 16 * x + 12, as: Float.self)
          }
        }
      }
    }
    if sourceFormat == .rgbaFloat, sourceTags.transfer == .linear { return light }
    return try light.converted(to: sourceFormat, tags: sourceTags)
  }

  package func makeMap() throws -> PixelBuffer {
    let map = try SceneContent(seed: seed).map(mapSize, self.map)
    guard mapFormat == .disparityHalf else { return map }
    let half = try PixelBuffer(dimensions: mapSize, format: .disparityHalf)
    map.withUnsafeBytes { source in
      half.withUnsafeMutableBytes { target in
        for y in 0..<mapSize.height {
          for x in 0..<mapSize.width {
            let value = source.loadUnaligned(
              fromByteOffset: y * map.planes[0].bytesPerRow + 4 * x, as: Float.self)
            target.storeBytes(
              of: Self.halfBits(value), toByteOffset: y * half.planes[0].bytesPerRow + 2 * x,
              as: UInt16.self)
          }
        }
      }
    }
    return half
  }

  /// A float as a half, cut off; what does not fit is infinite.
  private static func halfBits(_ value: Float) -> UInt16 {
    let bits = value.bitPattern
    let sign = UInt16(bits >> 16 & 0x8000)
    let exponent = Int(bits >> 23 & 0xFF) - 112
    if value.isNaN { return sign | 0x7E00 }
    if exponent >= 31 { return sign | 0x7C00 }
    if exponent <= 0 { return sign }
    return sign | UInt16(exponent << 10) | UInt16(bits >> 13 & 0x3FF)
  }
}
