// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalScript
import Foundation
import Testing

/// What the commands say of decisions that have no effect, or another one than they seem to have.
@Suite struct DecisionNoteTests {
  private static let frame = Time(value: 1, timescale: 30)

  /// `script.json`: 3 s, in which the first subject is found throughout, the second in the first second, the third in the
  /// last.
  private static func script(in folder: Folder) throws {
    let range = TimeRange(start: .zero, duration: frame * 90)
    let tracks = try [0..<90, 0..<30, 60..<90].enumerated().map { index, frames in
      try RecordedDetectionTrack(
        detectionID: DetectionID(Int64(index + 1)), detectionType: .humanFace,
        detections: frames.map { number in
          Detection(
            time: frame * number, detectionType: .humanFace,
            normalizedRect: NormalizedRect(x: 0.1, y: 0.1, width: 0.1, height: 0.1),
            focusDisparity: Float(index + 1) / 5)
        })
    }
    let recording = try Recording(
      timeRange: range, frameTimes: FrameTimes(range: range, frameDuration: frame), fNumber: 2.8,
      detectionTracks: tracks,
      decisions: [Decision(time: .zero, detectionID: DetectionID(1), strong: false)])
    folder.write([UInt8](try recording.jsonRepresentation()), to: "script.json")
  }

  @Test func subjectsThatAreNotThere() async throws {
    let folder = Folder()
    try Self.script(in: folder)
    let decide = ["script", "decide", "script.json"]
    let ended = try await works(
      decide + ["--at", "2", "--detection", "2", "--strong", "-o", "a.focus"], in: folder)
    #expect(ended.outputLines == ["2.000 s: strong decision on detection 2"])
    #expect(
      ended.errors.contains(
        "detection 2 is found from 0.000 to 0.967 s only: it has ended before the decision"),
      "\(ended.errors)")
    let set = try await works(
      [
        "script", "set", "script.json", "--changes", "a.focus", "--at", "2", "--rack", "1", "-o",
        "b.focus",
      ], in: folder)
    #expect(set.outputLines == ["2.000 s: focus does not go to detection 2"])
    #expect(
      set.errorLines.count == 1 && set.errors.contains("ended before the decision"),
      "\(set.errors)")
    let early = try await works(
      decide + ["--at", "1", "--detection", "3", "-o", "c.focus"], in: folder)
    #expect(early.outputLines == ["1.000 s: weak decision on detection 3"])
    #expect(
      early.errors.contains("detection 3 is found from 2.000 to 2.967 s only: until it begins"),
      "\(early.errors)")
    // There at its last frame, and between frames at its first.
    for (time, id) in [("29f", "2"), ("1.99", "3")] {
      let there = try await works(
        decide + ["--at", time, "--detection", id, "-o", "d\(id).focus"], in: folder)
      #expect(there.output.contains("on detection \(id), Person at"), "\(there.output)")
      #expect(there.errors.isEmpty, "\(there.errors)")
    }
  }

  /// Ticks are the script's where there is one, and nothing lies before the clip.
  @Test func whereFollowingBegins() async throws {
    let folder = Folder()
    try await ScriptMaterial.sample(in: folder)
    let fine = """
      {"format": "focal-script", "version": 1, "timescale": 1200, "frameDuration": 40,
       "timeRange": {"start": 0, "duration": 240}, "fNumber": 2.8}
      """
    folder.write(Array(fine.utf8), to: "fine.json")
    let track = [
      "script", "track", "s/clip.mp4", "--disparity", "s/disparity/%04d.png", "--script",
      "fine.json", "--point", "0.35,0.32", "--from",
    ]
    try await works(track + ["80t", "-o", "new.json"], in: folder)
    let script = try ScriptMaterial.script("new.json", in: folder)
    #expect(script.userDecisions(in: script.timeRange).map(\.time) == [Self.frame * 2])
    for time in ["-5", "-1f", "-1t", "-1/30"] {
      try await refuses(
        track + [time, "-o", "other.json"], in: folder, code: 64, naming: ["--from", "at least 0"])
    }
  }
}
