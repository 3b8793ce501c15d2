// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalMedia
import Foundation
import Testing

/// Programs that are killed while they write movies.
@Suite struct MovieSafetyTests {
  private static let frameCount = 600

  /// 20 seconds of pictures and maps, all the same file.
  private static func material(in folder: Folder) throws {
    folder.make("frames")
    try PictureWriter.write(
      Material.picture(Dimensions(width: 240, height: 160)), to: folder.file("frames/0000.png"))
    for number in 1..<frameCount {
      Material.link("frames/0000.png", String(format: "frames/%04d.png", number), in: folder)
    }
    try Material.numberedMaps(frameCount, in: folder)
  }

  /// How often each program is killed; more in FOCAL_KILLS.
  private static let kills =
    ProcessInfo.processInfo.environment["FOCAL_KILLS"].flatMap { Int($0) } ?? 5

  /// Killed at any moment, an import leaves nothing or a whole movie under the final name, what it
  /// leaves under its temporary name plays, and the next run removes that.
  @Test func killedImport() async throws {
    let folder = Folder()
    try Self.material(in: folder)
    let arguments = [
      Program.path, "import", "frames/%04d.png", "--disparity", "maps/%04d.png", "-o", "out.mov",
      "--disparity-fit", "stretch", "--focus", "0.5", "--json",
    ]
    // How long a run takes that is left alone.
    let alone = try await Program.run(arguments, in: folder)
    #expect(alone.code == 0)
    let whole = alone.duration
    try FileManager.default.removeItem(atPath: folder.file("out.mov"))
    var random = SystemRandomNumberGenerator()
    var unfinished = 0
    for round in 0..<Self.kills {
      let moment = whole * Double.random(in: 0...1, using: &random)
      let outcome = try await Program.run(arguments, in: folder) { process, _ in
        try? await Task.sleep(for: moment)
        kill(process, SIGKILL)
      }
      if folder.names.contains("out.mov") {
        #expect(
          try await Material.frames(folder.file("out.mov")).frames.count == Self.frameCount,
          "killed after \(moment)")
        try FileManager.default.removeItem(atPath: folder.file("out.mov"))
        continue
      }
      #expect(outcome.code == -SIGKILL, "killed after \(moment): \(outcome.errors)")
      // Never more than the last one's: each run removed what the one before left.
      #expect(folder.unfinished.count <= 1, "round \(round), killed after \(moment)")
      guard let left = folder.unfinished.first, folder.read(left).count > 100_000 else { continue }
      unfinished += 1
      let copy = folder.file("left.mov")
      try FileManager.default.moveItem(atPath: folder.file(left), toPath: copy)
      let played = try await Material.frames(copy).frames
      #expect(played.count >= 20, "killed after \(moment)")
      // In the last group of pictures, those that wait for a later one may be missing.
      for (number, frame) in played.dropLast(16).enumerated() {
        #expect(
          frame.time == Time(value: Int64(number), timescale: 30), "killed after \(moment)")
      }
      try FileManager.default.moveItem(atPath: copy, toPath: folder.file(left))
    }
    if Self.kills >= 20 { #expect(unfinished > 0) }
    // A run that is left alone.
    try await works(
      [
        "import", "frames/%04d.png", "--disparity", "maps/%04d.png", "-o", "short.mov", "--focus",
        "0.5", "--disparity-fit", "stretch", "--force",
      ], in: folder)
    #expect(folder.unfinished.isEmpty)
  }

  @Test func killedExport() async throws {
    let folder = Folder()
    try await ScriptMaterial.sample(in: folder, frames: 40)
    try await works(
      [
        "import", "s/clip.mp4", "--disparity", "s/disparity/%04d.png", "--script", "s/script.json",
        "-o", "movie.mov",
      ], in: folder)
    for _ in 0..<Self.kills {
      let pause = Int.random(in: 0...1500)
      let outcome = try await Program.run(
        [Program.path, "export", "movie.mov", "-o", "out.mp4", "--quality", "preview"], in: folder
      ) { process, _ in
        try? await Task.sleep(for: .milliseconds(pause))
        kill(process, SIGKILL)
      }
      if folder.names.contains("out.mp4") {
        #expect(
          try await Material.frames(folder.file("out.mp4")).frames.count == 40,
          "killed after \(pause) ms")
        try FileManager.default.removeItem(atPath: folder.file("out.mp4"))
      } else {
        #expect(outcome.code == -SIGKILL, "killed after \(pause) ms: \(outcome.errors)")
      }
      #expect(folder.unfinished.count <= 1, "killed after \(pause) ms")
    }
    try await works(
      ["export", "movie.mov", "-o", "out.mp4", "--quality", "thumbnail"], in: folder)
    #expect(folder.unfinished.isEmpty)
  }

  /// A full disk is an error that says so, and leaves nothing.
  @Test func fullDisk() async throws {
    let folder = Folder()
    try Self.material(in: folder)
    let before = folder.names
    let outcome = try await Program.focal(
      [
        "import", "frames/%04d.png", "--disparity", "maps/%04d.png", "-o", "out.mov",
        "--disparity-fit", "stretch", "--focus", "0.5",
      ], in: folder,
      // The largest file that the shell allows, in blocks of 1024 bytes.
      after: "ulimit -f 30")
    expectOneLine(outcome, naming: ["out.mov"])
    #expect(folder.names == before)
  }
}
