// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalMedia
import Foundation
import Testing

/// Commands on movies, given what they cannot use.
@Suite struct MovieInputTests {
  /// `movie.mov` of three frames with a script of detections, `plain.mov` with one focus, and changes.
  private static func material(in folder: Folder) async throws {
    try await ScriptMaterial.sample(in: folder, frames: 3)
    let arguments = ["import", "s/clip.mp4", "--disparity", "s/disparity/%04d.png"]
    try await works(arguments + ["--script", "s/script.json", "-o", "movie.mov"], in: folder)
    try await works(arguments + ["--focus", "0.5", "-o", "plain.mov"], in: folder)
    try await works(
      ["edit", "movie.mov", "decide", "--at", "1f", "--disparity", "0.8", "-o", "c.focus"],
      in: folder)
  }

  /// Commands that read a movie, which stands where the @ is.
  static let commands = [
    "extract @ --disparity -o x/%04d.png", "extract @ --script -o x.json",
    "thumbnail @ --at 0 -o x.png", "thumbnail @ --at 0 -o x.png --overlay",
    "thumbnail @ --at 0 -o x.png --changes c.focus", "export @ -o x.mp4",
    "export @ -o x.mp4 --range 0f-1f", "export @ -o x.mp4 --changes c.focus", "edit @ show",
    "edit @ decide --at 0 --disparity 0.5 -o x.focus",
    "edit @ undo --changes c.focus --all -o x.focus", "edit @ plot -o x.svg",
    "apply @ --changes c.focus -o x.mov",
  ]

  /// Pictures that begin later than the sound have the first map first.
  @Test func mapsBeginWithThePictures() async throws {
    let folder = Folder()
    folder.write(Material.wave(seconds: 0.4), to: "sound.wav")
    let times = Material.steady(4)
    try Material.clip("plain.mov", in: folder, times: times)
    for name in ["late.mov", "late.webm"] {
      try Material.clip(
        name, in: folder, times: times.map { $0 + Time(value: 5, timescale: 30) },
        sound: try await AssetSound(Asset.named(folder.file("sound.wav"))))
    }
    // Longer than the clip, as maps of a longer take are.
    try Material.clip("maps.mov", in: folder, times: Material.steady(12))
    for name in ["plain", "late"] {
      folder.make(name)
      try await works(
        [
          "render", "\(name).mov", "--disparity", "maps.mov", "--no-steady-maps", "--show",
          "disparity", "-o", "\(name)/%04d.png",
        ], in: folder)
    }
    #expect(folder.names(in: "late") == folder.names(in: "plain"))
    // Through a pipe, too.
    folder.make("piped")
    let piped = try await Program.shell(
      "cat late.webm | focal render - --disparity maps.mov --no-steady-maps --show disparity -o piped/%04d.png",
      in: folder)
    #expect(piped.code == 0, "\(piped.errors)")
    for file in folder.names(in: "plain") {
      #expect(folder.read("piped/\(file)") == folder.read("plain/\(file)"), "\(file)")
    }
    for file in folder.names(in: "plain") {
      #expect(folder.read("late/\(file)") == folder.read("plain/\(file)"), "\(file)")
    }
  }

  @Test(arguments: commands) func whatIsNoMovie(_ command: String) async throws {
    let folder = Folder()
    folder.write([], to: "empty.mov")
    folder.write(Array("This is a letter, and no movie.\n".utf8), to: "text.mov")
    folder.write(Array("changes".utf8), to: "c.focus")
    folder.make("folder")
    for (name, words) in [
      ("none.mov", "cannot read none.mov: No such file"), ("empty.mov", "empty.mov is empty"),
      ("folder", "folder is a folder"), ("text.mov", "text.mov is no movie"),
    ] {
      let arguments = command.split(separator: " ").map { $0 == "@" ? name : String($0) }
      try await refuses(arguments, in: folder, naming: [words])
    }
  }

  /// Changes and scripts are missed in the same words.
  @Test func missingChanges() async throws {
    let folder = Folder()
    try await Self.material(in: folder)
    let words = "cannot read none: No such file"
    try await refuses(
      ["apply", "movie.mov", "--changes", "none", "-o", "x.mov"], in: folder, naming: [words])
    try await refuses(["script", "show", "none"], in: folder, naming: [words])
    try await refuses(["script", "show", "s"], in: folder, naming: ["s is a folder"])
    try await refuses(["script", "show", ""], in: folder, naming: ["name is empty"])
    try await refuses(
      ["import", "https://127.0.0.1/a.mov", "--disparity", "maps/%04d.png", "-o", "x.mov"],
      in: folder, naming: ["https://127.0.0.1/a.mov", "download"])
  }

