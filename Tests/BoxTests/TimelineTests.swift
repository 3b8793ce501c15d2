// SPDX-License-Identifier: Apache-2.0

import FocalBoxes
import FocalCore
import MovieKit
import Testing

@Suite struct TimelineTests {
  func time(_ value: Int64, _ timescale: Int32 = 600) -> Time {
    Time(value: value, timescale: timescale)
  }

  /// An index of samples, through fragments.
  func index(_ samples: [(duration: Int, offset: Int)], timescale: Int = 600) throws -> SampleIndex
  {
    var layout = MovieLayout([
      MovieLayout.Track(
        "vide", timescale: timescale, entry: Box("hvc1", data: []),
        samples: samples.map {
          MovieLayout.Sample([1], duration: $0.duration, compositionOffset: $0.offset)
        })
    ])
    layout.form = .fragments
    return try HostileFile.indices(layout.bytes())[1]!
  }

  func timeline(
    _ index: SampleIndex, _ edits: [EditList.Edit]?, media: Int32 = 600, movie: Int32 = 600
  ) -> Timeline {
    var list: EditList?
    if let edits {
      let box = Box.full("elst", version: 1) { builder in
        builder.u32(edits.count)
        for edit in edits {
          builder.u64(edit.duration)
          builder.u64(edit.mediaTime)
          builder.u32(edit.rate)
        }
      }
      list = try? EditList(box.data)
    }
    return Timeline(
      index, mediaTimescale: media, movieTimescale: movie, edits: list, isFragmented: false)
  }

  func entries(_ timeline: Timeline) -> [Timeline.Entry] {
    (0..<timeline.count).map { timeline[$0] }
  }

  @Test func withoutEdits() throws {
    let index = try index([(20, 0), (30, 0), (10, 0)])
    let timeline = timeline(index, nil)
    #expect(entries(timeline).map(\.sample) == [0, 1, 2])
    #expect(entries(timeline).map(\.timeRange.start) == [time(0), time(20), time(50)])
    #expect(entries(timeline).map(\.timeRange.end) == [time(20), time(50), time(60)])
    #expect(timeline.timeRange == TimeRange(start: .zero, end: time(60)))
  }

  /// I P B B as encoders write it: decoded 0 3 1 2, shown from the second frame time on; the edit
  /// takes the delay away.
  @Test func reorderedPictures() throws {
    let index = try index([(20, 20), (20, 60), (20, 0), (20, 0)])
    let timeline = timeline(index, [EditList.Edit(duration: 80, mediaTime: 20)])
    #expect(entries(timeline).map(\.sample) == [0, 2, 3, 1])
    #expect(
      entries(timeline).map(\.timeRange.start) == [time(0), time(20), time(40), time(60)])
    #expect(entries(timeline).last?.timeRange.end == time(80))
  }

  @Test func cutsAndGaps() throws {
    let index = try index([(20, 0), (20, 0), (20, 0), (20, 0)])
    let timeline = timeline(
      index,
      [
        EditList.Edit(duration: 100, mediaTime: -1), EditList.Edit(duration: 30, mediaTime: 30),
        EditList.Edit(duration: 20, mediaTime: 0),
        EditList.Edit(duration: 50, mediaTime: 20, rate: 0),
      ])
    let all = entries(timeline)
    #expect(all.map(\.sample) == [1, 2, 0, 1])
    #expect(all.map(\.timeRange.start) == [time(100), time(110), time(130), time(150)])
    #expect(all.map(\.timeRange.end) == [time(110), time(130), time(150), time(200)])
    #expect(timeline.number(at: time(99)) == nil)
    #expect(timeline.number(at: time(109)) == 0)
    #expect(timeline.number(at: time(110)) == 1)
    #expect(timeline.number(at: time(1000)) == 3)
    #expect(timeline.shownRange == TimeRange(start: time(100), end: time(200)))
  }

  @Test func doubleSpeed() throws {
    let index = try index([(20, 0), (20, 0), (20, 0)])
    let timeline = timeline(
      index, [EditList.Edit(duration: 30, mediaTime: 0, rate: 2 << 16)])
    #expect(entries(timeline).map(\.timeRange.start) == [time(0), time(10), time(20)])
    #expect(entries(timeline).last?.timeRange.end == time(30))
  }

  /// 29.97 frames a second in a movie of 600 ticks: edits are rounded, frame times are not, and no
  /// frame is lost or added at the ends.
  @Test(arguments: 1...40) func roundedEdits(_ frames: Int) throws {
    let index = try index(
      [(Int, Int)](repeating: (1001, 0), count: frames), timescale: 30000)
    let duration = Int64((Double(frames) * 1001 / 30000 * 600).rounded())
    let timeline = timeline(
      index, [EditList.Edit(duration: duration, mediaTime: 0)], media: 30000, movie: 600)
    #expect(timeline.count == frames)
    for (number, entry) in entries(timeline).enumerated() {
      #expect(entry.timeRange.start == time(Int64(number) * 1001, 30000))
    }
    // A part of longer media: as many frames as fit the rounded edit.
    let longer = try self.index(
      [(Int, Int)](repeating: (1001, 0), count: frames + 5), timescale: 30000)
    let part = self.timeline(
      longer, [EditList.Edit(duration: duration, mediaTime: 0)], media: 30000, movie: 600)
    #expect(part.count == frames)
  }

  /// Against a search through all samples, on random edits.
  @Test func agreesWithASlowSearch() throws {
    var random = Seeded(11)
    let samples = (0..<60).map { _ in (Int(random.next() % 4 + 1) * 10, 0) }
    let index = try index(samples)
    for _ in 0..<300 {
      let edit = EditList.Edit(
        duration: Int64(random.next() % 600 + 1), mediaTime: Int64(random.next() % 1700))
      let timeline = timeline(index, [edit])
      let shown = (0..<index.count).filter { number in
        let sample = index[number]
        return sample.compositionTime < edit.mediaTime + edit.duration
          && sample.compositionTime + sample.duration > edit.mediaTime
      }
      #expect(entries(timeline).map(\.sample) == shown)
      for entry in entries(timeline) {
        let sample = index[entry.sample]
        let start = max(sample.compositionTime - edit.mediaTime, 0)
        #expect(entry.timeRange.start == time(start))
        #expect(timeline.number(at: entry.timeRange.start) != nil)
        let middle = time(2 * start + 1, 1200)
        #expect(timeline[try #require(timeline.number(at: middle))] == entry)
      }
    }
  }
}
