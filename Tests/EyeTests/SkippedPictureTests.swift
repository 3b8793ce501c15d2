// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalEyes
import FocalScript
import Testing

/// Tracks over pictures that were not looked at.
@Suite struct SkippedPictureTests {
  /// Counts that would not fit a whole number together.
  @Test func anyNumberOfPicturesMayBeSkipped() throws {
    let map = try PixelBuffer(
      dimensions: Dimensions(width: 16, height: 9), format: .disparityFloat,
      values: [Float](repeating: 0.5, count: 144))
    let face = FoundObject(
      type: .humanFace, rect: NormalizedRect(x: 0.4, y: 0.4, width: 0.1, height: 0.1),
      confidence: 0.9)
    var linker = TrackLinker()
    for number in 0..<4 {
      linker.add(
        [face], at: Time(value: Int64(number), timescale: 30), disparity: map, skipped: .max)
    }
    let tracks = try linker.tracks()
    #expect(tracks.map(\.allDetections.count) == [4])
  }
}
