// SPDX-License-Identifier: Apache-2.0

import ShaderTypes

/// High dynamic range as standard range shows it: HLG and PQ become pictures and movies for any screen.
///
/// What is mapped is the light of the reference display, reference white (203 cd/m²) at 1:
///
/// - HLG's scene light goes through BT.2100's OOTF, with the system gamma of 1.2 that belongs to its
///   nominal peak of 1000 cd/m²; PQ is the display's light already.
/// - Primaries are converted. A colour that the destination's do not reach moves towards the grey of
///   its luminance until they do.
/// - The largest component m rolls off, and the others keep their ratio to it, so that hue and
///   saturation stay. Below the ``knee`` k nothing changes; above it the part beyond follows Reinhard's
///   curve with a white point (Reinhard, Stark, Shirley and Ferwerda 2002, equation 4), which
///   leaves the knee with a slope of 1 and reaches 1 at the source's peak p:
///   m' = k + (1 − k) · t (1 + t / T²) / (1 + t), t = (m − k) / (1 − k), T = (p − k) / (1 − k).
///
/// The knee is fixed, so that clips of different peaks agree in everything below it.
public struct ToneMapping: Hashable, Sendable {
  /// Up to here light stays as it is: 112 cd/m², an HLG signal of 0.65. Mid tones and faces lie below.
  public static let knee: Float = 0.55
  /// Reference white, in cd/m² (BT.2408).
  public static let referenceWhiteLuminance: Float = 203
  /// What a source's brightest light is taken for where nobody says, in cd/m².
  public static let nominalPeakLuminance: Float = 1000

  /// HLG's system gamma at its nominal peak, less 1.
  private static let systemGammaExcess: Float = 0.2

  /// The light that becomes 1; all above it does, too. At least 1, which is reference white.
  public let peak: Float
  /// Of the light that is mapped.
  public let source: ColorTags
  private let primaries: ColorTags.Primaries
  /// Whether the source's primaries are others than the destination's.
  private let convertsPrimaries: Bool
  // Columns of the matrix to the destination's primaries.
  private let red: SIMD3<Float>
  private let green: SIMD3<Float>
  private let blue: SIMD3<Float>
  private let sourceWeights: SIMD3<Float>
  private let weights: SIMD3<Float>

  /// Whether pictures need mapping on their way from one kind of colours to another.
  public static func isNeeded(from source: ColorTags, to destination: ColorTags) -> Bool {
    (source.transfer == .hlg || source.transfer == .pq) && destination.transfer.isStandardRange
  }

  /// `nil` where nothing is to be mapped: the source is no HLG or PQ, or the destination holds more
  /// than standard range.
  ///
  /// - Parameter peakLuminance: the brightest light of a PQ source in cd/m², 203 to 10000 (others count
  ///   as the nearest of them); ``nominalPeakLuminance`` where nobody says. HLG has its nominal peak.
  public init?(
    from source: ColorTags, to destination: ColorTags,
    peakLuminance: Float? = nil
  ) {
    guard Self.isNeeded(from: source, to: destination) else { return nil }
    self.source = source
    primaries = destination.primaries
    if source.transfer == .hlg {
      peak = focal_pow(focal_decode(1, source.transfer.rawValue), 1 + Self.systemGammaExcess)
    } else {
      let white = Self.referenceWhiteLuminance
      let stated = peakLuminance ?? Self.nominalPeakLuminance
      peak = stated > white ? min(stated, 10000) / white : 1
    }
    convertsPrimaries = source.primaries != primaries
    let rows = PrimariesConversion(from: source.primaries, to: primaries).rows
    func column(_ number: Int) -> SIMD3<Float> {
      SIMD3<Float>(SIMD3(rows[0][number], rows[1][number], rows[2][number]))
    }
    red = column(0)
    green = column(1)
    blue = column(2)
    sourceWeights = SIMD3<Float>(PrimariesConversion.luminanceWeights(of: source.primaries))
    weights = SIMD3<Float>(PrimariesConversion.luminanceWeights(of: primaries))
  }

