// SPDX-License-Identifier: Apache-2.0

import FocalScript
import Testing

@testable import focal

/// The objects of `focal bench-script` move as its help says.
@Suite struct SampleHourTests {
  /// How far a box goes, in parts of the picture: across, down, in its width, and in disparity.
  private static func spans(_ detections: ArraySlice<Detection>) -> [Double] {
    let columns: [(Detection) -> Double] = [
      { $0.normalizedRect.x }, { $0.normalizedRect.y }, { $0.normalizedRect.width },
      { Double($0.focusDisparity) },
    ]
    return columns.map { column in
      let values = detections.map(column)
      return (values.max() ?? 0) - (values.min() ?? 0)
    }
  }

  /// Boxes tremble by 0.002 either way, and are stored in single precision.
  private static let tremble = 0.0041

  /// For 7π seconds it moves, and as long it stands, wherever it has got to, with no jump between.
  @Test func anObjectThatMovesHalfOfTheTime() {
    let hour = SampleHour(frameCount: 1800 * 3)
    let detections = hour.detections(.sometimes, .humanFace, seed: 21)
    let turn = 30 * 7 * Double.pi
    for number in 0..<8 {
      // Frames beside a change are of neither.
      let (first, end) = (Double(number) * turn + 1, Double(number + 1) * turn - 1)
      let spans = Self.spans(detections[Int(first.rounded(.up))..<Int(end)])
      if number % 2 == 0 {
        #expect(spans[0] > 0.3 && spans[1] > 0.05 && spans[3] > 0.05, "\(number): \(spans)")
      } else {
        #expect(spans.allSatisfy { $0 < Self.tremble }, "\(number): \(spans)")
      }
    }
    // At its fastest it crosses a fifth of the picture in a second.
    for (box, next) in zip(detections, detections.dropFirst()) {
      #expect(abs(next.normalizedRect.x - box.normalizedRect.x) < 0.2 / 30 + Self.tremble)
    }
  }

  @Test func oneThatMovesAndOneThatStands() {
    let hour = SampleHour(frameCount: 1800)
    let moving = hour.detections(.always, .humanFace, seed: 20)
    let still = hour.detections(.never, .humanFace, seed: 23)
    for start in stride(from: 0, to: 1800, by: 200) {
      #expect(Self.spans(moving[start..<(start + 200)]).prefix(2).allSatisfy { $0 > 0.05 })
    }
    #expect(Self.spans(still[...]).allSatisfy { $0 < Self.tremble })
  }
}
