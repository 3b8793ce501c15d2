// SPDX-License-Identifier: Apache-2.0

import FocalCinematic
import FocalCore
import FocalMedia
import FocalScript
import Foundation
import Testing

/// Notes and refusals of commands on the focus, and the part of them that is stored.
@Suite struct FocusNoteTests {
  private static func movie(in folder: Folder, _ options: [String] = []) async throws {
    try await ScriptMaterial.sample(in: folder, frames: 6)
    try await works(
      [
        "import", "s/clip.mp4", "--disparity", "s/disparity/%04d.png", "--script",
        "s/script.json", "-o", "movie.mov",
      ] + options, in: folder)
  }

  /// A given f-number is the script's, not only that of the frames' metadata.
  @Test func importStoresTheFNumber() async throws {
    let folder = Folder()
    try await Self.movie(in: folder, ["--f-number", "1.4", "--blades", "5"])
    let movie = try await MovieScript(asset: Asset(path: folder.file("movie.mov")))
    #expect(try movie.recording()?.fNumber == 1.4)
    try await works(["export", "movie.mov", "-o", "a%02d.png"], in: folder)
    try await works(["export", "movie.mov", "--f-number", "1.4", "-o", "b%02d.png"], in: folder)
    #expect(folder.read("a03.png") == folder.read("b03.png"))
    // A script that says nothing of the lens leaves the movie's look.
    try await works(
      ["export", "movie.mov", "--script", "s/script.json", "--f-number", "1.4", "-o", "c%02d.png"],
      in: folder)
    #expect(folder.read("c03.png") == folder.read("b03.png"))
    try await works(
      [
        "export", "movie.mov", "--script", "s/script.json", "--f-number", "1.4", "--blades", "0",
        "-o", "d%02d.png",
      ], in: folder)
    #expect(folder.read("d03.png") != folder.read("b03.png"))
    for command in [
      ["import", "s/clip.mp4", "--disparity", "s/disparity/%04d.png"],
      ["edit", "movie.mov", "set"],
    ] {
      try await refuses(
        command + ["--f-number", "inf", "-o", "x.mov"], in: folder, code: 64,
        naming: ["inf is for render, export and thumbnail"])
    }
  }

  @Test func saysTheScaleOfAMap() async throws {
    let folder = Folder()
    try Material.still(in: folder)
    let map = try PixelBuffer(
      dimensions: Material.size, format: .disparityFloat, tags: .linearBT709,
      values: (0..<Material.size.count).map { Float($0 % 7) })
    try PictureWriter.write(map, to: folder.file("map.pfm"))
    var bytes = folder.read("map.pfm")
    let scale = try #require(bytes.indices.first { bytes[$0...].starts(with: "-1".utf8) })
    bytes[scale + 1] = UInt8(ascii: "4")
    folder.write(bytes, to: "scaled.pfm")
    let line = "the values of the map scaled.pfm are divided by the scale that its head says, 4.0"
    for name in ["map.pfm", "scaled.pfm"] {
      let outcome = try await works(
        ["render", "in.png", "--disparity", name, "-o", "out.png", "--force"], in: folder)
      #expect(outcome.errors.contains(line) == (name == "scaled.pfm"), "\(outcome.errors)")
    }
  }

  @Test func saysWhatIsNotSharp() async throws {
    let folder = Folder()
    try await Self.movie(in: folder)
    let nothing = "nothing is sharp: the focus is 9.0"
    for command in [
      ["export", "movie.mov", "--focus", "9", "--quality", "thumbnail", "-o", "a.mp4"],
      ["thumbnail", "movie.mov", "--focus", "9", "--at", "0", "-o", "a.png"],
      ["edit", "movie.mov", "decide", "--disparity", "9", "--at", "0", "-o", "a.focus"],
    ] {
      let outcome = try await works(command, in: folder)
      #expect(outcome.errors.contains(nothing), "\(outcome.errors)")
    }
    let sharp = try await works(
      ["thumbnail", "movie.mov", "--focus", "0.5", "--at", "0", "-o", "b.png"], in: folder)
    #expect(sharp.errors.isEmpty, "\(sharp.errors)")
  }

