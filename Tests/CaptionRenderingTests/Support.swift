// SPDX-License-Identifier: Apache-2.0

import FocalCaptions
import FocalCore

@testable import FocalCaptionRendering

func seconds(_ value: Int64, _ timescale: Int32 = 10) -> Time {
  Time(value: value, timescale: timescale)
}

func span(_ start: Int64, _ end: Int64) -> TimeRange {
  TimeRange(start: seconds(start), end: seconds(end))
}

/// A picture in one colour, as linear light.
func plain(
  _ light: SIMD3<Float>, _ size: Dimensions, _ format: PixelFormat, _ tags: ColorTags
) throws -> PixelBuffer {
  var linear = tags
  linear.transfer = .linear
  let values = (0..<size.count).flatMap { _ in [light.x, light.y, light.z, Float(1)] }
  let source = try PixelBuffer(
    dimensions: size, format: .rgbaFloat, tags: linear, values: values)
  let picture = try PixelBuffer(dimensions: size, format: format, tags: tags)
  try picture.store(linearRGBA: source.linearRGBA())
  return picture
}

/// Red, green, blue and alpha of a picture, as linear light.
func light(_ picture: PixelBuffer) throws -> [SIMD4<Float>] {
  try picture.linearRGBA().withUnsafeBytes { bytes in
    (0..<picture.dimensions.count).map {
      bytes.load(fromByteOffset: 16 * $0, as: SIMD4<Float>.self)
    }
  }
}

/// Where an overlay has ink of a colour: coverage at least half.
func ink(_ overlay: CaptionOverlay, _ color: Caption.Color) -> [PixelRect] {
  overlay.pieces.flatMap(\.layers).filter { $0.color == color && $0.mask != nil }.compactMap {
    layer in
    guard let mask = layer.mask else { return nil }
    var (left, right, top, bottom) = (Int.max, Int.min, Int.max, Int.min)
    for y in 0..<layer.area.height {
      for x in 0..<layer.area.width where mask[y * layer.area.width + x] >= 128 {
        (left, right) = (min(left, x), max(right, x))
        (top, bottom) = (min(top, y), max(bottom, y))
      }
    }
    guard left <= right else { return nil }
    return PixelRect(
      columns: layer.area.x + left..<layer.area.x + right + 1,
      rows: layer.area.y + top..<layer.area.y + bottom + 1)
  }
}

/// A caption on the grid.
func cells(
  _ pieces: [(String, Caption.Style)], row: Int, column: Int, _ range: TimeRange
) -> Caption {
  var caption = Caption(pieces: pieces.map { ($0.0, $0.1) }, timeRange: range)
  caption.region = CaptionRegion(
    origin: .cell(column: column, row: row), size: .cells(caption.text.count, 1))
  return caption
}
