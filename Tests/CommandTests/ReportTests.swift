// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalMedia
import Foundation
import Testing

/// The program's words while it works and when it is done.
@Suite struct ReportTests {
  private static func clip(_ count: Int) throws -> Folder {
    let folder = Folder()
    try Material.clip("clip.mp4", in: folder, times: Material.steady(count))
    try Material.numberedMaps(count, in: folder)
    return folder
  }

  @Test func linesOfJSON() async throws {
    let folder = try Self.clip(12)
    let outcome = try await works(
      [
        "render", "clip.mp4", "--disparity", "maps/%04d.png", "-o", "out.mp4", "--json",
        "--f-number", "4", "--focus", "0.25", "--quality", "preview",
      ], in: folder)
    let objects = try outcome.objects()
    #expect(outcome.errors.isEmpty)
    let progress = objects.dropLast()
    #expect(!progress.isEmpty)
    #expect(progress.allSatisfy { $0["event"] as? String == "progress" })
    #expect(progress.last?["frames"] as? Int == 12)
    #expect(progress.allSatisfy { $0["total"] as? Int == 12 })
    let counts = progress.compactMap { $0["frames"] as? Int }
    #expect(counts == counts.sorted())
    let done = try #require(objects.last)
    #expect(done["event"] as? String == "done")
    #expect(done["output"] as? String == "out.mp4")
    #expect(done["frames"] as? Int == 12)
    #expect(done["width"] as? Int == 48)
    #expect(done["height"] as? Int == 32)
    #expect(done["fNumber"] as? Double == 4)
    #expect(done["focusDisparity"] as? Double == 0.25)
    #expect(done["focusOrigin"] == nil)
    #expect(done["quality"] as? String == "preview")
    #expect((done["seconds"] as? Double ?? 0) > 0)
  }

