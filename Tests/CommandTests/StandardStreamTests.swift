// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// Standard input and output that are closed, and readers that leave.
@Suite struct StandardStreamTests {
  /// They end a command by the signal that is meant for it, without a word; files are finished before.
  @Test(arguments: [
    "info in.png", "--help", "compare in.png in.png", "compare in.png in.png --json",
    // The second clip has a frame less, which nobody is to be told.
    "compare a%d.png b%d.png", "compare in.png in.png -o out.png",
    "render in.png --disparity map.png --focus 0.5 --progress none -o out.png",
    "render in.png --disparity map.png --focus 0.5 --json -o out.png",
  ])
  func readersThatLeave(_ line: String) async throws {
    let folder = Folder()
    try Material.still(in: folder)
    for name in ["a0.png", "a1.png", "b0.png"] { folder.write(folder.read("in.png"), to: name) }
    _ = try await Program.shell(
      "(sleep 1; focal \(line) 2> errors; echo $? > code) | true", in: folder)
    let errors = String(decoding: folder.read("errors"), as: UTF8.self)
    #expect(folder.read("code") == Array("141\n".utf8), "\(errors)")
    #expect(!errors.contains("error"), "\(errors)")
    #expect(folder.names.contains("out.png") == line.contains("out.png"))
    #expect(folder.unfinished.isEmpty)
  }

  @Test(arguments: [
    ("render - --disparity map.png -o out.png <&-", "standard input is closed"),
    ("captions info - <&-", "standard input is closed"),
    ("script show - <&-", "standard input is closed"),
    ("compare in.png in.png >&-", "standard output is closed"),
    ("render in.png --disparity map.png -o - >&-", "standard output is closed"),
  ])
  func closedStreams(_ line: String, _ words: String) async throws {
    let folder = Folder()
    try Material.still(in: folder)
    let before = folder.contents
    let outcome = try await Program.shell("focal \(line)", in: folder)
    expectOneLine(outcome, naming: [words])
    #expect(folder.contents == before, "\(folder.names)")
  }

  /// Where a file is needed, the remedy names its endings, and no format that the command does not take.
  @Test(arguments: [
    ("compare in.png in.png -o -", ".png"), ("captions preview a.srt --at 0 -o -", ".png"),
    ("captions preview a.srt --timeline -o -", ".svg"),
    ("import in.png --disparity map.png -o -", ".mov"),
    ("render in.png --disparity map.png -o out.png --before-after -", ".png"),
  ])
  func outputsThatAreNoPipes(_ line: String, _ ending: String) async throws {
    let folder = Folder()
    try Material.still(in: folder)
    try await refuses(
      line.split(separator: " ").map(String.init), in: folder,
      naming: ["standard output is not possible here", ending])
  }
}