  @Test func inputsStay() async throws {
    let folder = Folder()
    try await Self.material(in: folder)
    for (arguments, output) in [
      (["apply", "movie.mov", "--changes", "c.focus"], "movie.mov"),
      (["apply", "movie.mov", "--changes", "c.focus"], "c.focus"),
      (["edit", "movie.mov", "plot"], "movie.mov"),
      (["edit", "movie.mov", "plot", "--changes", "c.focus"], "c.focus"),
      (["script", "plot", "s/script.json"], "s/script.json"),
      (["script", "direct", "s/script.json"], "s/script.json"),
      (
        [
          "script", "track", "s/clip.mp4", "--disparity", "s/disparity/%04d.png", "--point",
          "0.3,0.5",
        ], "s/clip.mp4"
      ),
    ] {
      try await refuses(
        arguments + ["-o", output, "--force"], in: folder,
        naming: ["\(output) is read, and never written over"])
    }
    // Nor by the name of a link to it.
    try FileManager.default.createSymbolicLink(
      atPath: folder.file("link.mov"), withDestinationPath: "movie.mov")
    try await refuses(
      ["apply", "link.mov", "--changes", "c.focus", "-o", "movie.mov", "--force"], in: folder,
      naming: ["movie.mov is link.mov", "never written over"])
  }

  @Test func namesAndSizes() async throws {
    let folder = Folder()
    try await Self.material(in: folder)
    try await refuses(
      ["apply", "movie.mov", "--changes", "c.focus", "-o", "x.mp4"], in: folder,
      naming: ["x.mp4", ".mov"])
    try await works(
      ["export", "movie.mov", "-o", "x.mp4", "--maximum-size", "51x51", "--quality", "thumbnail"],
      in: folder)
    let size = try await FrameReader.open(folder.file("x.mp4")).properties.dimensions
    #expect(size == Dimensions(width: 50, height: 28))
    try FileManager.default.removeItem(atPath: folder.file("x.mp4"))
    for size in ["1x1", "1x90"] {
      try await refuses(
        ["export", "movie.mov", "-o", "x.mp4", "--maximum-size", size], in: folder, code: 64,
        naming: ["--maximum-size", "at least 2"])
    }
  }

  /// Without detections there is nothing to draw, and that is said once.
  @Test func nothingToDraw() async throws {
    let folder = Folder()
    try await Self.material(in: folder)
    for (movie, count) in [("plain.mov", 1), ("movie.mov", 0)] {
      for arguments in [
        ["export", movie, "-o", "x.mp4", "--quality", "thumbnail"],
        ["thumbnail", movie, "--at", "0", "-o", "x.png"],
        ["export", movie, "movie.mov", "-o", "x.mp4", "--quality", "thumbnail"],
        [
          "render", "s/clip.mp4", "--disparity", "s/disparity/%04d.png", "--script", movie, "-o",
          "x.mp4", "--quality", "thumbnail",
        ],
      ] {
        let outcome = try await works(arguments + ["--overlay", "--force"], in: folder)
        let notes = outcome.errorLines.filter { $0.contains("--overlay draws nothing") }
        #expect(notes.count == count && notes.allSatisfy { $0.contains(movie) }, "\(arguments)")
      }
    }
  }

  /// The help of a movie's commands shows how they are called.
  @Test func help() async throws {
    let folder = Folder()
    for name in [
      "show", "disparity", "decide", "track", "direct", "set", "undo", "plot",
    ] {
      let outcome = try await works(["edit", "none.mov", name, "--help"], in: folder)
      #expect(outcome.output.contains("USAGE: focal edit <movie> \(name) "), "\(outcome.output)")
      #expect(!outcome.output.contains("<script>"), "\(outcome.output)")
      #expect(!outcome.output.contains("focal script"), "\(outcome.output)")
      // Examples stand in a line each.
      if name == "set" {
        let example = "focal edit movie.mov set --at 2.4 --rack 0.5 --curve linear -o changes.focus"
        #expect(outcome.output.contains("  \(example)\n"), "\(outcome.output)")
      }
    }
    for option in ["--help", "-h"] {
      let outcome = try await works(["edit", "movie.mov", option], in: folder)
      #expect(
        outcome.output.contains("focal edit <movie> show|disparity|decide"), "\(outcome.output)")
    }
  }

  @Test func oneIsNotMany() async throws {
    let folder = Folder()
    try await ScriptMaterial.sample(in: folder, frames: 1)
    let outcome = try await works(
      [
        "import", "s/clip.mp4", "--disparity", "s/disparity/%04d.png", "--focus", "0.5", "-o",
        "movie.mov",
      ], in: folder)
    #expect(outcome.output.contains("1 frame of"), "\(outcome.output)")
    let info = try await works(["info", "movie.mov"], in: folder)
    #expect(
      info.output.contains("1 frame, 1 detection track, 1 base and 0 user decisions"),
      "\(info.output)")
    #expect(info.output.contains("1 sample,"), "\(info.output)")
    let shown = try await works(["edit", "movie.mov", "show"], in: folder)
    #expect(shown.output.contains("1 frame, f/2.8, 1 track,"), "\(shown.output)")
  }

  /// A choice of frames that reaches beyond the clip says so.
  @Test func framesBeyondTheClip() async throws {
    let folder = Folder()
    try await ScriptMaterial.sample(in: folder, frames: 3)
    let outcome = try await works(
      [
        "render", "s/clip.mp4", "--disparity", "s/disparity/%04d.png", "--focus", "0.5",
        "--quality", "thumbnail", "--frames", "1-9", "-o", "x.mp4",
      ], in: folder)
    #expect(outcome.errors.contains("s/clip.mp4 has only 2 frames of 1 to 9"), "\(outcome.errors)")
  }
}
