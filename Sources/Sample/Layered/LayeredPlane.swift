// SPDX-License-Identifier: Apache-2.0

import FocalCore

/// One plane of constant disparity: premultiplied linear RGBA, larger than the frame by a margin.
struct LayeredPlane {
  /// Columns and rows, margins included.
  let width: Int
  let height: Int
  /// Pixels that the plane goes on past each border of the frame.
  let margin: Int
  var pixels: [SIMD4<Float>]
  /// For each row the column ranges where anything is, found by ``findRuns()``.
  private(set) var runs: [[Range<Int32>]] = []

  init(frameWidth: Int, frameHeight: Int, margin: Int) {
    width = frameWidth + 2 * margin
    height = frameHeight + 2 * margin
    self.margin = margin
    pixels = Array(repeating: .zero, count: width * height)
  }

  /// Calls `body` for every pixel of a box of frame coordinates with its centre, in parallel, and
  /// puts what it returns over what is there.
  ///
  /// - Parameter body: straight colour and coverage of a pixel whose centre is given.
  mutating func draw(
    x0: Float, y0: Float, x1: Float, y1: Float, threads: Int?,
    _ body: (Float, Float) -> (Vector, Float)
  ) {
    let m = Float(margin)
    let left = Int(max(0, min(Float(width), x0 + m)))
    let right = Int(max(0, min(Float(width), x1 + m + 1)))
    let top = Int(max(0, min(Float(height), y0 + m)))
    let bottom = Int(max(0, min(Float(height), y1 + m + 1)))
    if left >= right || top >= bottom { return }
    let width = width
    pixels.withUnsafeMutableBufferPointer { pixels in
      let target = pixels.baseAddress!
      parallelFor(bottom - top, threads: threads) { row in
        let y = top + row
        for x in left..<right {
          let (color, coverage) = body(Float(x) + 0.5 - m, Float(y) + 0.5 - m)
          if coverage <= 0 { continue }
          let i = y * width + x
          let source = SIMD4(color.x, color.y, color.z, 1) * min(coverage, 1)
          target[i] = source + target[i] * (1 - source.w)
        }
      }
    }
  }

  /// Fills ``runs``; call it once when the plane is drawn.
  mutating func findRuns() {
    // Shorter gaps are cheaper to add up than to skip.
    let gap = 16
    runs = (0..<height).map { y in
      var list: [Range<Int32>] = []
      var start = -1
      var last = -1
      for x in 0..<width where pixels[y * width + x].w > 0 {
        if start >= 0 && x - last > gap {
          list.append(Int32(start)..<Int32(last + 1))
          start = -1
        }
        if start < 0 { start = x }
        last = x
      }
      if start >= 0 { list.append(Int32(start)..<Int32(last + 1)) }
      return list
    }
  }

  /// Coverage at a pixel of the frame.
  func coverage(_ x: Int, _ y: Int) -> Float { pixels[(y + margin) * width + x + margin].w }
}

/// How much of a pixel a shape covers whose edge runs `distance` from the pixel's centre, negative
/// inside: exact for straight edges along the pixel's sides, within 0.03 for others.
@inline(__always)
func coverage(distance: Float) -> Float { saturate(0.5 - distance) }

/// How much of a pixel a line of `width` covers whose middle runs `distance` from its centre.
@inline(__always)
func coverage(lineDistance d: Float, width: Float) -> Float {
  max(0, min(d + width * 0.5, 0.5) - max(d - width * 0.5, -0.5))
}
