// SPDX-License-Identifier: Apache-2.0

import FocalCore

/// The structural similarity index of two pictures' luma.
enum StructuralSimilarity {
  static let radius = 5
  /// A Gaussian of σ 1.5 over 11 values, its sum 1.
  private static let window: [Double] = {
    let raw = (-radius...radius).map { i -> Double in
      Double(exp2Approximation(-0.721_347_5 * Float(i * i) / 2.25))
    }
    let total = raw.reduce(0, +)
    return raw.map { $0 / total }
  }()

  /// Rows that a thread works on from top to bottom. It begins with ten rows of the one above.
  private static let bandHeight = 64

  /// The sums of some rows: of the index over all counted pixels, their number, and the same of those whose windows lie
  /// in the picture.
  ///
  /// - Parameters:
  ///   - actual: the rows, and those that their windows reach over.
  ///   - first: the first row that both pictures have.
  ///   - height: of the whole pictures.
  ///   - counted: whether the pixels of the rows count.
  static func sums(
    of all: Range<Int>, _ actual: PixelBuffer, _ reference: PixelBuffer, from first: Int,
    height: Int, counted: [Bool]
  ) -> [SIMD4<Double>] {
    let width = actual.width
    let inner = (
      x: radius..<max(radius, width - radius), y: radius..<max(radius, height - radius)
    )
    // Each row's sums first, then the rows in order: the same for any number of threads.
    var sums = [SIMD4<Double>](repeating: .zero, count: all.count)
    sums.withUnsafeMutableBufferPointer { sums in
      let target = UncheckedSums(sums.baseAddress!)
      PictureComparison.withRows(actual, reference) { a, b, strideA, strideB in
        parallelFor((all.count + bandHeight - 1) / bandHeight, threads: nil) { band in
          let top = all.lowerBound + band * bandHeight
          let rows = top..<min(all.upperBound, top + bandHeight)
          var moments = RowMoments(width: width)
          for y in max(0, rows.lowerBound - radius)..<min(height, rows.lowerBound + radius) {
            moments.add(y, a + (y - first) * strideA, b + (y - first) * strideB)
          }
          for y in rows {
            let last = y + radius
            if last < height {
              moments.add(last, a + (last - first) * strideA, b + (last - first) * strideB)
            }
            let line = (y - all.lowerBound) * width
            let isInner = inner.y.contains(y)
            var sum = SIMD4<Double>.zero
            let taps = moments.taps(around: y, height: height)
            for x in 0..<width where counted[line + x] {
              let index = value(moments.mean(at: x, taps))
              sum.x += index
              sum.y += 1
              if isInner && inner.x.contains(x) {
                sum.z += index
                sum.w += 1
              }
            }
            target.address[y - all.lowerBound] = sum
          }
        }
      }
    }
    return sums
  }

  /// The mean of the index over the counted pixels whose windows lie in the picture, or over all
  /// counted pixels where there is none.
  ///
  /// - Parameter sums: of all rows, in their order.
  static func mean(of sums: [SIMD4<Double>]) -> Double {
    let total = sums.reduce(.zero, +)
    return total.w > 0 ? total.z / total.w : total.x / total.y
  }

  /// The index from a window's means of a, b, a² + b² and ab.
  @inline(__always)
  private static func value(_ m: SIMD4<Double>) -> Double {
    let c1 = 0.01 * 0.01
    let c2 = 0.03 * 0.03
    let product = m.x * m.y
    let squares = m.x * m.x + m.y * m.y
    return (2 * product + c1) * (2 * (m.w - product) + c2)
      / ((squares + c1) * (m.z - squares + c2))
  }

  /// Means of a, b, a² + b² and ab over each pixel's row of the window, of the rows that a window has.
  ///
  /// In double precision: where light is bright, a variance is a small difference of large squares. Floats of 900, the
  /// square of a light of 30, are 6e-5 apart, and a grain of .01 has a variance of 1e-4.
  private struct RowMoments {
    private let width: Int
    /// Row y lies at y modulo the window's height.
    private var means: [SIMD4<Double>]
    /// Of one row, pixel by pixel.
    private var row: [SIMD4<Double>]

    init(width: Int) {
      self.width = width
      means = Array(repeating: .zero, count: (2 * radius + 1) * width)
      row = Array(repeating: .zero, count: width)
    }

    /// Adds a row of both pictures, in place of the one that no window has any more.
    mutating func add(_ y: Int, _ a: UnsafePointer<Float>, _ b: UnsafePointer<Float>) {
      let width = width
      let first = y % (2 * radius + 1) * width
      row.withUnsafeMutableBufferPointer { row in
        means.withUnsafeMutableBufferPointer { means in
          window.withUnsafeBufferPointer { window in
            for x in 0..<width {
              let (p, q) = (Self.luma(a + 4 * x), Self.luma(b + 4 * x))
              row[x] = SIMD4(p, q, p * p + q * q, p * q)
            }
            for x in 0..<width {
              // Cut at the border.
              let columns = max(0, x - radius)...min(width - 1, x + radius)
              var weight = 0.0
              var sum = SIMD4<Double>.zero
              var i = columns.lowerBound
              while i <= columns.upperBound {
                let w = window[i - x + radius]
                weight += w
                sum += row[i] * w
                i += 1
              }
              means[first + x] = sum / weight
            }
          }
        }
      }
    }

    /// The rows of the windows around the pixels of a row, cut at the border: where each begins, and its weight.
    func taps(around y: Int, height: Int) -> [(first: Int, weight: Double)] {
      let rows = max(0, y - radius)...min(height - 1, y + radius)
      let total = rows.reduce(0) { $0 + window[$1 - y + radius] }
      return rows.map { row in
        (row % (2 * radius + 1) * width, window[row - y + radius] / total)
      }
    }

    /// The means of the window around a pixel.
    @inline(__always)
    func mean(at x: Int, _ taps: [(first: Int, weight: Double)]) -> SIMD4<Double> {
      means.withUnsafeBufferPointer { means in
        var sum = SIMD4<Double>.zero
        for tap in taps { sum += means[tap.first + x] * tap.weight }
        return sum
      }
    }

    @inline(__always)
    private static func luma(_ p: UnsafePointer<Float>) -> Double {
      0.2126 * Double(p[0]) + 0.7152 * Double(p[1]) + 0.0722 * Double(p[2])
    }
  }
}

// @unchecked Sendable: each thread writes its own rows.
private struct UncheckedSums: @unchecked Sendable {
  let address: UnsafeMutablePointer<SIMD4<Double>>
  init(_ address: UnsafeMutablePointer<SIMD4<Double>>) { self.address = address }
}
