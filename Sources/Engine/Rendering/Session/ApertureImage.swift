// SPDX-License-Identifier: Apache-2.0

import FocalCore

/// A lens opening of any shape: how much light comes through each part of it.
///
/// A table of ``side`` × ``side`` codes over the square around the circle of confusion, as the picture shows a
/// highlight behind the focus. The opening's centre of mass is the circle's centre, and its farthest part touches the
/// circle.
public struct ApertureImage: Hashable, Sendable {
  /// Cells along each side of the table.
  public static let side = 64
  /// Transmission by rows from the top left, 0 for none to 255 for all.
  public let codes: [UInt8]

  /// Parts that let through less than this share of the most are the dark around a shape.
  private static let dark: Float = 1 / 32

  /// A table as ``codes`` holds it.
  ///
  /// - Throws: `invalidParameter` for another number of codes, or none that lets light through.
  public init(codes: [UInt8]) throws(CinematicError) {
    guard codes.count == Self.side * Self.side else {
      throw CinematicError(
        .invalidParameter, "an aperture of \(codes.count) codes",
        remedy: "give \(Self.side) rows of \(Self.side)")
    }
    guard codes.contains(where: { $0 > 0 }) else { throw Self.opaque }
    self.codes = codes
  }

  /// The opening that a picture shows, bright on dark.
  ///
  /// - Parameters:
  ///   - transmission: by rows; what is brightest lets all light through, and what is not finite none.
  ///   - width: of a row.
  /// - Throws: `invalidParameter` for a picture that is black, or whose values are not `width` to a row.
  public init(transmission: [Float], width: Int) throws(CinematicError) {
    guard width > 0, !transmission.isEmpty, transmission.count % width == 0 else {
      throw CinematicError(
        .invalidParameter, "an aperture of \(transmission.count) values in rows of \(width)",
        remedy: "give whole rows")
    }
    let height = transmission.count / width
    let most = transmission.reduce(0) { $1.isFinite ? max($0, $1) : $0 }
    guard most > 0 else { throw Self.opaque }
    func share(_ x: Int, _ y: Int) -> Float {
      guard (0..<width).contains(x), (0..<height).contains(y) else { return 0 }
      let value = transmission[y * width + x] / most
      return (Self.dark...1).contains(value) ? value : 0
    }

    var (sum, middle) = (0.0, SIMD2<Double>.zero)
    for y in 0..<height {
      for x in 0..<width {
        let value = Double(share(x, y))
        sum += value
        middle += value * SIMD2(Double(x) + 0.5, Double(y) + 0.5)
      }
    }
    middle /= sum
    var farthest = 0.0
    for y in 0..<height {
      for x in 0..<width where share(x, y) > 0 {
        // The pixel's farthest corner.
        let dx = abs(Double(x) + 0.5 - middle.x) + 0.5
        let dy = abs(Double(y) + 0.5 - middle.y) + 0.5
        farthest = max(farthest, dx * dx + dy * dy)
      }
    }
    let radius = farthest.squareRoot()

    // The mean of the pixels under a cell, or between those around it, from as many places in it.
    let pixels = 2 * radius / Double(Self.side)
    let places = min(max(Int(2 * pixels), 2), 32)
    var codes: [UInt8] = []
    for row in 0..<Self.side {
      for column in 0..<Self.side {
        var total: Float = 0
        for index in 0..<places * places {
          let inCell =
            SIMD2(
              Double(index % places) + 0.5, Double(index / places) + 0.5) / Double(places)
          let at = middle - radius + (SIMD2(Double(column), Double(row)) + inCell) * pixels - 0.5
          let (x, y) = (at.x.rounded(.down), at.y.rounded(.down))
          let (fx, fy) = (Float(at.x - x), Float(at.y - y))
          let (left, top) = (Int(x), Int(y))
          let upper = share(left, top) + fx * (share(left + 1, top) - share(left, top))
          let lower =
            share(left, top + 1) + fx * (share(left + 1, top + 1) - share(left, top + 1))
          total += upper + fy * (lower - upper)
        }
        codes.append(UInt8((255 * total / Float(places * places)).rounded()))
      }
    }
    try self.init(codes: codes)
  }

  private static var opaque: CinematicError {
    CinematicError(
      .invalidParameter, "an aperture that lets no light through",
      remedy: "give a picture that is bright where the lens is open")
  }

  /// The transmission at a place of the square, each coordinate from -1 to 1, y down; linear between cells.
  func transmission(_ place: SIMD2<Double>) -> Double {
    let at = (place + 1) * (0.5 * Double(Self.side)) - 0.5
    let (x, y) = (at.x.rounded(.down), at.y.rounded(.down))
    func code(_ column: Double, _ row: Double) -> Double {
      let limit = Double(Self.side)
      guard column >= 0, column < limit, row >= 0, row < limit else { return 0 }
      return Double(codes[Int(row) * Self.side + Int(column)])
    }
    let (fx, fy) = (at.x - x, at.y - y)
    let upper = code(x, y) + fx * (code(x + 1, y) - code(x, y))
    let lower = code(x, y + 1) + fx * (code(x + 1, y + 1) - code(x, y + 1))
    return (upper + fy * (lower - upper)) / 255
  }
}
