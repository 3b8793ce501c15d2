// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
  import FocalMedia
  import Foundation
  import MovieKit
  import Testing

  #if canImport(Glibc)
    import Glibc
  #else
    import Musl
  #endif

  /// Counts how often files are opened, whoever opens them and through whichever library.
  private final class OpeningCounter {
    private let queue = inotify_init1(Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC))
    private var names: [Int32: String] = [:]

    init(_ names: [String], in folder: Folder) throws {
      try #require(queue >= 0)
      for name in names {
        let watch = inotify_add_watch(queue, folder.file(name), UInt32(IN_OPEN))
        try #require(watch >= 0)
        self.names[watch] = name
      }
    }

    deinit { close(queue) }

    /// How often each was opened since the last call.
    func counts() -> [String: Int] {
      var counts = Dictionary(uniqueKeysWithValues: names.values.map { ($0, 0) })
      var buffer = [UInt8](repeating: 0, count: 4096)
      while true {
        let size = read(queue, &buffer, buffer.count)
        guard size > 0 else { return counts }
        var offset = 0
        while offset < size {
          let event = buffer.withUnsafeBytes {
            $0.loadUnaligned(fromByteOffset: offset, as: inotify_event.self)
          }
          if let name = names[event.wd] { counts[name, default: 0] += 1 }
          offset += MemoryLayout<inotify_event>.size + Int(event.len)
        }
      }
    }
  }

  /// A command opens every file that it reads once.
  @Suite(.enabled(if: EncodedClip.isPossible, "this FFmpeg has no libx265"))
  struct FileOpeningTests {
    @Test(arguments: [
      ["info", "own.mov"],
      ["thumbnail", "own.mov", "--at", "0.1", "--overlay", "-o", "a.png"],
      ["export", "own.mov", "--overlay", "--quality", "thumbnail", "-o", "a%02d.png"],
      ["export", "own.mov", "--quality", "thumbnail", "-o", "a.mp4"],
      ["extract", "own.mov", "--disparity", "-o", "maps/%04d.png"],
      ["extract", "own.mov", "--metadata", "-o", "a.jsonl"],
      ["edit", "own.mov", "show"],
      ["script", "show", "own.mov"],
      ["bench-export", "own.mov", "--quality", "thumbnail"],
    ]) func movies(_ command: [String]) async throws {
      let folder = Folder()
      try MovieCommandTests.movies(in: folder)
      let counter = try OpeningCounter(["own.mov"], in: folder)
      try await works(command, in: folder)
      #expect(counter.counts() == ["own.mov": 1])
    }

    @Test(arguments: ["a.mp4", "a%02d.png"]) func clips(_ output: String) async throws {
      let folder = Folder()
      try Material.clip("clip.mp4", in: folder, times: Material.steady(4))
      try Material.clip("map.mov", in: folder, times: Material.steady(4))
      let counter = try OpeningCounter(["clip.mp4", "map.mov"], in: folder)
      try await works(
        [
          "render", "clip.mp4", "--disparity", "map.mov", "--focus", "0.5", "--before-after",
          "both.png", "-o", output,
        ], in: folder)
      #expect(counter.counts() == ["clip.mp4": 1, "map.mov": 1])
    }

    @Test func pictures() async throws {
      let folder = Folder()
      try Material.still(in: folder)
      let counter = try OpeningCounter(["in.png", "map.png"], in: folder)
      try await works(["render", "in.png", "--disparity", "map.png", "-o", "out.png"], in: folder)
      #expect(counter.counts() == ["in.png": 1, "map.png": 1])
      try await works(["compare", "in.png", "map.png", "--json"], in: folder)
      #expect(counter.counts() == ["in.png": 1, "map.png": 1])
    }
  }
#endif
