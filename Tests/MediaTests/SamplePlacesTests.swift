// SPDX-License-Identifier: Apache-2.0

import FocalBoxes
import FocalCore
import Testing

@testable import FocalMedia

/// Where coded pictures lie in a movie that takes them as they are.
@Suite struct SamplePlacesTests {
  /// Ten pictures, 30 a second, from a tick of the media's clock on.
  ///
  /// - Parameter pause: sevenths of a second in which nothing is shown first; any makes a tick of the media seven.
  private static func places(from base: Int64, pause: Int64) throws -> SamplePlaces? {
    var index = SampleIndex()
    for number in 0..<Int64(10) {
      let sample = SampleIndex.Sample(
        offset: 100 + number, size: 1, decodeTime: base + number, compositionTime: base + number,
        duration: 1, isSync: true, description: 0)
      try index.append(sample, isHidden: false)
    }
    var edits = [EditList.Edit(duration: 0, mediaTime: base)]
    if pause > 0 { edits.insert(EditList.Edit(duration: pause, mediaTime: -1), at: 0) }
    let timeline = Timeline(
      index, mediaTimescale: 30, movieTimescale: 7, edits: EditList(edits: edits),
      isFragmented: true)
    let times = ReadTimes(timeline, from: 0, startTime: .zero, timescale: 30)
    return SamplePlaces(index, timeline, times, mediaTimescale: 30)
  }

  @Test func placesFollowTheEdits() throws {
    let places = try #require(try Self.places(from: 1000, pause: 1))
    #expect(places.timescale == 210)
    let first = places.sample(0, data: [])
    let last = places.sample(9, data: [])
    #expect(first.presentationTime == 30 && first.decodeTime == 30 && first.duration == 7)
    #expect(last.presentationTime == 93 && last.duration == 7)
  }

  /// A clock near the end of what indices hold: its ticks fit as they are, and seven times as many do not.
  @Test func largeClocks() throws {
    let base = Int64(1) << 61 - 1000
    let places = try #require(try Self.places(from: base, pause: 0))
    #expect(places.sample(9, data: []).presentationTime == 9)
    #expect(places.decodeTime(9) == Time(value: 9, timescale: 30))
    #expect(try Self.places(from: base, pause: 1) == nil)
  }
}
