// SPDX-License-Identifier: Apache-2.0

import FocalCore
import PlanarCoding

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

extension ColorCube {
  /// Entries along an edge, from the code of black on: codes of curves are nearly even steps for the eye, so that few are
  /// enough. Between them grays are less than two codes of 255 off; from code 0 on, black itself would be four off.
  private static let displaySize = 49

  /// The table by which a screen of standard range shows a camera's curve: mid gray and the colours below stay the
  /// scene's, the light above comes together below white, and colours that the screen lacks become paler.
  ///
  /// - Parameter isFullRange: whether the pictures' codes use the whole range.
  package init(showing curve: LogCurve, isFullRange: Bool) {
    let size = Self.displaySize
    let numbers = curve.curve(isFullRange: isFullRange)
    var dark: [Float] = [0, 0, 0, 1]
    withUnsafePointer(to: numbers) { focal_log_encode($0, &dark, 1) }
    let black = dark[0]
    // The light of each step, which is that of gray.
    var steps: [Float] = []
    for step in 0..<size {
      let code = black + (1 - black) * Float(step) / Float(size - 1)
      steps += [code, code, code, 1]
    }
    withUnsafePointer(to: numbers) { focal_log_decode($0, &steps, size) }
    let light = (0..<size).map { Double(steps[4 * $0]) }
    let peak = max(light[size - 1], 1)
    let conversion = Self.toScreen(from: curve.gamut)
    var table: [Float] = []
    table.reserveCapacity(3 * size * size * size)
    for blue in light {
      for green in light {
        for red in light {
          let shown = Self.fitted(conversion.applied(to: SIMD3(red, green, blue)), peak: peak)
          for channel in 0..<3 { table.append(Float(Self.code(shown[channel]))) }
        }
      }
    }
    self.init(name: curve.title, size: size, from: black, table: table)
  }

  private static func toScreen(from gamut: CameraGamut) -> PrimariesConversion {
    let points = (0..<4).map { index in
      (x: Double(gamut.chromaticities[2 * index]), y: Double(gamut.chromaticities[2 * index + 1]))
    }
    guard
      let conversion = PrimariesConversion(from: Array(points[0..<3]), white: points[3], to: .bt709)
    else { preconditionFailure("the primaries of \(gamut.name) span no colours") }
    return conversion
  }

  /// The light from which on it is brought together. Skin, and paper in the shade, lie below.
  private static let knee = 0.5
  private static let luminance = PrimariesConversion.luminanceWeights(of: .bt709)

  /// Light in the screen's range: its luminance through a shoulder that reaches white at the peak.
  private static func fitted(_ light: SIMD3<Double>, peak: Double) -> SIMD3<Double> {
    let full = (light * luminance).sum()
    guard full > 0 else { return .zero }
    var gray = full
    if full > knee {
      let place = (full - knee) / (1 - knee)
      let end = (peak - knee) / (1 - knee)
      let shoulder = place * (1 + place / (end * end)) / (1 + place)
      gray = min(knee + (1 - knee) * shoulder, 1)
    }
    let colour = light * (gray / full)
    // Towards the gray of the same luminance, until the last channel is within the range.
    var share = 1.0
    for channel in 0..<3 {
      let distance = colour[channel] - gray
      if colour[channel] > 1 { share = min(share, (1 - gray) / distance) }
      if colour[channel] < 0 { share = min(share, -gray / distance) }
    }
    let fitted = SIMD3(repeating: gray) + share * (colour - SIMD3(repeating: gray))
    return fitted.clamped(lowerBound: .zero, upperBound: .one)
  }

  /// IEC 61966-2-1.
  private static func code(_ light: Double) -> Double {
    light <= 0.0031308 ? 12.92 * light : 1.055 * pow(light, 1 / 2.4) - 0.055
  }
}

extension PixelBuffer {
  /// The codes of a picture, replaced by a table's.
  ///
  /// - Throws: `outOfMemory`, and what ``FocalCore/PixelBuffer/store(linearRGBA:)`` throws.
  package func replaceCodes(by table: ColorCube) throws(CinematicError) {
    // Codes of no curve are stored as they are.
    let codes = tagged(
      ColorTags(primaries: tags.primaries, transfer: .linear, matrix: tags.matrix))
    let floats = try codes.linearRGBA()
    table.apply(to: floats)
    try codes.store(linearRGBA: floats)
  }
}
