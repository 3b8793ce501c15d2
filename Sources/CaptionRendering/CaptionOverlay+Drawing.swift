// SPDX-License-Identifier: Apache-2.0

import FocalCaptions
import FocalCore

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Captions' colours in the light of a picture.
///
/// Reference white is the picture's display white: code 235 of standard range, HLG's 75 %, PQ's 203 cd/m²
/// (BT.2408, graphics white). Of standard range, a caption's code is the picture's code. Of high dynamic
/// range, the colours of sRGB are converted to the picture's primaries. HLG's light is the scene's: there
/// colours are mixed as the display shows them, and go back through BT.2100's OOTF with its gamma of 1.2.
struct CaptionLight {
  let isSceneLight: Bool
  private let codes: [Float]
  private let rows: [SIMD3<Float>]?
  private let weights: SIMD3<Float>

  /// Of HLG's OOTF, less 1; and of its inverse.
  private static let systemGammaExcess: Float = 0.2
  private static let inverseExcess: Float = -0.2 / 1.2

  /// - Throws: `outOfMemory`.
  init(_ tags: ColorTags) throws(CinematicError) {
    isSceneLight = tags.transfer == .hlg
    var code = tags
    if !tags.transfer.isStandardRange { code.transfer = .srgb }
    let ramp = (0...255).flatMap { code -> [UInt8] in
      let value = UInt8(code)
      return [value, value, value, 255]
    }
    let light = try PixelBuffer(
      dimensions: Dimensions(width: 256, height: 1), format: .rgba8, tags: code, values: ramp
    ).linearRGBA()
    codes = light.withUnsafeBytes { bytes in
      (0..<256).map { bytes.load(fromByteOffset: 16 * $0, as: Float.self) }
    }
    rows =
      tags.transfer.isStandardRange || tags.primaries == .bt709
      ? nil
      : PrimariesConversion(from: .bt709, to: tags.primaries).rows.map { SIMD3<Float>($0) }
    weights = SIMD3<Float>(PrimariesConversion.luminanceWeights(of: tags.primaries))
  }

  /// The light in which colours are mixed.
  func light(of color: Caption.Color) -> SIMD3<Float> {
    let own = SIMD3(codes[Int(color.red)], codes[Int(color.green)], codes[Int(color.blue)])
    guard let rows else { return own }
    return SIMD3((rows[0] * own).sum(), (rows[1] * own).sum(), (rows[2] * own).sum())
      .clamped(lowerBound: SIMD3(repeating: 0), upperBound: SIMD3(repeating: 65504))
  }

  func displayed(_ scene: SIMD3<Float>) -> SIMD3<Float> {
    let luminance = max((scene * weights).sum(), 0)
    return luminance > 0 ? scene * powf(luminance, Self.systemGammaExcess) : scene
  }

  func scene(_ displayed: SIMD3<Float>) -> SIMD3<Float> {
    let luminance = (displayed * weights).sum()
    return luminance > 0 ? displayed * powf(luminance, Self.inverseExcess) : displayed
  }
}

extension CaptionOverlay {
  /// Draws over a picture, in linear light at the picture's display white. Pixels apart from ``areas`` keep their
  /// codes.
  ///
  /// - Parameter isPremultiplied: whether the picture's colours are multiplied by its alpha.
  /// - Throws: `incompatible` for a picture of another size, `unsupported` for a disparity map, `outOfMemory`.
  public func draw(
    over picture: PixelBuffer, isPremultiplied: Bool = false
  ) throws(CinematicError) {
    guard picture.dimensions == dimensions else {
      throw CinematicError(
        .incompatible,
        "captions for pictures of \(dimensions) do not fit one of \(picture.dimensions)")
    }
    guard !isEmpty else { return }
    let light = try CaptionLight(picture.tags)
    for piece in pieces {
      guard let area = piece.area.flatMap({ Self.clipped($0, dimensions) }) else { continue }
      // Chroma is interpolated from two samples on each side: with these around it stays what it was.
      func widened(_ range: Range<Int>, _ limit: Int) -> Range<Int> {
        max(0, range.lowerBound / 2 * 2 - 4)..<min(limit, (range.upperBound + 1) / 2 * 2 + 4)
      }
      let window = PixelRect(
        columns: widened(area.columns, dimensions.width),
        rows: widened(area.rows, dimensions.height))
      let part = picture.part(columns: window.columns, rows: window.rows)
      let pixels = try part.linearRGBA()
      pixels.withUnsafeMutableBytes { bytes in
        let base = bytes.baseAddress!.assumingMemoryBound(to: SIMD4<Float>.self)
        if light.isSceneLight { Self.convert(base, area, window, light.displayed) }
        for layer in piece.layers {
          guard let layer = layer.clipped(to: area) else { continue }
          Self.mix(layer, light.light(of: layer.color), base, window, isPremultiplied)
        }
        if light.isSceneLight { Self.convert(base, area, window, light.scene) }
      }
      try part.store(linearRGBA: pixels)
    }
  }

  private static func convert(
    _ base: UnsafeMutablePointer<SIMD4<Float>>, _ area: PixelRect, _ window: PixelRect,
    _ change: (SIMD3<Float>) -> SIMD3<Float>
  ) {
    for y in area.rows {
      let row = base + (y - window.y) * window.width - window.x
      for x in area.columns {
        let changed = change(SIMD3(row[x].x, row[x].y, row[x].z))
        row[x] = SIMD4(changed, row[x].w)
      }
    }
  }

  /// Red, green and blue.
  private static let colors: SIMDMask<SIMD4<Int32>> = {
    var mask = SIMDMask<SIMD4<Int32>>(repeating: true)
    mask[3] = false
    return mask
  }()

  private static func mix(
    _ layer: Layer, _ color: SIMD3<Float>, _ base: UnsafeMutablePointer<SIMD4<Float>>,
    _ window: PixelRect, _ isPremultiplied: Bool
  ) {
    let source = SIMD4<Float>(color, 1)
    let alpha = Float(layer.color.alpha) / 255
    let width = layer.area.width
    func blend(_ pixel: inout SIMD4<Float>, _ coverage: Float) {
      if isPremultiplied || pixel.w == 1 {
        pixel += (source - pixel) * coverage
      } else {
        // Straight alpha: what is seen through the caption counts by its own.
        let below = pixel.w * (1 - coverage)
        let sum = coverage + below
        guard sum > 0 else { return }
        pixel = (source * coverage + pixel * below) / sum
        pixel.w = sum
      }
    }
    for y in layer.area.rows {
      let row = base + (y - window.y) * window.width + layer.area.x - window.x
      if let mask = layer.mask {
        mask.withUnsafeBufferPointer { mask in
          let coverage = mask.baseAddress! + (y - layer.area.y) * width
          for x in 0..<width where coverage[x] != 0 {
            blend(&row[x], Float(coverage[x]) * (alpha / 255))
          }
        }
      } else {
        for x in 0..<width {
          // Through a box, light above white is seen as white is: text on it stays readable over the sun.
          let peak = max(row[x].x, row[x].y, row[x].z)
          if peak > 1 { row[x].replace(with: row[x] / peak, where: Self.colors) }
          blend(&row[x], alpha)
        }
      }
    }
  }
}
