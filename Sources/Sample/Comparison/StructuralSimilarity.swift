// SPDX-License-Identifier: Apache-2.0

import FocalCore

/// The structural similarity index of two pictures' luma.
enum StructuralSimilarity {
  private static let radius = 5
  /// A Gaussian of σ 1.5 over 11 values, its sum 1.
  private static let window: [Float] = {
    let raw = (-radius...radius).map { i -> Float in
      exp2Approximation(-0.721_347_5 * Float(i * i) / 2.25)
    }
    let total = raw.reduce(0, +)
    return raw.map { $0 / total }
  }()

  /// The mean of the index over the counted pixels whose windows lie in the picture, or over all
  /// counted pixels where there is none.
  static func mean(_ actual: PixelBuffer, _ reference: PixelBuffer, counted: [Bool]) -> Double {
    let width = actual.width
    let height = actual.height
    let rows = horizontalMoments(actual, reference)
    let inner = (
      x: radius..<max(radius, width - radius), y: radius..<max(radius, height - radius)
    )
    // Each row's sums first, then the rows in order: the same for any number of threads.
    var sums = [SIMD4<Double>](repeating: .zero, count: height)
    sums.withUnsafeMutableBufferPointer { sums in
      let target = UncheckedSums(sums.baseAddress!)
      rows.withUnsafeBufferPointer { rows in
        window.withUnsafeBufferPointer { window in
          parallelFor(height, threads: nil) { y in
            let y0 = max(0, y - radius)
            let y1 = min(height - 1, y + radius)
            var weight: Float = 0
            for j in y0...y1 { weight += window[j - y + radius] }
            var sum = SIMD4<Double>.zero
            for x in 0..<width where counted[y * width + x] {
              var m = SIMD4<Float>.zero
              for j in y0...y1 { m += rows[j * width + x] * window[j - y + radius] }
              let index = Double(value(m / weight))
              sum.x += index
              sum.y += 1
              if inner.y.contains(y) && inner.x.contains(x) {
                sum.z += index
                sum.w += 1
              }
            }
            target.address[y] = sum
          }
        }
      }
    }
    let total = sums.reduce(.zero, +)
    return total.w > 0 ? total.z / total.w : total.x / total.y
  }

  /// The index from a window's means of a, b, a² + b² and ab.
  @inline(__always)
  private static func value(_ m: SIMD4<Float>) -> Float {
    let c1: Float = 0.01 * 0.01
    let c2: Float = 0.03 * 0.03
    let product = m.x * m.y
    let squares = m.x * m.x + m.y * m.y
    return (2 * product + c1) * (2 * (m.w - product) + c2)
      / ((squares + c1) * (m.z - squares + c2))
  }

  /// Means of a, b, a² + b² and ab over each pixel's row of the window, cut at the border.
  private static func horizontalMoments(
    _ actual: PixelBuffer, _ reference: PixelBuffer
  ) -> [SIMD4<Float>] {
    let width = actual.width
    let height = actual.height
    var result = [SIMD4<Float>](repeating: .zero, count: width * height)
    result.withUnsafeMutableBufferPointer { result in
      let target = UncheckedMoments(result.baseAddress!)
      PictureComparison.withRows(actual, reference) { a, b, strideA, strideB in
        window.withUnsafeBufferPointer { window in
          parallelFor(height, threads: nil) { y in
            var row = [SIMD4<Float>](repeating: .zero, count: width)
            for x in 0..<width {
              let p = luma(a + (y * strideA + x * 4))
              let q = luma(b + (y * strideB + x * 4))
              row[x] = SIMD4(p, q, p * p + q * q, p * q)
            }
            for x in 0..<width {
              let x0 = max(0, x - radius)
              let x1 = min(width - 1, x + radius)
              var weight: Float = 0
              var sum = SIMD4<Float>.zero
              var i = x0
              while i <= x1 {
                let w = window[i - x + radius]
                weight += w
                sum += row[i] * w
                i += 1
              }
              target.address[y * width + x] = sum / weight
            }
          }
        }
      }
    }
    return result
  }

  @inline(__always)
  private static func luma(_ p: UnsafePointer<Float>) -> Float {
    0.2126 * p[0] + 0.7152 * p[1] + 0.0722 * p[2]
  }
}

// @unchecked Sendable: each thread writes its own rows.
private struct UncheckedSums: @unchecked Sendable {
  let address: UnsafeMutablePointer<SIMD4<Double>>
  init(_ address: UnsafeMutablePointer<SIMD4<Double>>) { self.address = address }
}

// @unchecked Sendable: each thread writes its own rows.
private struct UncheckedMoments: @unchecked Sendable {
  let address: UnsafeMutablePointer<SIMD4<Float>>
  init(_ address: UnsafeMutablePointer<SIMD4<Float>>) { self.address = address }
}
