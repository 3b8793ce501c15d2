// SPDX-License-Identifier: Apache-2.0

import FocalCore
import ShaderTypes

/// A picture as the kernels that unpack and pack it are bound to it.
struct StoredPicture {
  /// The planes, in the format's order.
  var planes: [Binding]
  /// Size, layout, colour and turn.
  var parameters: FocalPixelParameters
  /// The part of the picture that the planes hold; `nil` for all of it. Of a picture to read, whole rows;
  /// of one to write any.
  var held: PixelRect?

  init(planes: [Binding], parameters: FocalPixelParameters) {
    self.planes = planes
    self.parameters = parameters
  }

  /// - Parameter turn: as for ``PixelBuffer/kernelParameters(turn:)``.
  init(_ buffer: PixelBuffer, access: Binding.Access, turn: QuarterTurn = .identity) {
    planes = buffer.planes.indices.map { .pixels(buffer, plane: $0, access: access) }
    parameters = buffer.kernelParameters(turn: turn)
  }

  var dimensions: Dimensions {
    Dimensions(width: Int(parameters.width), height: Int(parameters.height))
  }

  /// The size that is rendered: the destination's, as the source is oriented.
  func renderedSize(turn: QuarterTurn) -> Dimensions { turn.inverse.applied(to: dimensions) }

  /// The rows as a picture to read: in host memory a picture of its own, so that no more is copied;
  /// on the device a window of the whole.
  func window(_ rows: Range<Int>) -> StoredPicture {
    guard rows.count < dimensions.height || held != nil else { return self }
    let first = held?.y ?? 0
    var window = self
    window.parameters.rows = Int32(rows.count)
    var isWhole = false
    window.planes = planes.map { plane in
      guard case .pixels(let buffer, let index, let access) = plane else {
        isWhole = true
        return plane
      }
      let part = buffer.part(
        columns: 0..<dimensions.width, rows: rows.lowerBound - first..<rows.upperBound - first)
      return .pixels(part, plane: index, access: access)
    }
    if isWhole {
      window.parameters.top = Int32(rows.lowerBound - first)
    } else {
      window.parameters.height = Int32(rows.count)
    }
    return window
  }

  /// Whether the source's last row comes first, as a row or as a column.
  static func isFlipped(by turn: QuarterTurn) -> Bool {
    turn == .clockwise90 || turn == .clockwise180
  }

  /// The part that rows of the source become: rows of the destination, or under a quarter turn
  /// columns.
  ///
  /// - Parameters:
  ///   - height: of the source.
  ///   - largest: bytes of the largest plane that can be bound; columns of many rows come in several
  ///     parts, since a part of a plane takes whole rows of memory.
  func parts(
    _ rows: Range<Int>, of height: Int, turn: QuarterTurn, largest: Int
  ) -> [StoredPicture] {
    let band =
      Self.isFlipped(by: turn)
      ? height - rows.upperBound..<height - rows.lowerBound : rows
    let isAcross = turn == .clockwise90 || turn == .clockwise270
    // Whole pairs of rows, for chroma.
    let step = max(largest / max(Int(parameters.bytesPerRow), 1) / 2 * 2, 2)
    if let held {
      let columns = (isAcross ? band : 0..<dimensions.width).clamped(to: held.columns)
      let lines = (isAcross ? 0..<dimensions.height : band).clamped(to: held.rows)
      guard !columns.isEmpty, !lines.isEmpty else { return [] }
      return FrameCut.pieces(of: lines, step: isAcross ? step : nil).map { part(columns, $0) }
    }
    let columns = isAcross ? band : 0..<dimensions.width
    guard isAcross, rows.count < height else { return [part(columns, isAcross ? nil : band)] }
    return FrameCut.pieces(of: 0..<dimensions.height, step: step).map { part(columns, $0) }
  }

  private func part(_ columns: Range<Int>, _ lines: Range<Int>?) -> StoredPicture {
    let lines = lines ?? 0..<dimensions.height
    var part = self
    part.parameters.left = Int32(columns.lowerBound)
    part.parameters.top = Int32(lines.lowerBound)
    part.parameters.columns = Int32(columns.count)
    part.parameters.rows = Int32(lines.count)
    guard columns.count < dimensions.width || lines.count < dimensions.height || held != nil
    else { return part }
    if let held {
      part.parameters.planeLeft = Int32(held.x)
      part.parameters.planeTop = Int32(held.y)
    }
    let (x, y) = (held?.x ?? 0, held?.y ?? 0)
    // Of a picture in host memory only what is written is bound, so that strips need not be
    // submitted together.
    part.planes = planes.map { plane in
      guard case .pixels(let buffer, let index, let access) = plane else { return plane }
      part.parameters.planeLeft = part.parameters.left
      part.parameters.planeTop = part.parameters.top
      return .pixels(
        buffer.part(
          columns: columns.lowerBound - x..<columns.upperBound - x,
          rows: lines.lowerBound - y..<lines.upperBound - y), plane: index, access: access)
    }
    return part
  }
}
