// SPDX-License-Identifier: Apache-2.0

/// The terrace's floor: wooden boards that run away from the camera, at height 0.
enum Deck {
  /// The boards' width in world units.
  static let boardWidth: Float = 0.19

  /// The floor's surface and the tilt of its normal at a point.
  @inline(__always)
  static func surface(_ x: Float, _ z: Float, noise: NoiseField) -> (Surface, Vector) {
    let across = x / boardWidth
    let board = floorInteger(across)
    let inBoard = fraction(across)
    // Boards end at their own places.
    let key = noise.cell(board, 5)
    let lengthwise = z / 2.6 + key * 7
    let piece = floorInteger(lengthwise)
    let inPiece = fraction(lengthwise)
    let id = noise.cell(board, piece)
    // Detail gives way with distance, where it would be finer than the pixels of a small picture.
    let detail = 1 / (1 + 0.03 * z * z)
    let warp = noise.value(x * 3 + id * 40, z * 0.9) * 2.2
    let rings = fraction((inBoard + warp) * (3.5 + 3 * id) + id * 9)
    let grain = smoothstep(0, 0.5, rings) * smoothstep(1, 0.6, rings)
    let fiber = noise.value(x * 260, z * 7 + id * 91)
    let fine = noise.value(x * 620, z * 26)
    let blotch = noise.fractal(x * 1.3 + id * 13, z * 0.8)
    let tone = 0.62 + 0.5 * id
    let pattern =
      1 + detail * (0.42 * (grain - 0.5) + 0.34 * (fiber - 0.5) + 0.22 * (fine - 0.5))
    var color =
      mix(Vector(0.235, 0.135, 0.075), Vector(0.31, 0.2, 0.125), id) * (tone * pattern)
    color *= 0.72 + 0.5 * blotch
    // Gaps, with bevelled edges that catch the light.
    let side = min(inBoard, 1 - inBoard) * boardWidth
    let end = min(inPiece, 1 - inPiece) * 2.6
    let gap = smoothstep(0.0022, 0.0055, min(side, end))
    color *= 0.05 + 0.95 * gap
    // Two nails at each end.
    if end < 0.06 {
      let nailX = (min(inBoard, 1 - inBoard) - 0.22) * boardWidth
      let nailZ = end - 0.03
      let nail = (nailX * nailX + nailZ * nailZ).squareRoot()
      color *= 0.25 + 0.75 * smoothstep(0.0045, 0.0065, nail)
    }
    let bevel = 1 - smoothstep(0.004, 0.016, side)
    let tilt = (inBoard < 0.5 ? -0.5 : 0.5) * bevel + (fiber - 0.5) * 0.1 * detail
    return (
      Surface(albedo: color, gloss: 0.16 * (0.4 + blotch)),
      normalize(Vector(tilt, 1, (grain - 0.5) * 0.05 * detail))
    )
  }
}
