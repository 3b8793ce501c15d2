// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalSample
import Testing

@testable import FocalScript

/// Detections, tracks, frame times.
struct ModelTests {
  @Test func typesHaveTheFrameworksRawValues() {
    #expect(DetectionType.allCases.map(\.rawValue) == [0, 1, 2, 3, 4, 5, 9, 10, 11, 100, 101, 102])
    for gap in [6, 7, 8, 12, 99, 103, -1] { #expect(DetectionType(rawValue: gap) == nil) }
    for type in DetectionType.allCases {
      #expect(DetectionType(name: type.description) == type)
      #expect(!Detection.accessibilityLabel(for: type).isEmpty)
    }
  }

  /// An error names the id that is wrong.
  @Test func wrongIdsAreNamed() {
    func message(_ id: Int64, _ group: Int64) -> String? {
      do throws(CinematicError) {
        _ = try RecordedDetectionTrack(
          detectionID: DetectionID(id), detectionGroupID: DetectionGroupID(group),
          detectionType: .humanFace, detections: [])
        return nil
      } catch {
        return error.message
      }
    }
    #expect(message(5, 7) == nil)
    #expect(message(5, -1)?.contains("the group -1") == true)
    #expect(message(0, 7)?.contains("the id 0") == true)
  }

  /// Every frame that is on the screen at some time of a range, by trying; steady times and listed ones.
  @Test func framesOnTheScreen() throws {
    let steady = try FrameTimes(
      range: TimeRange(start: .zero, duration: Scripts.frameTime(9)),
      frameDuration: Scripts.frameTime(1))
    let listed = try FrameTimes([0, 20, 50, 60, 120].map { Scripts.time($0) })
    for (times, end) in [(steady, 180), (listed, 150)] {
      func starts(_ position: Int) -> Int { Int(times[position].converted(to: 600).value) }
      func ends(_ position: Int) -> Int {
        position + 1 < times.count ? starts(position + 1) : end
      }
      for start in stride(from: 0, to: end + 20, by: 5) {
        for stop in stride(from: start, to: end + 40, by: 5) {
          let range = TimeRange(start: Scripts.time(start), end: Scripts.time(stop))
          let expected = times.indices.filter {
            start < stop && starts($0) < stop && ends($0) > start
          }
          #expect(Array(times.indices(shownIn: range, until: Scripts.time(end))) == expected)
        }
      }
    }
    // Half a millisecond of a frame is what rounded times leave of it.
    let rounded = TimeRange(
      start: Time(value: 665, timescale: 10000), end: Time(value: 1005, timescale: 10000))
    #expect(steady.indices(shownIn: rounded, until: Scripts.frameTime(9)) == 2..<3)
  }

  @Test func aRangeThatLostItsDurationHasNoFrames() throws {
    var range = TimeRange(start: .zero, duration: Scripts.frameTime(3))
    range.duration -= Scripts.frameTime(6)
    let times = try FrameTimes(range: range, frameDuration: Scripts.frameTime(1))
    #expect(times.isEmpty && times.first == nil)
  }

  /// Sides that were worked out from corners would be rounded, and of large rectangles lost.
  @Test func picturesThatAreNotTurnedKeepTheirRectangles() {
    for rect in [
      NormalizedRect(x: 0.1, y: 0.7, width: 0.2, height: 0.1),
      NormalizedRect(x: 1e6, y: -1e6, width: 1e-9, height: 1e6),
    ] {
      #expect(QuarterTurn.identity.applied(to: rect) == rect)
    }
  }

  @Test func fixedTrackHasADetectionAtAnyTime() throws {
    let track = try FixedDetectionTrack(focusDisparity: 0.5)
    let time = Time(value: 7, timescale: 13)
    #expect(track.detection(atOrBefore: time)?.time == time)
    #expect(track.detection(nearest: time)?.focusDisparity == 0.5)
    #expect(track.detections(in: TimeRange(start: .zero, duration: time)).isEmpty)
    #expect(track.detectionType == .fixedFocus && !track.isDiscrete && track.detectionID == nil)
  }

  @Test func fixedTrackRefusesWhatIsNoDisparity() {
    for disparity in [Float.nan, .infinity, -.infinity] {
      #expect(throws: CinematicError.self) { try FixedDetectionTrack(focusDisparity: disparity) }
      #expect(throws: CinematicError.self) {
        try FixedDetectionTrack(
          originalDetection: Scripts.detection(.zero, disparity: disparity))
      }
    }
  }

