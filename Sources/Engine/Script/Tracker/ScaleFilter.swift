// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A correlation filter over size: it tells by what factor an object has grown (Danelljan et al.,
/// Accurate Scale Estimation for Robust Visual Tracking, 2014); another one over shape tells how much wider it has become.
struct ScaleFilter {
  /// The quantity that a factor changes: both sides alike, or their ratio at the same area.
  enum Axis {
    case size, shape
  }

  /// Factors from 0.82 to 1.22: a side that grows by a fifth from one frame to the next is still found.
  static let count = 17
  static let step = 1.025
  private static let cells = 8
  private static let cellSize = 4
  private static let dimensions = cells * cells * GradientFeatures.directions
  /// The share of the new look in what is known: in `SampleTrackingTests` none gives 0.890 instead of
  /// 0.892, four times as much 0.898.
  private static let rate: Float = 0.025
  /// Keeps the quotient finite at frequencies without energy; without it the test's mean is the same.
  private static let ridge: Float = 0.01

  /// The factors that are looked at, the middle one 1.
  static let factors: [Double] = (0..<count).map { pow(step, Double($0 - count / 2)) }
  private static let window: [Float] = (0..<count).map { index in
    Float(0.5 - 0.5 * cos(2 * .pi * (Double(index) + 1) / Double(count + 1)))
  }
  /// The transform's matrix and the label's transform.
  private static let basis: [(re: Float, im: Float)] = (0..<(count * count)).map { index in
    let phase = -2 * Double.pi * Double(index / count * (index % count)) / Double(count)
    return (Float(cos(phase)), Float(sin(phase)))
  }
  private static let label: [(re: Float, im: Float)] = {
    let width = 1.0
    let values = (0..<count).map { index in
      let x = Double(index - count / 2)
      return Float(exp(-x * x / (2 * width * width)))
    }
    return (0..<count).map { frequency in
      var (re, im): (Float, Float) = (0, 0)
      for index in 0..<count {
        re += values[index] * basis[frequency * count + index].re
        im += values[index] * basis[frequency * count + index].im
      }
      return (re, im)
    }
  }()

  private var numeratorRe = [Float](repeating: 0, count: count * dimensions)
  private var numeratorIm = [Float](repeating: 0, count: count * dimensions)
  private var denominator = [Float](repeating: 0, count: count)
  private var isTrained = false

  /// The looks of an object at all sizes: transformed, by frequency and dimension.
  struct Sample {
    var re: [Float]
    var im: [Float]
  }

  static func sample(
    _ picture: PicturePlanes, _ axis: Axis, centerX: Double, centerY: Double, width: Double,
    height: Double
  ) -> Sample {
    let side = cells * cellSize
    var pixels = [Float](repeating: 0, count: side * side)
    var looks = [Float](repeating: 0, count: count * dimensions)
    for (index, factor) in factors.enumerated() {
      let (wider, higher) =
        axis == .size ? (factor, factor) : (factor.squareRoot(), 1 / factor.squareRoot())
      pixels.withUnsafeMutableBufferPointer { buffer in
        picture.sample(
          centerX: centerX, centerY: centerY, width: width * wider, height: height * higher,
          columns: side, rows: side, into: buffer.baseAddress!)
      }
      let features = pixels.withUnsafeBufferPointer {
        GradientFeatures.cells($0.baseAddress!, cells: cells, cellSize: cellSize)
      }
      for (cell, feature) in features.enumerated() {
        for lane in 0..<8 {
          looks[index * dimensions + cell * 8 + lane] = feature[lane] * window[index]
        }
      }
    }
    var sample = Sample(
      re: [Float](repeating: 0, count: count * dimensions),
      im: [Float](repeating: 0, count: count * dimensions))
    for frequency in 0..<count {
      for index in 0..<count {
        let (c, s) = basis[frequency * count + index]
        let (output, input) = (frequency * dimensions, index * dimensions)
        for dimension in 0..<dimensions {
          sample.re[output + dimension] += c * looks[input + dimension]
          sample.im[output + dimension] += s * looks[input + dimension]
        }
      }
    }
    return sample
  }

  mutating func train(_ sample: Sample) {
    let share: Float = isTrained ? Self.rate : 1
    for frequency in 0..<Self.count {
      let (c, d) = Self.label[frequency]
      var energy: Float = 0
      for index in (frequency * Self.dimensions)..<((frequency + 1) * Self.dimensions) {
        let (a, b) = (sample.re[index], sample.im[index])
        energy += a * a + b * b
        numeratorRe[index] += (a * c + b * d - numeratorRe[index]) * share
        numeratorIm[index] += (b * c - a * d - numeratorIm[index]) * share
      }
      denominator[frequency] += (energy - denominator[frequency]) * share
    }
    isTrained = true
  }

  /// The factor by which the object has grown since it was learnt.
  func factor(of sample: Sample) -> Double {
    var (re, im) = (
      [Float](repeating: 0, count: Self.count), [Float](repeating: 0, count: Self.count)
    )
    for frequency in 0..<Self.count {
      for index in (frequency * Self.dimensions)..<((frequency + 1) * Self.dimensions) {
        let (a, b) = (sample.re[index], sample.im[index])
        let (c, d) = (numeratorRe[index], numeratorIm[index])
        re[frequency] += a * c + b * d
        im[frequency] += b * c - a * d
      }
      re[frequency] /= denominator[frequency] + Self.ridge
      im[frequency] /= denominator[frequency] + Self.ridge
    }
    // the label peaks at the middle factor, and so does the answer to an object that has not grown
    let response = (0..<Self.count).map { index -> Float in
      var sum: Float = 0
      for frequency in 0..<Self.count {
        let (c, s) = Self.basis[frequency * Self.count + index]
        sum += re[frequency] * c + im[frequency] * s
      }
      return sum
    }
    let peak = response.indices.max { response[$0] < response[$1] } ?? Self.count / 2
    var place = Double(peak)
    if peak > 0, peak + 1 < Self.count {
      place += Double(Self.vertex(response[peak - 1], response[peak], response[peak + 1]))
    }
    return pow(Self.step, place - Double(Self.count / 2))
  }

  /// Where the parabola through three values has its top, from -0.5 to 0.5.
  static func vertex(_ before: Float, _ peak: Float, _ after: Float) -> Float {
    let bend = before - 2 * peak + after
    return bend < 0 ? max(-0.5, min(0.5, (before - after) / (2 * bend))) : 0
  }
}
