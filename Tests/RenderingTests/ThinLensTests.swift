// SPDX-License-Identifier: Apache-2.0

import ConformanceKit
import FocalCPU
import FocalCore
import FocalRendering
import Testing

/// A lens in millimetres gives the circles of the thin-lens equation.
@Suite struct ThinLensTests {
  /// By the images' places: 1/f = 1/z + 1/image, and similar triangles behind the lens.
  private static func circle(
    _ lens: ThinLens, fNumber: Double, distance: Double
  ) -> Double {
    func image(_ z: Double) -> Double { 1 / (1 / lens.focalLength - 1 / z) }
    let (point, sensor) = (image(distance), image(lens.focusDistance))
    return lens.focalLength / fNumber * abs(point - sensor) / point
  }

  @Test(arguments: [(50.0, 36.0, 1.8), (24, 23.5, 0.6), (200, 36, 12), (4.25, 5.7, 0.3)])
  func circles(_ focal: Double, _ sensor: Double, _ focus: Double) throws {
    let lens = try ThinLens(
      focalLength: focal / 1000, sensorWidth: sensor / 1000, focusDistance: focus)
    let width = 4000.0
    for fNumber in [1.4, 2.8, 16] {
      for distance in [0.7 * focus, 0.95 * focus, 1.3 * focus, 4 * focus, 1000] {
        let wanted =
          Self.circle(lens, fNumber: fNumber, distance: distance) / lens.sensorWidth * width
        let found =
          width * Double(lens.blurScale) / fNumber
          * abs(1 / distance - Double(lens.focusDisparity))
        #expect(abs(found - wanted) < 1e-4 * wanted + 1e-3, "\(distance) m at f/\(fNumber)")
      }
    }
  }

  /// The rendered disc has that size: a point far behind becomes a disc of the diameter.
  @Test func renderedDisc() throws {
    let lens = try ThinLens(focalLength: 0.085, sensorWidth: 0.036, focusDistance: 2)
    let size = Dimensions(width: 240, height: 160)
    let source = try PixelBuffer.linear(size.width, size.height) { x, y in
      SIMD3(repeating: x == 120 && y == 80 ? 4000 : 0)
    }
    let map = try PixelBuffer.disparity(size.width, size.height) { _, _ in 0.1 }
    let item = RenderCase(
      source: source, disparity: map, focusDisparity: lens.focusDisparity, fNumber: 1.4,
      blurScale: lens.blurScale)
    let result = try item.render(on: .cpu(), format: .rgbaFloat, tags: .linearBT709)
    let wanted =
      Self.circle(lens, fNumber: 1.4, distance: 10) / lens.sensorWidth * Double(size.width)
    var (light, moment) = (0.0, 0.0)
    result.withUnsafeBytes { bytes in
      for y in 0..<size.height {
        for x in 0..<size.width {
          let value = Double(
            bytes.load(
              fromByteOffset: y * result.planes[0].bytesPerRow + 16 * x, as: Float.self))
          let (dx, dy) = (Double(x) - 120, Double(y) - 80)
          light += value
          moment += value * (dx * dx + dy * dy)
        }
      }
    }
    // The mean square distance from a disc's centre is half its radius squared.
    let diameter = 2 * (2 * moment / light).squareRoot()
    #expect(wanted > 10)
    #expect(abs(diameter / wanted - 1) < 0.08, "\(diameter) for \(wanted)")
  }

  @Test func refusals() {
    for (focal, sensor, focus) in [(0.0, 0.036, 2.0), (0.05, -1, 2), (0.05, 0.036, 0.05)] {
      #expect(throws: CinematicError.self) {
        _ = try ThinLens(focalLength: focal, sensorWidth: sensor, focusDistance: focus)
      }
    }
  }
}
