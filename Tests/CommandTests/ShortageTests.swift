// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
  import FocalCore
  import FocalMedia
  import Foundation
  import Testing

  /// Too few threads, descriptors and too little memory are named, and nothing waits for them for ever.
  @Suite struct ShortageTests {
    private static func isNamed(_ outcome: Program.Outcome) -> Bool {
      // Damaged and forbidden files are other failures.
      let words = outcome.errors.lowercased()
      return outcome.code == 0
        || outcome.code == 1 && !words.contains("damaged") && !words.contains("permission")
    }

    private static func material() throws -> Folder {
      let folder = Folder()
      try Material.clip("clip.mp4", in: folder, times: Material.steady(3))
      try Material.numberedMaps(3, in: folder)
      return folder
    }

    private static let work = [
      ["info", "clip.mp4"],
      ["render", "clip.mp4", "--disparity", "maps/%04d.png", "-o", "out.mp4", "--force"],
    ]

    /// Limits of processes bind everybody but the administrator.
    private static func asNobody(
      _ arguments: [String], threads: Int, in folder: Folder
    ) async throws -> Program.Outcome {
      try await Program.run(
        [
          "/usr/bin/timeout", "-s", "KILL", "120", "/usr/bin/setpriv", "--reuid", "65534",
          "--clear-groups", "/usr/bin/prlimit", "--nproc=\(threads)", Program.path,
        ] + arguments, in: folder)
    }

    private static func runsAsNobody() async -> Bool {
      let folder = Folder()
      chmod(folder.path, 0o777)
      return (try? await asNobody(["--version"], threads: 4096, in: folder))?.code == 0
    }

    @Test(
      .enabled("nobody may not reach the program, or this user may not become nobody") {
        await Self.runsAsNobody()
      }, arguments: [1, 2, 4, 7])
    func threads(_ count: Int) async throws {
      let folder = try Self.material()
      for name in ["", "maps"] { chmod(folder.file(name), 0o777) }
      for arguments in Self.work {
        let outcome = try await Self.asNobody(arguments, threads: count, in: folder)
        #expect(outcome.code == 1, "\(arguments): \(outcome.code) \(outcome.errors)")
        #expect(outcome.errors.contains("threads"), "\(outcome.errors)")
        #expect(folder.unfinished.isEmpty)
      }
    }

    /// Limits between that at which the program does not start and that at which it does its work.
    @Test(
      .enabled(if: !Sanitizers.areOn, "sanitizers need terabytes of addresses"),
      arguments: [500_000, 700_000, 900_000, 1_100_000])
    func memory(_ kilobytes: Int) async throws {
      let folder = try Self.material()
      for arguments in Self.work {
        let outcome = try await Program.focal(
          arguments, in: folder,
          after: "export MALLOC_ARENA_MAX=2; ulimit -c 0; ulimit -v \(kilobytes)")
        // 127 is the loader's: it found no room for a library.
        #expect(outcome.code == 127 || Self.isNamed(outcome), "\(outcome.code) \(outcome.errors)")
        #expect(folder.unfinished.isEmpty)
        // libx265 says so itself before it crashes.
        #expect(!outcome.errors.contains("x265 ["), "\(outcome.errors)")
      }
    }

    @Test(arguments: [4, 6, 9, 13]) func descriptors(_ count: Int) async throws {
      let folder = try Self.material()
      for arguments in Self.work {
        let outcome = try await Program.focal(arguments, in: folder, after: "ulimit -n \(count)")
        #expect(Self.isNamed(outcome), "\(arguments): \(outcome.code) \(outcome.errors)")
        #expect(folder.unfinished.isEmpty)
      }
    }
  }
#endif
