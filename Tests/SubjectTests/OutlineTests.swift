// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalSample
import Foundation
import SubjectKernels
import Testing

@testable import FocalSubjects

/// What outlines are made of.
@Suite struct OutlineTests {
  /// Where black meets a bright colour, alpha's line stays as flat as its examples: floats alone gave slopes of millions.
  @Test(arguments: [0.3, 0.9, 3] as [Float]) func slopesStayFlat(bright: Float) {
    var random = SeededGenerator(seed: 5)
    let (width, height) = (16, 16)
    for _ in 0..<50 {
      var light: [Float] = []
      var belief: [Float] = []
      for y in 0..<height {
        for x in 0..<width {
          let share: Float = x == 8 ? Float(random.share()) : x < (y % 3 == 0 ? 9 : 8) ? 1 : 0
          belief.append(share)
          for part in [1, 0.85, 0.7] as [Float] {
            light.append(
              share * bright * part + (1 - share) * 0.004 + 1e-4 * Float(random.share()))
          }
        }
      }
      var alpha = belief
      var lines = [Float](repeating: 0, count: 4 * width * height)
      #expect(
        focal_matte_solve(
          light, [UInt8](repeating: 0, count: width * height), belief,
          [Float](repeating: 0.5, count: width * height), Int32(width), Int32(height), 8, &alpha,
          &lines) == 0)
      for place in alpha.indices {
        let line = lines[4 * place..<4 * place + 4].map { $0 }
        let value =
          line[3] + (0..<3).reduce(0) { $0 + line[$1] * light[3 * place + $1] }
        #expect(abs(value - alpha[place]) < 0.05)
        #expect((0..<3).allSatisfy { abs(line[$0]) < 2 / bright })
      }
    }
  }

  /// A wire behind the subject, of its colour, leads out of the picture; its hair ends. The map has neither.
  @Test func linesThatGoOnAreNotHair() async throws {
    let size = Dimensions(width: 480, height: 360)
    let samples = 4
    var random = SeededGenerator(seed: 2)
    var codes = [UInt8](repeating: 255, count: 4 * size.count)
    var body = [Float](repeating: 0, count: size.count)
    for y in 0..<size.height {
      for x in 0..<size.width {
        var (dark, inside): (Float, Float) = (0, 0)
        for j in 0..<samples {
          for i in 0..<samples {
            let u = Float(x) + (Float(i) + 0.5) / Float(samples)
            let v = Float(y) + (Float(j) + 0.5) / Float(samples)
            let isBody = (u - 240) * (u - 240) + (v - 180) * (v - 180) < 80 * 80
            let isHair =
              abs(v - 170) < 0.9 && (140...240).contains(u)
              || abs(u - 240) < 0.9 && (82...180).contains(v)
            let isWire = abs(v - 180) < 1.2 && u > 240
            dark += isBody || isHair || isWire ? 1 : 0
            inside += isBody ? 1 : 0
          }
        }
        let place = y * size.width + x
        body[place] = inside / Float(samples * samples)
        dark /= Float(samples * samples)
        let wave = 1 + 0.1 * sin(Float(x) / 23) * sin(Float(y) / 17)
        for (part, back) in ([0.5, 0.45, 0.35] as [Float]).enumerated() {
          let light = back * wave * (1 - dark) + 0.03 * dark
          let code = 1.055 * pow(light, 1 / 2.4) - 0.055 + 0.012 * Float(random.share() - 0.5)
          codes[4 * place + part] = UInt8(max(0, min(255, 255 * code + 0.5)))
        }
      }
    }
    let small = Dimensions(width: 120, height: 90)
    let cells = (0..<small.count).map { cell -> Float in
      let (x, y) = (4 * (cell % small.width), 4 * (cell / small.width))
      let sum = (0..<16).reduce(Float(0)) { $0 + body[(y + $1 / 4) * size.width + x + $1 % 4] }
      return 0.2 + 0.5 * sum / 16
    }
    var request = GenerateForegroundInstanceMaskRequest()
    request.disparity = try PixelBuffer(
      dimensions: small, format: .disparityFloat, tags: .linearBT709, values: cells)
    let picture = try PixelBuffer(dimensions: size, format: .rgba8, values: codes)
    let found = try #require(try await request.perform(on: picture))
    let mask = try found.generateScaledMask(for: [1], scaledToImageFrom: picture).floats
    func most(_ columns: [Int], _ rows: [Int]) -> [Float] {
      columns.map { x in rows.map { mask[$0 * size.width + x] }.max() ?? 0 }
    }
    #expect(
      most(Array(stride(from: 324, to: 400, by: 4)), [178, 179, 180, 181]).allSatisfy { $0 < 0.1 })
    #expect(most(Array(stride(from: 142, to: 160, by: 3)), [169, 170]).allSatisfy { $0 > 0.5 })
    #expect(stride(from: 84, to: 100, by: 3).allSatisfy { most([239, 240], [$0]).max()! > 0.5 })
  }

  /// A disc before a wall, and a map of its shape that is a little blurred.
  ///
  /// - Parameters:
  ///   - cell: pixels to a cell of the map.
  ///   - light: of a pixel's place, and whether it is in the disc.
  private static func disc(
    cell: Int, seed: UInt64, _ light: (Int, Int, Bool) -> SIMD3<Float>
  ) throws -> (picture: PixelBuffer, map: PixelBuffer, isInside: [Bool]) {
    let size = Dimensions(width: 480, height: 360)
    var random = SeededGenerator(seed: seed)
    var codes = [UInt8](repeating: 255, count: 4 * size.count)
    var isInside = [Bool](repeating: false, count: size.count)
    for place in isInside.indices {
      let (x, y) = (place % size.width, place / size.width)
      isInside[place] = (x - 240) * (x - 240) + (y - 180) * (y - 180) < 80 * 80
      let light = light(x, y, isInside[place])
      for part in 0..<3 {
        let code = 1.055 * pow(light[part], 1 / 2.4) - 0.055 + 0.012 * Float(random.share() - 0.5)
        codes[4 * place + part] = UInt8(max(0, min(255, 255 * code + 0.5)))
      }
    }
    let small = Dimensions(width: size.width / cell, height: size.height / cell)
    let cells = (0..<small.count).map { place -> Float in
      let (x, y) = (cell * (place % small.width), cell * (place / small.width))
      var sum: Float = 0
      for j in -1..<cell + 1 {
        for i in -1..<cell + 1 {
          let (u, v) = (max(0, min(479, x + i)), max(0, min(359, y + j)))
          sum += isInside[v * size.width + u] ? 1 : 0
        }
      }
      return 0.2 + 0.5 * sum / Float((cell + 2) * (cell + 2))
    }
    return (
      try PixelBuffer(dimensions: size, format: .rgba8, values: codes),
      try PixelBuffer(
        dimensions: small, format: .disparityFloat, tags: .linearBT709, values: cells), isInside
    )
  }

  /// Words that the subject hides half are darker than it and the paper. They are seen on the paper elsewhere, too.
  @Test func printBehindASubjectIsNotItsOwn() async throws {
    let scene = try Self.disc(cell: 4, seed: 2) { x, y, isInside in
      if isInside { return SIMD3(0.22, 0.12, 0.08) * (1 + 0.1 * sin(Float(x) / 9)) }
      let isInk = y % 12 < 2 && (x + 17 * (y / 12)) % 26 < 18
      return isInk ? SIMD3(0.03, 0.03, 0.035) : SIMD3(0.5, 0.45, 0.38)
    }
    var request = GenerateForegroundInstanceMaskRequest()
    request.disparity = scene.map
    let found = try #require(try await request.perform(on: scene.picture))
    let mask = try found.generateScaledMask(for: [1], scaledToImageFrom: scene.picture).floats
    let beside = mask.indices.reduce(Float(0)) { sum, place in
      let (x, y) = (place % 480 - 240, place / 480 - 180)
      return x * x + y * y > 84 * 84 ? sum + mask[place] : sum
    }
    #expect(beside < 10, "\(beside)")
    #expect(scene.isInside.indices.allSatisfy { !scene.isInside[$0] || mask[$0] > 0.2 })
  }

  /// A fold that has the colour of the wall behind it is where the map has the subject.
  @Test func foldsOfTheWallsColourStay() async throws {
    let isFold = { (x: Int, y: Int) in x > 255 && abs(y - 180) < 5 }
    let scene = try Self.disc(cell: 2, seed: 3) { x, y, isInside in
      isInside && !isFold(x, y) ? SIMD3(0.5, 0.5, 0.55) : SIMD3(0.08, 0.075, 0.07)
    }
    var request = GenerateForegroundInstanceMaskRequest()
    request.disparity = scene.map
    let found = try #require(try await request.perform(on: scene.picture))
    let mask = try found.generateScaledMask(for: [1], scaledToImageFrom: scene.picture).floats
    let lost = mask.indices.count { place in
      let (x, y) = (place % 480, place / 480)
      return scene.isInside[place] && isFold(x, y) && x < 316 && mask[place] < 0.5
    }
    #expect(lost < 10, "\(lost)")
  }

  /// A dark blue sleeve before a bright warm wall keeps its hue at the outline, although alpha is not exact there: what the
  /// wall seems to lack is no blue of the sleeve's.
  @Test func darkOutlinesKeepTheirHue() {
    var random = SeededGenerator(seed: 6)
    let (width, height) = (64, 48)
    let (sleeve, wall): ([Float], [Float]) = ([0.010, 0.012, 0.022], [0.5, 0.4, 0.24])
    var light: [Float] = []
    var alpha: [Float] = []
    for y in 0..<height {
      for x in 0..<width {
        let edge = 30 + 4 * sin(Float(y) / 7)
        let share = max(0, min(1, (edge - Float(x)) / 4 + 0.5))
        for part in 0..<3 {
          let noise = 1 + 0.2 * Float(random.share() - 0.5)
          light.append((share * sleeve[part] + (1 - share) * wall[part]) * noise)
        }
        alpha.append(
          share > 0 && share < 1
            ? max(0.01, min(0.99, share - 0.08 + 0.1 * Float(random.share() - 0.5))) : share)
      }
    }
    var (front, back) = ([Float](repeating: 0, count: light.count), [Float]())
    back = front
    #expect(focal_matte_colours(light, alpha, Int32(width), Int32(height), &front, &back) == 0)
    let lines = alpha.flatMap { value -> [Float] in [0, 0, 0, value] }
    let fixed = alpha.map { $0 == 1 ? UInt8(1) : $0 == 0 ? 2 : 0 }
    var pixels: [Float] = []
    for place in alpha.indices {
      pixels += light[3 * place..<3 * place + 3]
      pixels.append(1)
    }
    var (asked, blue) = (0, 0)
    for y in 0..<height {
      var colours = [Float](repeating: 0, count: 4 * width)
      lines.withUnsafeBufferPointer { lines in
        fixed.withUnsafeBufferPointer { fixed in
          front.withUnsafeBufferPointer { front in
            back.withUnsafeBufferPointer { back in
              var matte = FocalMatte()
              (matte.width, matte.height) = (Int32(width), Int32(height))
              (matte.fixed, matte.lines) = (fixed.baseAddress, lines.baseAddress)
              (matte.front, matte.back) = (front.baseAddress, back.baseAddress)
              let row = Array(pixels[4 * y * width..<4 * (y + 1) * width])
              focal_matte_row(
                &matte, row, Int32(width), Int32(height), Int32(y), 0, Int32(width), nil, &colours)
            }
          }
        }
      }
      for x in 0..<width where fixed[y * width + x] == 0 && colours[4 * x + 3] > 0.3 {
        let own = colours[4 * x..<4 * x + 3]
        let sum = own.reduce(0, +)
        // Black has no hue.
        guard sum > 0.002 else { continue }
        asked += 1
        // Half of the sleeve's light is blue.
        if own.max()! > 0.7 * sum { blue += 1 }
      }
    }
    #expect(asked > 60)
    #expect(20 * blue < asked, "\(blue) of \(asked)")
  }

  /// The value at a place is that of the sorted numbers.
  @Test func valuesAtPlaces() {
    var random = SeededGenerator(seed: 9)
    for round in 0..<300 {
      let count = Int.random(in: 1...40, using: &random)
      // Few different ones, as maps of 8 bits have.
      let values = (0..<count).map { _ in
        round % 2 == 0 ? Float(Int.random(in: 0...4, using: &random)) : Float(random.share())
      }
      let sorted = values.sorted()
      for rank in values.indices {
        var moved = values
        #expect(moved.value(at: rank) == sorted[rank])
        #expect(moved.sorted() == sorted)
      }
    }
  }

  /// Distances from an outline, against all steps there are: rows of every length, in both directions.
  @Test func distancesFromOutlines() {
    var random = SeededGenerator(seed: 4)
    for width in 1...37 {
      let height = 1 + width % 9
      let labels = (0..<width * height).map { _ in
        UInt8(Int.random(in: 0...5, using: &random) == 0 ? 1 : 0)
      }
      var distance = [Float](repeating: 0, count: labels.count)
      #expect(focal_edge_distance(labels, Int32(width), Int32(height), &distance) == 0)
      for place in labels.indices {
        var least = 3 * (width + height)
        for other in labels.indices where labels[other] != labels[place] {
          let x = abs(other % width - place % width), y = abs(other / width - place / width)
          least = min(least, 3 * max(x, y) + min(x, y))
        }
        #expect(distance[place] == Float(least) / (labels[place] != 0 ? 3 : -3))
      }
    }
  }
}
