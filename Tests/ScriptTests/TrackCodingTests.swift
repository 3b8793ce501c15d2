// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalSample
import Foundation
import Testing

@testable import FocalScript

/// The binary form of added tracks.
struct TrackCodingTests {
  /// A custom track of rows of x, y, width, height, disparity.
  private func roundTrip(_ rows: [[Double]]) throws -> Int {
    let track = try CustomDetectionTrack(
      detections: rows.enumerated().map { frame, row in
        Detection(
          time: Scripts.frameTime(frame), detectionType: .custom,
          normalizedRect: NormalizedRect(x: row[0], y: row[1], width: row[2], height: row[3]),
          focusDisparity: Float(row[4]))
      }, smooth: false)
    let script = try Scripts.talk()
    let empty = script.changes().dataRepresentation.count
    script.addDetectionTrack(track)
    let changes = script.changes()
    let data = changes.dataRepresentation
    let back = try Script.Changes(dataRepresentation: data)
    let found = try #require(back.addedDetectionTracks.first as? CustomDetectionTrack)
    for (given, row) in zip(found.allDetections, rows) {
      let rect = given.normalizedRect
      let bits = [rect.x, rect.y, rect.width, rect.height].map(\.bitPattern)
      #expect(bits == row[..<4].map(\.bitPattern))
      #expect(given.focusDisparity.bitPattern == Float(row[4]).bitPattern)
    }
    #expect(found.allDetections.count == rows.count && back == changes)
    return data.count - empty
  }

  /// An object of a tracker that trembles, drifts, stops and grows, as ``ObjectTracker`` rounds it.
  private func tracked(count: Int) -> [[Double]] {
    var generator = SeededGenerator(seed: 21)
    func tremble() -> Double { Double.random(in: -0.002...0.002, using: &generator) }
    var rounding: TrackRounding?
    return (0..<count).map { frame in
      let t = Double(frame) / 30
      let moving = sin(t / 7) > 0 ? 1.0 : 0.0
      let size = 0.2 + 0.05 * sin(t / 11)
      var detection = Detection(
        time: .zero, detectionType: .custom,
        normalizedRect: NormalizedRect(
          x: 0.4 + 0.2 * moving * sin(t) + tremble(), y: 0.3 + 0.1 * sin(t / 5) + tremble(),
          width: size + tremble() / 2, height: size * 1.5 + tremble() / 2),
        focusDisparity: Float(0.5 + 0.1 * sin(t / 5) + tremble()))
      if rounding == nil { rounding = TrackRounding(first: detection, spread: 0.8) }
      rounding?.round(&detection)
      let rect = detection.normalizedRect
      return [rect.x, rect.y, rect.width, rect.height, Double(detection.focusDisparity)]
    }
  }

  @Test func hourOfATrackerStaysBelow100Kilobytes() throws {
    #expect(try roundTrip(tracked(count: 108_000)) < 100_000)
  }

  @Test func stillTrackIsBoundedByTheReadersRule() throws {
    // four detections a byte at most, and next to nothing above
    let size = try roundTrip([[Double]](repeating: [0.1, 0.2, 0.3, 0.4, 0.5], count: 4000))
    #expect(size >= 1000 && size < 1100)
  }

  @Test func anyNumbersRoundTrip() throws {
    var generator = SeededGenerator(seed: 22)
    func random(_ range: ClosedRange<Double>) -> Double {
      Double.random(in: range, using: &generator)
    }
    let rows: [() -> [Double]] = [
      { (0..<5).map { _ in random(-1...1) } },
      { (0..<5).map { _ in Double(Float(random(0...1))) } },
      { (0..<5).map { _ in random(-1...1) * pow(10, random(-30...30)) } },
      { (0..<5).map { _ in (random(-99...99)).rounded() } },
      { [-0.0, 0, .leastNonzeroMagnitude, 1e300, 0] }, { [1, -0.0, 0x1p59, 0x1p60, -0.0] },
      { (0..<5).map { _ in random(0...1) < 0.5 ? 0 : 0x1p-60 } },
      { (0..<5).map { _ in Bool.random(using: &generator) ? 0x1.8p58 : -0x1.8p58 } },
    ]
    for row in rows {
      for count in [1, 2, 3, 60] { _ = try roundTrip((0..<count).map { _ in row() }) }
    }
  }

  @Test func boxesOfAnObjectThatStandsDoNotTremble() {
    let rows = tracked(count: 300)
    // the first 22 s it moves; heights hardly, and by steps
    let heights = rows.map { $0[3] }
    let changes = zip(heights, heights.dropFirst()).count { $0 != $1 }
    #expect(changes < 60)
  }

  @Test func roundingKeepsWithinThreeQuartersOfAStep() {
    var generator = SeededGenerator(seed: 23)
    let first = Scripts.detection(.zero, disparity: 0.4)
    var rounding = TrackRounding(first: first, spread: 1)
    for _ in 0..<500 {
      var detection = first
      detection.normalizedRect.x = Double.random(in: -0.2...1, using: &generator)
      detection.focusDisparity = Float.random(in: 0...1, using: &generator)
      let given = detection
      rounding.round(&detection)
      // the rectangle is 0.2 wide: steps of 2^-9
      #expect(abs(detection.normalizedRect.x - given.normalizedRect.x) <= 0.75 * 0x1p-9)
      #expect(abs(detection.focusDisparity - given.focusDisparity) <= 0.75 * 0x1p-8 + 1e-6)
    }
  }

  @Test func arithmeticCodingReadsWhatItWrote() {
    var generator = SeededGenerator(seed: 24)
    for chance in [0.001, 0.2, 0.5, 0.99] {
      let bits = (0..<5000).map { _ in Double.random(in: 0..<1, using: &generator) < chance }
      var encoder = ArithmeticEncoder()
      var probability = BitProbability()
      for bit in bits {
        _ = encoder.code(bit, &probability)
        _ = encoder.codeEven(!bit)
      }
      let bytes = encoder.finish()
      // an even bit costs one, the other its entropy and what learning it takes
      let entropy = -chance * log2(chance) - (1 - chance) * log2(1 - chance)
      #expect(Double(bytes.count) < 5000 / 8 * (1 + entropy * 1.06) + 40)
      var decoder = ArithmeticDecoder(bytes[...])
      probability = BitProbability()
      for bit in bits {
        #expect(decoder.code(false, &probability) == bit)
        #expect(decoder.codeEven(false) == !bit)
      }
    }
  }
}
