// SPDX-License-Identifier: Apache-2.0

import FocalCore
import ShaderTypes

extension FramePasses {
  /// Where the picture goes.
  struct Destination {
    /// The planes, in the format's order.
    var planes: [Binding]
    /// Size, layout, colour and turn.
    var parameters: FocalPixelParameters

    var dimensions: Dimensions {
      Dimensions(width: Int(parameters.width), height: Int(parameters.height))
    }

    /// The size that is rendered: the destination's, as the source is oriented.
    func renderedSize(turn: QuarterTurn) -> Dimensions { turn.inverse.applied(to: dimensions) }

    /// Whether the source's last row comes first, as a row or as a column.
    static func isFlipped(by turn: QuarterTurn) -> Bool {
      turn == .clockwise90 || turn == .clockwise180
    }

    /// The part that rows of the source become: rows of the destination, or under a quarter turn
    /// columns.
    ///
    /// - Parameter height: of the source.
    func part(_ rows: Range<Int>, of height: Int, turn: QuarterTurn) -> Destination {
      let band =
        Self.isFlipped(by: turn)
        ? height - rows.upperBound..<height - rows.lowerBound : rows
      let isAcross = turn == .clockwise90 || turn == .clockwise270
      let columns = isAcross ? band : 0..<dimensions.width
      let lines = isAcross ? 0..<dimensions.height : band
      var part = self
      part.parameters.left = Int32(columns.lowerBound)
      part.parameters.top = Int32(lines.lowerBound)
      part.parameters.columns = Int32(columns.count)
      part.parameters.rows = Int32(lines.count)
      guard rows.count < height else { return part }
      // Of a picture in host memory only what is written is bound, so that strips need not be
      // submitted together.
      part.planes = planes.map { plane in
        guard case .pixels(let buffer, let index, let access) = plane else { return plane }
        part.parameters.planeLeft = part.parameters.left
        part.parameters.planeTop = part.parameters.top
        return .pixels(buffer.part(columns: columns, rows: lines), plane: index, access: access)
      }
      return part
    }
  }
}
