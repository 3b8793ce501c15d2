// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
  import Foundation
  import Testing

  /// A file has its name only when its bytes are on the disk, and success is said only when the name is, too: both are seen in
  /// the order of system calls.
  @Suite(.enabled(if: SystemCalls.canBeTraced, "strace is not there, or may not trace"))
  struct DurabilityTests {
    private static let render = ["render", "clip.mp4", "--disparity", "maps/%04d.png", "-o"]

    /// Command lines, and the names that they write.
    static let commands: [(line: [String], names: [String])] = [
      (render + ["out.mp4"], ["out.mp4"]),
      (render + ["out%02d.png"], ["out00.png", "out01.png", "out02.png"]),
      (["render", "in.png", "--disparity", "map.png", "-o", "out.exr"], ["out.exr"]),
      (["import", "clip.mp4", "--disparity", "maps/%04d.png", "-o", "movie.mov"], ["movie.mov"]),
      (["script", "direct", "script.json", "-o", "directed.json"], ["directed.json"]),
      (["lift", "in.png", "--disparity", "map.png", "-o", "subject.png"], ["subject.png"]),
    ]

    private static let script = """
      {"format": "focal-script", "version": 1, "timescale": 600, "frameDuration": 20, "fNumber": 2.8,
       "timeRange": {"start": 0, "duration": 60}, "decisions": [], "tracks": [
        {"id": 1, "type": "humanFace", "kind": "recorded", "detections": [
         {"time": 0, "rect": [0.4, 0.3, 0.2, 0.3], "disparity": 0.5}]}]}
      """

    private static func material() throws -> Folder {
      let folder = Folder()
      try Material.clip("clip.mp4", in: folder, times: Material.steady(3))
      try Material.numberedMaps(3, in: folder)
      try Material.still(in: folder)
      folder.write(Array(script.utf8), to: "script.json")
      return folder
    }

    @Test(arguments: commands.indices) func bytesThenNameThenSuccess(_ index: Int) async throws {
      let (line, names) = Self.commands[index]
      let folder = try Self.material()
      let (outcome, calls) = try await SystemCalls.traced(line, in: folder)
      try #require(outcome.code == 0, "\(outcome.errors)")
      for name in names {
        let named = try #require(
          calls.lastIndex { $0.gives(name) }, "\(name) does not get its name: \(calls)")
        let bytes = try #require(calls[named].paths.first)
        // By the number of the process and a counter: no other file of the run has it.
        let onDisk = try #require(
          calls[..<named].lastIndex { $0.name == "fsync" && $0.isOf(bytes) },
          "\(name) gets its name before its bytes are on the disk")
        #expect(
          !calls[onDisk..<named].contains { $0.name.contains("write") && $0.isOf(bytes) },
          "\(name) is written to behind the wait")
        let folderOnDisk = calls[named...].firstIndex {
          $0.name == "fsync" && $0.isOf((folder.path as NSString).standardizingPath)
        }
        let said = calls.lastIndex { $0.name == "write" && $0.text.contains("write(1<") }
        #expect(try #require(folderOnDisk) < said ?? calls.count, "\(name)")
      }
    }

    /// A disk that fails while it is waited for is an error, and no file has its name.
    @Test(arguments: commands.indices) func failedDisk(_ index: Int) async throws {
      let (line, names) = Self.commands[index]
      let folder = try Self.material()
      let (outcome, _) = try await SystemCalls.traced(line, in: folder, fault: "fsync:error=EIO")
      #expect(outcome.code == 1)
      let said = outcome.errorLines.last ?? ""
      #expect(said.contains(names[0]) && said.contains("Input/output error"), "\(outcome.errors)")
      #expect(folder.unfinished.isEmpty)
      for name in names {
        #expect(!FileManager.default.fileExists(atPath: folder.file(name)), "\(name)")
      }
    }
  }

  /// What a run asks of the kernel.
  private enum SystemCalls {
    struct Call: CustomStringConvertible {
      let text: String
      let name: String
      /// In quotation marks.
      let paths: [String]

      var description: String { text }

      /// Whether the call gives a file a name.
      func gives(_ file: String) -> Bool {
        (name.hasPrefix("link") || name.hasPrefix("rename"))
          && paths.last.map { ($0 as NSString).lastPathComponent } == file
      }

      /// Whether the call's descriptor is of a path, or of a name in a folder.
      func isOf(_ path: String) -> Bool {
        text.contains(path.hasPrefix("/") ? "<\(path)>" : "/\(path)>")
      }
    }

    static let canBeTraced: Bool = {
      let process = Process()
      process.executableURL = URL(fileURLWithPath: "/usr/bin/strace")
      process.arguments = ["-qq", "-o", "/dev/null", "/bin/true"]
      process.standardError = FileHandle.nullDevice
      guard (try? process.run()) != nil else { return false }
      process.waitUntilExit()
      return process.terminationStatus == 0
    }()

    /// - Parameter fault: a system call that fails, as strace has it.
    static func traced(
      _ line: [String], in folder: Folder, fault: String? = nil
    ) async throws -> (Program.Outcome, [Call]) {
      let log = Folder()
      let outcome = try await Program.run(
        [
          "/usr/bin/strace", "-f", "-y", "-qq", "-o", log.file("calls"), "-e", "signal=none", "-e",
          "trace=fsync,fdatasync,write,pwrite64,link,linkat,rename,renameat,renameat2",
        ] + (fault.map { ["-e", "inject=\($0)"] } ?? []) + [Program.path] + line, in: folder)
      let lines = String(decoding: log.read("calls"), as: UTF8.self).split(separator: "\n")
      return (
        outcome,
        lines.compactMap { line in
          // The number of the thread, in a column, the call and its arguments.
          let text = line.drop { $0 != " " }.drop { $0 == " " }
          guard let name = text.split(separator: "(").first else { return nil }
          let quoted = text.split(separator: "\"", omittingEmptySubsequences: false)
          let paths = quoted.indices.filter { $0 % 2 == 1 }.map { String(quoted[$0]) }
          return Call(text: String(text), name: String(name), paths: paths)
        }
      )
    }
  }
#endif
