// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
  import FocalCore
  import FocalMedia
  import Foundation
  import Testing

  @testable import FocalCommands

  /// Rights that a command gives up before it reads anything.
  @Suite struct LockdownTests {
    /// Runs the program that gives up rights and tries what is left.
    private static func trial(_ arguments: [String], in folder: Folder) async throws -> [Int32] {
      let path = URL(fileURLWithPath: Program.path).deletingLastPathComponent()
        .appendingPathComponent("LockdownTrial").path
      let outcome = try await Program.run([path] + arguments, in: folder)
      try #require(outcome.code == 0, "\(outcome.errors)")
      return outcome.outputLines.compactMap { Int32($0) }
    }

    private static func isPossible(_ rights: String...) async throws -> Bool {
      try await trial(rights, in: Folder()).allSatisfy { $0 == 0 }
    }

    @Test(.enabled("this kernel has no Landlock") { try await Self.isPossible("read=/usr") })
    func filesElsewhereAreRefused() async throws {
      let (own, other) = (Folder(), Folder())
      for folder in [own, other] { folder.write(Array("a".utf8), to: "a.txt") }
      let errors = try await Self.trial(
        [
          "start=/usr", "start=/lib", "start=/lib64", "start=/bin", "write=\(own.path)",
          "read=/etc/hosts", "read=/nowhere", "--", "open=\(own.file("a.txt"))",
          "create=\(own.file("b.txt"))", "remove=\(own.file("a.txt"))", "open=/etc/hosts",
          "start=/bin/true", "create=/etc/hosts", "open=/etc/passwd",
          "open=\(other.file("a.txt"))", "create=\(other.file("b.txt"))",
          "remove=\(other.file("a.txt"))",
        ], in: own)
      #expect(errors == [0, 0, 0, 0, 0, 0] + [EACCES, EACCES, EACCES, EACCES, EACCES])
      #expect(other.names == ["a.txt"])
      #expect(own.names == ["b.txt"])
    }

    @Test(
      .enabled("this kernel filters no system calls") {
        try await Self.isPossible("programs", "network")
      })
    func programsAndSocketsAreRefused() async throws {
      let trials = ["--", "start=/bin/true", "socket"]
      #expect(try await Self.trial(trials, in: Folder()) == [0, 0])
      #expect(try await Self.trial(["programs"] + trials, in: Folder()) == [0, EACCES, 0])
      #expect(try await Self.trial(["network"] + trials, in: Folder()) == [0, 0, EACCES])
    }

    /// A thread with a filter of its own cannot take another thread's: nothing is refused then, and nothing said to be.
    @Test(
      .enabled("this kernel filters no system calls") {
        try await Self.isPossible("programs", "network")
      })
    func filtersThatDoNotHold() async throws {
      for (right, trial) in [("programs", "start=/bin/true"), ("network", "socket")] {
        let errors = try await Self.trial(["apart", right, "--", trial], in: Folder())
        #expect(errors == [EBUSY, 0] || errors == [0, EACCES], "\(right): \(errors)")
      }
    }

    /// A helper keeps its user's rights; the command that asks it gives up its own.
    @Test(
      .enabled("this kernel filters no system calls") {
        try await Self.isPossible("programs", "network")
      })
    func helpersAreStartedBefore() async throws {
      let folder = Folder()
      try Material.still(in: folder)
      let line = "read picture; grep -h ^Seccomp: /proc/$PPID/status /proc/self/status > rights.txt"
      let outcome = try await Program.focal(
        ["estimate", "in.png", "--helper", line, "-o", "map.exr"], in: folder)
      #expect(outcome.code == 1 && outcome.errors.contains("helper"), "\(outcome.errors)")
      let text = String(decoding: folder.read("rights.txt"), as: UTF8.self)
      #expect(text.split(separator: "\n").map { $0.filter(\.isNumber) } == ["2", "0"], "\(text)")
      #expect(
        Lockdown.helpers(in: [
          "a", "--helper", "x y", "--detect-helper=z=1", "--helper-timeout", "3",
        ])
          == ["x y", "z=1"])
    }

    private static func places(
      _ arguments: [String], in folder: Folder, _ environment: [String: String] = [:]
    ) -> [String: UInt32] {
      let named = arguments.map { $0.replacing("@", with: folder.path) }
      return LockdownPlaces(named, usesPrograms: false, environment: environment).rights
    }

    private static let (read, write) = (UInt32(1), UInt32(3))

    /// Folders of what is read, and of what is written, which may not be there yet.
    @Test func namedFilesAreOpen() throws {
      let folder = Folder()
      for name in ["in", "out", "frames", "far", "links"] { folder.make(name) }
      folder.write([1], to: "in/a.mov")
      folder.write([1], to: "far/1.png")
      try FileManager.default.createSymbolicLink(
        atPath: folder.file("links/1.png"), withDestinationPath: folder.file("far/1.png"))
      func right(_ name: String, _ arguments: String...) -> UInt32? {
        Self.places(arguments, in: folder)[folder.file(name)]
      }
      #expect(right("in", "info", "@/in/a.mov") == Self.read)
      #expect(right("in", "export", "@/in/a.mov", "-o", "@/out/b.mov") == Self.read)
      #expect(right("out", "export", "@/in/a.mov", "-o", "@/out/b.mov") == Self.write)
      #expect(right("out", "export", "--output=@/out/b.mov") == Self.write)
      #expect(right("out", "sample", "-o", "@/out/deep/er") == Self.write)
      #expect(right("in", "edit", "@/in/a.mov", "-o", "@/in/a.mov") == Self.write)
      #expect(right("in", "render", "@/in/a.mov", "--force") == Self.write)
      for option in ["-o", "--plot", "--boxes"] {
        #expect(right("far", "bench", option, "@/far/1.png") == Self.write, "\(option)")
      }
      #expect(right("frames", "render", "@/frames/%04d.png") == Self.write)
      let far = URL(fileURLWithPath: folder.file("far")).resolvingSymlinksInPath().path
      for name in ["%04d.png", "1.png"] {
        #expect(Self.places(["info", "@/links/\(name)"], in: folder)[far] == Self.read)
      }
      #expect(right("in", "capture", "record", "file:@/in/a.mov") == Self.write)
      #expect(right("far", "info", "@/in/a.mov") == nil)
      #expect(Self.places(["info", "/a/b"], in: folder)["/"] == nil)
      #expect(Self.places(["info", "/a/b", "https://a/b", "--at", "2.5"], in: folder)["."] == nil)
      #expect(Self.places(["info", "a.mov"], in: folder)["."] == Self.write)
    }

    /// The rest of the user's files is closed.
    @Test func onlyCachesOfTheHome() {
      let rights = Self.places(["info", "a.mov"], in: Folder(), ["HOME": "/home/a"])
      let ofHome = rights.keys.filter { $0.hasPrefix("/home") }
      #expect(ofHome.allSatisfy { $0.hasPrefix("/home/a/.") })
      #expect(rights["/home/a/.cache/pocl"] == Self.write)
      #expect(rights["/home/a/.cache"] == nil && rights["/home/a"] == nil && rights["/"] == nil)
    }

    /// Of the home's own files, the neighbours stay closed.
    @Test func aFileOfTheHomeIsOpenAlone() {
      let folder = Folder()
      for name in ["a.onnx", "a.json", "b.txt"] { folder.write([1], to: name) }
      let home = ["HOME": folder.path]
      let rights = Self.places(["info", "@/a.onnx"], in: folder, home)
      #expect(rights[folder.file("a.onnx")] == Self.read)
      #expect(rights[folder.file("a.json")] == Self.read)
      #expect(rights[folder.file("b.txt")] == nil && rights[folder.path] == nil)
      #expect(
        Self.places(["export", "-o", "@/a.mp4"], in: folder, home)[folder.path] == Self.write)
    }

    /// Where plain permissions refuse a file, no other advice than theirs would help.
    @Test(.enabled(if: geteuid() != 0, "root may read everything"))
    func plainPermissions() async throws {
      let folder = Folder().with("closed")
      try Material.still(in: folder)
      for name in ["in.png", "closed"] { chmod(folder.file(name), 0) }
      defer { chmod(folder.file("closed"), 0o700) }
      for arguments in [
        ["info", "in.png"], ["compare", "map.png", "map.png", "-o", "closed/new/out.png"],
      ] {
        let outcome = try await Program.focal(arguments, in: folder)
        #expect(outcome.code == 1 && !outcome.errors.contains("no-lockdown"), "\(outcome.errors)")
      }
      #expect(!PlainPermissions.refuse("cannot read map.png: \(String(cString: strerror(EACCES)))"))
    }

    /// Names of one letter, and of none.
    @Test func foldersOfShortNames() {
      let reason = String(cString: strerror(EACCES))
      let isClosed = access(".", W_OK) != 0
      for act in ["cannot write c/x.vtt: cannot make the folder c", "cannot write -"] {
        #expect(PlainPermissions.refuse("\(act): \(reason)") == isClosed)
      }
    }

    /// Pictures that lie where links lead to.
    @Test func linksAreFollowed() async throws {
      let folder = Folder()
      let elsewhere = Folder()
      try PictureWriter.write(
        Material.picture(Dimensions(width: 16, height: 16)), to: elsewhere.file("0001.png"))
      folder.make("frames")
      try FileManager.default.createSymbolicLink(
        atPath: folder.file("frames/0001.png"), withDestinationPath: elsewhere.file("0001.png"))
      try await works(["info", "frames/%04d.png"], in: folder)
      try await works(["info", folder.file("frames/0001.png")], in: Folder())
    }
  }
#endif
