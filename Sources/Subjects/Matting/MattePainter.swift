// SPDX-License-Identifier: Apache-2.0

import FocalCore
import SubjectKernels

/// Brings a matte to the size of a picture, strip by strip, by the picture's own pixels.
struct MattePainter {
  /// As the picture is stored.
  private let matte: SubjectMatte
  /// From stored to shown.
  private let turn: QuarterTurn

  /// Rows that are converted to light at once, and columns of which all may be the front's or the back's.
  private static let stripRows = 32
  private static let blockColumns = 32

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

  /// Gives the light of the front and its alpha, as shown, some rows at a time: from several threads at once, in no order.
  ///
  /// - Parameters:
  ///   - part: of the picture as shown.
  ///   - body: is given rows of the part as ``image(of:part:)`` has them, and the number of the first of them.
  func strips(
    of picture: PixelBuffer, part: PixelRect,
    _ body: @Sendable (PixelBuffer, Int) throws(CinematicError) -> Void
  ) throws(CinematicError) {
    var tags = picture.tags
    tags.transfer = .linear
    let (linear, shown) = (tags, turn.applied(to: picture.dimensions))
    let seen = matte.extent(in: picture.dimensions)
    let sides = try matte.colours.sides()
    let firstRows = Array(stride(from: 0, to: part.height, by: Self.stripRows))
    let failures = FirstError()
    parallelFor(firstRows.count, threads: nil) { index in
      guard !Task.isCancelled else { return }
      let first = firstRows[index]
      let strip = PixelRect(
        x: part.x, y: part.y + first, width: part.width,
        height: min(Self.stripRows, part.height - first))
      do throws(CinematicError) {
        let rows = try PixelBuffer(
          dimensions: strip.dimensions, format: .rgbaFloat, tags: linear, bytesPerRowAlignment: 16)
        let stored = strip.turned(by: turn.inverse, in: shown)
        if let seen = seen?.common(stored) {
          let canvas = Canvas(picture: picture, part: strip, result: rows, parts: 4, sides: sides)
          for piece in Self.pieces(seen) {
            for run in runs(piece.columns, piece.rows, of: canvas) {
              try paint(run.columns, piece.rows, side: run.side, on: canvas)
            }
          }
        }
        try body(rows, first)
      } catch {
        failures.add(error)
      }
    }
    try failures.throwIfAny()
    try GenerateForegroundInstanceMaskRequest.checkCancellation()
  }

  /// A part of a picture as stored in pieces that are converted to light at once.
  private static func pieces(_ seen: PixelRect) -> [PixelRect] {
    // Planes may be subsampled.
    let columns = seen.columns.lowerBound / 2 * 2..<seen.columns.upperBound
    let rows = seen.rows.lowerBound / 2 * 2..<seen.rows.upperBound
    return stride(from: rows.lowerBound, to: rows.upperBound, by: stripRows).map {
      PixelRect(columns: columns, rows: $0..<min(rows.upperBound, $0 + stripRows))
    }
  }

  /// - Parameter parts: 1 for alpha, 4 for light and alpha.
  private func paint(
    _ picture: PixelBuffer, part: PixelRect?, to result: PixelBuffer, parts: Int
  ) throws(CinematicError) {
    // The part of the front that is seen, as stored; all else stays zero.
    guard let seen = matte.extent(in: picture.dimensions) else { return }
    let pieces = Self.pieces(seen)
    let canvas = Canvas(
      picture: picture, part: part ?? PixelRect(turn.applied(to: picture.dimensions)),
      result: result, parts: parts, sides: parts == 4 ? try matte.colours.sides() : nil)
    let failures = FirstError()
    parallelFor(pieces.count, threads: nil) { index in
      guard !Task.isCancelled else { return }
      do throws(CinematicError) {
        let piece = pieces[index]
        for run in runs(piece.columns, piece.rows, of: canvas) {
          try paint(run.columns, piece.rows, side: run.side, on: canvas)
        }
      } catch {
        failures.add(error)
      }
    }
    try failures.throwIfAny()
    try GenerateForegroundInstanceMaskRequest.checkCancellation()
  }

  /// What is painted, and on what.
  private struct Canvas: Sendable {
    let picture: PixelBuffer
    /// Of the picture as shown.
    let part: PixelRect
    let result: PixelBuffer
    let parts: Int
    /// Unless only alpha is painted.
    let sides: MatteColours.Sides?
  }

