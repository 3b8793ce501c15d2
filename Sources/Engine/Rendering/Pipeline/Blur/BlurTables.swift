// SPDX-License-Identifier: Apache-2.0

import FocalCore
import ShaderTypes

/// Tables that a session's blur reads, in its device's memory.
struct BlurTables: Sendable {
  let opening: LensOpening
  /// Lens points of the four sets, one after the other, then their weights where they have any.
  let lens: any DeviceMemory
  let lensStarts: [Int]
  let lensCounts: [Int]
  /// Where the weights begin, in floats.
  let weightStart: Int
  /// ``LensOpening/floats``.
  let openingFloats: any DeviceMemory
  /// ``CircleTable``.
  let circles: any DeviceMemory

  /// The opening's area in units of the radius squared.
  var area: Float { opening.area }
  /// Straight sides of the opening, 0 for others.
  var bladeCount: Int { opening.isTable ? 0 : opening.outline.directions.count }
  /// How far the sides lie from the opening's middle, in units of the radius; 1 for a disc. A disc from a
  /// table holds the same light however wide its edge is, as sides that are far away would.
  var apothem: Float { opening.isTable ? 1000 : Float(opening.outline.distance) }
  /// The apothem at which half an edge's width reaches as far as a light is drawn.
  var rim: Float { opening.isTable ? 0.5 / FOCAL_OPENING_SPILL : apothem }

  /// Side of a lens cell of each set, as a share of the radius.
  var cells: [Float] { lensCounts.map { (area / Float($0)).squareRoot() } }

  /// How far a tile's views and the prefilter reach, as a multiple of the radius: the prefilter is a
  /// triangle two cells wide, and the views move by the radius less the prefilter's variance.
  var apron: Float {
    let narrowness = min(opening.narrowness.x, opening.narrowness.y, 1)
    return cells.dropFirst().map { cell in
      (max(1 - 2 * narrowness * cell * cell / 3, 0)).squareRoot() + cell
    }.max() ?? 1
  }

  init(
    settings: BlurSettings, shape: ApertureShape, character: LensCharacter,
    backend: any DeviceBackend
  ) throws(CinematicError) {
    let opening = LensOpening.opening(shape, character)
    let sets = settings.lensCounts.map { LensPoints.points(count: $0, shape: shape) }
    let counts = sets.map(\.points.count)
    self.opening = opening
    lensCounts = counts
    lensStarts = counts.indices.map { counts[..<$0].reduce(0, +) }
    weightStart = 2 * counts.reduce(0, +)
    let points = sets.flatMap { $0.points.flatMap { [$0.x, $0.y] } }
    let weights = opening.isWeighted ? sets.flatMap { opening.weights(of: $0) } : []
    lens = try Self.memory(points + weights, backend)
    openingFloats = try Self.memory(opening.floats, backend)
    circles = try Self.memory(CircleTable.values(opening.narrowness), backend)
  }

  private static func memory<Element: BitwiseCopyable>(
    _ values: [Element], _ backend: any DeviceBackend
  ) throws(CinematicError) -> any DeviceMemory {
    let memory = try backend.makeMemory(byteCount: values.count * MemoryLayout<Element>.stride)
    try values.withUnsafeBytes { bytes in
      Result { () throws(CinematicError) in try memory.write(bytes, at: 0) }
    }.get()
    return memory
  }
}
