// SPDX-License-Identifier: Apache-2.0

import FocalBoxes
import FocalCore
import FocalMedia
import Foundation
import MovieKit
import Testing

/// `focal info`, `extract` and `thumbnail`, on movies made box by box.
@Suite(.enabled(if: EncodedClip.isPossible, "this FFmpeg has no libx265"))
struct MovieCommandTests {
  /// A float as metadata has it.
  static func float(_ value: Float) -> [UInt8] {
    (0..<4).map { UInt8(truncatingIfNeeded: value.bitPattern >> (24 - 8 * $0)) }
  }

  /// Six frames; `apple.mov` has a phone's keys, `own.mov` this project's.
  static func movies(in folder: Folder) throws {
    folder.write(try EncodedMovie.layout(frames: 6).bytes(), to: "apple.mov")
    let own = try EncodedMovie.layout(
      frames: 6,
      keys: [
        ("io.github.focal.rendering.focus-disparity", 23),
        ("io.github.focal.rendering.f-number", 23),
      ],
      payload: { frame in
        Entry.sample([(1, float(0.25 + Float(frame) / 16)), (2, float(2))])
      })
    folder.write(own.bytes(), to: "own.mov")
  }

  @Test func info() async throws {
    let folder = Folder()
    try Self.movies(in: folder)
    let text = try await works(["info", "apple.mov"], in: folder)
    #expect(text.output.contains("Cinematic movie, can be rendered"))
    #expect(text.output.contains("'dish' (disparity)"))
    #expect(text.output.contains("com.apple.quicktime.cinematic-video.rendering"))
    let object = try #require(
      try await works(["info", "own.mov", "--json"], in: folder).objects().first)
    #expect(object["isCinematic"] as? Bool == true)
    #expect(object["capability"] as? String == "renderable")
    #expect(abs((object["duration"] as? Double ?? 0) - 0.2) < 1e-9)
    #expect((object["tracks"] as? [Any])?.count == 3)
  }

  /// Profiles of Dolby Vision are named; pictures without a base that others can show are not shown in wrong colours.
  @Test(
    arguments: [(5, 0, "5", false), (8, 4, "8.4", true), (10, 0, "10", false)]
      as [(UInt8, UInt8, String, Bool)])
  func dolbyVision(_ profile: UInt8, _ base: UInt8, _ text: String, isShown: Bool) async throws {
    let folder = Folder()
    var layout = try EncodedMovie.layout(frames: 6)
    let record = [1, 0, profile << 1, 0x2D, base << 4] + [UInt8](repeating: 0, count: 19)
    layout.tracks[0].entry = layout.tracks[0].entry.map {
      Box($0.type, data: Array($0.data) + Box("dvvC", data: record).bytes)
    }
    folder.write(layout.bytes(), to: "a.mov")
    let told = try await works(["info", "a.mov"], in: folder)
    #expect(told.output.contains("Dolby Vision profile \(text)"), "\(told.output)")
    let object = try #require(
      try await works(["info", "a.mov", "--json"], in: folder).objects().first)
    let tracks = object["tracks"] as? [[String: Any]]
    #expect(tracks?.first?["dolbyVisionProfile"] as? String == text)
    let thumbnail = ["thumbnail", "a.mov", "--at", "0", "-o", "a.png"]
    if isShown {
      _ = try await works(thumbnail, in: folder)
    } else {
      try await refuses(thumbnail, in: folder, naming: ["a.mov", "Dolby Vision profile \(text)"])
      #expect(!FileManager.default.fileExists(atPath: folder.file("a.png")))
    }
  }

  /// A movie that lost its tracks is described, and what is missing is named.
  @Test func infoOfALoss() async throws {
    let folder = Folder()
    var layout = PhoneMovie.layout()
    layout.tracks.remove(at: 1)
    folder.write(layout.bytes(), to: "IMG_E1.mov")
    let outcome = try await works(["info", "IMG_E1.mov"], in: folder)
    #expect(outcome.output.contains("has lost its disparity track"))
    #expect(outcome.output.contains("Export Unmodified Original"))
    try await refuses(
      ["extract", "IMG_E1.mov", "--disparity", "-o", "m/%04d.png"], in: folder,
      naming: ["IMG_E1.mov", "disparity track"])
    folder.cut("IMG_E1.mov", to: "cut.mov", share: 0.9)
    try await refuses(["info", "cut.mov"], in: folder, naming: ["cut.mov", "cut short"])
    folder.write(Array("nothing".utf8), to: "text.mov")
    try await refuses(["info", "text.mov"], in: folder, naming: ["text.mov"])
    try await refuses(["info", "none.mov"], in: folder, naming: ["none.mov"])
  }

  @Test func extract() async throws {
    let folder = Folder()
    try Self.movies(in: folder)
    folder.make("m")
    try await works(["extract", "apple.mov", "--disparity", "-o", "m/%04d.pfm"], in: folder)
    let reader = try await FrameReader.open(
      folder.file("m/%04d.pfm"), options: ReadOptions(content: .disparity(.unit)))
    for frame in 0..<6 {
      let map = try #require(try await reader.next()).pixelBuffer
      let code = EncodedMovie.mapCode(frame, 9, 11)
      // 32-bit floats of a range of 0 to 1: a few units of their last place.
      #expect(abs(try #require(map.disparity(x: 9, y: 11)) - Float(code - 64) / 876) < 1e-5)
    }
    #expect(try await reader.next() == nil)
    try await works(["extract", "apple.mov", "--metadata", "-o", "m.json"], in: folder)
    let lines = String(decoding: folder.read("m.json"), as: UTF8.self).split(separator: "\n")
    #expect(lines.count == 6)
    let first = try #require(
      try JSONSerialization.jsonObject(with: Data(lines[0].utf8)) as? [String: Any])
    #expect(first["track"] is Int)
    let values = try #require(first["values"] as? [[String: Any]])
    #expect(values.map { $0["key"] as? String } == Entry.appleKeys.map(\.0))
    #expect(values[1]["bytes"] as? String == "c0")
    try await refuses(
      ["extract", "apple.mov", "--script", "-o", "s.json"], in: folder,
      naming: ["apple.mov", "script"])
    // Into folders that are made, and go again where nothing comes into them.
    try await works(["extract", "apple.mov", "--disparity", "-o", "new/deep/%04d.png"], in: folder)
    #expect(folder.names.count { $0.hasPrefix("new/deep/") } == 6)
    try await refuses(
      ["extract", "apple.mov", "--disparity", "-o", "other/deep/map.png"], in: folder,
      naming: ["map.png", "%04d"])
    try await refuses(
      ["extract", "apple.mov", "-o", "m.mov"], in: folder, code: 64, naming: ["--disparity"])
  }

  /// The maps as a movie: what a reader of pictures sees there is what the movie's reader sees.
  @Test func extractedMovie() async throws {
    let folder = Folder()
    try Self.movies(in: folder)
    try await works(["extract", "apple.mov", "--disparity", "-o", "maps.mov"], in: folder)
    let (properties, frames) = try await Material.frames(
      folder.file("maps.mov"), ReadOptions(content: .disparity(.unit)))
    #expect(properties.codecDescription.hasPrefix("hevc"))
    #expect(frames.count == 6)
    for (number, frame) in frames.enumerated() {
      #expect(frame.time == Time(value: Int64(number) * 20, timescale: 600))
      let code = EncodedMovie.mapCode(number, 9, 11)
      let map = frame.pixelBuffer
      #expect(abs(try #require(map.disparity(x: 9, y: 11)) - Float(code - 64) / 876) < 1e-5)
    }
    try await refuses(
      ["extract", "apple.mov", "--disparity", "-o", "maps.mp4"], in: folder, naming: ["maps.mp4"])
    try await refuses(
      ["extract", "apple.mov", "--disparity", "-o", "maps.mov"], in: folder,
      naming: ["maps.mov", "--force"])
  }

  @Test func thumbnail() async throws {
    let folder = Folder()
    try Self.movies(in: folder)
    let told = try await works(
      ["thumbnail", "apple.mov", "--at", "0.1", "-o", "a.png"], in: folder)
    try await works(["thumbnail", "own.mov", "--at", "3f", "-o", "b.png"], in: folder)
    for movie in ["own", "apple"] {
      try await works(
        ["thumbnail", "\(movie).mov", "--at", "0.1", "--f-number", "inf", "-o", "\(movie).png"],
        in: folder)
    }
    let picture = try #require(try await FrameReader.open(folder.file("a.png")).next()).pixelBuffer
    #expect(picture.dimensions == Dimensions(width: 96, height: 64))
    // Our own is blurred by its metadata; what a phone's says cannot be read, so that its first map
    // decides, and a line says so. Neither is sharp, unless that is asked for.
    let (sharp, phone, own) = (folder.read("own.png"), folder.read("a.png"), folder.read("b.png"))
    #expect(folder.read("apple.png") == sharp)
    #expect(phone != sharp && own != sharp && phone != own)
    #expect(told.errorLines.count == 1)
    #expect(told.errors.contains("apple.mov") && told.errors.contains("--focus-at"))
    // A point that is given is read in the first map, as an export of any part reads it.
    try await works(
      [
        "export", "apple.mov", "--range", "3f-5f", "--focus-at", "0.8,0.3", "--f-number", "2",
        "--blades", "5", "--blur-scale", "0.3", "-o", "e%02d.png",
      ], in: folder)
    try await works(
      [
        "thumbnail", "apple.mov", "--at", "3f", "--focus-at", "0.8,0.3", "--f-number", "2",
        "--blades", "5", "--blur-scale", "0.3", "-o", "t.png",
      ], in: folder)
    let isSamePicture = folder.read("e03.png") == folder.read("t.png")
    #expect(isSamePicture)
    try await refuses(
      ["thumbnail", "own.mov", "--at", "9f", "-o", "d.png"], in: folder, naming: ["9f", "6 frames"])
    try await refuses(
      ["thumbnail", "own.mov", "--at", "9", "-o", "d.png"], in: folder,
      naming: ["own.mov", "9.0 s"])
    try await refuses(
      ["thumbnail", "own.mov", "--at", "0", "-o", "d.mp4"], in: folder, naming: ["d.mp4"])
  }

  /// Any frame is the one that is read in order.
  @Test func seek() async throws {
    let folder = Folder()
    try Self.movies(in: folder)
    let outcome = try await works(["bench-seek", "apple.mov", "--count", "9"], in: folder)
    #expect(outcome.output.contains("pictures that differ: 0"))
    let report = try #require(
      try await works(["bench-seek", "apple.mov", "--json"], in: folder).objects().first)
    #expect(report["frames"] as? Int == 6)
    #expect(report["accesses"] as? Int == 20)
    #expect((report["distance"] as? Double ?? 0) >= 1)
    try await refuses(
      ["bench-seek", "apple.mov", "--count", "0"], in: folder, code: 64, naming: ["--count"])
  }

  /// Other containers than QuickTime and MP4 are described as well.
  @Test(.enabled(if: ForeignClip.canEncode("mpeg4"), "this FFmpeg has no MPEG-4 encoder"))
  func infoOfOtherContainers() async throws {
    let folder = Folder()
    folder.write(try ForeignClip.bytes(format: "matroska", codec: "mpeg4"), to: "a.mkv")
    let text = try await works(["info", "a.mkv"], in: folder)
    #expect(text.output.contains("movie, not Cinematic"))
    #expect(text.output.contains("video 'mp4v', 96x64, 90 samples"))
    try await works(["bench-seek", "a.mkv", "--count", "5"], in: folder)
  }
}
