// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalSample
import Testing

@testable import FocalScript

/// Focus on the maps' own subject.
@Suite struct MapFocusTests {
  private static let size = Dimensions(width: 32, height: 18)

  /// Something of a disparity in the middle of what is far.
  private static func map(_ near: Float, far: Float) throws -> PixelBuffer {
    try PixelBuffer(
      dimensions: size, format: .disparityFloat,
      values: (0..<size.count).map { place in
        (8..<24).contains(place % 32) && (4..<16).contains(place / 32) ? near : far
      })
  }

  /// The focus of frames, 25 a second, whose maps are given; cuts before some.
  private static func focus(_ maps: [PixelBuffer], cuts: Set<Int> = []) -> [Float]? {
    var focus = MapFocus()
    for (frame, map) in maps.enumerated() {
      let isCut = cuts.contains(frame)
      focus.add(
        at: Time(value: Int64(frame), timescale: 25), isCut: isCut,
        map: focus.looksAtNext(isCut: isCut) ? map : nil)
    }
    return focus.finish()?.detections.map(\.focusDisparity)
  }

  @Test func isAtOnceWhereTheNextShotHasIt() throws {
    let maps =
      try (0..<13).map { _ in try Self.map(0.4, far: 0.1) }
      + (0..<17).map { _ in try Self.map(0.9, far: 0.3) }
    let focus = try #require(Self.focus(maps, cuts: [13]))
    #expect(focus.count == 30)
    #expect(focus[..<13].allSatisfy { $0 == 0.4 })
    #expect(focus[13...].allSatisfy { $0 == 0.9 })
  }

  /// Of a black start, black pictures between and one of the end, none decides.
  @Test func mapsOfOneDisparityDecideNothing() throws {
    let black = try Self.map(0, far: 0)
    // What a model makes of a black picture.
    let faint = try Self.map(0.002, far: 0)
    let (first, second) = (try Self.map(0.5, far: 0.1), try Self.map(0.8, far: 0.2))
    func several(_ map: PixelBuffer, _ count: Int) -> [PixelBuffer] {
      [PixelBuffer](repeating: map, count: count)
    }
    let focus = try #require(
      Self.focus(
        several(black, 7) + several(first, 8) + several(faint, 6) + several(second, 8)
          + several(black, 6), cuts: [7, 15, 21, 29]))
    #expect(focus[..<21].allSatisfy { $0 == 0.5 }, "\(focus)")
    #expect(focus[21...].allSatisfy { $0 == 0.8 }, "\(focus)")
    // A fade has no cut: what it becomes counts from its start.
    let faded = try #require(Self.focus(several(black, 9) + several(first, 8)))
    #expect(faded.allSatisfy { $0 == 0.5 })
    #expect(Self.focus(several(black, 9)) == nil)
  }

  /// Steps become calm moves between what is there, on time.
  @Test func isCalmWithinAShot() throws {
    var random = SeededGenerator(seed: 8)
    let maps = try (0..<150).map { frame in
      try Self.map(
        (frame < 75 ? 0.4 : 0.8) + Float.random(in: -0.002...0.002, using: &random), far: 0.1)
    }
    let focus = try #require(Self.focus(maps))
    let steps = zip(focus, focus.dropFirst()).map { abs($1 - $0) }
    #expect(try #require(steps.max()) < 0.04)
    #expect(abs(focus[10] - 0.4) < 0.01 && abs(focus[140] - 0.8) < 0.01)
    #expect((0.45...0.75).contains(focus[75]), "\(focus[75])")
    #expect(focus.allSatisfy { (0.397...0.803).contains($0) })
    // Noise alone hardly shows: between single frames' disparities there would be steps of .0008.
    let noise = try (0..<150).map { _ in
      try Self.map(0.4 + Float.random(in: -0.002...0.002, using: &random), far: 0.1)
    }
    let still = try #require(Self.focus(noise))
    let most = zip(still, still.dropFirst()).map { abs($1 - $0) }.max() ?? 1
    #expect(most < 0.0003, "\(most)")
  }
}