  /// A box that is drawn is no lack of detections.
  @Test func tellsWhatIsDrawn() async throws {
    let folder = Folder()
    try await ScriptMaterial.sample(in: folder, frames: 4)
    try await works(
      [
        "import", "s/clip.mp4", "--disparity", "s/disparity/%04d.png", "--focus", "0.4", "-o",
        "plain.mov",
      ], in: folder)
    let none = try await works(
      ["thumbnail", "plain.mov", "--at", "0", "--overlay", "-o", "a.png"], in: folder)
    #expect(none.errors.contains("plain.mov has no detections"))
    try await works(
      [
        "edit", "plain.mov", "decide", "--at", "0", "--point", "0.75,0.25", "--fixed", "-o",
        "a.focus",
      ], in: folder)
    let some = try await works(
      [
        "thumbnail", "plain.mov", "--at", "2f", "--overlay", "--changes", "a.focus", "-o", "b.png",
      ], in: folder)
    #expect(some.errors.isEmpty, "\(some.errors)")
    // Its place is shown where it is listed.
    let text = try await works(
      ["edit", "plain.mov", "show", "--at", "2f", "--changes", "a.focus"], in: folder)
    #expect(text.output.contains("Fixed focus at 0.750,0.250"))
    let json = try await works(
      ["edit", "plain.mov", "show", "--json", "--changes", "a.focus"], in: folder)
    let object = try JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [String: Any]
    let tracks = try #require(object?["tracks"] as? [[String: Any]])
    let rect = try #require(tracks.last?["rect"] as? [Double])
    #expect(abs(rect[0] + rect[2] / 2 - 0.75) < 1e-6 && tracks.last?["disparity"] is Double)
    #expect(tracks.first?["rect"] == nil)
  }

  /// A script that decides nothing holds the focus, and says so; one whose f-number no frame can have makes no movie.
  @Test func scriptsThatLackSomething() async throws {
    let folder = Folder()
    try await ScriptMaterial.sample(in: folder, frames: 4)
    let recording = try ScriptMaterial.script("s/script.json", in: folder).recording
    func write(_ name: String, fNumber: Float, _ decisions: [Decision]) throws {
      let other = try Recording(
        timeRange: recording.timeRange, frameTimes: recording.frameTimes, fNumber: fNumber,
        detectionTracks: recording.detectionTracks, decisions: decisions)
      folder.write([UInt8](try other.jsonRepresentation()), to: name)
    }
    try write("undecided.json", fNumber: 2.8, [])
    try write("tiny.json", fNumber: 1e-30, recording.baseDecisions)
    let clip = ["s/clip.mp4", "--disparity", "s/disparity/%04d.png", "--script"]
    let quick = ["--quality", "thumbnail", "-o"]
    let note = "decides nothing, and the focus is held: focal script direct"
    for command in [
      ["render"] + clip + ["undecided.json"] + quick + ["a.mp4"],
      ["import"] + clip + ["undecided.json", "-o", "a.mov"],
      ["export", "a.mov"] + quick + ["b.mp4"],
    ] {
      let told = try await works(command, in: folder)
      #expect(told.errorLines.count { $0.contains(note) } == 1, "\(command): \(told.errors)")
    }
    for command in [
      ["export", "a.mov", "--focus", "0.4"] + quick + ["c.mp4"],
      ["render"] + clip + ["s/script.json"] + quick + ["d.mp4"],
    ] {
      let told = try await works(command, in: folder)
      #expect(!told.errors.contains("decides nothing"), "\(command): \(told.errors)")
    }
    try await refuses(
      ["import"] + clip + ["tiny.json", "-o", "x.mov"], in: folder,
      naming: ["tiny.json", "1e-30", "focal script set tiny.json --f-number"])
    try await works(
      ["import"] + clip + ["tiny.json", "--f-number", "4", "-o", "e.mov"], in: folder)
  }

