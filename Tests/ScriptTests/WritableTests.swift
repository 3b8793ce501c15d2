// SPDX-License-Identifier: Apache-2.0

import FocalCore
import Foundation
import Testing

@testable import FocalScript

/// What edits accept, files hold: it is written, and reads back equal.
@Suite struct WritableTests {
  private static func readBack(_ script: Script) throws {
    let changes = script.changes()
    #expect(try Script.Changes(dataRepresentation: changes.dataRepresentation) == changes)
    let flat = try script.flattened()
    #expect(try Recording(jsonRepresentation: flat.jsonRepresentation()) == flat)
  }

  /// Numbers that are not finite, and words that are no JSON, are no part of the changes.
  @Test func looksHoldNumbers() throws {
    for number in [Float.nan, .infinity, -.infinity] {
      let script = try Scripts.talk()
      var look = Look()
      look.blurScale = number
      look.highlights = 2
      look["later"] = "not JSON"
      #expect(look.unwritableNames == [Look.Name.blurScale, "later"])
      script.changedLook = look
      #expect(script.changedLook.fields.map(\.name) == [Look.Name.highlights])
      try Self.readBack(script)
      let error = #expect(throws: CinematicError.self) {
        try script.recording.with(look: look).jsonRepresentation()
      }
      #expect(error?.code == .invalidParameter)
    }
  }

  /// What is under a name is one value: a text that ends it and begins others, under any name, is none.
  @Test(arguments: [
    "1, \"blurScale\": 3", "1, \"later\": 2", "1}", "1 2", "[1], [2]", "1}, {\"later\": 1", "",
  ])
  func looksHoldOneValueUnderAName(_ json: String) throws {
    let script = try Scripts.talk()
    var look = Look()
    look["later"] = json
    look["other"] = " [1, {\"a\": 2}]"
    #expect(look.unwritableNames == ["later"])
    script.changedLook = look
    #expect(script.changedLook.fields.map(\.name) == ["other"])
    let error = #expect(throws: CinematicError.self) {
      try script.recording.with(look: look).jsonRepresentation()
    }
    #expect(error?.code == .invalidParameter)
  }

  /// Texts are quoted where they are stored, and only there.
  @Test(arguments: ["a\"b", "a\\b", "", "line\nline", "ü\u{1}", "\\u0041"])
  func textsOfLooks(_ text: String) throws {
    var look = Look()
    look.apertureImage = text
    #expect(look.apertureImage == text && look.unwritableNames.isEmpty)
    let script = try Scripts.talk()
    script.changedLook = look
    try Self.readBack(script)
    #expect(try Script.Changes(script).look.apertureImage == text)
  }

  @Test func transitionsAreNeverNegative() throws {
    let script = try Scripts.talk()
    var rack = Transition(duration: Scripts.time(20))
    rack.duration = -Scripts.time(20)
    #expect(rack == Transition(duration: .zero))
    #expect(script.setTransition(rack, for: Scripts.base(4, 2)))
    try Self.readBack(script)
  }

  @Test func rectanglesOfFixedFocusAreFinite() throws {
    for number in [Double.nan, .infinity] {
      var detection = Scripts.detection(.zero, disparity: 0.3)
      detection.normalizedRect.width = number
      let error = #expect(throws: CinematicError.self) {
        try FixedDetectionTrack(originalDetection: detection)
      }
      #expect(error?.code == .invalidParameter)
    }
  }

  /// A time that would be rounded to the end of 64 bits is refused.
  @Test func timesThatHaveNoTicks() throws {
    let late = Decision(
      time: Time(value: .max / 500, timescale: 1), detectionID: DetectionID(1), strong: false)
    let recording = try Scripts.recording(
      frames: 8, tracks: [Scripts.track(1, frames: 0..<8) { _ in 0.2 }], decisions: [late])
    let error = #expect(throws: CinematicError.self) { try recording.jsonRepresentation() }
    #expect(error?.code == .unsupported)
  }
}

extension Script.Changes {
  /// A script's changes, from their file.
  fileprivate init(_ script: Script) throws {
    try self.init(dataRepresentation: script.changes().dataRepresentation)
  }
}
