// SPDX-License-Identifier: Apache-2.0

import FocalCore

extension LayeredScene {
  /// The picture of a lens: for each of many points of it, each plane moves by its radius times the
  /// point, the planes are put over each other, and the pictures are averaged.
  ///
  /// Exact but for the number of points: the planes move by fractions of pixels (bilinearly, which
  /// widens an edge by less than half a pixel, and only out of focus).
  ///
  /// - Parameters:
  ///   - lensPoints: 800 leave no visible structure in a disc of radius 32.
  ///   - aperture: the shape of the highlights.
  ///   - focusDisparity: within the disparities of the planes.
  ///   - fNumber: at least the default of 2.8, for which the planes are large enough.
  /// - Throws: `invalidParameter` for values outside their ranges, `outOfMemory`.
  public func groundTruth(
    lensPoints: Int = 800, aperture: Aperture = .disc,
    focusDisparity: Double = LayeredScene.focusDisparity, fNumber: Double = LayeredScene.fNumber
  ) throws(CinematicError) -> PixelBuffer {
    guard lensPoints >= 1 else {
      throw CinematicError(.invalidParameter, "\(lensPoints) lens points are too few")
    }
    guard fNumber >= Self.fNumber else {
      throw CinematicError(
        .invalidParameter, "an f-number of \(fNumber) is below the scene's \(Self.fNumber)")
    }
    guard focusDisparity >= Self.disparities[0], focusDisparity <= Self.disparities[3] else {
      throw CinematicError(
        .invalidParameter, "a focus disparity of \(focusDisparity) is outside the scene's planes")
    }
    return try render(
      points: Self.points(lensPoints, aperture), focusDisparity: focusDisparity, fNumber: fNumber)
  }

  /// Even points of an opening. On the disc, a sunflower's: each stands for the same area, and they
  /// show no rows.
  static func points(_ count: Int, _ aperture: Aperture) -> [SIMD2<Float>] {
    (0..<count).map { i in
      if aperture == .disc {
        let r = ((Float(i) + 0.5) / Float(count)).squareRoot()
        // The golden angle, in turns; its whole part does not matter.
        let angle = Double(i) * 0.381_966_011_250_105
        let turn = Float(angle - angle.rounded(.down))
        return SIMD2(r * cosineOfTurns(turn), r * sineOfTurns(turn))
      }
      return aperture.point(hammersley(i, count, SIMD2(0, 0.5 / Float(count))))
    }
  }

  /// The mean over lens points of the planes put over each other.
  func render(
    points: [SIMD2<Float>], focusDisparity: Double, fNumber: Double
  ) throws(CinematicError) -> PixelBuffer {
    let picture = try PixelBuffer(
      dimensions: dimensions, format: .rgbaFloat, tags: .linearBT709)
    let radii = (0..<4).map {
      Float(radius(ofPlane: $0, focusDisparity: focusDisparity, fNumber: fNumber))
    }
    let rowFloats = picture.planes[0].bytesPerRow / 4
    let width = dimensions.width
    let share = 1 / Float(points.count)
    picture.withUnsafeMutableBytes { bytes in
      let target = UncheckedPointer(bytes.baseAddress!.assumingMemoryBound(to: Float.self))
      parallelFor(dimensions.height, threads: threads) { y in
        var sum = [SIMD4<Float>](repeating: .zero, count: width)
        var view = [SIMD4<Float>](repeating: .zero, count: width)
        sum.withUnsafeMutableBufferPointer { sum in
          view.withUnsafeMutableBufferPointer { view in
            for point in points {
              for index in 0..<4 {
                // A plane seen from lens point l stands displaced by -l r: rightwards on the lens,
                // a near plane moves to the left. The picture's y runs down, the lens's up.
                planes[index].composite(
                  row: y, dx: -point.x * radii[index], dy: point.y * radii[index],
                  onto: view.baseAddress!, width: width)
              }
              for x in 0..<width { sum[x] += view[x] }
            }
            for x in 0..<width {
              let mean = sum[x] * share
              target.store(Vector(mean.x, mean.y, mean.z), at: y * rowFloats + x * 4)
            }
          }
        }
      }
    }
    return picture
  }
}

extension LayeredPlane {
  /// Puts one row of the plane, moved by (dx, dy), over a row of the frame.
  @inline(__always)
  func composite(
    row y: Int, dx: Float, dy: Float, onto target: UnsafeMutablePointer<SIMD4<Float>>, width: Int
  ) {
    // The sample at frame position p is the plane's at p - d.
    let shiftX = floorInteger(-dx)
    let shiftY = floorInteger(-dy)
    let fx = -dx - Float(shiftX)
    let fy = -dy - Float(shiftY)
    let upper = y + margin + Int(shiftY)
    let lower = fy > 0 ? upper + 1 : upper
    let offset = margin + Int(shiftX)
    let w00 = (1 - fx) * (1 - fy)
    let w10 = fx * (1 - fy)
    let w01 = (1 - fx) * fy
    let w11 = fx * fy
    pixels.withUnsafeBufferPointer { pixels in
      let a = pixels.baseAddress! + upper * self.width + offset
      let b = pixels.baseAddress! + lower * self.width + offset
      let next = fx > 0 ? 1 : 0
      var done = 0
      // The runs of both rows, in order; what they share is done once.
      let first = runs[upper]
      let second = runs[lower]
      var i = 0
      var j = 0
      while i < first.count || j < second.count {
        let run: Range<Int32>
        if j >= second.count || (i < first.count && first[i].lowerBound <= second[j].lowerBound) {
          run = first[i]
          i += 1
        } else {
          run = second[j]
          j += 1
        }
        // One more to the left, where the run's first pixel is the right neighbour.
        let start = max(done, Int(run.lowerBound) - offset - 1)
        let end = min(width, Int(run.upperBound) - offset)
        if start >= end { continue }
        done = end
        if fx == 0 && fy == 0 {
          for x in start..<end {
            let s = a[x]
            target[x] = s + target[x] * (1 - s.w)
          }
          continue
        }
        for x in start..<end {
          let s = a[x] * w00 + a[x + next] * w10 + b[x] * w01 + b[x + next] * w11
          target[x] = s + target[x] * (1 - s.w)
        }
      }
    }
  }
}
