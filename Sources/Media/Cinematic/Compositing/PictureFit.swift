// SPDX-License-Identifier: Apache-2.0

import FocalCore

/// Where pictures of one size lie in pictures of another: whole, as large as possible, in the middle.
struct PictureFit: Hashable, Sendable {
  /// Even, and beginning at even columns and rows, so that chroma elements are whole.
  let columns: Range<Int>
  let rows: Range<Int>
  /// Whether nothing of the other picture is left over.
  let isWhole: Bool

  init(_ size: Dimensions, in frame: Dimensions) {
    let scale = min(
      Double(frame.width) / Double(size.width), Double(frame.height) / Double(size.height))
    func range(_ length: Int, _ whole: Int) -> Range<Int> {
      let fitted = Double(length) * scale
      // Bars of a pixel are rounding's.
      if Double(whole) - fitted <= 2 { return 0..<whole }
      let even = min(max(Int((fitted / 2).rounded()) * 2, 2), whole)
      let start = (whole - even) / 4 * 2
      return start..<(start + even)
    }
    columns = range(size.width, frame.width)
    rows = range(size.height, frame.height)
    isWhole = columns.count == frame.width && rows.count == frame.height
  }
}

extension Dimensions {
  /// - Throws: `invalidParameter` for a side below 2, which no even size is within.
  static func checkLimit(_ limit: Dimensions?) throws(CinematicError) {
    guard let limit, min(limit.width, limit.height) < 2 else { return }
    throw CinematicError(
      .invalidParameter, "pictures cannot have at most \(limit) pixels",
      remedy: "give a maximum size whose sides have 2 pixels or more")
  }

  /// The size of a picture within a limit, whichever way it stands: its shape stays, it never grows.
  /// Sides that are changed become even, but for one of a single pixel.
  ///
  /// - Parameter limit: one that ``checkLimit(_:)`` lets through.
  package func fitting(within limit: Dimensions?) -> Dimensions {
    guard let limit else { return self }
    let isUpright = height > width
    let frame = isUpright == (limit.height > limit.width) ? limit : limit.transposed
    let scale = min(Double(frame.width) / Double(width), Double(frame.height) / Double(height))
    guard scale < 1 else { return self }
    func even(_ length: Int, atMost limit: Int) -> Int {
      let nearest = Int((Double(length) * scale / 2).rounded()) * 2
      return min(length, max(min(nearest, limit / 2 * 2), 2))
    }
    return Dimensions(
      width: even(width, atMost: frame.width), height: even(height, atMost: frame.height))
  }
}

extension PixelBuffer {
  /// Makes every pixel black, and opaque where the format has an alpha channel.
  func fillBlack() {
    switch format {
    case .yuv420Video8: fill([UInt8(16)], [128, 128])
    case .yuv420Full8: fill([UInt8(0)], [128, 128])
    case .yuv420Video10: fill([UInt16(64 << 6)], [512 << 6, 512 << 6])
    case .yuv420Full10: fill([UInt16(0)], [512 << 6, 512 << 6])
    case .rgba8: fill([UInt8(0), 0, 0, 255], [])
    case .rgbaHalf: fill([UInt16(0), 0, 0, 0x3C00], [])
    case .rgbaFloat: fill([Float(0), 0, 0, 1], [])
    case .gray8: fill([UInt8(0)], [])
    case .gray16, .disparityHalf: fill([UInt16(0)], [])
    case .disparityFloat: fill([Float(0)], [])
    }
  }

  /// Repeats the components of an element over each plane.
  private func fill<Component: BitwiseCopyable>(_ first: [Component], _ second: [Component]) {
    for (index, element) in [first, second].prefix(planes.count).enumerated() {
      let plane = planes[index]
      withUnsafeMutableBytes(ofPlane: index) { bytes in
        for y in 0..<plane.dimensions.height {
          let row = (bytes.baseAddress! + y * plane.bytesPerRow)
            .assumingMemoryBound(to: Component.self)
          if element.count == 1 {
            row.update(repeating: element[0], count: plane.dimensions.width)
            continue
          }
          for x in 0..<plane.dimensions.width {
            for (offset, value) in element.enumerated() { row[x * element.count + offset] = value }
          }
        }
      }
    }
  }
}
