// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalSample
import Foundation
import Testing

@testable import FocalSubjects

/// Random masks, points and sets through the observation's interface: no trap, and answers that agree.
///
/// `make fuzz` is the long run.
@Suite struct ObservationFuzzTests {
  private static var count: Int {
    ProcessInfo.processInfo.environment["FOCAL_FUZZ_COUNT"].flatMap(Int.init) ?? 300
  }

  @Test func answersAnything() throws {
    var random = SeededGenerator(seed: 11)
    for _ in 0..<Self.count {
      let stored = Dimensions(
        width: Int.random(in: 1...24, using: &random),
        height: Int.random(in: 1...24, using: &random))
      let turn = QuarterTurn.allCases.randomElement(using: &random) ?? .identity
      let values = (0..<4 * stored.count).map { _ in
        [Float.nan, .infinity, -1, 0, 1, 70000].randomElement(using: &random) ?? 0
      }
      let picture = try PixelBuffer(
        dimensions: stored, format: .rgbaFloat, tags: .linearBT709, values: values)
      let view = try SubjectView(picture, turn: turn, analysisSize: 16, outlineSide: 20)
      let subjects = Int.random(in: 1...3, using: &random)
      let labels = (0..<view.analysis.count).map { _ in
        UInt8.random(in: 0...UInt8(subjects), using: &random)
      }
      let found = try InstanceMaskObservation(
        view: view,
        found: FoundSubjects(
          labels: labels, confidences: [Float](repeating: 0.5, count: subjects)))
      let point = NormalizedPoint(
        x: [Double.nan, -.infinity, -0.1, 0, 1, 2, random.share()].randomElement(using: &random)
          ?? 0,
        y: random.share())
      if let number = found.instance(at: point) {
        #expect(found.allInstances.contains(number))
        #expect(found.bounds(of: number)?.area ?? 0 > 0)
      }
      var chosen = IndexSet()
      for number in 1...subjects where Bool.random(using: &random) { chosen.insert(number) }
      let mask = try found.generateMask(for: chosen).floats
      let scaled = try found.generateScaledMask(for: chosen, scaledToImageFrom: picture).floats
      let isInRange = (mask + scaled).allSatisfy { (0...1).contains($0) }
      #expect(isInRange)
      let image = try found.generateMaskedImage(for: chosen, imageFrom: picture)
      #expect(image.dimensions == view.shown)
      let areFinite = image.floats.allSatisfy(\.isFinite)
      #expect(areFinite)
      _ = try? found.generateMaskedImage(
        for: chosen, imageFrom: picture, croppedToInstancesExtent: true)
      let wrong = IndexSet(integer: Int.random(in: 0...300, using: &random))
      if !wrong.isSubset(of: found.allInstances) {
        #expect(throws: CinematicError.self) { try found.generateMask(for: wrong) }
      }
    }
  }
}

extension IndexSet {
  fileprivate func isSubset(of other: IndexSet) -> Bool { subtracting(other).isEmpty }
}
