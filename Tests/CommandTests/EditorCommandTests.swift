// SPDX-License-Identifier: Apache-2.0

import FocalScript
import Foundation
import Testing

/// `focal edit open`, as a process.
@Suite struct EditorCommandTests {
  /// A movie with its script.
  private static func movie(in folder: Folder) async throws {
    try await ScriptMaterial.sample(in: folder)
    try await works(
      [
        "import", "s/clip.mp4", "--disparity", "s/disparity/%04d.png", "--script", "s/script.json",
        "-o", "movie.mov",
      ], in: folder)
  }

  /// The address that a run has printed.
  private static func address(_ output: String, _ process: Int32) async -> URL? {
    var found: URL?
    await Program.wait(for: process) {
      let text = (try? String(contentsOfFile: output, encoding: .utf8)) ?? ""
      found = text.split(whereSeparator: \.isWhitespace).first { $0.hasPrefix("http://") }
        .flatMap { text.contains("\n") ? URL(string: String($0)) : nil }
      return found != nil
    }
    return found
  }

  @Test func endsInOrder() async throws {
    let folder = Folder()
    try await Self.movie(in: folder)
    let before = folder.names
    for number in [SIGINT, SIGTERM] {
      let outcome = try await Program.run(
        [Program.path, "edit", "open", "movie.mov", "--no-browser"], in: folder
      ) { process, output in
        let address = await Self.address(output, process)
        #expect(address?.host() == "127.0.0.1" && address?.query()?.hasPrefix("token=") == true)
        // Files are read without a network, but for the socket that listens.
        let status = try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)
        #expect(status?.contains("Seccomp:\t2") == true)
        kill(process, number)
      }
      #expect(outcome.code == 0, "\(outcome.errors)")
      #expect(outcome.output.contains("the editor has ended"))
      #expect(folder.names == before)
    }
  }

  /// A browser is not told the secret, which others could read in its arguments, and Ctrl-C is not for it.
  @Test func browser() async throws {
    let folder = Folder().with("bin")
    try await Self.movie(in: folder)
    let script = """
      #!/bin/sh
      echo "$1" "$(cut -d ' ' -f 5 /proc/$$/stat)" > opened.new
      mv opened.new opened.txt
      """
    folder.write(Array(script.utf8), to: "bin/xdg-open")
    try FileManager.default.setAttributes(
      [.posixPermissions: 0o755], ofItemAtPath: folder.file("bin/xdg-open"))
    let outcome = try await Program.run(
      [
        "/usr/bin/env", "PATH=\(folder.file("bin")):/usr/bin:/bin", "DISPLAY=:9", Program.path,
        "edit", "open", "movie.mov",
      ], in: folder
    ) { process, output in
      let address = await Self.address(output, process)
      var words: [Substring] = []
      await Program.wait(for: process) {
        words = String(decoding: folder.read("opened.txt"), as: UTF8.self)
          .split(whereSeparator: \.isWhitespace)
        return words.count == 2
      }
      let opened = words.first.flatMap { URL(string: String($0)) }
      #expect(opened?.host() == "127.0.0.1" && opened?.port == address?.port)
      #expect(opened?.query()?.hasPrefix("token=") == true && opened?.query() != address?.query())
      #expect(words.last.flatMap { Int32($0) } != getpgid(process))
      kill(process, SIGINT)
    }
    #expect(outcome.code == 0, "\(outcome.errors)")
  }

  @Test func refusesInWords() async throws {
    let folder = Folder()
    try await Self.movie(in: folder)
    folder.write(Array("nonsense".utf8), to: "bad.focus")
    func refused(_ arguments: [String], _ names: [String], code: Int32 = 1) async throws {
      let before = folder.contents
      let outcome = try await Program.focal(
        ["edit", "open", "--no-browser"] + arguments, in: folder)
      expectOneLine(outcome, code: code, naming: names)
      #expect(outcome.output.isEmpty)
      #expect(folder.contents == before)
    }
    try await refused(["absent.mov"], ["absent.mov"])
    try await refused(["s/clip.mp4"], ["clip.mp4"])
    try await refused(["movie.mov", "--changes", "bad.focus"], ["bad.focus"])
    try await refused(["--folder", "absent"], ["absent"])
    try await refused([], ["movie"], code: 64)
    try await refused(["movie.mov", "--port", "70000"], ["--port"], code: 64)
    try await refused(["https://example.org/movie.mov"], ["example.org"])
  }

  @Test func help() async throws {
    for arguments in [["edit", "open", "--help"], ["help", "edit", "open"], ["edit", "--help"]] {
      let outcome = try await Program.focal(arguments, in: Folder())
      #expect(outcome.code == 0 && outcome.output.contains("open"), "\(arguments)")
    }
  }
}
