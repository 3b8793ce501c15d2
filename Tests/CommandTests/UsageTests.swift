// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// Command lines that are not understood, and what is said of them.
@Suite struct UsageTests {
  /// The parser takes a name that begins with a dash for options of one letter, an h among them for help.
  @Test(arguments: [
    ["render", "-dash.png", "--disparity", "map.png", "-o", "out.png"],
    ["render", "in.png", "--disparity", "-dash.png", "-o", "out.png"],
    ["edit", "movie.mov", "decide", "-dash.png"],
  ])
  func namesThatBeginWithADash(_ arguments: [String]) async throws {
    let folder = Folder()
    try Material.still(in: folder)
    folder.write(folder.read("in.png"), to: "-dash.png")
    try await refuses(
      arguments, in: folder, code: 64, naming: ["write ./-dash.png for a file of the name"])
  }

  @Test(arguments: [
    ["help"], ["help", "help"], ["help", "script", "set"], ["help", "edit", "decide"], ["-h"],
    ["render", "-help"], ["render", "-dash.png", "--help"],
  ])
  func helpThatIsAskedFor(_ arguments: [String]) async throws {
    let outcome = try await works(arguments, in: Folder())
    #expect(outcome.output.contains("USAGE: ") && outcome.errors.isEmpty)
  }

  /// Each command names the formats that it sends, and the one that is sent unasked.
  @Test(arguments: [
    (["thumbnail"], "standard output (-o -). (default: png) (values: png, jpeg,"),
    (["export"], "standard output (-o -). (default: y4m) (values: y4m, nut, png,"),
    (["capture", "record"], "standard output (--frames -). (default: y4m) (values: y4m, nut,"),
    (["render"], "(-o -). (default: y4m for films, png for one picture) (values: y4m,"),
  ])
  func formatsOfPipes(_ command: [String], _ words: String) async throws {
    let outcome = try await works(command + ["--help"], in: Folder())
    let text = outcome.output.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    #expect(text.contains(words), "\(outcome.output)")
  }

  /// A thumbnail is one picture.
  @Test func filmsForOnePicture() async throws {
    try await refuses(
      ["thumbnail", "movie.mov", "--at", "0", "-o", "-", "--format", "y4m"], in: Folder(),
      code: 64, naming: ["y4m", "--format", "png"])
  }

  @Test(arguments: [
    ["help", "nonsense"], ["help", "script", "nonsense"], ["help", "edit", "nonsense"],
    ["help", "render", "nonsense"],
  ])
  func helpOfNoCommand(_ arguments: [String]) async throws {
    try await refuses(arguments, in: Folder(), code: 64, naming: ["'nonsense'", "--help'"])
  }

  @Test(arguments: [
    (
      ["edit", "decide", "movie.mov", "--at", "2"],
      "the movie stands before the command: write focal edit movie.mov decide"
    ),
    (["edit", "decide"], "write focal edit <movie> decide"),
    (["edit", "open"], "name a movie"), (["edit", "movie.mov"], "give a command"),
    (["sample", "-o", "-"], "a folder is needed; write ./-"),
  ])
  func incompleteLines(_ arguments: [String], _ words: String) async throws {
    try await refuses(arguments, in: Folder(), code: 64, naming: [words])
  }

  /// The parser's second line is indented.
  @Test func messagesOfTwoLines() async throws {
    let folder = Folder()
    let outcome = try await Program.focal(["render", "-photo.png", "-o", "out.png"], in: folder)
    expectOneLine(outcome, code: 64, naming: ["-photo.png"])
    #expect(!outcome.errors.contains("  "), "\(outcome.errors)")
  }

  /// The reason is the link, and not a folder that nobody may write to.
  @Test func foldersThatAreLinks() async throws {
    let folder = Folder()
    try Material.still(in: folder)
    let links = ["loop": String(cString: strerror(ELOOP)), "nowhere": "leads nowhere"]
    for (name, reason) in links {
      try FileManager.default.createSymbolicLink(
        atPath: folder.file(name), withDestinationPath: name == "loop" ? "loop" : "missing")
      try await refuses(
        ["render", "in.png", "--disparity", "map.png", "-o", "\(name)/out.png"], in: folder,
        naming: [reason])
    }
  }

  #if os(Linux)
    /// A folder that takes no files is there nevertheless.
    @Test func foldersOfTheSystem() async throws {
      let folder = Folder()
      try Material.still(in: folder)
      let outcome = try await Program.focal(
        ["render", "in.png", "--disparity", "map.png", "-o", "/proc/out.png"], in: folder)
      expectOneLine(outcome, naming: ["/proc/out.png", "folder"])
      #expect(!outcome.errors.contains("does not exist"), "\(outcome.errors)")
    }
  #endif
}
