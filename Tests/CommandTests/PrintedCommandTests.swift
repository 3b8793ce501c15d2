// SPDX-License-Identifier: Apache-2.0

import Foundation
import MovieKit
import Testing

/// Commands that the README prints work on the sample that it makes.
@Suite(.enabled(if: EncodedClip.isPossible, "this FFmpeg has no libx265"))
struct PrintedCommandTests {
  /// Those of a script and of a movie, in their order, without comments.
  private static func commands() throws -> [[String]] {
    let readme = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appending(path: "README.md")
    let text = try String(contentsOf: readme, encoding: .utf8)
    return text.split(separator: "\n").compactMap { line in
      let words = line.prefix { $0 != "#" }.split(separator: " ").map(String.init)
      guard words.first == "focal" else { return nil }
      let isOfScript = words.contains("sample/script.json") && words[1] != "render"
      let isOfMovie = words.starts(with: ["focal", "edit", "movie.mov"]) && words.contains("--at")
      return isOfScript || isOfMovie ? Array(words.dropFirst()) : nil
    }
  }

  @Test func commandsOfTheSample() async throws {
    let folder = Folder()
    try await works(["sample", "-o", "sample", "--size", "160x90"], in: folder)
    let commands = try Self.commands()
    #expect(commands.filter { $0.contains("--at") }.count == 4)
    for command in commands { try await works(command, in: folder) }
  }
}
