// SPDX-License-Identifier: Apache-2.0

import FocalCore

/// A picture's brightness, 0 to 255, at halved and halved again sizes, from which patches of any
/// size are taken without aliasing.
struct LumaPyramid {
  private struct Level {
    var width: Int
    var height: Int
    var values: [UInt8]
  }
  private var levels: [Level]

  var width: Int { levels[0].width }
  var height: Int { levels[0].height }

  /// `nil` for a disparity map.
  init?(_ picture: PixelBuffer) {
    guard let luma = Self.luma(of: picture) else { return nil }
    levels = [Level(width: picture.width, height: picture.height, values: luma)]
  }

  /// A plane of bytes, for a map that is scaled to them.
  init(width: Int, height: Int, values: [UInt8]) {
    precondition(values.count == width * height, "a byte for every pixel")
    levels = [Level(width: width, height: height, values: values)]
  }

  /// The value of a pixel at full size.
  func value(x: Int, y: Int) -> UInt8 { levels[0].values[y * width + x] }

  /// Takes a rectangle of pixels, columns by rows samples of it; outside the picture its edge goes
  /// on.
  mutating func sample(
    centerX: Double, centerY: Double, width patchWidth: Double, height patchHeight: Double,
    columns: Int, rows: Int, into destination: UnsafeMutablePointer<Float>
  ) {
    // the level at which a sample step is one to two pixels
    let step = min(patchWidth / Double(columns), patchHeight / Double(rows))
    var level = 0
    while Double(2 << level) <= step, level < 8, makeLevel(level + 1) { level += 1 }
    let source = levels[level]
    let scale = 1 / Double(1 << level)
    let (stepX, stepY) = (patchWidth / Double(columns) * scale, patchHeight / Double(rows) * scale)
    let left = (centerX - patchWidth / 2) * scale + stepX / 2 - 0.5
    let top = (centerY - patchHeight / 2) * scale + stepY / 2 - 0.5
    // columns are the same in every row
    var offsets = [Int32](repeating: 0, count: columns)
    var shares = [Float](repeating: 0, count: columns)
    for column in 0..<columns {
      let x = max(0, min(Double(source.width - 1), left + Double(column) * stepX))
      let whole = min(Int(x), max(0, source.width - 2))
      offsets[column] = Int32(whole)
      shares[column] = Float(x - Double(whole))
    }
    let next = source.width > 1 ? 1 : 0
    source.values.withUnsafeBufferPointer { values in
      offsets.withUnsafeBufferPointer { offsets in
        shares.withUnsafeBufferPointer { shares in
          for row in 0..<rows {
            let y = max(0, min(Double(source.height - 1), top + Double(row) * stepY))
            let whole = min(Int(y), max(0, source.height - 2))
            let share = Float(y - Double(whole))
            let upper = values.baseAddress! + whole * source.width
            let lower = source.height > 1 ? upper + source.width : upper
            let output = destination + row * columns
            for column in 0..<columns {
              let (at, u) = (Int(offsets[column]), shares[column])
              let (a, b) = (Float(upper[at]), Float(upper[at + next]))
              let (c, d) = (Float(lower[at]), Float(lower[at + next]))
              let (first, second) = (a + (b - a) * u, c + (d - c) * u)
              output[column] = first + (second - first) * share
            }
          }
        }
      }
    }
  }

  private mutating func makeLevel(_ level: Int) -> Bool {
    if level < levels.count { return true }
    let source = levels[level - 1]
    let (width, height) = (source.width / 2, source.height / 2)
    guard width >= 2, height >= 2 else { return false }
    let values = [UInt8](unsafeUninitializedCapacity: width * height) { buffer, count in
      source.values.withUnsafeBufferPointer { input in
        for y in 0..<height {
          let upper = input.baseAddress! + 2 * y * source.width
          let lower = upper + source.width
          let output = buffer.baseAddress! + y * width
          for x in 0..<width {
            let sum =
              UInt16(upper[2 * x]) + UInt16(upper[2 * x + 1]) + UInt16(lower[2 * x])
              + UInt16(lower[2 * x + 1])
            output[x] = UInt8(truncatingIfNeeded: (sum + 2) >> 2)
          }
        }
      }
      count = width * height
    }
    levels.append(Level(width: width, height: height, values: values))
    return true
  }

  /// Brightness as it is stored: the transfer function stays on, as for the eye.
  private static func luma(of picture: PixelBuffer) -> [UInt8]? {
    let (width, height) = (picture.width, picture.height)
    let bytesPerRow = picture.planes[0].bytesPerRow
    func make(_ row: (UnsafeRawPointer, UnsafeMutablePointer<UInt8>) -> Void) -> [UInt8] {
      [UInt8](unsafeUninitializedCapacity: width * height) { buffer, count in
        picture.withUnsafeBytes { bytes in
          for y in 0..<height {
            row(bytes.baseAddress! + y * bytesPerRow, buffer.baseAddress! + y * width)
          }
        }
        count = width * height
      }
    }
    func weighted(_ r: Float, _ g: Float, _ b: Float) -> UInt8 {
      let luma = 255 * (0.2126 * r + 0.7152 * g + 0.0722 * b)
      return luma > 0 ? UInt8(min(255, luma)) : 0
    }
    switch picture.format {
    case .yuv420Video8, .yuv420Full8, .gray8:
      return make { source, output in
        output.update(from: source.assumingMemoryBound(to: UInt8.self), count: width)
      }
    case .yuv420Video10, .yuv420Full10, .gray16:
      return make { source, output in
        let source = source.assumingMemoryBound(to: UInt16.self)
        for x in 0..<width { output[x] = UInt8(truncatingIfNeeded: source[x] >> 8) }
      }
    case .rgba8:
      return make { source, output in
        let source = source.assumingMemoryBound(to: UInt8.self)
        for x in 0..<width {
          let (r, g, b) = (source[4 * x], source[4 * x + 1], source[4 * x + 2])
          // BT.709 in 1/256
          output[x] = UInt8(truncatingIfNeeded: (54 * Int(r) + 183 * Int(g) + 19 * Int(b)) >> 8)
        }
      }
    case .rgbaFloat:
      return make { source, output in
        let source = source.assumingMemoryBound(to: Float.self)
        for x in 0..<width {
          output[x] = weighted(source[4 * x], source[4 * x + 1], source[4 * x + 2])
        }
      }
    case .rgbaHalf:
      return make { source, output in
        let source = source.assumingMemoryBound(to: UInt16.self)
        for x in 0..<width {
          output[x] = weighted(
            Float(half: source[4 * x]), Float(half: source[4 * x + 1]),
            Float(half: source[4 * x + 2]))
        }
      }
    case .disparityHalf, .disparityFloat: return nil
    }
  }
}
