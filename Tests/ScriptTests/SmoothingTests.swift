// SPDX-License-Identifier: Apache-2.0

import FocalCore
import Testing

@testable import FocalScript

/// How focus follows what is detected seldom, or in parts that come and go.
@Suite struct SmoothingTests {
  /// The focus of a subject that is detected every `step` frames, at frames of which 30 are a second.
  private static func focus(_ disparities: [Float], every step: Int) throws -> [Float] {
    let frames = (disparities.count - 1) * step + 1
    let recording = try Scripts.recording(
      frames: frames,
      tracks: [
        Scripts.track(1, frames: stride(from: 0, to: frames, by: step)) { disparities[$0 / step] },
        // It spans the range that the dead zone is a share of.
        Scripts.track(2, frames: 0..<frames) { $0 == 0 ? 0.15 : 1.05 },
      ], decisions: [Scripts.base(0, 1)])
    return Scripts.focus(try Script(recording: recording))
  }

  /// Detections that lie a second or more apart are what is known of the subject: focus is there, and on the way between.
  @Test func rareDetectionsAreReached() throws {
    let still: Float = 0.0075 * 0.9
    for (disparities, step): ([Float], Int) in [
      ([0.2, 0.2, 0.7, 0.7, 0.2, 0.2, 0.2], 30), ([0.2, 0.5, 1.0], 90),
      ([0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8], 30),
    ] {
      let focus = try Self.focus(disparities, every: step)
      for (position, disparity) in disparities.enumerated() {
        let found = focus[position * step]
        #expect(abs(found - disparity) <= still + 1e-4, "\(found) for \(disparity)")
      }
      let (from, to) = (focus[0], focus[step])
      #expect(abs(focus[step / 2] - (from + to) / 2) < 1e-4)
    }
  }

  /// Single wrong disparities are no subject, in the first and last detection neither.
  @Test func singleWrongDisparitiesAreNotFollowed() throws {
    for wrong in [0, 1, 30, 58, 59] {
      var disparities = [Float](repeating: 0.4, count: 60)
      disparities[wrong] = 0.9
      let focus = try Self.focus(disparities, every: 1)
      #expect(focus.allSatisfy { $0 == 0.4 }, "frame \(wrong)")
    }
  }

  /// Two that are near each other alone: none tells which of both is wrong, and both stay.
  @Test func pairsStayAsTheyAre() {
    let smoother = DisparitySmoother(style: .standard)
    let values: [Float] = [0.2, 0.4, 0.6, 0.8]
    let times = [0, 2, 32, 34].map { Scripts.frameTime($0) }
    var style = FocusStyle.standard
    style.springRate = 1e6
    let plain = DisparitySmoother(style: style).smoothed(values, times: times, deadZone: 0)
    #expect(plain == values)
    // A constant stays, whatever lies between.
    #expect(
      smoother.smoothed([0.5, 0.5, 0.5, 0.5], times: times, deadZone: 0) == [0.5, 0.5, 0.5, 0.5])
  }

  // MARK: - Groups

  /// The focus of a group of a torso that is always found and a face that is found in some frames.
  private static func groupFocus(
    frames: Int, face: (Int) -> Float?, torso: (Int) -> Float = { _ in 0.63 }
  ) throws -> [Float] {
    let recording = try Scripts.recording(
      frames: frames,
      tracks: [
        Scripts.track(1, group: 1, frames: (0..<frames).filter { face($0) != nil }) {
          face($0) ?? 0
        },
        Scripts.track(2, group: 1, type: .humanTorso, frames: 0..<frames, disparity: torso),
        Scripts.track(3, frames: 0..<frames) { _ in 0.1 },
      ],
      decisions: [
        Decision(time: .zero, detectionGroupID: DetectionGroupID(1), strong: false)
      ])
    return Scripts.focus(try Script(recording: recording))
  }

  /// A face that is found every other half second leaves focus where it is.
  @Test func facesThatComeAndGoDoNotBreathe() throws {
    for half in [3, 15, 30] {
      let focus = try Self.groupFocus(frames: 240) { $0 / half % 2 == 0 ? 0.6 : nil }
      #expect(focus.allSatisfy { abs($0 - 0.6) < 1e-6 }, "every \(half) frames")
    }
    // So does one whose subject comes nearer, which the torso shows.
    let near = try Self.groupFocus(frames: 240) { frame in
      frame / 15 % 2 == 0 ? 0.3 + 0.001 * Float(frame) : nil
    } torso: {
      0.28 + 0.001 * Float($0)
    }
    for frame in 20..<220 {
      #expect(abs(near[frame] - (0.3 + 0.001 * Float(frame))) < 0.006, "frame \(frame)")
    }
  }

  /// What is left of a subject that turned away long ago is followed as it is.
  @Test func facesOfLongAgoDoNotCount() throws {
    let focus = try Self.groupFocus(frames: 240) { $0 < 60 ? 0.6 : nil }
    #expect(focus[..<80].allSatisfy { abs($0 - 0.6) < 0.005 })
    #expect(focus[140...].allSatisfy { abs($0 - 0.63) < 0.005 })
    #expect(zip(focus, focus.dropFirst()).allSatisfy { $1 - $0 > -1e-6 && $1 - $0 < 0.002 })
  }
}
