// SPDX-License-Identifier: Apache-2.0

import FocalCore

/// Tables that a session's blur reads, in its device's memory.
struct BlurTables: Sendable {
  /// Lens points of the four sets, one after the other.
  let lens: any DeviceMemory
  let lensStarts: [Int]
  let lensCounts: [Int]
  /// The opening's area in units of the radius squared.
  let area: Float
  /// Straight sides of the opening, 0 for a disc.
  let bladeCount: Int
  /// How far the sides lie from the opening's middle, in units of the radius; 1 for a disc.
  let apothem: Float
  /// The directions that the sides face, pairs of floats.
  let opening: any DeviceMemory
  /// ``CircleTable``.
  let circles: any DeviceMemory

  /// Side of a lens cell of each set, as a share of the radius.
  var cells: [Float] { lensCounts.map { (area / Float($0)).squareRoot() } }

  /// How far a tile's views and the prefilter reach, as a multiple of the radius: the prefilter is a
  /// triangle two cells wide, and the views move by the radius less the prefilter's variance.
  var apron: Float {
    cells.dropFirst().map { cell in
      (max(1 - 2 * cell * cell / 3, 0)).squareRoot() + cell
    }.max() ?? 1
  }

  init(
    settings: BlurSettings, shape: ApertureShape, backend: any DeviceBackend
  ) throws(CinematicError) {
    let sets = settings.lensCounts.map { LensPoints.points(count: $0, shape: shape) }
    let counts = sets.map(\.points.count)
    lensCounts = counts
    lensStarts = counts.indices.map { counts[..<$0].reduce(0, +) }
    area = sets[0].area
    let sides = LensPoints.Sides(of: shape)
    bladeCount = sides.directions.count
    apothem = Float(sides.distance)
    opening = try Self.memory(
      sides.directions.isEmpty ? [0, 0] : sides.directions.flatMap { [Float($0.x), Float($0.y)] },
      backend)
    lens = try Self.memory(sets.flatMap(\.points), backend)
    circles = try Self.memory(CircleTable.values, backend)
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
