// SPDX-License-Identifier: Apache-2.0

import FocalCore

extension LayeredScene {
  /// How much red, green and blue comes through a point of a lens, apart from a factor for each: the point as a
  /// highlight behind the focus shows it, within the disc of radius 1, x to the right and y up; whether it is seen
  /// behind the focus; and the place in the picture, in half diagonals from its middle, y up.
  public typealias LensLight =
    @Sendable (_ point: SIMD2<Double>, _ isBehind: Bool, _ place: SIMD2<Double>) -> SIMD3<Double>

  /// The picture of any lens, as ``groundTruth(lensPoints:aperture:focusDisparity:fNumber:)`` makes that of an
  /// opening. Light in front of the focus and behind it is divided by what the lens lets through at the place,
  /// so that an even picture stays even.
  ///
  /// - Parameter lensPoints: of the disc, those that nothing comes through included.
  /// - Throws: `invalidParameter` for fewer than one lens point, `outOfMemory`.
  public func groundTruth(
    lensPoints: Int = 800, light: @escaping LensLight
  ) throws(CinematicError) -> PixelBuffer {
    guard lensPoints >= 1 else {
      throw CinematicError(.invalidParameter, "\(lensPoints) lens points are too few")
    }
    let points = Self.points(lensPoints, .disc)
    let picture = try PixelBuffer(
      dimensions: dimensions, format: .rgbaFloat, tags: .linearBT709)
    let radii = (0..<4).map { Float(radius(ofPlane: $0)) }
    let rowFloats = picture.planes[0].bytesPerRow / 4
    let (width, height) = (dimensions.width, dimensions.height)
    let diagonal = (Double(width * width) + Double(height * height)).squareRoot()
    picture.withUnsafeMutableBytes { bytes in
      let target = UncheckedPointer(bytes.baseAddress!.assumingMemoryBound(to: Float.self))
      parallelFor(height, threads: threads) { y in
        var sums = [LensSums](repeating: LensSums(), count: width)
        var sides = [[SIMD4<Float>]](
          repeating: [SIMD4<Float>](repeating: .zero, count: width), count: 2)
        for point in points {
          for (side, isNear) in [false, true].enumerated() {
            sides[side].withUnsafeMutableBufferPointer { view in
              view.update(repeating: .zero)
              for index in 0..<4 where (radii[index] > 0) == isNear {
                planes[index].composite(
                  row: y, dx: -point.x * radii[index], dy: point.y * radii[index],
                  onto: view.baseAddress!, width: width)
              }
            }
          }
          let lens = SIMD2<Double>(point)
          for x in 0..<width {
            let place =
              SIMD2(Double(2 * x + 1 - width), Double(height - 2 * y - 1)) / diagonal
            let (front, back) = (light(lens, false, place), light(lens, true, place))
            guard front != .zero || back != .zero else { continue }
            sums[x].add(
              SIMD4<Double>(sides[1][x]), front, SIMD4<Double>(sides[0][x]), back)
          }
        }
        for x in 0..<width {
          let mean = sums[x].mean
          target.store(
            Vector(Float(mean.x), Float(mean.y), Float(mean.z)), at: y * rowFloats + x * 4)
        }
      }
    }
    return picture
  }
}

/// A pixel's sums over lens points.
private struct LensSums {
  private var near = SIMD3<Double>.zero
  private var nearShare = SIMD3<Double>.zero
  private var nearLight = SIMD3<Double>.zero
  private var far = SIMD3<Double>.zero
  private var farShare = SIMD3<Double>.zero

  mutating func add(
    _ front: SIMD4<Double>, _ frontLight: SIMD3<Double>, _ back: SIMD4<Double>,
    _ backLight: SIMD3<Double>
  ) {
    near += frontLight * SIMD3(front.x, front.y, front.z)
    nearShare += frontLight * front.w
    nearLight += frontLight
    let open = backLight * (1 - front.w)
    far += open * SIMD3(back.x, back.y, back.z)
    farShare += open
  }

  var mean: SIMD3<Double> {
    let seen = far / farShare.replacing(with: 1, where: farShare .<= 0)
    return near / nearLight + (SIMD3(repeating: 1) - nearShare / nearLight) * seen
  }
}
