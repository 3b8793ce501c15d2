// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalSample
import Foundation
import Testing

@testable import FocalScript

/// A script's JSON.
struct InterchangeTests {
  static let example = """
    {"format": "focal-script", "version": 1, "timescale": 600,
     "timeRange": {"start": 0, "duration": 4800}, "frameDuration": 20, "fNumber": 2.8,
     "tracks": [{"id": 1, "group": 1, "type": "humanFace", "kind": "recorded",
                 "detections": [{"time": 0, "rect": [0.1, 0.2, 0.2, 0.3], "disparity": 0.8}]},
                {"id": 9, "type": "fixedFocus", "kind": "fixed", "disparity": 0.4}],
     "decisions": [{"time": 0, "detection": 1, "strong": false, "user": false},
                   {"time": 2400, "group": 1, "strong": true, "user": true}]}
    """

  private func parse(_ text: String) throws -> Recording {
    try Recording(jsonRepresentation: Data(text.utf8))
  }

  @Test func readsTheDocumentedExample() throws {
    let recording = try parse(Self.example)
    #expect(recording.frameTimes.count == 240)
    #expect(recording.detectionTracks.count == 2)
    #expect(recording.userDecisions.first?.detectionGroupID == DetectionGroupID(1))
    let detection = try #require(
      recording.detectionTrack(for: DetectionID(1))?.detection(nearest: .zero))
    #expect(detection.normalizedRect == NormalizedRect(x: 0.1, y: 0.2, width: 0.2, height: 0.3))
    #expect(detection.focusDisparity == 0.8)
    #expect(detection.detectionGroupID == DetectionGroupID(1))
  }

  /// Editors of some systems begin a text with it.
  @Test func aMarkOfTheByteOrderIsNoPartOfTheText() throws {
    let marked = Data([0xEF, 0xBB, 0xBF] + Self.example.utf8)
    #expect(try Recording(jsonRepresentation: marked) == parse(Self.example))
  }

  @Test func tellsOfKeysThatItPassesOver() throws {
    var keys = ["before"]
    _ = try Recording(jsonRepresentation: Data(Self.example.utf8), unknownKeys: &keys)
    #expect(keys.isEmpty)
    let more = Self.example.replacingOccurrences(of: "\"strong\": true", with: "\"Strong\": true")
      .replacingOccurrences(of: "\"version\"", with: "\"author\": {\"name\": 1}, \"version\"")
    _ = try Recording(jsonRepresentation: Data(more.utf8), unknownKeys: &keys)
    #expect(keys == ["author", "Strong"])
  }

  @Test func tellsOfDecisionsWithoutEffect() throws {
    #expect(try Script(recording: parse(Self.example)).decisionsWithoutEffect.isEmpty)
    let text = Self.example.replacingOccurrences(
      of: "\"decisions\": [",
      with: """
        "decisions": [{"time": 100, "group": 77, "strong": true, "user": true}, {"time": 4800, "detection": 1},
                      {"time": 60, "detection": 1}, {"time": 60, "detection": 9},
        """)
    let lost = try Script(recording: parse(text)).decisionsWithoutEffect
    #expect(lost.count == 3, "\(lost)")
    for part in ["no group 77", "is not in", "two decide at"] {
      #expect(lost.contains { $0.contains(part) }, "\(part): \(lost)")
    }
  }

  @Test func keysMayComeInAnyOrder() throws {
    let recording = try parse(Self.example)
    let object = try JSONSerialization.jsonObject(with: Data(Self.example.utf8))
    for option in [JSONSerialization.WritingOptions.sortedKeys, .prettyPrinted] {
      let text = try JSONSerialization.data(withJSONObject: object, options: option)
      #expect(try Recording(jsonRepresentation: text) == recording)
    }
  }

  @Test func roundTripsEqual() throws {
    for seed in 0..<100 as Range<UInt64> {
      let recording = try Oracle.random(seed: seed).recording()
      let text = try recording.jsonRepresentation()
      let back = try Recording(jsonRepresentation: text)
      #expect(back == recording && back.identity == recording.identity, "seed \(seed)")
    }
    // A file has one timescale for all times: frames are the same in other ticks.
    let range = TimeRange(
      start: Time(value: 66, timescale: 1000), duration: Time(value: 330, timescale: 1000))
    let tap = Decision(time: range.start, detectionID: DetectionID(1), strong: true)
    let ticks = try Recording(
      timeRange: range,
      frameTimes: FrameTimes(range: range, frameDuration: Time(value: 33, timescale: 1000)),
      fNumber: 2.8, detectionTracks: [], decisions: [tap],
      transitions: [tap: Transition(duration: Time(value: 1, timescale: 30))])
    let read = try Recording(jsonRepresentation: ticks.jsonRepresentation())
    #expect(read == ticks && read.frameTimes.hashValue == ticks.frameTimes.hashValue)
    let edited = try ChangesTests.edited()
    let flat = try edited.flattened()
    let back = try Recording(jsonRepresentation: flat.jsonRepresentation())
    #expect(back.identity == flat.identity)
    #expect(Scripts.focus(try Script(recording: back)) == Scripts.focus(edited))
    _ = try JSONSerialization.jsonObject(with: flat.jsonRepresentation())
  }

  @Test func variableFrameTimesRoundTrip() throws {
    let times = [0, 20, 45, 60, 100].map { Scripts.time($0) }
    let recording = try Recording(
      timeRange: TimeRange(start: .zero, duration: Scripts.time(120)),
      frameTimes: FrameTimes(times), fNumber: 2,
      detectionTracks: [
        try RecordedDetectionTrack(
          detectionID: DetectionID(4), detectionType: .dogBody,
          detections: times.map { Scripts.detection($0, .dogBody, disparity: 0.1) })
      ], decisions: [])
    #expect(try Recording(jsonRepresentation: recording.jsonRepresentation()) == recording)
  }

  @Test func numbersAreRoundedOnce() throws {
    let texts = [
      "0.1", "0.8", "1e-3", "123456789.123456789", "3.4028234e38", "5e-324", "0.30000000000000004",
      "-0.0", "16777217", "8.5899345e9", "1.00000017881393432617187499", "9007199254740993",
    ]
    for text in texts {
      try Array(text.utf8).withUnsafeBufferPointer { bytes throws in
        var scanner = JSONScanner(bytes)
        let double = try scanner.double()
        scanner = JSONScanner(bytes)
        let float = try scanner.float()
        #expect(double == Double(text) && float == Float(text), "\(text)")
      }
    }
  }

  /// Damage to the example: what is replaced by what.
  static let damages: [(String, String)] = [
    ("600", "0"), ("600", "1e99"), ("4800", "-1"),
    ("\"frameDuration\": 20", "\"frameDuration\": 0"),
    ("\"frameDuration\": 20", "\"frameTimes\": [5, 5]"),
    ("\"frameDuration\": 20", "\"frameTimes\": [9000]"),
    ("2.8", "0"), ("2.8", "1e60"), ("\"id\": 9", "\"id\": 1"), ("\"id\": 9", "\"id\": -9"),
    ("\"id\": 9", "\"id\": 9.5"), ("humanFace", "humanNose"), ("recorded", "dreamt"),
    ("0.2, 0.3]", "0.2]"), ("0.2, 0.3]", "0.2, 0.3, 0.4]"), ("0.2, 0.3]", "0.2, NaN]"),
    ("0.2, 0.3]", "0.2, 1e300]"), ("[0.1, 0.2,", "[-1000001, 0.2,"),
    ("\"group\": 1, \"strong\"", "\"strong\""),
    ("\"user\": true", "\"user\": true, \"transition\": {\"duration\": 5, \"curve\": \"wild\"}"),
    ("]}\n", "]}x"), ("focal-script", "other"), (", \"version\": 1", ""),
  ]

  @Test(arguments: damages.indices)
  func damageIsRefused(_ index: Int) {
    let (old, new) = Self.damages[index]
    let text = Self.example.replacingOccurrences(of: old, with: new) + (new == "]}x" ? "x" : "")
    #expect {
      _ = try parse(text)
    } throws: {
      ($0 as? CinematicError)?.code == .malformed
    }
  }

  @Test(arguments: [
    "", "[]", "{", "{}", "null", "nul", "{\"format\": \"focal-script\", \"version\": 1}",
    "{\"a\": tru}",
    String(repeating: "[", count: 100_000), "{\"a\": " + String(repeating: "[", count: 100_000),
  ])
  func foreignTextIsRefused(_ text: String) {
    #expect {
      _ = try parse(text)
    } throws: {
      ($0 as? CinematicError)?.code == .malformed
    }
  }

  @Test func newerVersionAndTooManyFramesAreRefused() {
    let newer = Self.example.replacingOccurrences(of: "\"version\": 1", with: "\"version\": 2")
    let huge = Self.example.replacingOccurrences(of: "4800", with: "9000000000000000000")
    for text in [newer, huge] {
      #expect {
        _ = try parse(text)
      } throws: {
        ($0 as? CinematicError)?.code == .unsupported
      }
    }
  }

  @Test func hostileTextIsSurvived() throws {
    let bytes = Array(Self.example.utf8)
    let alphabet = Array("{}[]\":,0123456789eE+-.\\u\n".utf8) + [0, 0xFF, 0xC3]
    var generator = SeededGenerator(seed: 5)
    var accepted = 0
    for _ in 0..<6_000 {
      var text = bytes
      for _ in 0..<Int.random(in: 1...4, using: &generator) {
        let place = Int.random(in: 0..<text.count, using: &generator)
        switch Int.random(in: 0...2, using: &generator) {
        case 0: text[place] = alphabet.randomElement(using: &generator) ?? 0
        case 1: text.remove(at: place)
        default: text.insert(alphabet.randomElement(using: &generator) ?? 0, at: place)
        }
      }
      guard let recording = try? Recording(jsonRepresentation: Data(text)) else { continue }
      accepted += 1
      let script = try Script(recording: recording)
      let range = TimeRange(start: script.timeRange.start, duration: Scripts.time(4800))
      #expect(script.frames(in: range).prefix(300).allSatisfy { $0.focusDisparity.isFinite })
    }
    #expect(accepted > 0)
  }
}
