// SPDX-License-Identifier: Apache-2.0

import FocalCore
import Testing

@testable import FocalScript

/// A map's subject where nothing else tells it.
struct SubjectTests {
  private func map(
    _ width: Int = 96, _ height: Int = 64, _ value: (Double, Double) -> Float
  ) throws -> PixelBuffer {
    let map = try PixelBuffer(
      dimensions: Dimensions(width: width, height: height), format: .disparityFloat)
    map.withUnsafeMutableBytes { bytes in
      for y in 0..<height {
        for x in 0..<width {
          bytes.storeBytes(
            of: value((Double(x) + 0.5) / Double(width), (Double(y) + 0.5) / Double(height)),
            toByteOffset: y * map.planes[0].bytesPerRow + 4 * x, as: Float.self)
        }
      }
    }
    return map
  }

  /// Somebody in front of a mountain that fills the middle of the picture.
  @Test func aPersonBeforeALandscape() throws {
    let landscape = try map { x, y in
      if x > 0.62, x < 0.9, y > 0.25 { return 0.9 }
      return y < 0.3 ? 0 : Float(0.05 + 0.05 * y)
    }
    #expect(abs(try #require(landscape.subjectDisparity) - 0.9) < 0.001)
    // Without the person, the land and not the sky.
    let empty = try map { _, y in y < 0.3 ? 0 : Float(0.3 + 0.5 * y) }
    #expect(try #require(empty.subjectDisparity) > 0.4)
  }

  /// Of things as large the nearer, of things as near the larger; what leans in at the edge is neither.
  @Test func largestAndNearest() throws {
    let two = try map { x, y in
      abs(y - 0.5) < 0.3 && abs(x - 0.3) < 0.12
        ? 0.8 : abs(y - 0.5) < 0.3 && abs(x - 0.7) < 0.12 ? 0.5 : 0.1
    }
    #expect(abs(try #require(two.subjectDisparity) - 0.8) < 0.001)
    let edge = try map { x, y in
      x < 0.08 ? 1 : abs(x - 0.5) < 0.2 && y > 0.2 ? 0.6 : 0.1
    }
    #expect(abs(try #require(edge.subjectDisparity) - 0.6) < 0.001)
  }

  /// Scale, offset and holes change nothing; a map without values has no subject.
  @Test func steadiness() throws {
    func scene(_ x: Double, _ y: Double) -> Float {
      abs(x - 0.45) < 0.2 && y > 0.3 ? 0.7 : Float(0.1 + 0.2 * y)
    }
    let plain = try #require(try map { scene($0, $1) }.subjectDisparity)
    let scaled = try #require(try map { 1000 * scene($0, $1) - 3 }.subjectDisparity)
    // Single precision of the larger numbers.
    #expect(abs(scaled - (1000 * plain - 3)) < 0.01)
    let holed = try #require(
      try map { x, y in x < 0.1 ? .nan : scene(x, y) }.subjectDisparity)
    #expect(abs(holed - plain) < 0.01)
    #expect(try map { _, _ in .nan }.subjectDisparity == nil)
    #expect(try map { _, _ in 0.25 }.subjectDisparity == 0.25)
    #expect(try map(1, 1) { _, _ in 0.5 }.subjectDisparity == 0.5)
    let picture = try PixelBuffer(dimensions: Dimensions(width: 4, height: 4), format: .rgba8)
    #expect(picture.subjectDisparity == nil)
  }
}