  /// The curve of the largest component: 0 to 1, rising without a step, and the same below the knee.
  public func rolledOff(_ light: Float) -> Float {
    guard light > Self.knee else { return light }
    guard light < peak else { return 1 }
    let room = 1 - Self.knee
    let t = (light - Self.knee) / room
    let whitePoint = (peak - Self.knee) / room
    let share = t * (1 + t / (whitePoint * whitePoint)) / (1 + t)
    return min(Self.knee + room * share, 1)
  }

  /// A colour of the source as the destination's linear light, components 0 to 1.
  public func mapped(_ color: SIMD3<Float>) -> SIMD3<Float> {
    var color = color
    if source.transfer == .hlg {
      let luminance = (color * sourceWeights).sum()
      color *= luminance > 0 ? focal_pow(luminance, Self.systemGammaExcess) : 0
    }
    if convertsPrimaries { color = red * color.x + green * color.y + blue * color.z }
    let least = min(color.x, color.y, color.z)
    if least < 0 {
      let luminance = (color * weights).sum()
      guard luminance > 0 else { return .zero }
      color = luminance + (color - luminance) * (luminance / (luminance - least))
      // What rounding leaves.
      color = SIMD3(max(color.x, 0), max(color.y, 0), max(color.z, 0))
    }
    let most = max(color.x, color.y, color.z)
    guard most > Self.knee else { return color }
    color *= rolledOff(most) / most
    return SIMD3(min(color.x, 1), min(color.y, 1), min(color.z, 1))
  }

  /// A buffer to render the source's light into: `rgbaFloat`, linear, of the source's primaries.
  ///
  /// - Throws: `invalidParameter` for a size that no picture has, `outOfMemory`.
  public func makeLightBuffer(_ dimensions: Dimensions) throws(CinematicError) -> PixelBuffer {
    var tags = source
    tags.transfer = .linear
    return try PixelBuffer(
      dimensions: dimensions, format: .rgbaFloat, tags: tags, bytesPerRowAlignment: 16)
  }

  /// Maps a picture into another one of standard range. Codes are those that screens expect, by sRGB's
  /// curve, whichever curve of standard range the destination names.
  ///
  /// - Parameters:
  ///   - light: of ``makeLightBuffer(_:)``; it holds the mapped light afterwards.
  ///   - destination: of the size of `light` and of the destination's primaries.
  /// - Throws: `incompatible` for other pictures.
  public func store(
    _ light: PixelBuffer, in destination: PixelBuffer
  ) throws(CinematicError) {
    guard light.format == .rgbaFloat, light.tags.transfer == .linear,
      light.tags.primaries == source.primaries, destination.tags.primaries == primaries,
      light.dimensions == destination.dimensions, light.planes[0].bytesPerRow % 16 == 0,
      destination.tags.transfer.isStandardRange
    else {
      throw CinematicError(
        .incompatible,
        "a picture of \(light.dimensions), \(light.format), \(light.tags.primaries) cannot be mapped into"
          + " one of \(destination.dimensions), \(destination.tags.primaries), \(destination.tags.transfer)",
        remedy: "render into makeLightBuffer(), and name the colours that the mapping was made for")
    }
    light.withUnsafeMutableBytes { bytes in
      for y in 0..<light.height {
        let row = (bytes.baseAddress! + y * light.planes[0].bytesPerRow)
          .assumingMemoryBound(to: Float.self)
        var x = 0
        while x < 4 * light.width {
          let color = mapped(SIMD3(row[x], row[x + 1], row[x + 2]))
          row[x] = color.x
          row[x + 1] = color.y
          row[x + 2] = color.z
          x += 4
        }
      }
    }
    var tags = destination.tags
    tags.transfer = .srgb
    try destination.tagged(tags).store(linearRGBA: light)
  }
}