  @Test func customTrackSortsAndLooksUp() throws {
    let detections = [40, 0, 20, 20].enumerated().map { index, tick in
      Scripts.detection(Scripts.time(tick), .custom, disparity: Float(index))
    }
    let track = try CustomDetectionTrack(detections: detections, smooth: false)
    #expect(track.allDetections.map(\.focusDisparity) == [1, 3, 0])
    #expect(track.detection(atOrBefore: Scripts.time(39))?.focusDisparity == 3)
    #expect(track.detection(atOrBefore: Scripts.time(-1)) == nil)
    #expect(track.detection(nearest: Scripts.time(30))?.focusDisparity == 3)
    #expect(track.detection(nearest: Scripts.time(31))?.focusDisparity == 0)
    #expect(
      track.detections(in: TimeRange(start: Scripts.time(0), end: Scripts.time(40))).count == 2)
    #expect(throws: CinematicError.self) { try CustomDetectionTrack(detections: [], smooth: true) }
    #expect(throws: CinematicError.self) {
      try CustomDetectionTrack(
        detections: [Scripts.detection(.zero, disparity: .infinity)], smooth: true)
    }
  }

  @Test func smoothingTakesJitterOutOfACustomTrack() throws {
    let detections = (0..<60).map {
      Scripts.detection(Scripts.frameTime($0), disparity: $0 % 2 == 0 ? 0.4 : 0.6)
    }
    let track = try CustomDetectionTrack(detections: detections, smooth: true)
    for detection in track.allDetections[10..<50] {
      #expect(abs(detection.focusDisparity - 0.5) < 0.02)
    }
  }

  @Test func frameTimesAreFoundExactly() throws {
    let range = TimeRange(
      start: Time(value: 7, timescale: 24), duration: Time(value: 10, timescale: 1))
    let regular = try FrameTimes(range: range, frameDuration: Time(value: 1001, timescale: 30000))
    let listed = try FrameTimes(Array(regular))
    #expect(regular.count == 300)
    var generator = SeededGenerator(seed: 1)
    for _ in 0..<2000 {
      let time = Time(
        value: Int64.random(in: -100...12000, using: &generator),
        timescale: [600, 1000, 30000].randomElement(using: &generator) ?? 1)
      #expect(regular.index(atOrAfter: time) == listed.index(atOrAfter: time))
      #expect(regular.index(atOrBefore: time) == listed.index(atOrBefore: time))
      #expect(regular.index(nearest: time) == listed.index(nearest: time))
    }
    #expect(throws: CinematicError.self) {
      try FrameTimes(range: range, frameDuration: Time(value: -1, timescale: 30))
    }
  }

  /// A frame that stays long, or hardly, says nothing of how far the others lie apart.
  @Test func toleranceGoesByTheNeighbours() throws {
    func seconds(_ times: FrameTimes, _ milliseconds: Int64) -> Double {
      times.tolerance(at: Time(value: milliseconds, timescale: 1000)).seconds
    }
    func listed(_ milliseconds: [Int64]) throws -> FrameTimes {
      try FrameTimes(milliseconds.map { Time(value: $0, timescale: 1000) })
    }
    let still = try listed([0, 10_000, 10_040, 10_080])
    #expect(seconds(still, 0) == 5 && seconds(still, 10_000) == 0.02)
    #expect(seconds(still, 7500) == 0.02 && seconds(still, 99_000) == 0.02)
    let hasty = try listed([0, 1, 41, 81, 82])
    #expect(seconds(hasty, 41) == 0.02 && seconds(hasty, 0) == 0.001)
    #expect(abs(seconds(try listed([7]), 7) - 1.0 / 60) < 1e-5)
    #expect(abs(seconds(try listed([]), 7) - 1.0 / 60) < 1e-5)
    let steady = try FrameTimes(
      range: TimeRange(start: .zero, duration: Scripts.frameTime(9)),
      frameDuration: Time(value: 1, timescale: 25))
    #expect(seconds(steady, 0) == 0.02 && seconds(steady, 99_000) == 0.02)
  }

  @Test func disparityIsTakenFromTheSubjectNotFromWhatPasses() throws {
    let size = Dimensions(width: 64, height: 48)
    for format in [PixelFormat.disparityFloat, .disparityHalf] {
      let map = try PixelBuffer(dimensions: size, format: format)
      func fill(_ value: (Int, Int) -> Float) {
        map.withUnsafeMutableBytes { bytes in
          for y in 0..<size.height {
            for x in 0..<size.width {
              let row = y * map.planes[0].bytesPerRow
              let value = value(x, y)
              if format == .disparityFloat {
                bytes.storeBytes(of: value, toByteOffset: row + x * 4, as: Float.self)
              } else {
                // quarters from 0.25 to 1 as binary16; a set exponent for what is no number
                let bits: [Float: UInt16] = [0.25: 0x3400, 0.5: 0x3800, 0.75: 0x3A00, 1: 0x3C00]
                bytes.storeBytes(
                  of: bits[value] ?? 0x7C00, toByteOffset: row + x * 2, as: UInt16.self)
              }
            }
          }
        }
      }
      let rect = NormalizedRect(x: 0.25, y: 0.25, width: 0.5, height: 0.5)
      func disparity(_ prior: Float?) -> Float {
        Detection.disparity(
          in: rect, sourceDisparity: map, detectionType: .humanFace, priorDisparity: prior)
      }
      // a subject at 0.5 before 0.25, with holes; then something near enters from the left
      fill { x, y in (x + y) % 5 == 0 ? .infinity : x > 12 && x < 52 ? 0.5 : 0.25 }
      #expect(disparity(nil) == 0.5)
      fill { x, y in x < 38 ? 1 : x < 52 ? 0.5 : 0.25 }
      #expect(disparity(nil) == 1)
      #expect(disparity(0.5) == 0.5)
      fill { _, _ in .infinity }
      #expect(disparity(nil).isNaN)
      #expect(disparity(0.5) == 0.5)
    }
    let picture = try PixelBuffer(dimensions: size, format: .gray8)
    #expect(
      Detection.disparity(
        in: NormalizedRect(x: .nan, y: 0, width: 1, height: 1), sourceDisparity: picture,
        detectionType: .unknown
      ).isNaN)
  }
}