  @Test func racksThatCannotBe() async throws {
    let folder = Folder()
    try await Self.movie(in: folder)
    let edit = ["edit", "movie.mov"]
    let long = try await works(
      edit + ["decide", "--at", "0.1", "--disparity", "0.9", "--rack", "5", "-o", "a.focus"],
      in: folder)
    #expect(long.errors.contains("focus travels for 0.100 s only"), "\(long.errors)")
    // An automatic rack has less time than the shortest one takes.
    let short = try await works(
      edit + ["decide", "--at", "0.1", "--disparity", "0.9", "-o", "s.focus"], in: folder)
    #expect(short.errors.contains("focus travels for 0.100 s only"), "\(short.errors)")
    let first = try await works(
      edit + ["decide", "--at", "0", "--disparity", "0.9", "--rack", "1", "-o", "b.focus"],
      in: folder)
    #expect(first.errors.contains("focus does not travel"), "\(first.errors)")
    try await refuses(
      edit + ["decide", "--at", "0", "--disparity", "0.9", "--curve", "linear", "-o", "x.focus"],
      in: folder, naming: ["--curve", "--rack"])
    // A curve alone keeps the length of the automatic rack.
    try await works(
      edit + ["decide", "--at", "0.1", "--disparity", "0.9", "--curve", "linear", "-o", "c.focus"],
      in: folder)
    let movie = try await MovieScript(asset: Asset(path: folder.file("movie.mov")))
    let script = try Script(
      recording: try await movie.recordingOrSteady(),
      changes: Script.Changes(dataRepresentation: Data(folder.read("c.focus"))))
    let decision = try #require(script.userDecisions(in: script.timeRange).first)
    #expect((script.transition(for: decision)?.duration ?? .zero) > .zero)
    // The edit is printed.
    let set = try await works(
      edit + [
        "set", "--f-number", "2", "--at", "0.1", "--rack", "0.05", "--changes", "a.focus", "-o",
        "d.focus",
      ], in: folder)
    #expect(set.output.contains("f/2") && set.output.contains("0.050 s to detection"))
    let undo = try await works(
      edit + ["undo", "--at", "0.1", "--changes", "d.focus", "-o", "e.focus"], in: folder)
    #expect(undo.output.contains("0.100 s: weak user decision") && undo.output.contains("back"))
  }

  /// Before the clip is followed, and with the names that people know.
  @Test func refusals() async throws {
    let folder = Folder()
    try await Self.movie(in: folder)
    folder.write([1], to: "there.focus")
    try await refuses(
      ["edit", "movie.mov", "track", "--point", "2,2", "-o", "there.focus"], in: folder, code: 64,
      naming: ["--point", "focal edit <movie> track --help"])
    try await refuses(
      ["edit", "movie.mov", "track", "--point", "0.35,0.3", "-o", "there.focus"], in: folder,
      naming: ["there.focus", "--force"])
    try await refuses(
      [
        "script", "track", "s/clip.mp4", "--disparity", "s/disparity/%04d.png", "--point",
        "0.35,0.3", "-o", "there.focus",
      ], in: folder, naming: ["there.focus", "--force"])
    try await works(
      ["edit", "movie.mov", "decide", "--at", "0", "--disparity", "0.5", "-o", "a.focus"],
      in: folder)
    try await works(
      [
        "import", "s/clip.mp4", "--disparity", "s/disparity/%04d.png", "--focus", "0.4", "-o",
        "other.mov",
      ], in: folder)
    try await refuses(
      ["export", "other.mov", "--changes", "a.focus", "-o", "x.mp4"], in: folder,
      naming: ["a.focus", "other.mov"])
    try await refuses(
      ["render", "s/disparity/0001.png", "-o", "-x.png"], in: folder, code: 64,
      naming: ["./-x.png"])
    try await refuses(
      [
        "render", "s/clip.mp4", "--disparity", "s/disparity/%04d.png", "--picture-quality", "5",
        "-o", "x.png",
      ], in: folder, naming: ["--picture-quality"])
    let help = try await works(["help", "edit", "decide"], in: folder)
    #expect(
      help.output.contains("--disparity") && help.output.contains("focal edit <movie> decide"))
    let picture = try await works(["info", "s/disparity/0001.png"], in: folder)
    #expect(picture.output.contains("focal render") && !picture.output.contains("AirDrop"))
    #expect(picture.output.hasPrefix("s/disparity/0001.png: picture\n"))
    #expect(picture.output.contains("codes of 16 bits"))
    let several = try await works(["info", "s/disparity/%04d.png", "--json"], in: folder)
    let object = try #require(try several.objects().first)
    #expect(object["kind"] as? String == "numbered pictures" && object["bitDepth"] as? Int == 16)
    let clip = try await works(["info", "s/clip.mp4"], in: folder)
    #expect(clip.output.contains("movie, not Cinematic"))
  }
}
