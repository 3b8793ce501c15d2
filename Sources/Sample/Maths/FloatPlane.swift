// SPDX-License-Identifier: Apache-2.0

import FocalCore

/// A plane of floats without padding, to filter small maps with.
struct FloatPlane {
  let width: Int
  let height: Int
  var values: [Float]

  init(width: Int, height: Int) {
    self.width = width
    self.height = height
    values = Array(repeating: 0, count: width * height)
  }

  /// The plane of a `disparityFloat` buffer.
  init(_ map: PixelBuffer) {
    precondition(map.format == .disparityFloat, "the map's values are 32-bit floats")
    self.init(width: map.width, height: map.height)
    let stride = map.planes[0].bytesPerRow / 4
    map.withUnsafeBytes { bytes in
      let source = bytes.bindMemory(to: Float.self)
      for y in 0..<height {
        for x in 0..<width { values[y * width + x] = source[y * stride + x] }
      }
    }
  }

  func write(to map: PixelBuffer) {
    precondition(map.format == .disparityFloat, "the map's values are 32-bit floats")
    precondition(map.width == width && map.height == height, "the map has the plane's size")
    let stride = map.planes[0].bytesPerRow / 4
    map.withUnsafeMutableBytes { bytes in
      let target = bytes.bindMemory(to: Float.self)
      for y in 0..<height {
        for x in 0..<width { target[y * stride + x] = values[y * width + x] }
      }
    }
  }

  /// The means of blocks of two by two.
  func halved() -> FloatPlane {
    var result = FloatPlane(width: width / 2, height: height / 2)
    for y in 0..<result.height {
      for x in 0..<result.width {
        let i = 2 * y * width + 2 * x
        result.values[y * result.width + x] =
          (values[i] + values[i + 1] + values[i + width] + values[i + width + 1]) * 0.25
      }
    }
    return result
  }

  /// The means over the pixels of a map of another size, each pixel of this one weighed by the area
  /// that it shares.
  func resampled(width newWidth: Int, height newHeight: Int) -> FloatPlane {
    func weights(_ from: Int, _ to: Int) -> [[(Int, Float)]] {
      (0..<to).map { i in
        let start = Double(i) * Double(from) / Double(to)
        let end = Double(i + 1) * Double(from) / Double(to)
        return (Int(start)..<min(from, Int(end.rounded(.up)))).map { j in
          let share = min(end, Double(j + 1)) - max(start, Double(j))
          return (j, Float(share / (end - start)))
        }
      }
    }
    let across = weights(width, newWidth)
    let down = weights(height, newHeight)
    var rows = FloatPlane(width: newWidth, height: height)
    for y in 0..<height {
      for x in 0..<newWidth {
        var sum: Float = 0
        for (j, w) in across[x] { sum += values[y * width + j] * w }
        rows.values[y * newWidth + x] = sum
      }
    }
    var result = FloatPlane(width: newWidth, height: newHeight)
    for y in 0..<newHeight {
      for x in 0..<newWidth {
        var sum: Float = 0
        for (j, w) in down[y] { sum += rows.values[j * newWidth + x] * w }
        result.values[y * newWidth + x] = sum
      }
    }
    return result
  }

  /// The weights of a Gaussian blur along a row or a column, cut at three deviations; their sum is 1.
  ///
  /// - Parameter sigma: positive.
  static func blurKernel(sigma: Float) -> [Float] {
    let radius = Int(sigma * 3) + 1
    let kernel = (-radius...radius).map { i -> Float in
      let x = Float(i) / sigma
      return exp2Approximation(-0.721_347_5 * x * x)
    }
    let total = kernel.reduce(0, +)
    return kernel.map { $0 / total }
  }

  /// A Gaussian blur; the border's values go on past it.
  mutating func blur(sigma: Float) {
    if sigma <= 0 { return }
    let kernel = Self.blurKernel(sigma: sigma)
    let radius = kernel.count / 2
    var rows = values
    for y in 0..<height {
      for x in 0..<width {
        var sum: Float = 0
        for k in -radius...radius {
          sum += values[y * width + max(0, min(width - 1, x + k))] * kernel[k + radius]
        }
        rows[y * width + x] = sum
      }
    }
    for y in 0..<height {
      for x in 0..<width {
        var sum: Float = 0
        for k in -radius...radius {
          sum += rows[max(0, min(height - 1, y + k)) * width + x] * kernel[k + radius]
        }
        values[y * width + x] = sum
      }
    }
  }
}
