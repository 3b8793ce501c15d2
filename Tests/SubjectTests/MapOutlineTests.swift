// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalSample
import FocalSubjects
import Foundation
import SubjectKernels
import Testing

/// What maps say of outlines.
@Suite struct MapOutlineTests {
  /// A map without noise says how wide its edge is: what lies deeper is the front's, what lies outside is the back's if the map
  /// shows strands, and a strand that it shows is neither.
  @Test(arguments: [0, 3]) func mapsAreCertainBesideTheirEdge(blur: Int) {
    let (width, height) = (96, 72)
    var values = [Float](repeating: 0, count: width * height)
    var labels = [UInt8](repeating: 0, count: width * height)
    for y in 0..<height {
      for x in 0..<width {
        let isInside = (x - 40) * (x - 40) + (y - 36) * (y - 36) < 20 * 20
        labels[y * width + x] = isInside ? 1 : 0
        values[y * width + x] = isInside || (y == 36 && x > 40 && x < 88) ? 0.7 : 0.2
      }
    }
    if blur > 0 {
      let sharp = values
      for y in 0..<height {
        for x in 0..<width {
          var sum: Float = 0
          for v in -blur...blur {
            for u in -blur...blur {
              let (i, j) = (max(0, min(width - 1, x + u)), max(0, min(height - 1, y + v)))
              sum += sharp[j * width + i]
            }
          }
          values[y * width + x] = sum / Float((2 * blur + 1) * (2 * blur + 1))
        }
      }
    }
    var share: Float = -1
    #expect(focal_map_strands(values, Int32(width), Int32(height), 0.12, &share) == 0)
    // 28 pixels of the strand lie outside.
    #expect(blur == 0 ? share > 0.003 : share < 0.001, "\(share)")
    var distance = [Float](repeating: 0, count: values.count)
    #expect(focal_edge_distance(labels, Int32(width), Int32(height), &distance) == 0)
    for strands in [Int32(0), 1] {
      var sides = [UInt8](repeating: 9, count: values.count)
      #expect(
        focal_matte_sides(
          values, distance, Int32(width), Int32(height), 10, 0.06, 1, 1, strands, &sides) == 0)
      for place in sides.indices {
        if sides[place] == 1 { #expect(distance[place] > (blur == 0 ? 1 : 2)) }
        if sides[place] == 2 { #expect(strands == 1 && distance[place] < -1) }
        // On the other side the strand is what is beyond.
        if distance[place] > 8, place % width < 30 { #expect(sides[place] == 1) }
      }
      if blur == 0 {
        #expect((66..<84).allSatisfy { sides[36 * width + $0] == 0 })
        #expect((66..<84).allSatisfy { sides[56 * width + $0] == (strands == 1 ? 2 : 0) })
      }
    }
  }

  /// Bars on the wall end beside the subject and have its colour. A map that shows wires would show them if they were its own.
  @Test func exactMapsKnowNoPrint() async throws {
    let size = Dimensions(width: 480, height: 360)
    var random = SeededGenerator(seed: 7)
    var codes = [UInt8](repeating: 255, count: 4 * size.count)
    var cells = [Float](repeating: 0.2, count: size.count)
    for y in 0..<size.height {
      for x in 0..<size.width {
        let place = y * size.width + x
        let isBody = (x - 240) * (x - 240) + (y - 180) * (y - 180) < 80 * 80
        let isWire = x < 120 && (x / 2) % 20 == 0
        let isBar = (y == 170 || y == 190) && x > 240 && x < 342
        if isWire { cells[place] = 0.6 }
        if isBody { cells[place] = 0.7 }
        let wave = 1 + 0.1 * sin(Float(x) / 23) * sin(Float(y) / 17)
        for (part, back) in ([0.5, 0.45, 0.35] as [Float]).enumerated() {
          let light = isBody || isWire || isBar ? 0.03 : back * wave
          let code = 1.055 * pow(light, 1 / 2.4) - 0.055 + 0.012 * Float(random.share() - 0.5)
          codes[4 * place + part] = UInt8(max(0, min(255, 255 * code + 0.5)))
        }
      }
    }
    var request = GenerateForegroundInstanceMaskRequest()
    request.points = [NormalizedPoint(x: 0.5, y: 0.5)]
    request.disparity = try PixelBuffer(
      dimensions: size, format: .disparityFloat, tags: .linearBT709, values: cells)
    let picture = try PixelBuffer(dimensions: size, format: .rgba8, values: codes)
    let found = try #require(try await request.perform(on: picture))
    let mask = try found.generateScaledMask(for: [1], scaledToImageFrom: picture).floats
    var (beside, inside): (Float, Float) = (0, 0)
    for place in mask.indices {
      let (x, y) = (place % size.width - 240, place / size.width - 180)
      let away = x * x + y * y
      if x > 0, away > 84 * 84 { beside += mask[place] }
      if away < 76 * 76 { inside = max(inside, 1 - mask[place]) }
    }
    #expect(beside < 5, "\(beside)")
    #expect(inside < 0.1, "\(inside)")
  }
}
