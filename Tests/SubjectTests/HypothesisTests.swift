// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalSample
import Foundation
import SubjectKernels
import Testing

@testable import FocalSubjects

/// Subjects by colours alone: regions, their cuts, and what is found with them.
@Suite struct HypothesisTests {
  @Test(arguments: [(1, 1), (7, 3), (2, 90), (64, 48)])
  func regionsCoverAPictureInConnectedParts(width: Int, height: Int) throws {
    var random = SeededGenerator(seed: 5)
    let codes = (0..<3 * width * height).map { _ in Float.random(in: 0...1, using: &random) }
    let size = Dimensions(width: width, height: height)
    let graph = try RegionGraph(codes: codes, size: size)
    #expect(Set(graph.labels) == Set(0..<Int32(graph.count)))
    for region in 0..<Int32(graph.count) {
      let own = graph.labels.indices.filter { graph.labels[$0] == region }
      var rest = Set(own)
      var open = [own[0]]
      rest.remove(own[0])
      while let place = open.popLast() {
        let x = place % width
        for other in [
          x > 0 ? place - 1 : -1, x + 1 < width ? place + 1 : -1, place - width, place + width,
        ] where rest.remove(other) != nil { open.append(other) }
      }
      #expect(rest.isEmpty, "region \(region) is not connected")
    }
    let frame = (graph.frames + graph.bottoms).reduce(0, +)
    let side = max(2, (Float(size.count) / 900).squareRoot())
    #expect(abs(frame * side - Float(2 * (width + height) - 4)) < 3)
  }

  /// Flat colours are regions' own: no region has two of them.
  @Test func regionsEndWhereColoursDo() throws {
    let size = Dimensions(width: 90, height: 60)
    func isInside(_ place: Int) -> Bool {
      let (x, y) = (place % 90 - 40, place / 90 - 30)
      return x * x + y * y < 400
    }
    let (front, back): ([Float], [Float]) = ([0.9, 0.2, 0.1], [0.2, 0.3, 0.8])
    let codes = (0..<size.count).flatMap { place -> [Float] in isInside(place) ? front : back }
    let graph = try RegionGraph(codes: codes, size: size)
    var inside = [Int](repeating: 0, count: graph.count)
    for place in graph.labels.indices where isInside(place) {
      inside[Int(graph.labels[place])] += 1
    }
    let mean = Float(size.count) / Float(graph.count)
    var mixed = 0
    for (region, count) in inside.enumerated() {
      let all = Int((graph.areas[region] * mean).rounded())
      mixed += min(count, all - count)
    }
    #expect(mixed <= size.count / 200, "\(mixed) pixels are in regions of the other colour")
  }