  /// A failure is an object, too: with the kind of the failure, a remedy and the exit code.
  @Test(arguments: [
    (["render", "none.mp4", "--disparity", "map.png", "-o", "out.mp4"], "unreadable", 1),
    (["info", "none.mov"], "unreadable", 1),
    (["info"], "usage", 64),
    (
      ["render", "clip.mp4", "--disparity", "maps/%04d.png", "-o", "out.xyz"], "invalidParameter", 1
    ),
  ])
  func errorsAsJSON(_ arguments: [String], _ kind: String, _ code: Int) async throws {
    let folder = try Self.clip(2)
    let outcome = try await Program.focal(arguments + ["--json"], in: folder)
    #expect(outcome.code == Int32(code) && outcome.output.isEmpty)
    let objects = try outcome.errorObjects()
    let error = try #require(objects.last)
    #expect(objects.count == 1 && error["event"] as? String == "error")
    #expect(error["kind"] as? String == kind && error["exitCode"] as? Int == code)
    #expect((error["message"] as? String)?.isEmpty == false)
    #expect((error["remedy"] as? String)?.isEmpty == false)
    // For people it is a line of the same words.
    let text = try await Program.focal(arguments, in: folder)
    #expect(text.code == outcome.code)
    #expect(
      text.errors
        == "focal: error: \(error["message"] as? String ?? ""); \(error["remedy"] as? String ?? "")\n"
    )
  }

  @Test func progressAsAsked() async throws {
    let folder = try Self.clip(12)
    let render = [
      "render", "clip.mp4", "--disparity", "maps/%04d.png", "--focus", "0.5", "-o", "out.mp4",
      "--force", "--progress",
    ]
    let json = try await works(render + ["json"], in: folder)
    let objects = try json.errorObjects()
    #expect(!objects.isEmpty && objects.allSatisfy { $0["event"] as? String == "progress" })
    #expect(objects.last?["frames"] as? Int == 12 && objects.last?["total"] as? Int == 12)
    #expect(json.output.hasPrefix("out.mp4: 12 frames"))
    let none = try await works(render + ["none"], in: folder)
    #expect(none.errors.isEmpty && none.outputLines.count == 1)
    let bar = try await works(render + ["bar"], in: folder)
    #expect(bar.errors.hasPrefix("\r["))
    let quiet = try await works(render + ["none", "--json"], in: folder)
    #expect(try quiet.objects().compactMap { $0["event"] as? String } == ["done"])
    let apart = try await works(render + ["lines", "--json"], in: folder)
    #expect(try apart.objects().count == 1 && apart.errors.hasPrefix("frame 1/12"))
    try await refuses(render + ["loud"], in: folder, code: 64, naming: ["--progress"])
  }

  /// The selection counts, not the clip.
  @Test func totalOfASelection() async throws {
    let folder = try Self.clip(12)
    let outcome = try await works(
      [
        "render", "clip.mp4", "--disparity", "maps/%04d.png", "-o", "out.mp4", "--json",
        "--frames", "9-40",
      ], in: folder)
    let objects = try outcome.objects()
    #expect(objects.dropLast().allSatisfy { $0["total"] as? Int == 3 })
    #expect(objects.last?["frames"] as? Int == 3)
  }

  /// In a pipe: plain lines, no carriage returns, no escapes; the result alone on standard output.
  @Test func plainLines() async throws {
    let folder = try Self.clip(12)
    let outcome = try await works(
      ["render", "clip.mp4", "--disparity", "maps/%04d.png", "-o", "out.mp4"], in: folder)
    #expect(outcome.outputLines.count == 1)
    #expect(outcome.output.hasPrefix("out.mp4: 12 frames of 48x32"))
    #expect(!outcome.errors.contains("\r") && !outcome.errors.contains("\u{1B}"))
    #expect(outcome.errorLines.last?.hasPrefix("frame 12/12, ") == true)
    // Without a focus it says which it took, and how to choose another.
    let note = try #require(outcome.errorLines.first)
    #expect(note.hasPrefix("focal: focus 0.") && note.contains("--focus-at"))
  }

  /// The report on one numbered picture names its file: a percent sign in a name may have become a number.
  @Test(arguments: [("out_100%done.png", "out_1000one.png"), ("out_%04d.png", "out_0000.png")])
  func oneNumberedPicture(_ output: String, _ file: String) async throws {
    let folder = Folder()
    try Material.still(in: folder)
    let from = ["in.png", "--disparity", "map.png", "-o", output]
    let rendered = try await works(["render"] + from + ["--json"], in: folder).objects().last
    #expect(rendered?["output"] as? String == file)
    let told = try await works(["render"] + from + ["--force"], in: folder)
    #expect(told.output.hasPrefix("\(file): 1 frame of "))
    #expect(folder.names == ["in.png", "map.png", file])
  }

  /// Several are named by their pattern, one that is rendered beside others by its number.
  @Test func severalNumberedPictures() async throws {
    let folder = try Self.clip(3)
    let render = [
      "render", "clip.mp4", "--disparity", "maps/%04d.png", "-o", "out%02d.png", "--json",
    ]
    let one = try await works(render + ["--frames", "1"], in: folder).objects().last
    #expect(one?["output"] as? String == "out01.png")
    let others = try await works(render + ["--resume"], in: folder).objects().last
    #expect(others?["output"] as? String == "out%02d.png" && others?["frames"] as? Int == 2)
    #expect(one?["framesKept"] == nil && others?["framesKept"] as? Int == 1)
    let told = try await works(Array(render.dropLast()) + ["--resume"], in: folder).output
    #expect(told.hasPrefix("out%02d.png: 0 frames rendered, 3 were there, of "), "\(told)")
  }

  /// An export that goes on counts the pictures that it renders, and names those that were there.
  @Test func exportsThatGoOn() async throws {
    let folder = try Self.clip(3)
    try await works(
      ["import", "clip.mp4", "--disparity", "maps/%04d.png", "--focus", "0.5", "-o", "movie.mov"],
      in: folder)
    let export = ["export", "movie.mov", "-o", "film%02d.png"]
    try await works(export, in: folder)
    let pictures = folder.names.filter { $0.hasPrefix("film") }.sorted()
    #expect(pictures.count == 3)
    try FileManager.default.removeItem(atPath: folder.file(pictures[1]))
    let told = try await works(export + ["--resume"], in: folder).output
    #expect(told.contains(": 1 frame rendered, 2 were there, of "), "\(told)")
    let report = try await works(export + ["--resume", "--json"], in: folder).objects().last
    #expect(report?["frames"] as? Int == 0 && report?["framesKept"] as? Int == 3)
    #expect(report?["framesPerSecond"] as? Double == 0)
  }

  /// Without a focus, the largest and nearest part of the picture is sharp, its middle preferred.
  @Test func focusThatIsChosen() async throws {
    let folder = Folder()
    try Material.still(in: folder)
    let render = ["render", "in.png", "--disparity", "map.png", "-o", "out.png", "--force"]
    let centre = try await works(render + ["--json"], in: folder).objects().last
    let disparity = try #require(centre?["focusDisparity"] as? Double)
    // On a ramp all parts are equally large: the nearest of those that are still near the middle.
    #expect((0.6...0.8).contains(disparity))
    #expect((centre?["focusOrigin"] as? String)?.contains("largest and nearest") == true)
    for x in [0.1, 0.9] {
      let point = try await works(render + ["--json", "--focus-at", "\(x),0.5"], in: folder)
      let found = try #require(point.objects().last?["focusDisparity"] as? Double)
      #expect(abs(found - x) < 0.03)
    }
  }

  @Test(arguments: [[], ["render"], ["sample"], ["compare"], ["bench"]])
  func help(_ command: [String]) async throws {
    let folder = Folder()
    let outcome = try await works(command + ["--help"], in: folder)
    #expect(outcome.errors.isEmpty)
    #expect(outcome.output.contains("USAGE: focal"))
    #expect(outcome.outputLines.allSatisfy { $0.count <= 260 })
    // Defaults are shown as they are typed.
    #expect(!outcome.output.contains("(default: 2)"))
    let names = outcome.outputLines.filter { $0.hasPrefix("  -") }
    #expect(names.allSatisfy { !$0.hasSuffix(">") || $0.count > 24 })
  }

  @Test func version() async throws {
    let outcome = try await works(["--version"], in: Folder())
    #expect(outcome.output.split(separator: ".").count == 3)
  }
}
