// SPDX-License-Identifier: Apache-2.0

import FocalCore
import SubjectKernels

/// Brings a matte to the size of a picture, strip by strip, by the picture's own pixels.
struct MattePainter {
  /// As the picture is stored.
  private let matte: SubjectMatte
  /// From stored to shown.
  private let turn: QuarterTurn

  /// Rows that are converted to light at once.
  private static let stripRows = 32

  /// - Parameter matte: as shown.
  init(matte: SubjectMatte, turn: QuarterTurn) {
    self.matte = matte.turned(by: turn)
    self.turn = turn
  }

  /// The mask of a picture, as shown; a float a pixel.
  func mask(of picture: PixelBuffer) throws(CinematicError) -> PixelBuffer {
    let result = try PixelBuffer(
      dimensions: turn.applied(to: picture.dimensions), format: .disparityFloat,
      tags: .linearBT709)
    try paint(picture, part: nil, to: result, parts: 1)
    return result
  }

  /// The light of the front and its alpha, as shown.
  ///
  /// - Parameter part: of the picture as shown.
  func image(of picture: PixelBuffer, part: PixelRect) throws(CinematicError) -> PixelBuffer {
    var tags = picture.tags
    tags.transfer = .linear
    let result = try PixelBuffer(
      dimensions: part.dimensions, format: .rgbaFloat, tags: tags, bytesPerRowAlignment: 16)
    try paint(picture, part: part, to: result, parts: 4)
    return result
  }

  /// - Parameter parts: 1 for alpha, 4 for light and alpha.
  private func paint(
    _ picture: PixelBuffer, part: PixelRect?, to result: PixelBuffer, parts: Int
  ) throws(CinematicError) {
    // The part of the front that is seen, as stored; all else stays zero.
    guard let seen = matte.extent(in: picture.dimensions) else { return }
    // Planes may be subsampled.
    let columns = seen.columns.lowerBound / 2 * 2..<seen.columns.upperBound
    let rows = seen.rows.lowerBound / 2 * 2..<seen.rows.upperBound
    let strips = stride(from: rows.lowerBound, to: rows.upperBound, by: Self.stripRows).map {
      $0..<min(rows.upperBound, $0 + Self.stripRows)
    }
    let failures = FirstError()
    parallelFor(strips.count, threads: nil) { index in
      guard !Task.isCancelled else { return }
      do throws(CinematicError) {
        try paint(picture, columns, strips[index], part: part, to: result, parts: parts)
      } catch {
        failures.add(error)
      }
    }
    try failures.throwIfAny()
    try GenerateForegroundInstanceMaskRequest.checkCancellation()
  }

  private func paint(
    _ picture: PixelBuffer, _ columns: Range<Int>, _ rows: Range<Int>, part: PixelRect?,
    to result: PixelBuffer, parts: Int
  ) throws(CinematicError) {
    let light = try picture.part(columns: columns, rows: rows).linearRGBA()
    let count = columns.count
    // Upright and whole, rows lie in the result as they are painted.
    let isDirect = turn == .identity && part.map { $0 == PixelRect(picture.dimensions) } ?? true
    var painted = [Float](unset: isDirect ? 0 : count * parts)
    let (width, height) = (picture.width, picture.height)
    let whole = part ?? PixelRect(turn.applied(to: picture.dimensions))
    let inverse = turn.inverse
    let shown = turn.applied(to: picture.dimensions)
    light.withUnsafeBytes { light in
      result.withUnsafeMutableBytes { bytes in
        let target = bytes.bindMemory(to: Float.self)
        let stride = result.planes[0].bytesPerRow / 4
        for row in rows {
          let source =
            light.baseAddress!.assumingMemoryBound(to: Float.self)
            + 4 * count * (row - rows.lowerBound)
          matte.withKernelMatte { matte in
            if isDirect {
              let to = target.baseAddress! + row * stride + columns.lowerBound * parts
              return focal_matte_row(
                matte, source, Int32(width), Int32(height), Int32(row),
                Int32(columns.lowerBound), Int32(columns.upperBound), parts == 1 ? to : nil,
                parts == 4 ? to : nil)
            }
            painted.withUnsafeMutableBufferPointer { painted in
              focal_matte_row(
                matte, source, Int32(width), Int32(height), Int32(row),
                Int32(columns.lowerBound), Int32(columns.upperBound),
                parts == 1 ? painted.baseAddress : nil, parts == 4 ? painted.baseAddress : nil)
            }
          }
          guard !isDirect else { continue }
          for column in columns {
            // The place in the shown picture: what the inverse turn finds for it.
            let (x, y) = inverse.stored(column, row, width: shown.width, height: shown.height)
            guard whole.columns.contains(x), whole.rows.contains(y) else { continue }
            let to = (y - whole.y) * stride + (x - whole.x) * parts
            let from = (column - columns.lowerBound) * parts
            for k in 0..<parts { target[to + k] = painted[from + k] }
          }
        }
      }
    }
  }
}

extension SubjectMatte {
  /// Calls `body` with the matte as the kernels take it.
  func withKernelMatte(_ body: (UnsafePointer<FocalMatte>) -> Void) {
    fixed.withUnsafeBufferPointer { fixed in
      lines.withUnsafeBufferPointer { lines in
        front.withUnsafeBufferPointer { front in
          back.withUnsafeBufferPointer { back in
            var kernel = FocalMatte()
            kernel.width = Int32(dimensions.width)
            kernel.height = Int32(dimensions.height)
            kernel.fixed = fixed.baseAddress
            kernel.lines = lines.baseAddress
            kernel.front = front.baseAddress
            kernel.back = back.baseAddress
            body(&kernel)
          }
        }
      }
    }
  }
}