  /// Against all divisions there are: of the cheapest ones that with the smallest foreground.
  @Test func cutsOfRegionsAreTheCheapest() {
    var random = SeededGenerator(seed: 11)
    for _ in 0..<120 {
      let nodes = Int.random(in: 1...8, using: &random)
      var (ends, price): ([Int32], [Float]) = ([], [])
      for a in 0..<nodes {
        for b in a + 1..<max(nodes, a + 1) where Bool.random(using: &random) {
          ends += [Int32(a), Int32(b)]
          price.append(Float(Int.random(in: 0...40, using: &random)) / 16)
        }
      }
      let cost = (0..<nodes).map { _ in Float(Int.random(in: -60...40, using: &random)) / 16 }
      let growth = (0..<nodes).map { _ in Float(Int.random(in: 1...20, using: &random)) / 16 }
      let seed = Int.random(in: 0..<nodes, using: &random)
      let cuts = 4
      var labels = [UInt8](repeating: 9, count: nodes * cuts)
      #expect(
        focal_region_cuts(
          Int32(nodes), Int32(price.count), ends, price, cost, growth, Int32(cuts), Int32(seed),
          &labels) == 0)
      for cut in 0..<cuts {
        let costs = cost.indices.map { cost[$0] + Float(cut) * growth[$0] }
        let expected = Self.cheapest(ends, price, costs, seed)
        #expect(Array(labels[cut * nodes..<(cut + 1) * nodes]) == expected)
      }
    }
  }

  private static func cheapest(
    _ ends: [Int32], _ price: [Float], _ costs: [Float], _ seed: Int
  ) -> [UInt8] {
    var (least, best) = (Float.infinity, 0)
    for division in 0..<1 << costs.count where division >> seed & 1 == 1 {
      var sum: Float = 0
      for node in costs.indices where node != seed && division >> node & 1 == 0 {
        sum += costs[node]
      }
      for border in price.indices {
        let (a, b) = (Int(ends[2 * border]), Int(ends[2 * border + 1]))
        if division >> a & 1 != division >> b & 1 { sum += price[border] }
      }
      let isSmaller = division.nonzeroBitCount < best.nonzeroBitCount
      if sum < least || sum == least && isSmaller { (least, best) = (sum, division) }
    }
    // What does not hang together with the seed goes.
    var kept = 1 << seed
    for _ in costs.indices {
      for border in price.indices {
        let (a, b) = (1 << Int(ends[2 * border]), 1 << Int(ends[2 * border + 1]))
        if best & a != 0, best & b != 0, kept & (a | b) != 0 { kept |= a | b }
      }
    }
    return costs.indices.map { UInt8(kept >> $0 & 1) }
  }

  /// Two figures in stripes of two colours before a wall and a floor of several.
  private struct Scene {
    static let size = Dimensions(width: 360, height: 240)
    let picture: PixelBuffer
    let figures: [[Bool]]

    init() throws {
      let size = Self.size
      var random = SeededGenerator(seed: 2)
      var figures = [[Bool]](repeating: [], count: 2)
      var codes: [UInt8] = []
      for y in 0..<size.height {
        for x in 0..<size.width {
          let grain = Int.random(in: -6...6, using: &random)
          var color =
            y < 150
            ? (150 + x / 12 + grain, 160 + grain, 150 - x / 12 + grain)
            : (110 + grain, 90 + (x / 40 % 2) * 14 + grain, 70 + grain)
          for (number, middle) in [90, 280].enumerated() {
            let u = x - middle
            let head = u * u + (y - 70) * (y - 70) < 28 * 28
            let body = abs(u) < 42 && (96..<210).contains(y)
            let isRed = head || y / 8 % 2 == 0
            if head || body {
              color = isRed ? (205, 60, 50) : (40, 60, 190)
              color = (color.0 + grain, color.1 + grain, color.2 + grain)
            }
            figures[number].append(head || body)
          }
          codes += [color.0, color.1, color.2, 255].map { UInt8(max(0, min(255, $0))) }
        }
      }
      self.figures = figures
      picture = try PixelBuffer(dimensions: size, format: .rgba8, values: codes)
    }

    func overlap(_ mask: PixelBuffer, _ figure: Int) throws -> Double {
      let truth = try PixelBuffer(
        dimensions: Self.size, format: .disparityFloat, tags: .linearBT709,
        values: figures[figure].map { $0 ? Float(1) : 0 })
      return try MaskComparison(mask, reference: truth).overlap
    }
  }

  /// A tap takes the whole thing, and not the part of its colour: without a map nothing else says where it ends.
  @Test(arguments: [
    (0, 90, 130), (0, 100, 190), (0, 85, 115), (1, 280, 138), (1, 300, 160),
  ])
  func takesThingsOfSeveralColours(figure: Int, x: Int, y: Int) async throws {
    let scene = try Scene()
    var request = GenerateForegroundInstanceMaskRequest()
    request.points = [
      NormalizedPoint(
        x: (Double(x) + 0.5) / Double(Scene.size.width),
        y: (Double(y) + 0.5) / Double(Scene.size.height))
    ]
    let found = try #require(try await request.perform(on: scene.picture))
    let mask = try found.generateScaledMask(for: [1], scaledToImageFrom: scene.picture)
    let overlap = try scene.overlap(mask, figure)
    #expect(overlap >= 0.9, "\(overlap)")
  }

  @Test func findsEveryThing() async throws {
    let scene = try Scene()
    let found = try #require(
      try await GenerateForegroundInstanceMaskRequest().perform(on: scene.picture))
    for figure in 0...1 {
      let overlaps = try found.allInstances.map { instance in
        try scene.overlap(
          found.generateScaledMask(for: [instance], scaledToImageFrom: scene.picture), figure)
      }
      #expect(overlaps.max() ?? 0 >= 0.9, "figure \(figure): \(overlaps)")
    }
  }

  /// Small stones of several grays, with a red disc that is `contrast` of the way from them to its own colour.
  private func stones(disc contrast: Float) throws -> PixelBuffer {
    let size = Dimensions(width: 360, height: 240)
    var random = SeededGenerator(seed: 4)
    let stones = (0..<1600).map { _ in
      (
        x: Float.random(in: 0..<360, using: &random), y: Float.random(in: 0..<240, using: &random),
        gray: Float.random(in: 90...190, using: &random)
      )
    }
    var codes: [UInt8] = []
    for y in 0..<size.height {
      for x in 0..<size.width {
        func away(_ stone: (x: Float, y: Float, gray: Float)) -> Float {
          let (u, v) = (stone.x - Float(x), stone.y - Float(y))
          return u * u + v * v
        }
        let gray = stones.min { away($0) < away($1) }?.gray ?? 0
        let (u, v) = (x - 170, y - 120)
        let share = u * u + v * v < 62 * 62 ? contrast : 0
        for own in [Float(210), 50, 40] {
          let grain = Float.random(in: -3...3, using: &random)
          codes.append(UInt8(gray + share * (own - gray) + grain))
        }
        codes.append(255)
      }
    }
    return try PixelBuffer(dimensions: size, format: .rgba8, values: codes)
  }

  /// Where nothing stands out, there is no subject, and what is pointed at there is hardly believed.
  @Test func texturesAreNoSubjects() async throws {
    let picture = try stones(disc: 0)
    #expect(try await GenerateForegroundInstanceMaskRequest().perform(on: picture) == nil)
    var request = GenerateForegroundInstanceMaskRequest()
    request.points = [NormalizedPoint(x: 0.47, y: 0.5)]
    let pointedAt = try await request.perform(on: picture)?.confidence(of: 1) ?? 0
    #expect(pointedAt < 0.1, "\(pointedAt)")
    let thing = try #require(
      try await GenerateForegroundInstanceMaskRequest().perform(on: try stones(disc: 0.9)))
    #expect(thing.confidence(of: 1) ?? 0 > 0.45)
  }

  /// A cloud in a sky ends where colours hardly change.
  @Test func faintOutlinesAreHardlyBelieved() async throws {
    let size = Dimensions(width: 360, height: 240)
    func confidence(_ whiteness: Float) async throws -> Float {
      var random = SeededGenerator(seed: 6)
      var codes: [UInt8] = []
      for y in 0..<size.height {
        for x in 0..<size.width {
          let (u, v) = (Float(x - 180) / 95, Float(y - 110) / 60)
          let share = whiteness * max(0, min(1, 6 * (1 - u * u - v * v)))
          for sky in [Float(90), 140, 215] {
            let grain = Float.random(in: -3...3, using: &random)
            codes.append(UInt8(max(0, min(255, sky + share * (250 - sky) + grain))))
          }
          codes.append(255)
        }
      }
      let picture = try PixelBuffer(dimensions: size, format: .rgba8, values: codes)
      return try await GenerateForegroundInstanceMaskRequest().perform(on: picture)?
        .confidence(of: 1) ?? 0
    }
    let (faint, white) = (try await confidence(0.1), try await confidence(1))
    #expect(faint < 0.3, "\(faint)")
    #expect(white > 0.45, "\(white)")
  }
}
