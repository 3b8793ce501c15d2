// SPDX-License-Identifier: Apache-2.0

import FocalCinematic
import FocalCore
import FocalMedia
import FocalScript
import Foundation
import Testing

/// `focal edit`: taps on a movie, tracking, the director, f-number and racks.
@Suite struct TapToFocusTests {
  private static func movie(
    in folder: Folder, frames: Int = 12, _ options: [String] = ["--script", "s/script.json"]
  ) async throws {
    try await ScriptMaterial.sample(in: folder, frames: frames)
    try await works(
      ["import", "s/clip.mp4", "--disparity", "s/disparity/%04d.png", "-o", "movie.mov"] + options,
      in: folder)
  }

  private static func script(_ changes: String, in folder: Folder) async throws -> Script {
    let movie = try await MovieScript(asset: Asset(path: folder.file("movie.mov")))
    return try Script(
      recording: try await movie.recordingOrSteady(),
      changes: Script.Changes(dataRepresentation: Data(folder.read(changes))))
  }

  /// The frame's detections as `show` prints them: what --point takes.
  private static func detections(
    at time: String, in folder: Folder
  ) async throws -> [(id: Int64, centre: NormalizedPoint)] {
    let shown = try await works(["edit", "movie.mov", "show", "--at", time, "--json"], in: folder)
    let object = try JSONSerialization.jsonObject(with: Data(shown.output.utf8))
    let frames = try #require((object as? [String: Any])?["frames"] as? [[String: Any]])
    let list = try #require(frames.first?["detections"] as? [[String: Any]])
    return try list.map { detection in
      let rect = try #require(detection["rect"] as? [Double])
      let id = try #require(detection["id"] as? Int64)
      return (id, NormalizedPoint(x: rect[0] + rect[2] / 2, y: rect[1] + rect[3] / 2))
    }
  }

  @Test func taps() async throws {
    let folder = Folder()
    try await Self.movie(in: folder)
    let recorded = try ScriptMaterial.script("s/script.json", in: folder)
    let frame = try #require(recorded.frame(at: Time(value: 5, timescale: 30)))
    let places = try await Self.detections(at: "5f", in: folder)
    #expect(
      Set(places.map(\.id)) == Set(frame.allDetections.compactMap { $0.detectionID?.rawValue }))
    let face = try #require(frame.allDetections.first { $0.detectionType == .humanFace })
    let tap = try #require(places.first { $0.id == face.detectionID?.rawValue }).centre
    let outcome = try await works(
      [
        "edit", "movie.mov", "decide", "--at", "5f", "--point", "\(tap.x),\(tap.y)", "-o",
        "a.focus",
      ], in: folder)
    #expect(outcome.output.contains("weak decision on group"), "\(outcome.output)")
    let tapped = try await Self.script("a.focus", in: folder)
    let decision = try #require(tapped.userDecisions(in: tapped.timeRange).first)
    #expect(decision.detectionGroupID == face.detectionGroupID && !decision.isStrongDecision)

