// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalMedia
import FocalScript
import Foundation
import Testing

/// `focal render` by a script.
@Suite struct ScriptRenderTests {
  private static let render = [
    "render", "s/clip.mp4", "--disparity", "s/disparity/%04d.png", "--quality", "preview",
  ]

  /// What a script cannot decide is refused before the first frame, and before maps are estimated; a script of other times
  /// is told.
  @Test func scriptsOfOtherClips() async throws {
    let folder = Folder()
    try await ScriptMaterial.sample(in: folder, frames: 6)
    let recording = try ScriptMaterial.script("s/script.json", in: folder).recording
    func write(_ name: String, timescale: Int32, frames: Int64) throws {
      let step = Time(value: 1, timescale: timescale)
      let range = TimeRange(start: .zero, duration: Time(value: frames, timescale: timescale))
      let other = try Recording(
        timeRange: range, frameTimes: FrameTimes(range: range, frameDuration: step), fNumber: 2.8,
        detectionTracks: recording.detectionTracks, decisions: recording.baseDecisions)
      folder.write([UInt8](try other.jsonRepresentation()), to: name)
    }
    try write("short.json", timescale: 30, frames: 3)
    try write("slow.json", timescale: 15, frames: 6)
    try await refuses(
      Self.render + ["--script", "short.json", "-o", "x/%04d.png"], in: folder.with("x"),
      naming: ["short.json", "no frame at 0.1 s"])
    #expect(folder.names(in: "x").isEmpty)
    folder.writeMapHelper("x / w")
    try await refuses(
      [
        "import", "s/clip.mp4", "--helper", "python3 helper.py", "--script", "short.json", "-o",
        "x.mov",
      ],
      in: folder, naming: ["short.json", "no frame at 0.1 s"])
    #expect(!folder.names.contains { $0.hasPrefix("x.maps") })
    for command in [
      Self.render + ["--script", "slow.json", "-o", "y/%04d.png"],
      [
        "import", "s/clip.mp4", "--disparity", "s/disparity/%04d.png", "--script", "slow.json",
        "-o", "y.mov",
      ],
    ] {
      let told = try await works(command, in: folder.with("y"))
      let notes = told.errorLines.count { $0.contains("is it the script of this clip?") }
      #expect(notes == 1, "\(told.errors)")
    }
  }

  @Test func renderByScript() async throws {
    let folder = Folder()
    try await ScriptMaterial.sample(in: folder)
    let script = ["--script", "s/script.json"]
    try await works(
      [
        "script", "decide", "s/script.json", "--at", "3f", "--disparity", "0.2", "--strong", "-o",
        "far.fcc",
      ], in: folder)
    let report = try await works(
      Self.render + script + ["--json", "-o", "plain/%04d.png"], in: folder.with("plain")
    ).objects().last
    #expect(report?["script"] as? String == "s/script.json")
    let suggested = try #require(
      ScriptMaterial.script("s/script.json", in: folder).frame(at: .zero))
    #expect(report?["fNumber"] as? Double == 2.8)
    #expect(
      abs((report?["focusDisparity"] as? Double ?? 9) - Double(suggested.focusDisparity)) < 1e-6)

    // A frame by the script is the frame at the script's focus.
    try await works(
      Self.render + [
        "--focus", "\(suggested.focusDisparity)", "--f-number", "2.8", "--frames", "0", "-o",
        "first.png",
      ], in: folder)
    #expect(try await picture("first.png", folder) == picture("plain/0000.png", folder))
    try await works(
      Self.render + script + ["--changes", "far.fcc", "-o", "far/%04d.png"],
      in: folder.with("far"))
    #expect(try await picture("far/0000.png", folder) == picture("plain/0000.png", folder))
    #expect(try await picture("far/0004.png", folder) != picture("plain/0004.png", folder))
    // The command line's f-number wins.
    try await works(
      Self.render + script + ["--f-number", "inf", "-o", "sharp/%04d.png"],
      in: folder.with("sharp"))
    #expect(try await picture("sharp/0000.png", folder) != picture("plain/0000.png", folder))

    try await works(
      Self.render + script + ["--overlay", "-o", "drawn/%04d.png"], in: folder.with("drawn"))
    let drawn = try #require(try await Material.frames(folder.file("drawn/0000.png")).frames.first)
    let codes = drawn.pixelBuffer.codes()
    let count = drawn.pixelBuffer.planes[0].bytesPerElement
    let yellow = stride(from: 0, to: codes.count, by: count).count { index in
      codes[index] > 240 && (200...240).contains(codes[index + 1]) && codes[index + 2] < 30
    }
    #expect(yellow > 20, "\(yellow) yellow pixels")
    #expect(try await picture("drawn/0000.png", folder) != picture("plain/0000.png", folder))
  }

  @Test func renderRefusals() async throws {
    let folder = Folder()
    try await ScriptMaterial.sample(in: folder)
    let render = Self.render + ["-o", "out.mp4"]
    let script = ["--script", "s/script.json"]
    for focus in [["--focus", "0.5"], ["--focus-at", "0.5,0.5"]] {
      try await refuses(
        render + script + focus, in: folder, code: 64, naming: ["--script", "focal render --help"])
    }
    try await refuses(render + ["--overlay"], in: folder, code: 64, naming: ["--overlay"])
    try await refuses(
      render + ["--changes", "a.fcc"], in: folder, code: 64, naming: ["--changes"])
    try await refuses(render + ["--script", "no.json"], in: folder, naming: ["no.json"])
    try await refuses(render + ["--script", "s/clip.mp4"], in: folder, naming: ["s/clip.mp4"])
    try await refuses(render + script + ["--changes", "no.fcc"], in: folder, naming: ["no.fcc"])
    try await refuses(render + script + ["--f-number", "0"], in: folder, naming: ["f-number"])
    // A script that ends before the clip does.
    try await works(
      ["sample", "-o", "t", "--size", "48x28", "--frames", "4", "--samples", "1"], in: folder)
    let before = folder.contents
    let outcome = try await Program.focal(render + ["--script", "t/script.json"], in: folder)
    expectOneLine(outcome, naming: ["t/script.json", "script of this clip"])
    #expect(folder.contents == before)
  }

  private func picture(_ name: String, _ folder: Folder) async throws -> [UInt8] {
    try #require(try await Material.frames(folder.file(name)).frames.first).pixelBuffer.codes()
  }
}