  /// Columns of a strip that are alike: 1 for what is wholly the front's and needs no light, 0 for what is painted by its light. What
  /// is wholly the back's is left out.
  private func runs(
    _ columns: Range<Int>, _ rows: Range<Int>, of canvas: Canvas
  ) -> [(columns: Range<Int>, side: Int32)] {
    let size = canvas.picture.dimensions
    let format = canvas.picture.format
    // A pixel's own alpha is part of its mask.
    let isOpaque = format.isBiPlanar || format == .gray8 || format == .gray16
    var runs: [(columns: Range<Int>, side: Int32)] = []
    for first in stride(from: columns.lowerBound, to: columns.upperBound, by: Self.blockColumns) {
      let end = min(columns.upperBound, first + Self.blockColumns)
      var side: Int32 = 0
      matte.withKernelMatte(nil) { matte in
        side = focal_matte_side(
          matte, Int32(size.width), Int32(size.height), Int32(first), Int32(end),
          Int32(rows.lowerBound), Int32(rows.upperBound))
      }
      if side == 2 { continue }
      if side == 1, canvas.parts != 1 || !isOpaque { side = 0 }
      if let last = runs.last, last.side == side, last.columns.upperBound == first {
        runs[runs.count - 1].columns = last.columns.lowerBound..<end
      } else {
        runs.append((first..<end, side))
      }
    }
    return runs
  }

  /// - Parameter side: as in `runs`.
  private func paint(
    _ columns: Range<Int>, _ rows: Range<Int>, side: Int32, on canvas: Canvas
  ) throws(CinematicError) {
    let (picture, whole) = (canvas.picture, canvas.part)
    let (result, parts) = (canvas.result, canvas.parts)
    let count = columns.count
    // Upright, rows lie in the result as they are painted.
    let isDirect = turn == .identity && whole.contains(PixelRect(columns: columns, rows: rows))
    let inverse = turn.inverse
    let shown = turn.applied(to: picture.dimensions)
    var painted = [Float](repeating: 1, count: isDirect ? 0 : count * parts)
    let light = side == 0 ? try StripLight(of: picture, columns, rows) : nil
    result.withUnsafeMutableBytes { bytes in
      let target = bytes.bindMemory(to: Float.self)
      let stride = result.planes[0].bytesPerRow / 4
      for row in rows {
        if isDirect {
          let to =
            target.baseAddress! + (row - whole.y) * stride + (columns.lowerBound - whole.x) * parts
          if let light {
            paint(row, columns, light, canvas, to)
          } else {
            to.update(repeating: 1, count: count)
          }
          continue
        }
        if let light {
          painted.withUnsafeMutableBufferPointer {
            paint(row, columns, light, canvas, $0.baseAddress!)
          }
        }
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

  /// A row, by its light.
  private func paint(
    _ row: Int, _ columns: Range<Int>, _ light: StripLight, _ canvas: Canvas,
    _ to: UnsafeMutablePointer<Float>
  ) {
    let size = canvas.picture.dimensions
    light.withRow(row) { light in
      matte.withKernelMatte(canvas.sides) { matte in
        focal_matte_row(
          matte, light, Int32(size.width), Int32(size.height), Int32(row),
          Int32(columns.lowerBound), Int32(columns.upperBound), canvas.parts == 1 ? to : nil,
          canvas.parts == 4 ? to : nil)
      }
    }
  }
}

/// The light of columns and rows of a picture, as that of the whole picture is there.
private struct StripLight {
  private let light: PixelBuffer
  private let firstColumn: Int
  private let firstRow: Int
  private let columns: Range<Int>

  /// Chroma is brought to luma's pixels from so far away, and begins where a square of luma does.
  private static let margin = 2

  init(
    of picture: PixelBuffer, _ columns: Range<Int>, _ rows: Range<Int>
  ) throws(CinematicError) {
    func widened(_ range: Range<Int>, _ end: Int) -> Range<Int> {
      max(0, range.lowerBound - Self.margin) / 2 * 2..<min(end, range.upperBound + Self.margin)
    }
    let margin = picture.format.isBiPlanar
    let (wide, high) = (
      margin ? widened(columns, picture.width) : columns,
      margin ? widened(rows, picture.height) : rows
    )
    light = try picture.part(columns: wide, rows: high).linearRGBA()
    (firstColumn, firstRow, self.columns) = (wide.lowerBound, high.lowerBound, columns)
  }

  /// Calls `body` with a row's light, four floats a pixel.
  func withRow(_ row: Int, _ body: (UnsafePointer<Float>) -> Void) {
    light.withUnsafeBytes { bytes in
      let place = (row - firstRow) * light.width + columns.lowerBound - firstColumn
      body(bytes.baseAddress!.assumingMemoryBound(to: Float.self) + 4 * place)
    }
  }
}

extension SubjectMatte {
  /// Calls `body` with the matte as the kernels take it.
  ///
  /// - Parameter sides: `nil` if no colours are asked for.
  fileprivate func withKernelMatte(
    _ sides: MatteColours.Sides?, _ body: (UnsafePointer<FocalMatte>) -> Void
  ) {
    fixed.withUnsafeBufferPointer { fixed in
      lines.withUnsafeBufferPointer { lines in
        (sides?.front ?? []).withUnsafeBufferPointer { front in
          (sides?.back ?? []).withUnsafeBufferPointer { back in
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
