// SPDX-License-Identifier: Apache-2.0

import ConformanceKit
import FocalCPU
import FocalCore
import FocalRendering
import Foundation
import Testing

/// A focus that is racked in small steps changes a picture one way: no pixel goes forth in one step and back in the next.
@Suite struct RackTests {
  private static let size = Dimensions(width: 240, height: 96)
  /// Slopes of the wires and the rows that they begin at.
  private static let wires: [(slope: Float, row: Float)] = [
    (0.07, 12), (-0.2, 62), (0.45, -10), (0.9, -60),
  ]
  private static let halfWidth: Float = 0.75
  /// Steps of the radius, pixels.
  private static let step: Float = 0.17

  private static func distance(_ x: Int, _ y: Int, to wire: (slope: Float, row: Float)) -> Float {
    abs(Float(y) - wire.row - wire.slope * Float(x)) / (1 + wire.slope * wire.slope).squareRoot()
  }

  /// Dark wires, antialiased, before an even ground, in a map without antialiasing. They sway to the lens and from it by
  /// a twelfth of a pixel of radius, so that pixels side by side lie on both sides of a border between slices.
  private static func codes(radius: Float, _ quality: RenderingQuality) throws -> [Float] {
    let width = size.width
    let frame = try RenderCase(
      source: .linear(width, size.height) { x, y in
        let light = wires.reduce(Float(0.6)) { light, wire in
          let share = min(max(halfWidth + 0.5 - distance(x, y, to: wire), 0), 1)
          return light + share * (0.02 - light)
        }
        return SIMD3(repeating: light)
      },
      disparity: .disparity(width, size.height) { x, y in
        let index = wires.lastIndex { distance(x, y, to: $0) < halfWidth }
        return index.map { 0.75 + 0.002 * sin(0.5 * Float(x) + Float($0)) } ?? 0.25
      },
      focusDisparity: 0.75 - radius / 40, fNumber: 1, blurScale: 80 / Float(width),
      quality: quality
    ).render(on: .cpu()).floats()
    return (0..<size.count).map { index in
      let light = min(max(frame[4 * index], 0), 1)
      return 255 * (light <= 0.0031308 ? 12.92 * light : 1.055 * pow(light, 1 / 2.4) - 0.055)
    }
  }

  /// Within 8 codes; thin things that were copied into farther slices blinked by 22 at export quality and by 53 at preview
  /// quality.
  @Test(arguments: [RenderingQuality.export, .preview])
  func nothingBlinks(_ quality: RenderingQuality) throws {
    let frames = try (0..<20).map { try Self.codes(radius: 4.2 - Self.step * Float($0), quality) }
    for index in 2..<frames.count {
      var most: Float = 0
      for y in 12..<Self.size.height - 12 {
        for x in 12..<Self.size.width - 12 {
          let pixel = y * Self.size.width + x
          let before = frames[index - 1][pixel] - frames[index - 2][pixel]
          let after = frames[index][pixel] - frames[index - 1][pixel]
          if before * after < 0 { most = max(most, min(abs(before), abs(after))) }
        }
      }
      #expect(most < 8, "step \(index): \(most) codes")
    }
  }
}
