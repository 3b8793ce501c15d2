// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalMedia
import Foundation
import MovieKit
import Testing

/// Several movies, presets, and thumbnails with scripts.
@Suite struct JoinedMovieTests {
  private static func movie(in folder: Folder, frames: Int) async throws {
    try await ScriptMaterial.sample(in: folder, frames: frames)
    try await works(
      [
        "import", "s/clip.mp4", "--disparity", "s/disparity/%04d.png", "--script", "s/script.json",
        "-o", "movie.mov",
      ], in: folder)
  }

  @Test func joinsAndThumbnails() async throws {
    let folder = Folder()
    try await Self.movie(in: folder, frames: 6)
    try await works(
      ["edit", "movie.mov", "decide", "--at", "3f", "--disparity", "0.875", "-o", "c.focus"],
      in: folder)
    try await works(["apply", "movie.mov", "--changes", "c.focus", "-o", "new.mov"], in: folder)
    for name in ["a", "b", "j"] { folder.make(name) }
    try await works(
      ["export", "movie.mov", "-o", "a/%04d.png", "--quality", "preview"], in: folder)
    try await works(
      [
        "export", "movie.mov", "-o", "b/%04d.png", "--quality", "preview", "--changes", "c.focus",
      ], in: folder)
    let outcome = try await works(
      [
        "export", "movie.mov", "new.mov", "-o", "j/%04d.png", "--quality", "preview", "--json",
      ], in: folder)
    #expect(try outcome.objects().last?["frames"] as? Int == 12)
    for number in 0..<12 {
      let joined = folder.read(String(format: "j/%04d.png", number))
      let single = String(format: "\(number < 6 ? "a" : "b")/%04d.png", number % 6)
      let isEqual = joined == folder.read(single)
      #expect(!joined.isEmpty && isEqual, "\(number)")
    }
    // A thumbnail is the export's frame: by the movie's script, by changes, and by those applied.
    let time = "\(4.5 / 30)"
    for (movie, changes, expected) in [
      ("movie.mov", [], "a"), ("movie.mov", ["--changes", "c.focus"], "b"), ("new.mov", [], "b"),
    ] {
      try await works(
        ["thumbnail", movie, "--at", time, "-o", "t.png", "--quality", "preview", "--force"]
          + changes, in: folder)
      let isEqual = folder.read("t.png") == folder.read("\(expected)/0004.png")
      #expect(isEqual, "\(movie) \(changes)")
    }
    let isChanged = folder.read("a/0004.png") != folder.read("b/0004.png")
    #expect(isChanged)
  }

  /// The last movie's sound goes on behind its pictures; that of the others ends with theirs, which is said.
  @Test func soundBehindThePictures() async throws {
    let folder = Folder()
    folder.write(Material.wave(seconds: 0.6), to: "sound.wav")
    let sound = try #require(try await AssetSound(Asset(path: folder.file("sound.wav"))))
    try Material.clip("clip.mov", in: folder, times: Material.steady(6), sound: sound)
    try Material.numberedMaps(6, in: folder)
    try await works(
      ["import", "clip.mov", "--disparity", "maps/%04d.png", "-o", "movie.mov"], in: folder)
    for (movies, seconds) in [(["movie.mov"], 0.6), (["movie.mov", "movie.mov"], 0.8)] {
      let outcome = try await works(
        ["export"] + movies + ["-o", "film.mov", "--force"], in: folder)
      let tracks = try await Asset(path: folder.file("film.mov")).loadTracks(withMediaType: .audio)
      let track = try #require(tracks.first)
      let end = try await track.load(.timeRange).end.seconds
      #expect(abs(end - seconds) < 0.001, "\(end)")
      let isCut = outcome.errors.contains(
        "film.mov does not keep the sound of movie.mov behind its last picture")
      #expect(isCut == (movies.count > 1), "\(outcome.errors)")
    }
    // A range that goes on behind the pictures has the sound that is there, and says where that ends.
    for (range, seconds) in [("0-0.1", 0.1), ("0-0.2", 0.2), ("0.1-0.4", 0.3), ("0-5", 0.6)] {
      let outcome = try await works(
        ["export", "movie.mov", "--range", range, "-o", "part.mov", "--force"], in: folder)
      let tracks = try await Asset(path: folder.file("part.mov")).loadTracks(withMediaType: .audio)
      let track = try #require(tracks.first)
      let end = try await track.load(.timeRange).end.seconds
      #expect(abs(end - seconds) < 0.005, "\(range): \(end)")
      #expect(outcome.errors.contains("has only 0.0 to 0.") == (range == "0-5"), "\(range)")
    }
  }

