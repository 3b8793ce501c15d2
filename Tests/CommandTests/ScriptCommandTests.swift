// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalScript
import Foundation
import Testing

@testable import focal

/// `focal script`: look, decide, undo, direct, plot.
@Suite struct ScriptCommandTests {
  // MARK: Look

  /// A pipe may have no end.
  @Test func textsWithoutEnd() async throws {
    let folder = Folder()
    let outcome = try await Program.shell(
      "head -c 1200000000 /dev/zero 2>/dev/null | focal script show -", in: folder)
    expectOneLine(outcome, naming: ["standard input", "1 GB"])
  }

  @Test func show() async throws {
    let folder = Folder()
    try await ScriptMaterial.sample(in: folder)
    let text = try await works(["script", "show", "s/script.json"], in: folder)
    #expect(text.outputLines.first?.contains("6 frames, f/2.8") == true, "\(text.output)")
    #expect(text.outputLines.count { $0.contains(" focus ") } == 6, "\(text.output)")
    let detected = text.outputLines.count { $0.contains(" focus ") && $0.contains(" detected)") }
    #expect(detected == 6, "\(text.output)")
    let script = try ScriptMaterial.script("s/script.json", in: folder)
    let outcome = try await works(
      ["script", "show", "s/script.json", "--range", "2f-4f", "--json"], in: folder)
    #expect(outcome.outputLines.count == 1)
    let object = try JSONSerialization.jsonObject(with: Data(outcome.output.utf8))
    let frames = try #require((object as? [String: Any])?["frames"] as? [[String: Any]])
    #expect(frames.compactMap { $0["time"] as? Int } == [2, 3])
    for (frame, number) in zip(frames, 2...) {
      let focus = try #require(frame["focusDisparity"] as? Double)
      let expected = try #require(script.frame(at: Time(value: Int64(number), timescale: 30)))
      #expect(abs(focus - Double(expected.focusDisparity)) < 1e-6)
      #expect((frame["primary"] as? [String: Any])?["user"] as? Bool == false)
      #expect(frame["secondary"] != nil)
    }
    for time in ["0.1", "3/30", "3t", "3f"] {
      let one = try await works(["script", "show", "s/script.json", "--at", time], in: folder)
      #expect(one.outputLines.count { $0.contains(" focus ") } == 1, "\(time): \(one.output)")
      #expect(one.output.contains("0.100 s  focus"), "\(time): \(one.output)")
    }
  }

  /// Another program's output is a script as well.
  @Test func pipes() async throws {
    let folder = Folder()
    try await ScriptMaterial.sample(in: folder)
    let text = try await works(["script", "show", "s/script.json"], in: folder)
    let piped = try await Program.run(
      ["/bin/bash", "-c", "exec \"$0\" script show <(cat s/script.json)", Program.path], in: folder)
    #expect(piped.code == 0 && piped.output == text.output, "\(piped.errors)")
  }

  @Test func showRefusals() async throws {
    let folder = Folder()
    try await ScriptMaterial.sample(in: folder)
    folder.cut("s/script.json", to: "cut.json")
    folder.write([], to: "empty.json")
    folder.write(Array("{\"format\": \"other\"}".utf8), to: "other.json")
    folder.write(Array("no changes".utf8), to: "changes")
    for name in ["cut.json", "empty.json", "other.json", "no.json", "s", "s/clip.mp4"] {
      try await refuses(["script", "show", name], in: folder, naming: [name])
    }
    let show = ["script", "show", "s/script.json"]
    try await refuses(show + ["--changes", "changes"], in: folder, naming: ["changes"])
    try await refuses(show + ["--changes", "no.fcc"], in: folder, naming: ["no.fcc"])
    try await refuses(show + ["--at", "99"], in: folder, naming: ["99"])
    try await refuses(show + ["--at", "-1"], in: folder, naming: ["-1"])
    try await refuses(show + ["--at", "6f"], in: folder, naming: ["6f", "6 frames"])
    try await refuses(show + ["--range", "7-9"], in: folder, naming: ["7.0"])
    try await refuses(
      show + ["--range", "4f-2f"], in: folder, code: 64, naming: ["--range", "2f-4f"])
    for options in [
      ["--at", "soon"], ["--at", "1/0"], ["--range", "1"], ["--at", "0", "--range", "0-1"],
    ] {
      try await refuses(
        show + options, in: folder, code: 64, naming: [options[0], "focal script show --help"])
    }
  }

