// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalSample
import Testing

@testable import FocalScript

/// Finding objects at points of the sample scene, whose subjects and their boxes are known.
struct ObjectFinderTests {
  private static let size = Dimensions(width: 480, height: 270)

  /// A tap into the middle of every subject that is seen there.
  ///
  /// - Returns: for each tap, the largest overlap with a box of the subject or of all its parts.
  private static func overlaps(withMap: Bool) throws -> [Double] {
    let scene = SampleScene()
    let whole = NormalizedRect(x: 0, y: 0, width: 1, height: 1)
    var overlaps: [Double] = []
    for step in 0..<8 {
      let time = Time(value: Int64(750 * step), timescale: 600)
      let picture = try PixelBuffer(dimensions: size, format: .rgba8)
      try picture.store(linearRGBA: scene.frame(at: time, dimensions: size).image.linearRGBA())
      let map = try scene.phoneDisparity(at: time)
      let subjects = scene.subjects(at: time)
      for subject in subjects {
        let point = NormalizedPoint(x: subject.rect.midX, y: subject.rect.midY)
        guard (0.02...0.98).contains(point.x), (0.02...0.98).contains(point.y),
          subject.rect.area > 0.001, let seen = map.disparity(at: point),
          abs(Double(seen) - subject.focusDisparity) < 0.06
        else { continue }
        var boxes = subjects.filter { $0.groupID == subject.groupID }.map {
          $0.rect.intersection(whole)
        }
        let (left, top) = (boxes.map(\.x).min() ?? 0, boxes.map(\.y).min() ?? 0)
        boxes.append(
          NormalizedRect(
            x: left, y: top, width: (boxes.map(\.maxX).max() ?? 1) - left,
            height: (boxes.map(\.maxY).max() ?? 1) - top))
        let found = ObjectFinder().find(
          at: point, sourceImage: picture, sourceDisparity: withMap ? map : nil)
        overlaps.append(
          found.map { found in boxes.map { found.normalizedBounds.overlap($0) }.max() ?? 0 } ?? 0)
      }
    }
    return overlaps
  }

  @Test func findsTheSubjectsOfTheSampleScene() throws {
    let overlaps = try Self.overlaps(withMap: true)
    let mean = overlaps.reduce(0, +) / Double(overlaps.count)
    // measured: 102 of 103 and a mean of 0.75; two taps of slack for another rounding
    #expect(overlaps.count > 90)
    #expect(overlaps.count { $0 > 0.5 } >= overlaps.count - 3 && mean > 0.74, "\(mean)")
  }

  /// An object of 1.0 on noise of 1e-20, which is all of the map's spread: a step over the object's edge costs more than a whole
  /// number holds.
  @Test func findsAnObjectOnAFlatMap() throws {
    let size = Dimensions(width: 64, height: 64)
    var generator = SeededGenerator(seed: 5)
    var values: [Float] = []
    for y in 0..<64 {
      for x in 0..<64 {
        let isObject = (29..<35).contains(x) && (29..<35).contains(y)
        values.append(isObject ? 1 : Float.random(in: 0...1e-20, using: &generator))
      }
    }
    let picture = try PixelBuffer(
      dimensions: size, format: .gray8, values: [UInt8](repeating: 128, count: size.count))
    let map = try PixelBuffer(dimensions: size, format: .disparityFloat, values: values)
    let found = try #require(
      ObjectTracker().findObject(
        at: NormalizedPoint(x: 0.5, y: 0.5), sourceImage: picture, sourceDisparity: map))
    let side = 6.0 / 64
    let object = NormalizedRect(x: 29.0 / 64, y: 29.0 / 64, width: side, height: side)
    #expect(found.normalizedBounds.overlap(object) > 0.9)
  }

  @Test func findsHalfOfThemWithoutAMap() throws {
    let overlaps = try Self.overlaps(withMap: false)
    // measured: 52 of 103
    #expect(overlaps.count { $0 > 0.5 } >= overlaps.count * 9 / 20)
  }
}
