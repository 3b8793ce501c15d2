// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalSample
import Testing

@testable import FocalSubjects

/// What is pointed at is the subject's, whatever its colour.
@Suite struct TapTests {
  private static let size = Dimensions(width: 480, height: 360)
  /// At the size of the analysis, 448 x 336.
  private static let (left, right, top, bottom) = (140, 308, 84, 252)

  /// A blue square whose left edge has the wall's colour.
  private static func view() throws -> SubjectView {
    var random = SeededGenerator(seed: 5)
    let codes = (0..<size.count).flatMap { place -> [UInt8] in
      let (x, y) = (place % size.width, place / size.width)
      let isBlue = (162..<330).contains(x) && (90..<270).contains(y)
      let noise = Int(4 * random.share())
      let color: [Int] = isBlue ? [60, 90, 180] : [120, 116, 110]
      return color.map { UInt8($0 + noise) } + [255]
    }
    return try SubjectView(
      try PixelBuffer(dimensions: size, format: .rgba8, values: codes), turn: .identity,
      analysisSize: 448, outlineSide: 400)
  }

  private static func labels(_ view: SubjectView) -> [UInt8] {
    (0..<view.analysis.count).map { place in
      let (x, y) = (place % view.analysis.width, place / view.analysis.width)
      return (left..<right).contains(x) && (top..<bottom).contains(y) ? 1 : 0
    }
  }

  /// Colours take the edge away, but not around the point.
  @Test func holdsWhatIsAroundAPoint() throws {
    let view = try Self.view()
    let (x, y) = (Self.left + 4, 168)
    var seed = SubjectSeed(labels: Self.labels(view), inner: 0.03)
    seed.tap = y * view.analysis.width + x
    let found = try Segmenter(view: view, map: nil).refined(seed, others: []).labels
    for (u, v) in [(0, 0), (2, 0), (0, 2), (0, -2), (-2, 0), (2, 2)] {
      #expect(found[(y + v) * view.analysis.width + x + u] == 1, "\(u), \(v)")
    }
    #expect(found[(y + 40) * view.analysis.width + x] == 0)
  }

  /// What is pointed at ends at an edge of the map.
  @Test func endsAtTheMapsEdge() throws {
    let view = try Self.view()
    let near = (0..<Self.size.count).map { place -> Float in
      let (x, y) = (place % Self.size.width, place / Self.size.width)
      return (150..<330).contains(x) && (90..<270).contains(y) ? 0.7 : 0.2
    }
    let map = try AnalysisMap(
      try PixelBuffer(
        dimensions: Self.size, format: .disparityFloat, tags: .linearBT709, values: near),
      turn: .identity, dimensions: view.analysis)
    let (x, y) = (Self.left + 2, 168)
    var seed = SubjectSeed(labels: Self.labels(view), inner: 0.03)
    seed.tap = y * view.analysis.width + x
    let found = try Segmenter(view: view, map: map).refined(seed, others: []).labels
    #expect(found[y * view.analysis.width + x] == 1)
    #expect(found[y * view.analysis.width + x - 4] == 0)
  }

  /// The outline leaves alone what is certain.
  @Test func outlinesKeepWhatIsCertain() throws {
    let view = try Self.view()
    let (x, y) = (Self.left + 5, 168)
    let certain = (0..<view.analysis.count).map { place -> UInt8 in
      let (u, v) = (place % view.analysis.width - x, place / view.analysis.width - y)
      return u * u + v * v <= 16 ? 1 : 0
    }
    let blue = Self.labels(view).enumerated().map { place, label in
      place % view.analysis.width < Self.left + 11 ? certain[place] : label
    }
    let matte = try SubjectMatte(view: view, labels: blue, certain: certain)
    let size = matte.dimensions
    for v in 0..<size.height {
      for u in 0..<size.width {
        let (i, j) = (
          u * view.analysis.width / size.width, v * view.analysis.height / size.height
        )
        guard certain[j * view.analysis.width + i] != 0 else { continue }
        #expect(matte.alpha[v * size.width + u] == 1, "\(u), \(v)")
      }
    }
    #expect(matte.alpha[(200 * size.height / 336) * size.width + 145 * size.width / 448] < 0.5)
  }
}
