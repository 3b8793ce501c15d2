// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalMedia
import Testing

/// The edges of maps, moved and softened.
@Suite struct MapShapingTests {
  private static let size = Dimensions(width: 61, height: 47)

  /// A near disc of the radius 12 before a far ground, with a hole.
  private static func disc(_ radius: Double) -> [Float] {
    (0..<size.count).map { index in
      let (x, y) = (Double(index % size.width) - 30, Double(index / size.width) - 23)
      return x * x + y * y <= radius * radius ? 0.9 : 0.2
    }
  }

  private static func shaped(
    _ shaping: MapShaping, _ values: [Float], in folder: ScratchFolder
  ) async throws -> [Float] {
    try PictureWriter.write(
      PixelBuffer(dimensions: size, format: .disparityFloat, tags: .linearBT709, values: values),
      to: folder.file("map.exr"), overwrite: true, temporaryFiles: folder.temporaryFiles)
    var options = ReadOptions(content: .disparity(.unit))
    options.shaping = shaping
    let reader = try await FrameReader.open(folder.file("map.exr"), options: options)
    return try #require(try await reader.next()).pixelBuffer.values(Float.self)
  }

  private static func area(_ values: [Float]) -> Double {
    values.filter(\.isFinite).reduce(0) { $0 + Double($1 - 0.2) / 0.7 }
  }

  /// The disc of radius r eroded by n is that of r - n: its area says how far.
  @Test(arguments: [-5, -2, 1, 3, 3.5, 6.0]) func erosion(_ pixels: Double) async throws {
    let folder = ScratchFolder()
    let values = try await Self.shaped(MapShaping(erosion: pixels), Self.disc(12), in: folder)
    let radius = (Self.area(values) / .pi).squareRoot()
    #expect(abs(radius - (12 - pixels)) < 0.6, "\(radius)")
    // Brute force.
    guard pixels == 3 else { return }
    let before = Self.disc(12)
    for y in 0..<Self.size.height {
      for x in 0..<Self.size.width {
        var least = Float.infinity
        for dy in -3...3 {
          for dx in -3...3 where dx * dx + dy * dy <= 9 {
            let (px, py) = (x + dx, y + dy)
            guard (0..<Self.size.width).contains(px), (0..<Self.size.height).contains(py) else {
              continue
            }
            least = min(least, before[py * Self.size.width + px])
          }
        }
        #expect(values[y * Self.size.width + x] == least)
      }
    }
  }

  /// A disc that is higher or wider than the map takes the least or the largest of what it meets: beyond the map's
  /// diagonal, of all.
  @Test(arguments: [
    Dimensions(width: 9, height: 5), Dimensions(width: 4, height: 11),
    Dimensions(width: 1, height: 1),
  ]) func discsBeyondTheMap(_ size: Dimensions) throws {
    var random = Seeded(83)
    let before = (0..<size.count).map { _ in Float(random.next() >> 40) * 0x1p-24 }
    let map = try PixelBuffer(
      dimensions: size, format: .disparityFloat, tags: .linearBT709, values: before)
    func extremes(_ radius: Double, least: Bool) -> [Float] {
      before.indices.map { index in
        let met = before.indices.filter { other in
          let x = Double(other % size.width - index % size.width)
          let y = Double(other / size.width - index / size.width)
          return x * x + y * y <= radius * radius
        }.map { before[$0] }
        return (least ? met.min() : met.max()) ?? .nan
      }
    }
    let lengths = [Double(size.width), Double(size.height)]
    for radius in lengths.flatMap({ [$0 - 1, $0, $0 + 0.5] }) + [MapShaping.mostPixels] {
      for least in [true, false] {
        let shaping = MapShaping(erosion: least ? radius : -radius)
        let inner = radius.rounded(.down)
        let share = Float(radius - inner)
        let expected = zip(
          extremes(inner, least: least), extremes(inner + 1, least: least)
        ).map { $0 + share * ($1 - $0) }
        let found = try shaping.shaped(map).values(Float.self)
        #expect(found == expected, "\(shaping.erosion) pixels")
        guard radius == MapShaping.mostPixels else { continue }
        let whole = least ? before.min() : before.max()
        #expect(found.allSatisfy { $0 == whole })
      }
    }
  }

  /// A step becomes a ramp as wide as is said, in its place.
  @Test func feather() async throws {
    let folder = ScratchFolder()
    let step = (0..<Self.size.count).map { Float($0 % Self.size.width < 30 ? 1 : 0) }
    let values = try await Self.shaped(MapShaping(feather: 4), step, in: folder)
    let row = Array(values[(20 * Self.size.width)..<(21 * Self.size.width)])
    #expect(row[24] == 1 && row[35] == 0)
    #expect(row[27] < 1 && row[32] > 0 && abs(row[29] + row[30] - 1) < 1e-5)
    for (a, b) in zip(row, row.dropFirst()) { #expect(a >= b) }
  }

  @Test func holesStay() async throws {
    let folder = ScratchFolder()
    var before = Self.disc(12)
    for x in 10..<50 { before[23 * Self.size.width + x] = .nan }
    let values = try await Self.shaped(
      MapShaping(erosion: 2, feather: 3), before, in: folder)
    for (a, b) in zip(before, values) { #expect(a.isNaN == b.isNaN) }
    #expect(values.allSatisfy { $0.isNaN || ($0 >= 0.19 && $0 <= 0.91) })
  }

  @Test func refusals() async {
    let folder = ScratchFolder()
    for shaping in Self.impossible {
      await #expect(throws: CinematicError.self) {
        _ = try await Self.shaped(shaping, Self.disc(3), in: folder)
      }
    }
  }

  /// So are maps that are in memory.
  @Test func refusalsOfMaps() throws {
    let map = try PixelBuffer(
      dimensions: Dimensions(width: 2, height: 2), format: .disparityFloat, tags: .linearBT709)
    for shaping in Self.impossible {
      let error = #expect(throws: CinematicError.self) { try shaping.shaped(map) }
      #expect(error?.code == .invalidParameter)
    }
  }

  private static let impossible = [
    MapShaping(erosion: 300), MapShaping(erosion: .nan), MapShaping(erosion: -.infinity),
    MapShaping(feather: -1), MapShaping(feather: .nan), MapShaping(feather: 1e10),
    MapShaping(feather: .infinity),
  ]
}
