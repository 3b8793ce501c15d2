// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalMedia
import Foundation
import Testing

/// `--range` of `focal export`, `edit show` and `script show`.
@Suite struct TimeRangeTests {
  /// Twelve frames, 30 a second, with plain sound of 8000 samples a second.
  private static func movie(in folder: Folder) async throws {
    folder.write(Material.wave(seconds: 0.4), to: "sound.wav")
    try Material.clip(
      "clip.mov", in: folder, times: Material.steady(12),
      sound: try await AssetSound(Asset(path: folder.file("sound.wav"))))
    try Material.numberedMaps(12, in: folder)
    try await works(
      [
        "import", "clip.mov", "--disparity", "maps/%04d.png", "--focus", "0.5", "-o", "movie.mov",
      ], in: folder)
  }

  private static func sound(_ path: String) async throws -> [UInt8] {
    let tracks = try await Asset(path: path).loadTracks(withMediaType: .audio)
    let track = try #require(tracks.first)
    var bytes: [UInt8] = []
    for position in 0..<(try await track.load(.sampleIndex).count) {
      bytes += try await track.sampleData(position)
    }
    return bytes
  }

  /// From the middle of a picture to the middle of another; the sound is that of the very range.
  @Test func beginsWithThePictureOnTheScreen() async throws {
    let folder = Folder()
    try await Self.movie(in: folder)
    let outcome = try await works(
      [
        "export", "movie.mov", "-o", "part.mov", "--range", "0.05-0.25", "--quality", "thumbnail",
      ], in: folder)
    #expect(outcome.output.contains("7 frames"), "\(outcome.output)")
    #expect(!outcome.errors.contains("has only"))
    let times = try await Material.frames(folder.file("part.mov")).frames.map(\.time)
    #expect(times.first == .zero)
    #expect(times.dropFirst().first == Time(value: 1, timescale: 60))
    #expect(times.last == Time(value: 11, timescale: 60))
    let whole = try await Self.sound(folder.file("movie.mov"))
    #expect(whole == Array(folder.read("sound.wav").dropFirst(44)))
    let part = try await Self.sound(folder.file("part.mov"))
    let isPart = part == Array(whole[800..<4000])
    #expect(isPart, "\(part.count) bytes")
  }

  @Test func showsTheFrameOnTheScreen() async throws {
    let folder = Folder()
    try await Self.movie(in: folder)
    func times(_ range: String) async throws -> [String] {
      let outcome = try await works(["edit", "movie.mov", "show", "--range", range], in: folder)
      return outcome.outputLines.filter { $0.contains(" focus ") }.map {
        String($0.prefix(while: { $0 != "s" })).trimmingCharacters(in: .whitespaces)
      }
    }
    #expect(try await times("0.05-0.12") == ["0.033", "0.067", "0.100"])
    // Times as they are printed mean the frames that they are printed for.
    #expect(try await times("0.033-0.067") == ["0.033"])
    #expect(try await times("10f-12f") == ["0.333", "0.367"])
  }

  @Test func beyondTheMovie() async throws {
    let folder = Folder()
    try await Self.movie(in: folder)
    let export = ["export", "movie.mov", "--quality", "thumbnail", "-o", "x.mov", "--range"]
    let clipped = try await works(export + ["0.3-9"], in: folder)
    let notes = clipped.errorLines.filter { $0.contains("has only") }
    #expect(notes.count == 1 && notes[0].contains("movie.mov has only 0.3 to 0.4 s"), "\(notes)")
    let frames = try await works(export + ["9f-99f", "--force"], in: folder)
    #expect(frames.errors.contains("ends with the last frame, 11f"), "\(frames.errors)")
    #expect(frames.output.contains("3 frames"), "\(frames.output)")
    let shown = try await works(["edit", "movie.mov", "show", "--range", "0.3-9"], in: folder)
    #expect(shown.errors.contains("movie.mov has only 0.3 to 0.4 s"), "\(shown.errors)")
    let refused = ["export", "movie.mov", "-o", "y.mov", "--range"]
    try await refuses(refused + ["5-6"], in: folder, naming: ["movie.mov", "0.0 to 0.4 s"])
    try await refuses(
      ["edit", "movie.mov", "show", "--range", "5-6"], in: folder, naming: ["5.0 to 6.0 s", "0.4"])
    try await refuses(
      refused + ["0.3-0.1"], in: folder, code: 64,
      naming: ["--range", "end comes before its start"])
    try await refuses(refused + ["0.3-0.3"], in: folder, code: 64, naming: ["--range", "empty"])
    try await refuses(refused + ["0.3-2f"], in: folder, naming: ["0.3-2f", "not after its start"])
    try await refuses(refused + ["1"], in: folder, code: 64, naming: ["--range", "0.5-2"])
  }
}
