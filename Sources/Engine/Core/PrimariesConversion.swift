// SPDX-License-Identifier: Apache-2.0

/// Turns pictures of some primaries into linear light of others, by the same colours. The renderer
/// carries primaries along, so that joined pictures of different ones meet here.
package struct PrimariesConversion: Sendable {
  /// Rows of the matrix from linear red, green, blue to linear red, green, blue.
  package let rows: [SIMD3<Double>]

  package init(from source: ColorTags.Primaries, to destination: ColorTags.Primaries) {
    let toXYZ = Matrix(source)
    let fromXYZ = Matrix(destination).inverse
    rows = (0..<3).map { row in
      (0..<3).reduce(into: SIMD3<Double>()) { sum, index in
        sum += fromXYZ.rows[row][index] * toXYZ.rows[index]
      }
    }
  }

  /// From light of any primaries and white. White stays white: cone responses are scaled as the eye adapts to it
  /// (the linear Bradford transform of ICC.1 annex E, which ACES has, too).
  ///
  /// - Parameters:
  ///   - points: x and y of red, green and blue.
  ///   - white: its x and y.
  /// - Returns: `nil` for points that span no colours.
  package init?(
    from points: [(x: Double, y: Double)], white: (x: Double, y: Double),
    to destination: ColorTags.Primaries
  ) {
    guard points.count == 3, (points + [white]).allSatisfy({ abs($0.y) > 1e-6 }) else { return nil }
    let bradford = Matrix([
      SIMD3(0.8951, 0.2664, -0.1614), SIMD3(-0.7502, 1.7135, 0.0367),
      SIMD3(0.0389, -0.0685, 1.0296),
    ])
    let (from, to) = (bradford * Matrix.xyz(white), bradford * Matrix.xyz(Matrix.d65))
    let adapted = Matrix((0..<3).map { bradford.rows[$0] * (to[$0] / from[$0]) })
    let matrix =
      Matrix(destination).inverse * (bradford.inverse * (adapted * Matrix(points, white: white)))
    guard matrix.rows.allSatisfy({ row in (0..<3).allSatisfy { abs(row[$0]) < 1e3 } }) else {
      return nil
    }
    rows = matrix.rows
  }

  /// The weights of linear red, green and blue in luminance; their sum is 1.
  package static func luminanceWeights(of primaries: ColorTags.Primaries) -> SIMD3<Double> {
    Matrix(primaries).rows[1]
  }

  /// x and y of red, green and blue: ITU-R BT.709, SMPTE EG 432-1, ITU-R BT.2020, SMPTE 170M and ITU-R
  /// BT.470 system B, G.
  package static func chromaticities(
    of primaries: ColorTags.Primaries
  ) -> [(x: Double, y: Double)] {
    switch primaries {
    case .bt709: [(0.640, 0.330), (0.300, 0.600), (0.150, 0.060)]
    case .displayP3: [(0.680, 0.320), (0.265, 0.690), (0.150, 0.060)]
    case .bt2020: [(0.708, 0.292), (0.170, 0.797), (0.131, 0.046)]
    case .smpte170m: [(0.630, 0.340), (0.310, 0.595), (0.155, 0.070)]
    case .bt470bg: [(0.640, 0.330), (0.290, 0.600), (0.150, 0.060)]
    }
  }

  /// The same colour in linear light of the destination's primaries; components below zero lie outside them.
  package func applied(to light: SIMD3<Double>) -> SIMD3<Double> {
    SIMD3((rows[0] * light).sum(), (rows[1] * light).sum(), (rows[2] * light).sum())
  }

  /// The picture in linear light of the destination's primaries. Gray stays exactly what it is: it has white's colour.
  ///
  /// - Parameter least: of a component. Colours outside the primaries have components below zero.
  /// - Throws: `outOfMemory`.
  package func convert(
    _ picture: PixelBuffer, to primaries: ColorTags.Primaries, least: Float = 0
  ) throws(CinematicError) -> PixelBuffer {
    let light = try picture.linearRGBA()
    let result = try PixelBuffer(
      dimensions: picture.dimensions, format: .rgbaFloat,
      tags: ColorTags(
        primaries: primaries, transfer: .linear, matrix: picture.tags.matrix),
      bytesPerRowAlignment: 16)
    let (red, green, blue) = (SIMD3<Float>(rows[0]), SIMD3<Float>(rows[1]), SIMD3<Float>(rows[2]))
    light.withUnsafeBytes { source in
      result.withUnsafeMutableBytes { destination in
        for y in 0..<picture.height {
          let from = (source.baseAddress! + y * light.planes[0].bytesPerRow)
            .assumingMemoryBound(to: Float.self)
          let to = (destination.baseAddress! + y * result.planes[0].bytesPerRow)
            .assumingMemoryBound(to: Float.self)
          for x in 0..<picture.width {
            let color = SIMD3(from[4 * x], from[4 * x + 1], from[4 * x + 2])
            if color.x == color.y, color.y == color.z {
              for part in 0..<4 { to[4 * x + part] = max(from[4 * x + part], least) }
              continue
            }
            to[4 * x] = max((red * color).sum(), least)
            to[4 * x + 1] = max((green * color).sum(), least)
            to[4 * x + 2] = max((blue * color).sum(), least)
            to[4 * x + 3] = from[4 * x + 3]
          }
        }
      }
    }
    return result
  }
}

/// Three by three numbers.
private struct Matrix {
  var rows: [SIMD3<Double>]

  init(_ rows: [SIMD3<Double>]) { self.rows = rows }

  static let d65 = (x: 0.3127, y: 0.3290)

  /// XYZ of a point of luminance 1.
  static func xyz(_ point: (x: Double, y: Double)) -> SIMD3<Double> {
    SIMD3(point.x / point.y, 1, (1 - point.x - point.y) / point.y)
  }

  /// From linear red, green and blue to XYZ. All have the white of D65.
  init(_ primaries: ColorTags.Primaries) {
    self.init(PrimariesConversion.chromaticities(of: primaries), white: Self.d65)
  }

  /// The same by x and y of red, green, blue and white.
  init(_ points: [(x: Double, y: Double)], white: (x: Double, y: Double)) {
    let white = Self.xyz(white)
    let places = points.map(Self.xyz)
    let columns = Matrix(
      (0..<3).map { row in SIMD3(places[0][row], places[1][row], places[2][row]) })
    let inverse = columns.inverse
    let scale = SIMD3(
      (inverse.rows[0] * white).sum(), (inverse.rows[1] * white).sum(),
      (inverse.rows[2] * white).sum())
    rows = columns.rows.map { $0 * scale }
  }

  /// Of a matrix whose rows are independent, as those of primaries are.
  var inverse: Matrix {
    let (a, b, c) = (rows[0], rows[1], rows[2])
    let first = Self.cross(b, c)
    let second = Self.cross(c, a)
    let third = Self.cross(a, b)
    let determinant = (a * first).sum()
    return Matrix(
      (0..<3).map { SIMD3(first[$0], second[$0], third[$0]) / determinant })
  }

  static func * (a: Matrix, b: SIMD3<Double>) -> SIMD3<Double> {
    SIMD3((a.rows[0] * b).sum(), (a.rows[1] * b).sum(), (a.rows[2] * b).sum())
  }

  static func * (a: Matrix, b: Matrix) -> Matrix {
    Matrix(
      a.rows.map { row in row[0] * b.rows[0] + row[1] * b.rows[1] + row[2] * b.rows[2] })
  }

  private static func cross(_ a: SIMD3<Double>, _ b: SIMD3<Double>) -> SIMD3<Double> {
    SIMD3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x)
  }
}