  /// However an input is spelled, and whatever is forced.
  @Test func inputsAreNeverWrittenOver() async throws {
    let folder = Folder()
    try await Self.movie(in: folder, frames: 3)
    for arguments in [
      ["export", "movie.mov"], ["extract", "movie.mov", "--script"],
      ["edit", "movie.mov", "decide", "--at", "0", "--disparity", "0.5"],
    ] {
      try await refuses(
        arguments + ["-o", "./movie.mov", "--force"], in: folder,
        naming: ["./movie.mov", "never written over"])
    }
  }

  @Test func presetsAndSizes() async throws {
    let folder = Folder()
    try await Self.movie(in: folder, frames: 3)
    try await works(
      ["export", "movie.mov", "-o", "p.mp4", "--preset", "preview", "--maximum-size", "96x96"],
      in: folder)
    let small = try await FrameReader.open(folder.file("p.mp4")).properties
    #expect(small.dimensions == Dimensions(width: 96, height: 54))
    #expect(small.codecDescription.hasPrefix("h264"))
    try await works(["export", "movie.mov", "-o", "h.mp4", "--preset", "hevc-1080p"], in: folder)
    let large = try await FrameReader.open(folder.file("h.mp4")).properties
    #expect(large.dimensions == Dimensions(width: 192, height: 108))
    #expect(large.codecDescription.hasPrefix("hevc"))
    try await works(
      ["thumbnail", "movie.mov", "--at", "0", "-o", "t.png", "--maximum-size", "64"], in: folder)
    #expect(
      try await FrameReader.open(folder.file("t.png")).properties.dimensions
        == Dimensions(width: 64, height: 36))
    try await refuses(
      ["export", "movie.mov", "-o", "x.mp4", "--rate-factor", "64"], in: folder, code: 64,
      naming: ["--rate-factor", "0 to 63"])
    try await refuses(
      ["export", "movie.mov", "-o", "x.mp4", "--rate-factor", "52"], in: folder,
      naming: ["no rate factor of 52", "to 51"])
    try await refuses(
      ["export", "movie.mov", "-o", "x.mp4", "--preset", "best"], in: folder, code: 64,
      naming: ["preset"])
    try await refuses(
      ["export", "movie.mov", "movie.mov", "-o", "x.mp4", "--range", "0-1"], in: folder, code: 64,
      naming: ["--range"])
    try await refuses(
      ["export", "movie.mov", "none.mov", "-o", "x.mp4"], in: folder, naming: ["none.mov"])
    try await refuses(
      ["thumbnail", "movie.mov", "--at", "0", "-o", "x.png", "--changes", "none.focus"],
      in: folder, naming: ["none.focus"])
  }

  /// After changes to a phone's movie, this program's metadata stand beside the phone's, and count.
  @Test(.enabled(if: EncodedClip.isPossible, "this FFmpeg has no libx265"))
  func aPhonesMovieWithChanges() async throws {
    let folder = Folder()
    try MovieCommandTests.movies(in: folder)
    try await works(
      ["edit", "apple.mov", "decide", "--at", "0", "--disparity", "0.5", "-o", "c.focus"],
      in: folder)
    try await works(["apply", "apple.mov", "--changes", "c.focus", "-o", "new.mov"], in: folder)
    for (movie, changes, name) in [
      ("apple.mov", [], "steady.png"), ("apple.mov", ["--changes", "c.focus"], "a.png"),
      ("new.mov", [], "b.png"),
    ] {
      try await works(["thumbnail", movie, "--at", "0.1", "-o", name] + changes, in: folder)
    }
    let isApplied = folder.read("a.png") == folder.read("b.png")
    let isRendered = folder.read("a.png") != folder.read("steady.png")
    #expect(isApplied && isRendered)
    // Both tracks are extracted, one after the other.
    try await works(["extract", "new.mov", "--metadata", "-o", "m.json"], in: folder)
    let lines = String(decoding: folder.read("m.json"), as: UTF8.self).split(separator: "\n")
    let tracks = try lines.compactMap { line -> Int? in
      let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
      return object?["track"] as? Int
    }
    #expect(tracks.count == 12 && Set(tracks).count == 2, "\(tracks)")
    #expect(Set(tracks.prefix(6)).count == 1 && Set(tracks.suffix(6)).count == 1, "\(tracks)")
  }
}
