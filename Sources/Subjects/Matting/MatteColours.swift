// SPDX-License-Identifier: Apache-2.0

import FocalCore
import SubjectKernels
import Synchronization

/// The light of the front and of the back at each place of a matte, worked out when it is asked for: masks need none.
final class MatteColours: Sendable {
  /// Three floats a pixel each, at the matte's size.
  typealias Sides = (front: [Float], back: [Float])

  private enum Source {
    /// - Parameters:
    ///   - light: three floats a pixel of the whole view.
    ///   - alpha: of a part of it. Elsewhere the light is that of both sides.
    case alpha([Float], part: PixelRect, light: [Float], size: Dimensions)
    case turned(MatteColours, QuarterTurn, Dimensions)
    case none
  }

  private let source: Source
  private let known = Mutex<Sides?>(nil)

  private init(_ source: Source) { self.source = source }

  /// Of a matte without a pixel of the front.
  static let none = MatteColours(.none)

  /// - Parameters:
  ///   - alpha: of a part of a view.
  ///   - light: of the whole view of a size, three floats a pixel.
  convenience init(
    alpha: [Float], of part: PixelRect, in light: [Float], _ size: Dimensions
  ) {
    self.init(.alpha(alpha, part: part, light: light, size: size))
  }

  /// The same as the picture is stored.
  ///
  /// - Parameter size: as shown.
  func turned(by turn: QuarterTurn, _ size: Dimensions) -> MatteColours {
    MatteColours(.turned(self, turn, size))
  }

  /// - Throws: `outOfMemory`.
  func sides() throws(CinematicError) -> Sides {
    if let known = known.withLock({ $0 }) { return known }
    let sides = try made()
    known.withLock { $0 = sides }
    return sides
  }

  private func made() throws(CinematicError) -> Sides {
    switch source {
    case .none: return ([0, 0, 0], [0, 0, 0])
    case .turned(let shown, let turn, let size):
      let sides = try shown.sides()
      return (turn.stored(sides.front, size, 3), turn.stored(sides.back, size, 3))
    case .alpha(let alpha, let part, let light, let size):
      let isWhole = part == PixelRect(size)
      let own = isWhole ? light : light.part(part, of: size, 3)
      var front = [Float](unset: own.count)
      var back = [Float](unset: own.count)
      try kernel(size) {
        focal_matte_colours(
          own, alpha, Int32(part.width), Int32(part.height), &front, &back)
      }
      if isWhole { return (front, back) }
      // What was kept of the frame before may lie outside.
      return (
        front.placed(at: part, of: size, 3, in: light),
        back.placed(at: part, of: size, 3, in: light)
      )
    }
  }
}

extension QuarterTurn {
  /// Values of a picture as shown, in the order in which it is stored.
  ///
  /// - Parameters:
  ///   - size: as shown.
  ///   - parts: values a pixel.
  func stored<Value>(_ values: [Value], _ size: Dimensions, _ parts: Int) -> [Value] {
    let own = inverse.applied(to: size)
    var places = [Int](repeating: 0, count: own.count)
    for y in 0..<size.height {
      for x in 0..<size.width {
        let (i, j) = stored(x, y, width: own.width, height: own.height)
        places[j * own.width + i] = y * size.width + x
      }
    }
    return places.flatMap { values[$0 * parts..<($0 + 1) * parts] }
  }
}
