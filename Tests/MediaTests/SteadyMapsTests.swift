// SPDX-License-Identifier: Apache-2.0

import FocalCore
import Synchronization
import Testing

@testable import FocalMedia

/// Maps whose noise, scale and offset change from one to the next.
@Suite struct SteadyMapsTests {
  private static let size = Dimensions(width: 96, height: 64)

  /// A disc in front of a plane that tilts, with a value at each pixel.
  private static func scene(_ centre: (Double, Double), cell: (Int, Int) -> Float) throws -> [Float]
  {
    (0..<size.height).flatMap { y in
      (0..<size.width).map { x in
        let dx = Double(x) - centre.0
        let dy = Double(y) - centre.1
        return dx * dx + dy * dy < 196 ? 0.8 : 0.2 + 0.002 * Float(x) + cell(x, y)
      }
    }
  }

  private static func buffer(_ cells: [Float]) throws -> PixelBuffer {
    let map = try PixelBuffer(dimensions: size, format: .disparityFloat, tags: .linearBT709)
    map.cells = cells
    return map
  }

  /// Normally distributed, seeded.
  private struct Noise {
    var state: UInt64
    mutating func uniform() -> Double {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Double(state >> 11) / 9_007_199_254_740_992
    }
    mutating func next() -> Float {
      Float((0..<12).reduce(-6.0) { sum, _ in sum + uniform() })
    }
  }

  /// A film's maps as they should be and as they are. The disc moves by `speed` pixels a frame.
  private static func film(
    speed: Double, noise: Float = 0.012, count: Int = 16
  ) throws -> (clean: [[Float]], noisy: [PixelBuffer]) {
    var random = Noise(state: 7)
    let clean = try (0..<count).map { try scene((30 + speed * Double($0), 30)) { _, _ in 0 } }
    let noisy = try clean.map { cells in
      let (gain, offset) = (1 + 0.01 * random.next(), 0.003 * random.next())
      return try buffer(cells.map { $0 * gain + offset + noise * random.next() })
    }
    return (clean, noisy)
  }

  private static func steady(_ maps: [PixelBuffer]) -> SteadyMaps {
    SteadyMaps { number in number < maps.count ? maps[number] : nil }
  }

  private static func all(_ maps: [PixelBuffer]) async throws -> [[Float]] {
    let steady = steady(maps)
    var result: [[Float]] = []
    for number in maps.indices {
      result.append(try #require(try await steady.map(number)).cells)
    }
    return result
  }

  /// Mean square root difference from the clean maps, and mean difference between frames beyond theirs.
  private static func errors(_ maps: [[Float]], _ clean: [[Float]]) -> (map: Float, flicker: Float)
  {
    var (sum, flicker): (Float, Float) = (0, 0)
    for number in 1..<maps.count {
      for index in maps[0].indices {
        let now = maps[number][index] - clean[number][index]
        sum += now * now
        flicker += abs(now - (maps[number - 1][index] - clean[number - 1][index]))
      }
    }
    let cells = Float(maps[0].count * (maps.count - 1))
    return ((sum / cells).squareRoot(), flicker / cells)
  }

  /// Differences between frames fall below a third, errors below three fifths.
  @Test(arguments: [0.0, 1, 3.3]) func flicker(speed: Double) async throws {
    let (clean, noisy) = try Self.film(speed: speed)
    let before = Self.errors(noisy.map(\.cells), clean)
    let after = Self.errors(try await Self.all(noisy), clean)
    #expect(after.flicker < before.flicker / 3, "\(before) \(after)")
    #expect(after.map < before.map * 0.6, "\(before) \(after)")
  }

  /// The outline of what moves stays where it is in its own map: within half a pixel of the map.
  @Test func movingEdges() async throws {
    let (clean, noisy) = try Self.film(speed: 3.3)
    let steady = try await Self.all(noisy)
    func width(_ cells: [Float], row: Int) -> Int {
      (0..<Self.size.width).count { cells[row * Self.size.width + $0] > 0.58 }
    }
    for number in steady.indices {
      for row in [24, 30, 36] {
        #expect(abs(width(steady[number], row: row) - width(clean[number], row: row)) <= 1)
      }
    }
  }

  /// Maps without noise, and single ones, stay the same to the bit.
  @Test func cleanMaps() async throws {
    let (clean, _) = try Self.film(speed: 2, count: 8)
    let maps = try clean.map(Self.buffer)
    #expect(try await Self.all(maps) == clean)
    #expect(try await Self.all([maps[0]]) == [clean[0]])
    let steady = Self.steady(maps)
    #expect(try await steady.map(8) == nil)
  }

  /// A map is the same however it was reached.
  @Test func anyOrder() async throws {
    let (_, noisy) = try Self.film(speed: 1)
    let inOrder = try await Self.all(noisy)
    let steady = Self.steady(noisy)
    for number in [9, 2, 15, 3, 0, 14, 15] {
      #expect(try await steady.map(number)?.cells == inOrder[number])
    }
  }

  /// Another scene does not shine through a cut, and holes stay.
  @Test func cutsAndHoles() async throws {
    let (_, first) = try Self.film(speed: 0, count: 6)
    var random = Noise(state: 3)
    let second = try (0..<6).map { _ in
      try Self.buffer(
        try Self.scene((70, 20)) { x, y in 0.5 - 0.006 * Float(x) + 0.006 * Float(y) }.map {
          $0 + 0.012 * random.next()
        })
    }
    var holed = first + second
    var cells = holed[3].cells
    for index in 700..<760 { cells[index] = .nan }
    holed[3] = try Self.buffer(cells)
    let apart = (try await Self.all(Array(holed[0..<6])), try await Self.all(second))
    let together = try await Self.all(holed)
    for number in 0..<6 {
      #expect(together[number].elementsEqual(apart.0[number]) { $0 == $1 || $0.isNaN && $1.isNaN })
      #expect(together[6 + number] == apart.1[number])
    }
    let holes = (0..<cells.count).filter { together[3][$0].isNaN }
    #expect(holes == Array(700..<760))
    #expect(!together[2].contains { !$0.isFinite })
  }

  /// A neighbour that cannot be read ends the mean; the map itself is an error.
  @Test func damagedMaps() async throws {
    let (_, noisy) = try Self.film(speed: 0, count: 8)
    let asked = Mutex<[Int]>([])
    let steady = SteadyMaps { number throws(CinematicError) in
      asked.withLock { $0.append(number) }
      if number == 5 { throw CinematicError(.malformed, "map 5 is damaged") }
      return number < 8 ? noisy[number] : nil
    }
    let alone = try await Self.all(Array(noisy[0..<5]))
    for number in 0..<5 { #expect(try await steady.map(number)?.cells == alone[number]) }
    await #expect(throws: CinematicError.self) { try await steady.map(5) }
    #expect(try await steady.map(6) != nil)
    // In order, each once.
    #expect(asked.withLock { $0 } == Array(0...6 + SteadyMaps.usualReach))
  }
}
