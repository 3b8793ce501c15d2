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
    let camera = Primaries(curve.gamut.chromaticities)
    let screen = Primaries(Self.screen).inverse
    var table: [Float] = []
    table.reserveCapacity(3 * size * size * size)
    for blue in light {
      for green in light {
        for red in light {
          let seen = screen.applied(to: camera.applied(to: SIMD3(red, green, blue)))
          let shown = Self.fitted(seen, peak: peak)
          for channel in 0..<3 { table.append(Float(Self.code(shown[channel]))) }
        }
      }
    }
    self.init(name: curve.title, size: size, from: black, table: table)
  }

  /// BT.709's red, green, blue and white.
  private static let screen: [Float] = [0.64, 0.33, 0.30, 0.60, 0.15, 0.06, 0.3127, 0.3290]
  /// The light from which on it is brought together. Skin, and paper in the shade, lie below.
  private static let knee = 0.5
  private static let luminance = SIMD3<Double>(0.2126, 0.7152, 0.0722)

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

/// From light of three primaries to CIE XYZ; white has a luminance of one.
private struct Primaries {
  private var columns: [SIMD3<Double>]

  /// - Parameter points: x and y of red, green, blue and white.
  init(_ points: [Float]) {
    let colours = (0..<4).map { index -> SIMD3<Double> in
      let x = Double(points[2 * index])
      let y = Double(points[2 * index + 1])
      return SIMD3(x / y, 1, (1 - x - y) / y)
    }
    columns = Array(colours[0..<3])
    let gains = inverse.applied(to: colours[3])
    for index in 0..<3 { columns[index] *= gains[index] }
  }

  private init(columns: [SIMD3<Double>]) { self.columns = columns }

  func applied(to vector: SIMD3<Double>) -> SIMD3<Double> {
    columns[0] * vector[0] + columns[1] * vector[1] + columns[2] * vector[2]
  }

  /// By Cramer's rule; primaries are no line.
  var inverse: Primaries {
    let rows = [
      Self.cross(columns[1], columns[2]), Self.cross(columns[2], columns[0]),
      Self.cross(columns[0], columns[1]),
    ]
    let determinant = (columns[0] * rows[0]).sum()
    let turned = (0..<3).map { index -> SIMD3<Double> in
      SIMD3(rows[0][index], rows[1][index], rows[2][index]) / determinant
    }
    return Primaries(columns: turned)
  }

  private static func cross(_ a: SIMD3<Double>, _ b: SIMD3<Double>) -> SIMD3<Double> {
    let first = a[1] * b[2] - a[2] * b[1]
    let second = a[2] * b[0] - a[0] * b[2]
    let third = a[0] * b[1] - a[1] * b[0]
    return SIMD3(first, second, third)
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