    // With or without a detection there: the disparity of the point, held, with its place.
    try await works(
      [
        "edit", "movie.mov", "decide", "--at", "5f", "--point", "0.9,0.1", "--fixed", "--strong",
        "--rack", "0.1", "--curve", "linear", "--changes", "a.focus", "-o", "b.focus",
      ], in: folder)
    let asked = try await works(
      ["edit", "movie.mov", "disparity", "--at", "5f", "--point", "0.9,0.1"], in: folder)
    let disparity = try #require(Float(asked.outputLines[0].prefix { $0 != ":" }))
    let fixed = try await Self.script("b.focus", in: folder)
    let held = try #require(fixed.userDecisions(in: fixed.timeRange).first)
    #expect(held.isStrongDecision)
    #expect(
      fixed.transition(for: held)
        == Transition(duration: Time(value: 1, timescale: 10), curve: .linear))
    let focus = try #require(fixed.frame(at: Time(value: 7, timescale: 30)))
    #expect(focus.focusDisparity == disparity)
    #expect(focus.focusDetection?.normalizedRect.contains(NormalizedPoint(x: 0.9, y: 0.1)) == true)

    // Ids, groups, places and categories are printed.
    let text = try await works(
      ["edit", "movie.mov", "show", "--at", "5f", "--changes", "b.focus"], in: folder)
    #expect(text.output.contains("humanFace (Person)"))
    #expect(text.output.contains("fixedFocus (Fixed focus)"))
    #expect(text.output.contains("group"))
    // A file of the script alone has no disparities to hold.
    try await refuses(
      [
        "script", "decide", "s/script.json", "--at", "5f", "--point", "0.9,0.1", "--fixed", "-o",
        "c.focus",
      ], in: folder, naming: ["0.9,0.1", "--disparity"])
    try await refuses(
      ["edit", "movie.mov", "decide", "--at", "99f", "--point", "0.5,0.5", "-o", "c.focus"],
      in: folder, naming: ["99f"])
  }

  @Test func setsAndUndoes() async throws {
    let folder = Folder()
    try await Self.movie(in: folder)
    let edit = ["edit", "movie.mov"]
    try await works(
      edit + ["decide", "--at", "6f", "--disparity", "0.5", "-o", "a.focus"], in: folder)
    try await works(
      edit + [
        "set", "--f-number", "4", "--at", "6f", "--rack", "0.1", "--changes", "a.focus", "-o",
        "a.focus",
      ], in: folder)
    let changed = try await Self.script("a.focus", in: folder)
    #expect(changed.fNumber == 4)
    let decision = try #require(changed.userDecisions(in: changed.timeRange).first)
    #expect(changed.transition(for: decision)?.duration == Time(value: 1, timescale: 10))
    try await works(
      edit + ["set", "--at", "6f", "--rack", "auto", "--changes", "a.focus", "-o", "b.focus"],
      in: folder)
    #expect(try await Self.script("b.focus", in: folder).transition(for: decision) == nil)
    for (options, word) in [
      (["--f-number", "0"], "--f-number"), (["--rack", "1"], "--at"), ([], "--f-number"),
      (["--at", "6f", "--rack", "-1"], "--rack"), (["--at", "6f"], "--rack"),
    ] {
      try await refuses(
        edit + ["set", "-o", "x.focus"] + options, in: folder, code: 64, naming: [word])
    }
    // Where there is no such decision, those that there are are named. A base decision is removed.
    try await refuses(
      edit + ["undo", "--at", "9f", "--changes", "a.focus", "-o", "x.focus"], in: folder,
      naming: ["0.300 s", "0.200"])
    let removed = try await works(edit + ["undo", "--at", "0", "-o", "x.focus"], in: folder)
    #expect(removed.output.contains("0.000 s: base decision"))
    // Decisions that are part of the movie can be taken back, too.
    try await works(["apply", "movie.mov", "--changes", "a.focus", "-o", "new.mov"], in: folder)
    try await works(["edit", "new.mov", "undo", "--at", "6f", "-o", "c.focus"], in: folder)
    for (movie, name) in [("new.mov", "c"), ("movie.mov", "d")] {
      try await works(
        ["export", movie, "--f-number", "4", "--quality", "thumbnail", "-o", "\(name)%02d.png"]
          + (name == "c" ? ["--changes", "c.focus"] : []), in: folder)
    }
    for number in 0..<12 {
      let names = ["c", "d"].map { String(format: "\($0)%02d.png", number) }
      let isSame = folder.read(names[0]) == folder.read(names[1])
      #expect(isSame, "\(number)")
    }
  }

  @Test func tracksAndDirects() async throws {
    let folder = Folder()
    try await Self.movie(in: folder, ["--focus", "0.4"])
    // Nothing is detected in a movie of one focus, until an object is followed.
    try await refuses(
      ["edit", "movie.mov", "direct", "-o", "a.focus"], in: folder, naming: ["movie.mov", "track"])
    let outcome = try await works(
      [
        "edit", "movie.mov", "track", "--point", "0.35,0.32", "--at", "2f", "--until", "9f", "-o",
        "a.focus",
      ], in: folder)
    #expect(outcome.output.contains("track 2: 7 detections from 0.067 s on"), "\(outcome.output)")
    let script = try await Self.script("a.focus", in: folder)
    let decision = try #require(script.userDecisions(in: script.timeRange).first)
    #expect(!decision.isStrongDecision && decision.time == Time(value: 2, timescale: 30))
    #expect(
      script.frame(at: Time(value: 4, timescale: 30))?.focusDetection?.detectionID
        == DetectionID(2))
    let directed = try await works(
      ["edit", "movie.mov", "direct", "--changes", "a.focus", "-o", "b.focus"], in: folder)
    #expect(directed.output.contains("of the director"))
    let after = try await Self.script("b.focus", in: folder)
    #expect(after.primaryDecision(at: .zero)?.detectionID == DetectionID(2))
    // An added track goes with its decisions.
    try await works(
      ["edit", "movie.mov", "undo", "--detection", "2", "--changes", "b.focus", "-o", "c.focus"],
      in: folder)
    let undone = try await Self.script("c.focus", in: folder)
    #expect(
      undone.addedDetectionTracks.isEmpty && undone.userDecisions(in: undone.timeRange).isEmpty)
    try await refuses(
      ["edit", "movie.mov", "undo", "--detection", "1", "-o", "d.focus"], in: folder,
      naming: ["detection 1"])
    try await refuses(
      ["edit", "movie.mov", "track", "--point", "0.5,0.5", "--at", "99f", "-o", "d.focus"],
      in: folder, naming: ["99f"])
  }

  /// The look of changes, and a base decision that they lack, are in films rendered with them and in movies that they
  /// are applied to.
  @Test func lookAndRemovedDecision() async throws {
    let folder = Folder()
    try await Self.movie(in: folder, frames: 4)
    try await works(["edit", "movie.mov", "undo", "--at", "0", "-o", "a.focus"], in: folder)
    let script = try await Self.script("a.focus", in: folder)
    #expect(script.baseDecisions(in: script.timeRange).isEmpty)
    var look = Look()
    (look.blurScale, look.apertureBlades) = (0.4, 6)
    script.changedLook = look
    folder.write(Array(script.changes().dataRepresentation), to: "b.focus")
    let shown = try await works(
      ["edit", "movie.mov", "show", "--changes", "b.focus"], in: folder)
    #expect(shown.output.contains("changed look, blurScale 0.4"))
    try await works(["apply", "movie.mov", "--changes", "b.focus", "-o", "new.mov"], in: folder)
    for (name, movie, options) in [
      ("a", "movie.mov", ["--changes", "a.focus", "--blur-scale", "0.4", "--blades", "6"]),
      ("b", "movie.mov", ["--changes", "b.focus"]), ("c", "new.mov", []),
      ("d", "movie.mov", ["--changes", "a.focus"]),
      ("e", "movie.mov", ["--changes", "b.focus", "--blur-scale", "0.1"]),
      ("f", "movie.mov", ["--changes", "a.focus", "--blur-scale", "0.1", "--blades", "6"]),
    ] {
      try await works(
        ["export", movie, "--f-number", "2", "--quality", "thumbnail", "-o", "\(name)%02d.png"]
          + options, in: folder)
    }
    for number in 0..<4 {
      let pictures = ["a", "b", "c", "d", "e", "f"].map {
        folder.read(String(format: "\($0)%02d.png", number))
      }
      let same = [pictures[0] == pictures[1], pictures[0] == pictures[2]]
      let others = [pictures[0] == pictures[3], pictures[4] == pictures[5]]
      #expect(same == [true, true] && others == [false, true], "\(number)")
    }
  }

  /// Rendered films: with changes beside the movie, and with changes in it.
  @Test(arguments: 0..<4) func appliedFilmsAreTheSame(_ number: Int) async throws {
    let folder = Folder()
    try await Self.movie(in: folder, frames: 10)
    let edits = [
      [["decide", "--at", "0.213", "--disparity", "0.9"], ["set", "--f-number", "1.4"]],
      [
        ["track", "--point", "0.35,0.32", "--at", "1f"],
        ["decide", "--at", "7f", "--point", "0.9,0.1", "--fixed", "--strong"],
      ],
      [
        ["decide", "--at", "4f", "--group", "2", "--rack", "0.1", "--curve", "easeInOut"],
        ["direct"],
      ],
      [
        ["decide", "--at", "0.1", "--disparity", "3"], ["decide", "--at", "0.3", "--group", "1"],
        ["decide", "--at", "8f", "--disparity", "-2", "--strong"],
      ],
    ][number]
    for (index, edit) in edits.enumerated() {
      try await works(
        ["edit", "movie.mov"] + edit + ["-o", "c.focus"]
          + (index > 0 ? ["--changes", "c.focus"] : []), in: folder)
    }
    try await works(["apply", "movie.mov", "--changes", "c.focus", "-o", "new.mov"], in: folder)
    try await works(
      [
        "export", "movie.mov", "--changes", "c.focus", "--quality", "thumbnail", "-o", "a%02d.png",
      ], in: folder)
    try await works(["export", "new.mov", "--quality", "thumbnail", "-o", "b%02d.png"], in: folder)
    try await works(
      ["export", "movie.mov", "--quality", "thumbnail", "-o", "o%02d.png"], in: folder)
    var changed = 0
    for frame in 0..<10 {
      let pictures = ["a", "b", "o"].map { folder.read(String(format: "\($0)%02d.png", frame)) }
      let isSame = pictures[0] == pictures[1]
      #expect(isSame && !pictures[0].isEmpty, "frame \(frame)")
      if pictures[0] != pictures[2] { changed += 1 }
    }
    #expect(changed > 0)
  }
}
