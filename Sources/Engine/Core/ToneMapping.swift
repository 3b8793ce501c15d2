// SPDX-License-Identifier: Apache-2.0

import ShaderTypes

/// High dynamic range as standard range shows it: HLG and PQ become pictures and movies for any screen.
///
/// The light of the reference display is mapped, reference white (203 cd/m²) at 1:
///
/// - HLG's scene light goes through BT.2100's OOTF, with the system gamma of 1.2 that belongs to its
///   nominal peak of 1000 cd/m²; PQ is the display's light already.
/// - Primaries are converted. A colour that the destination's do not reach moves towards the gray of
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
  /// The brightest light assumed of a source that does not state it, in cd/m².
  public static let nominalPeakLuminance: Float = 1000

  /// HLG's system gamma at its nominal peak, less 1.
  private static let systemGammaExcess: Float = 0.2

  /// The light that becomes 1; all above it does, too. At least 1, which is reference white.
  public let peak: Float
  /// Of the light that is mapped.
  public let source: ColorTags
  private let primaries: ColorTags.Primaries
  /// The numbers, as the kernels take them.
  package let kernel: FocalToneMapping

  /// Whether pictures need mapping on their way from one kind of colours to another.
  public static func isNeeded(from source: ColorTags, to destination: ColorTags) -> Bool {
    (source.transfer == .hlg || source.transfer == .pq) && destination.transfer.isStandardRange
  }

  /// `nil` where nothing is to be mapped: the source is no HLG or PQ, or the destination holds more
  /// than standard range.
  ///
  /// - Parameter peakLuminance: the brightest light of a PQ source in cd/m², 203 to 10000 (others count
  ///   as the nearest of them); ``nominalPeakLuminance`` where it is not stated. HLG has its
  ///   nominal peak.
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
    var kernel = FocalToneMapping()
    kernel.isSceneLight = source.transfer == .hlg ? 1 : 0
    kernel.systemGammaExcess = Self.systemGammaExcess
    kernel.knee = Self.knee
    kernel.room = 1 - Self.knee
    kernel.peak = peak
    let whitePoint = (peak - Self.knee) / kernel.room
    kernel.whitePoint2 = whitePoint * whitePoint
    kernel.convertsPrimaries = source.primaries != primaries ? 1 : 0
    let rows = PrimariesConversion(from: source.primaries, to: primaries).rows.map {
      SIMD3<Float>($0)
    }
    (kernel.redFromRed, kernel.redFromGreen, kernel.redFromBlue) = rows[0].components
    (kernel.greenFromRed, kernel.greenFromGreen, kernel.greenFromBlue) = rows[1].components
    (kernel.blueFromRed, kernel.blueFromGreen, kernel.blueFromBlue) = rows[2].components
    (kernel.sourceRed, kernel.sourceGreen, kernel.sourceBlue) =
      SIMD3<Float>(PrimariesConversion.luminanceWeights(of: source.primaries)).components
    (kernel.luminanceRed, kernel.luminanceGreen, kernel.luminanceBlue) =
      SIMD3<Float>(PrimariesConversion.luminanceWeights(of: primaries)).components
    self.kernel = kernel
  }

  // The numbers follow from these.
  public static func == (a: ToneMapping, b: ToneMapping) -> Bool {
    a.source == b.source && a.primaries == b.primaries && a.peak == b.peak
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(source)
    hasher.combine(primaries)
    hasher.combine(peak)
  }

  /// The curve of the largest component: 0 to 1, rising without a step, and the same below the knee.
  public func rolledOff(_ light: Float) -> Float { focal_rolled_off(kernel, light) }

  /// A colour of the source as the destination's linear light, components 0 to 1.
  public func mapped(_ color: SIMD3<Float>) -> SIMD3<Float> {
    let mapped = focal_tone_mapped(
      kernel, FocalLight(red: color.x, green: color.y, blue: color.z))
    return SIMD3(mapped.red, mapped.green, mapped.blue)
  }

  /// Whether the mapping is one between these colours.
  package func isMade(from source: ColorTags, to destination: ColorTags) -> Bool {
    source.transfer == self.source.transfer && source.primaries == self.source.primaries
      && destination.primaries == primaries && destination.transfer.isStandardRange
  }

  /// Maps a picture into another one of standard range. Codes are those that screens expect, by sRGB's
  /// curve, whichever curve of standard range the destination names.
  ///
  /// A rendering session does the same on its device: see `RenderingSession.FrameAttributes`.
  ///
  /// - Parameters:
  ///   - light: `rgbaFloat`, linear, of the source's primaries; it holds the mapped light afterwards.
  ///   - destination: of the size of `light` and of the destination's primaries.
  /// - Throws: `incompatible` for other pictures, and as ``PixelBuffer/store(linearRGBA:)``.
  public func store(
    _ light: PixelBuffer, in destination: PixelBuffer
  ) throws(CinematicError) {
    guard light.dimensions == destination.dimensions else {
      throw CinematicError(
        .incompatible,
        "a picture of \(light.dimensions) does not fit a buffer of \(destination.dimensions)")
    }
    try store(light, in: destination, atRow: 0)
  }

  /// Maps rows of a picture that begin with one of the destination's.
  ///
  /// - Throws: `incompatible` for other pictures, or rows that the destination has not.
  package func store(
    _ light: PixelBuffer, in destination: PixelBuffer, atRow row: Int
  ) throws(CinematicError) {
    guard light.format == .rgbaFloat, light.tags.transfer == .linear,
      light.tags.primaries == source.primaries, destination.tags.primaries == primaries,
      destination.tags.transfer.isStandardRange
    else {
      throw CinematicError(
        .incompatible,
        "a picture of \(light.dimensions), \(light.format), \(light.tags.primaries) cannot be mapped into"
          + " one of \(destination.dimensions), \(destination.tags.primaries), \(destination.tags.transfer)",
        remedy:
          "use linear light from linearRGBA(), and name the colours that the mapping was made for")
    }
    var parameters = FocalMapTonesParameters()
    parameters.width = Int32(light.width)
    parameters.rows = 1
    parameters.mapping = kernel
    // Row by row: the kernel knows of no padding.
    light.withKernelPlanes { planes in
      for y in 0..<light.height {
        let pixels = planes[0].map { $0 + y * light.planes[0].bytesPerRow }
        runKernel(focal_mapTones, [pixels], parameters, columns: light.width, rows: 0..<1)
      }
    }
    var tags = destination.tags
    tags.transfer = .srgb
    try destination.tagged(tags).store(linearRGBA: light, atRow: row)
  }
}

extension SIMD3<Float> {
  fileprivate var components: (Float, Float, Float) { (x, y, z) }
}

extension PixelBuffer {
  /// The picture in another format and meaning: itself if it has both, else a copy.
  ///
  /// - Parameter toneMapping: how high dynamic range becomes standard, if it does.
  /// - Throws: `unsupported` for disparity formats, `outOfMemory`, `incompatible` for other tags than the mapping's.
  package func converted(
    to format: PixelFormat, tags: ColorTags, by toneMapping: ToneMapping?
  ) throws(CinematicError) -> PixelBuffer {
    if self.format == format, self.tags == tags { return self }
    let result = try PixelBuffer(dimensions: dimensions, format: format, tags: tags)
    try result.store(linearRGBA: linearRGBA(), by: toneMapping)
    return result
  }

  /// Stores rows of light that begin with one of this picture's, mapped to standard range if a mapping is given.
  package func store(
    linearRGBA light: PixelBuffer, atRow row: Int = 0, by toneMapping: ToneMapping?
  ) throws(CinematicError) {
    if let toneMapping {
      try toneMapping.store(light, in: self, atRow: row)
    } else {
      try store(linearRGBA: light, atRow: row)
    }
  }
}
