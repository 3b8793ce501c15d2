// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalMedia
import Foundation
import Testing

/// What the program says while it works and when it is done.
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