  // MARK: Decide and undo

  /// Times that the message gives as examples are in the script.
  @Test func timesOutside() async throws {
    let folder = Folder()
    try await ScriptMaterial.sample(in: folder)
    let decide = ["script", "decide", "s/script.json", "--disparity", "0.1"]
    let told = try await Program.focal(decide + ["--at", "99", "-o", "none.fcc"], in: folder)
    #expect(told.code == 1 && told.errors.contains("outside of the script"), "\(told.errors)")
    let examples = told.errors.ranges(of: /such as [0-9]+[tf]/).map {
      String(told.errors[$0].dropFirst("such as ".count))
    }
    #expect(examples.map { String($0.suffix(1)) } == ["t", "f"], "\(told.errors)")
    for (number, example) in examples.enumerated() {
      try await works(decide + ["--at", example, "-o", "\(number).fcc"], in: folder)
    }
  }

  @Test func decideAndUndo() async throws {
    let folder = Folder()
    try await ScriptMaterial.sample(in: folder)
    let before = folder.read("s/script.json")
    let decide = ["script", "decide", "s/script.json", "--at", "3f"]
    try await works(decide + ["--disparity", "-0.25", "--strong", "-o", "a.fcc"], in: folder)
    try await works(
      [
        "script", "decide", "s/script.json", "--at", "5f", "--group", "2", "--changes", "a.fcc",
        "-o", "b.fcc",
      ], in: folder)
    func focus(_ changes: String, _ frame: Int64) throws -> Float {
      let script = try ScriptMaterial.script("s/script.json", in: folder)
      try script.reload(
        changes: Script.Changes(dataRepresentation: Data(folder.read(changes))))
      return try #require(script.frame(at: Time(value: frame, timescale: 30))).focusDisparity
    }
    let plain = try #require(
      ScriptMaterial.script("s/script.json", in: folder).frame(at: .zero)?.focusDisparity)
    #expect(try abs(focus("a.fcc", 3) + 0.25) < 1e-6)
    #expect(try abs(focus("a.fcc", 5) + 0.25) < 1e-6)
    #expect(try focus("b.fcc", 5) != focus("a.fcc", 5))
    // The first goes, the second stays; then all go. The output may be what was read.
    try await works(
      [
        "script", "undo", "s/script.json", "--changes", "b.fcc", "--at", "3f", "-o", "c.fcc",
      ], in: folder)
    let left = try Script.Changes(dataRepresentation: Data(folder.read("c.fcc")))
    #expect(left.userDecisions.map(\.detectionGroupID) == [DetectionGroupID(2)])
    #expect(left.addedDetectionTracks.isEmpty)
    try await works(
      ["script", "undo", "s/script.json", "--changes", "c.fcc", "--all", "-o", "c.fcc"], in: folder)
    #expect(try focus("c.fcc", 0) == plain)
    #expect(
      try Script.Changes(dataRepresentation: Data(folder.read("c.fcc"))).userDecisions.isEmpty)
    #expect(folder.read("s/script.json") == before)
  }

  /// A base decision is removed where no user decision stands, and all are back at once.
  @Test func undoOfBaseDecisions() async throws {
    let folder = Folder()
    try await ScriptMaterial.sample(in: folder)
    let script = try ScriptMaterial.script("s/script.json", in: folder)
    let bases = script.baseDecisions(in: script.timeRange)
    let base = try #require(bases.last)
    let undo = ["script", "undo", "s/script.json"]
    let said = try await works(
      undo + ["--at", "\(base.time.seconds)", "-o", "a.fcc"], in: folder)
    #expect(said.output.contains("removed"))
    try script.reload(changes: Script.Changes(dataRepresentation: Data(folder.read("a.fcc"))))
    #expect(script.baseDecisions(in: script.timeRange) == bases.dropLast())
    let shown = try await works(
      ["script", "show", "s/script.json", "--changes", "a.fcc"], in: folder)
    #expect(shown.output.contains("moved or removed: base decision"))
    let back = try await works(
      undo + ["--changes", "a.fcc", "--all", "-o", "a.fcc"], in: folder)
    #expect(back.output.contains("1 base decision put back"))
    try script.reload(changes: Script.Changes(dataRepresentation: Data(folder.read("a.fcc"))))
    #expect(script.baseDecisions(in: script.timeRange) == bases)
  }

  @Test func decideAndUndoRefusals() async throws {
    let folder = Folder()
    try await ScriptMaterial.sample(in: folder)
    let decide = ["script", "decide", "s/script.json", "--at", "3f"]
    try await works(decide + ["--group", "2", "-o", "a.fcc"], in: folder)
    try await refuses(
      decide + ["--detection", "999", "-o", "b.fcc"], in: folder, naming: ["detection 999"])
    try await refuses(decide + ["--group", "99", "-o", "b.fcc"], in: folder, naming: ["group 99"])
    try await refuses(
      ["script", "decide", "s/script.json", "--at", "9", "--group", "2", "-o", "b.fcc"], in: folder,
      naming: ["9.0 s"])
    try await refuses(
      decide + ["--group", "2", "-o", "a.fcc"], in: folder, naming: ["a.fcc", "--force"])
    try await works(decide + ["--group", "2", "-o", "new/a.fcc"], in: folder)
    // Times beside those that there are, of whichever kind these are.
    try await refuses(
      ["script", "undo", "s/script.json", "--at", "1f", "-o", "b.fcc"], in: folder,
      naming: ["there is no decision at 0.033 s", "there are some at 0.000"])
    try await refuses(decide + ["--group", "2", "-o", "s"], in: folder, naming: ["cannot write s"])
    for options in [[], ["--group", "2", "--detection", "1"], ["--disparity", "nan"]] {
      try await refuses(
        decide + options + ["-o", "b.fcc"], in: folder, code: 64,
        naming: ["--disparity", "focal script decide --help"])
    }
    // Changes of another clip.
    try await works(
      ["sample", "-o", "t", "--size", "48x28", "--frames", "4", "--samples", "1"], in: folder)
    try await refuses(
      ["script", "show", "t/script.json", "--changes", "a.fcc"], in: folder, naming: ["a.fcc"])
    let undo = ["script", "undo", "s/script.json", "--changes", "a.fcc", "-o", "b.fcc"]
    try await refuses(undo + ["--at", "1f"], in: folder, naming: ["0.033 s", "there are some at"])
    try await refuses(undo, in: folder, code: 64, naming: ["--at", "--all"])
    try await refuses(undo + ["--at", "3f", "--all"], in: folder, code: 64, naming: ["--all"])
    folder.cut("a.fcc", to: "cut.fcc")
    try await refuses(
      ["script", "undo", "s/script.json", "--changes", "cut.fcc", "--all", "-o", "b.fcc"],
      in: folder, naming: ["cut.fcc"])
  }

  /// A time is meant for a decision within half of what frames beside it last, whatever the first one lasts.
  @Test func timesOfDecisionsInVariableClips() async throws {
    let folder = Folder()
    func write(_ times: [Int], deciding ticks: [Int]) throws {
      let decisions = ticks.map { "{\"time\": \($0), \"detection\": 1, \"user\": true}" }
      let detections = times.map {
        "{\"time\": \($0), \"rect\": [0.1, 0.1, 0.1, 0.1], \"disparity\": 0.3}"
      }
      let text = """
        {"format": "focal-script", "version": 1, "timescale": 1000, "frameTimes": \(times),
         "timeRange": {"start": 0, "duration": 13000}, "fNumber": 2.8,
         "tracks": [{"id": 1, "type": "humanFace", "detections": [\(detections.joined(separator: ","))]}],
         "decisions": [\(decisions.joined(separator: ","))]}
        """
      folder.write(Array(text.utf8), to: "script.json")
    }
    let undo = ["script", "undo", "script.json", "-o", "a.focus", "--at"]
    try write([0] + (0..<30).map { 10_000 + 33 * $0 }, deciding: [10_000])
    try await refuses(undo + ["7.5"], in: folder, naming: ["7.500 s", "10.000"])
    try write([0] + (0..<60).map { 1 + 33 * $0 }, deciding: [1222])
    let said = try await works(undo + ["1.22"], in: folder)
    #expect(said.output.contains("1.222 s: weak user decision"), "\(said.output)")
  }

  // MARK: Direct and plot

  @Test func directAndPlot() async throws {
    let folder = Folder()
    try await ScriptMaterial.sample(in: folder, frames: 12)
    try await works(["script", "direct", "s/script.json", "-o", "directed.json"], in: folder)
    let directed = try ScriptMaterial.script("directed.json", in: folder).recording
    let original = try ScriptMaterial.script("s/script.json", in: folder).recording
    #expect(!directed.baseDecisions.isEmpty)
    #expect(directed.detectionTracks == original.detectionTracks)
    #expect(directed.frameTimes == original.frameTimes)
    try await works(["script", "plot", "directed.json", "-o", "plot.svg"], in: folder)
    let svg = String(decoding: folder.read("plot.svg"), as: UTF8.self)
    #expect(svg.hasPrefix("<svg") && svg.hasSuffix("</svg>\n"))

    for command in ["direct", "plot"] {
      try await refuses(
        ["script", command, "s/script.json", "-o", "plot.svg"], in: folder,
        naming: ["plot.svg", "--force"])
      try await refuses(
        ["script", command, "s/clip.mp4", "-o", "new"], in: folder, naming: ["s/clip.mp4"])
      try await refuses(["script", command, "s/script.json"], in: folder, code: 64, naming: ["-o"])
    }
    // It is empty.
    let empty = try Recording(
      timeRange: original.timeRange, frameTimes: original.frameTimes, fNumber: 2,
      detectionTracks: [], decisions: [])
    folder.write([UInt8](try empty.jsonRepresentation()), to: "empty.json")
    try await refuses(
      ["script", "direct", "empty.json", "-o", "new"], in: folder, naming: ["focal script track"])
    try await refuses(["script", "cut"], in: folder, code: 64, naming: ["cut"])
  }

  // MARK: Track

  @Test func track() async throws {
    let folder = Folder()
    try await ScriptMaterial.sample(in: folder)
    let track = [
      "script", "track", "s/clip.mp4", "--disparity", "s/disparity/%04d.png", "-o", "new.json",
    ]
    let point = ["--point", "0.35,0.32"]
    try await works(track + point + ["--from", "2f", "--script", "s/script.json"], in: folder)
    let script = try ScriptMaterial.script("new.json", in: folder)
    let decision = try #require(script.userDecisions(in: script.timeRange).first)
    #expect(decision.time == Time(value: 2, timescale: 30))
    #expect(script.detectionTrack(for: decision)?.detectionType == .custom)
    #expect(!decision.isStrongDecision)
    // A script's decisions can be taken back without changes.
    try await works(
      ["script", "undo", "new.json", "--at", "2f", "-o", "undone.fcc"], in: folder)
    let undone = try Script.Changes(dataRepresentation: Data(folder.read("undone.fcc")))
    #expect(undone.userDecisions.isEmpty)
    try await refuses(track + point, in: folder, naming: ["new.json", "--force"])
    try await works(track + point + ["--force"], in: folder)
    #expect(
      try ScriptMaterial.script("new.json", in: folder).recording.frameTimes.count == 6)

    for options in [["--point", "1.5,0"], ["--point", "-1,0"], ["--point", "here"]] {
      try await refuses(track + options, in: folder, code: 64, naming: ["--point"])
    }
    try await refuses(
      track + point + ["--from", "9", "--force"], in: folder, naming: ["s/clip.mp4", "--from"])
    try await refuses(
      [
        "script", "track", "no.mp4", "--disparity", "s/disparity/%04d.png", "-o", "other.json",
      ] + point, in: folder, naming: ["no.mp4"])
  }

  /// Frames in which truth shows the object and it was lost are told apart from those where something else was taken.
  @Test func lostFramesAreCounted() throws {
    let folder = Folder()
    let rows = (0..<6).map { "\($0)," + ($0 == 5 ? "NaN,NaN,NaN,NaN" : "0.5,0.5,0.25,0.25") }
    folder.write(
      Array((["frame,x,y,width,height"] + rows).joined(separator: "\n").utf8), to: "truth.csv")
    let right = NormalizedRect(x: 0.5, y: 0.5, width: 0.25, height: 0.25)
    let elsewhere = NormalizedRect(x: 0, y: 0, width: 0.25, height: 0.25)
    let rects = [right, right, nil, nil, elsewhere, right]
    let boxes = rects.enumerated().map { number, rect in
      FollowedBox(
        frame: number, time: Time(value: Int64(number), timescale: 30), rect: rect, confidence: 1)
    }
    let summary = try TrueBoxes(path: folder.file("truth.csv")).summary(of: boxes)
    #expect(
      summary
        == "mean overlap 0.250 in 4 frames, 2 not found, 1 without any overlap, 1 while it is hidden"
    )
  }

  /// The table that is written holds the boxes that it is compared with.
  @Test func tracksABoxAndMeasures() async throws {
    let folder = Folder()
    try await ScriptMaterial.sample(in: folder)
    let track = [
      "script", "track", "s/clip.mp4", "--disparity", "s/disparity/%04d.png", "-o", "new.json",
      "--force",
    ]
    let box = ["--rect", "0.3,0.2,0.1,0.25"]
    try await works(track + box + ["--from", "2f", "--boxes", "boxes.csv"], in: folder)
    let rows = String(decoding: folder.read("boxes.csv"), as: UTF8.self)
      .split(separator: "\n").map { $0.split(separator: ",", omittingEmptySubsequences: false) }
    #expect(
      rows.first?.joined(separator: ",") == "frame,time,x,y,width,height,confidence"
        && rows.dropFirst().map { $0[0] } == ["2", "3", "4", "5"])
    let first = rows[1].joined(separator: ",")
    #expect(first == "2,0.066667,0.30000,0.20000,0.10000,0.25000,1.000")

    func truth(_ rows: [String]) {
      let text = (["frame,x,y,width,height"] + rows).joined(separator: "\n")
      folder.write([UInt8](text.utf8), to: "truth.csv")
    }
    truth(rows.dropFirst().map { ([$0[0]] + $0[2..<6]).joined(separator: ",") })
    let measure = track + box + ["--from", "2f", "--truth", "truth.csv"]
    let same = try await works(measure, in: folder)
    #expect(
      same.output.contains(
        "mean overlap 1.000 in 3 frames, 0 not found, 0 without any overlap, 0 while it is hidden"),
      "\(same.output)")
    truth(["3,0.8,0.8,0.1,0.1", "4,NaN,NaN,NaN,NaN"])
    let other = try await works(measure, in: folder)
    #expect(
      other.output.contains(
        "mean overlap 0.000 in 1 frame, 0 not found, 1 without any overlap, 2 while it is hidden"),
      "\(other.output)")

    truth(["3,0.8,here"])
    try await refuses(measure, in: folder, naming: ["line 2 of truth.csv"])
    try await refuses(
      track + box + ["--point", "0.3,0.3"], in: folder, code: 64, naming: ["--rect"])
    try await refuses(track + ["--rect", "0.3,0.2,0,1"], in: folder, code: 64, naming: ["--rect"])
    try await refuses(
      track + box + ["--boxes", "s/clip.mp4"], in: folder, naming: ["s/clip.mp4", "never written"])
  }
}
