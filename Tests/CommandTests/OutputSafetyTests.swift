// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalMedia
import Foundation
import Testing

/// A file under an output's name is whole, whatever happens.
@Suite struct OutputSafetyTests {
  @Test(arguments: ["out.png", "out.mp4", "out/%04d.png"])
  func existingOutputIsKept(_ output: String) async throws {
    let folder = Folder()
    try Material.still(in: folder)
    folder.make("out")
    let name = output.replacingOccurrences(of: "%04d", with: "0000")
    folder.write(Array("precious".utf8), to: name)
    let render = ["render", "in.png", "--disparity", "map.png", "-o", output]
    try await refuses(render, in: folder, naming: [name, "--force"])
    try await works(render + ["--force"], in: folder)
    #expect(try await Material.frames(folder.file(name)).frames.count == 1)
  }

  /// A link is replaced, and what it leads to stays. One that leads nowhere has the name, too.
  @Test(arguments: [("link.png", "target.png"), ("nowhere.png", "missing.png")])
  func linksAreReplaced(_ link: String, _ target: String) async throws {
    let folder = Folder()
    try Material.still(in: folder)
    folder.write(Array("precious".utf8), to: "target.png")
    try FileManager.default.createSymbolicLink(
      atPath: folder.file(link), withDestinationPath: target)
    let render = ["render", "in.png", "--disparity", "map.png", "-o", link]
    try await refuses(render, in: folder, naming: [link, "--force"])
    try await works(render + ["--force"], in: folder)
    let attributes = try FileManager.default.attributesOfItem(atPath: folder.file(link))
    #expect(attributes[.type] as? FileAttributeType == .typeRegular)
    #expect(folder.read("target.png") == Array("precious".utf8))
    #expect(!folder.names.contains("missing.png"))
  }

  /// Nothing is rendered for a name that cannot be given.
  @Test(arguments: ["png", "mp4"]) func namesThatAreTooLong(_ ending: String) async throws {
    let folder = Folder()
    try Material.still(in: folder)
    let name = String(repeating: "a", count: 300) + "." + ending
    let outcome = try await Program.focal(
      ["render", "in.png", "--disparity", "map.png", "-o", name], in: folder)
    #expect(outcome.code == 1 && outcome.errors.contains("shorter name"), "\(outcome.errors)")
    #expect(!outcome.errors.contains("frame 1"))
  }

  /// Neither a clip nor a map that is read is ever written over.
  @Test func inPlace() async throws {
    let folder = Folder()
    try Material.clip("clip.mp4", in: folder, times: Material.steady(3))
    try Material.numberedMaps(3, in: folder)
    try Material.still(in: folder)
    let clip = ["render", "clip.mp4", "--disparity", "maps/%04d.png", "-o"]
    let still = ["render", "in.png", "--disparity", "map.png", "-o"]
    let before = folder.contents
    for (line, output) in [
      (clip, "clip.mp4"), (clip, "./maps/../clip.mp4"), (still, "in.png"), (still, "map.png"),
    ] {
      try await refuses(line + [output, "--force"], in: folder, naming: [output, "never written"])
    }
    #expect(folder.contents == before)
    // A rendering that fails leaves what was there.
    folder.write(Array("precious".utf8), to: "out.mp4")
    try FileManager.default.removeItem(atPath: folder.file("maps/0002.png"))
    let outcome = try await Program.focal(clip + ["out.mp4", "--force"], in: folder)
    expectOneLine(outcome, naming: ["maps/%04d.png"])
    #expect(folder.read("out.mp4") == Array("precious".utf8) && folder.unfinished.isEmpty)
  }

  /// They would be lost one by one in a run that breaks.
  @Test func numberedPicturesInPlace() async throws {
    let folder = Folder()
    folder.make("frames")
    for number in 0..<4 {
      try PictureWriter.write(
        Material.picture(phase: Double(number)), to: folder.file("frames/000\(number).png"))
    }
    try Material.numberedMaps(4, in: folder)
    let before = folder.contents
    for output in ["frames/%04d.png", "./maps/../frames/%04d.png", "maps/%04d.png"] {
      try await refuses(
        ["render", "frames/%04d.png", "--disparity", "maps/%04d.png", "-o", output, "--force"],
        in: folder, naming: ["0000.png", "never written over"])
    }
    // Nor can one picture take the place of one of them, whichever command reads them.
    let read = ["frames/%04d.png", "--disparity", "maps/%04d.png"]
    for line in [
      ["render"] + read + ["--frames", "1", "-o", "maps/0001.png"],
      ["render"] + read + ["--matte", "frames/%04d.png", "-o", "frames/0003.png"],
      ["lift"] + read + ["-o", "frames/%04d.png"], ["lift"] + read + ["-o", "maps/%04d.png"],
      ["lift"] + read + ["--frames", "1", "-o", "./frames/0001.png"],
      ["compare", "frames/%04d.png", "maps/%04d.png", "-o", "maps/0000.png"],
      ["compare", "frames/0000.png", "maps/0000.png", "-o", "frames/0000.png"],
      ["capture", "preview"] + read + ["-o", "frames/%04d.png"],
      ["capture", "record"] + read + ["--frames", "maps/%04d.png"],
    ] {
      try await refuses(line + ["--force"], in: folder, naming: ["never written over"])
    }
    #expect(folder.contents == before)
    // A number that is not read is free.
    try await works(["render"] + read + ["--frames", "1", "-o", "frames/0009.png"], in: folder)
  }

  /// Folders are made, and go again if nothing comes into them.
  @Test func foldersOfOutputs() async throws {
    let folder = Folder()
    try Material.still(in: folder)
    let render = ["render", "in.png", "--disparity", "map.png", "-o"]
    try await works(render + ["new/deep/%04d.png"], in: folder)
    #expect(folder.names(in: "new/deep") == ["0000.png"])
    try await refuses(
      render + ["other/deep/out.png", "--size", "7x900"], in: folder, naming: ["--size"])
    #expect(folder.names(in: "other").isEmpty && !folder.names.contains("other"))
  }

  /// The picture beside a rendering that fails does not stay either.
  @Test func beforeAndAfterGoesWithTheRest() async throws {
    let folder = Folder()
    try Material.clip("clip.mp4", in: folder, times: Material.steady(8))
    try Material.numberedMaps(3, in: folder)
    let before = folder.contents
    let outcome = try await Program.focal(
      [
        "render", "clip.mp4", "--disparity", "maps/%04d.png", "-o", "out.mp4", "--before-after",
        "both.png",
      ], in: folder)
    expectOneLine(outcome, naming: ["maps/%04d.png"])
    #expect(folder.contents == before)
  }

  // MARK: - Disks

  /// A limit on the size of files stops every kind of output as a full disk does.
  @Test(arguments: ["out.png", "out.exr", "out.mp4", "out/%04d.exr"])
  func fileSizeLimit(_ output: String) async throws {
    let folder = Folder()
    let size = Dimensions(width: 320, height: 200)
    try PictureWriter.write(Self.noise(size), to: folder.file("in.png"))
    try PictureWriter.write(Material.map(size), to: folder.file("map.png"))
    folder.make("out")
    let before = folder.contents
    let outcome = try await Program.focal(
      ["render", "in.png", "--disparity", "map.png", "-o", output, "--f-number", "inf"],
      in: folder, after: "ulimit -f 4")
    #expect(outcome.code == 1)
    let line = try #require(outcome.errorLines.last)
    #expect(line.hasPrefix("focal: error: cannot write out"))
    #expect(line.contains("File too large"))
    #expect(folder.contents == before, "\(folder.names)")
  }

  /// A file system of 16 KiB; only root can mount one.
  @Test(.enabled(if: Self.canMount, "root must be allowed to mount a tmpfs"))
  func fullDisk() async throws {
    let folder = Folder()
    let size = Dimensions(width: 320, height: 200)
    try PictureWriter.write(Self.noise(size), to: folder.file("in.png"))
    try PictureWriter.write(Material.map(size), to: folder.file("map.png"))
    folder.make("small")
    let before = folder.contents
    try await Self.mounted("size=16k", at: "small", in: folder) {
      for output in ["small/out.png", "small/out.exr", "small/out.mp4", "small/%04d.tif"] {
        let outcome = try await Program.focal(
          ["render", "in.png", "--disparity", "map.png", "-o", output, "--f-number", "inf"],
          in: folder)
        expectOneLine(outcome, naming: ["small/", "No space left", "free some space"])
        #expect(folder.contents == before, "\(folder.names)")
      }
      let sample = try await Program.focal(
        ["sample", "-o", "small/deep/er", "--size", "96x64", "--frames", "40", "--samples", "1"],
        in: folder)
      expectOneLine(sample, naming: ["small/deep/er", "No space left"])
      #expect(folder.contents == before, "\(folder.names)")
    }
  }

  /// Permissions do not stop root; a file system that is mounted for reading does.
  @Test(.enabled(if: Self.canMount, "root must be allowed to mount a tmpfs"))
  func readOnlyDisk() async throws {
    let folder = Folder()
    try Material.still(in: folder)
    folder.make("fixed")
    try await Self.mounted("ro", at: "fixed", in: folder) {
      for output in ["fixed/out.png", "fixed/out.mp4", "fixed/%04d.exr"] {
        try await refuses(
          ["render", "in.png", "--disparity", "map.png", "-o", output], in: folder,
          naming: ["fixed/", "Read-only"])
      }
      try await refuses(
        ["sample", "-o", "fixed/sample"], in: folder, naming: ["fixed/sample", "Read-only"])
    }
  }

  @Test(.enabled(if: geteuid() != 0, "permissions do not stop root"))
  func folderWithoutPermission() async throws {
    let folder = Folder()
    try Material.still(in: folder)
    folder.make("fixed")
    chmod(folder.file("fixed"), 0o555)
    try await refuses(
      ["render", "in.png", "--disparity", "map.png", "-o", "fixed/out.png"], in: folder,
      naming: ["fixed/out.png", "Permission denied"])
    chmod(folder.file("fixed"), 0o755)
  }

  /// A program that is just being started may hold the folder for a moment.
  private static let unmount =
    "for n in 1 2 3 4 5; do umount \"$0\" && exit 0; sleep 1; done; exit 1"

  private static let canMount: Bool = {
    guard geteuid() == 0 else { return false }
    let folder = Folder()
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/bin/sh")
    process.arguments = [
      "-c", "mount -t tmpfs -o size=64k focal \"$0\" || exit 1; \(unmount)", folder.path,
    ]
    process.standardError = FileHandle.nullDevice
    do { try process.run() } catch { return false }
    process.waitUntilExit()
    return process.terminationStatus == 0
  }()

  private static func mounted(
    _ options: String, at name: String, in folder: Folder, _ body: () async throws -> Void
  ) async throws {
    let mount = try await Program.run(
      ["/bin/mount", "-t", "tmpfs", "-o", options, "focal", folder.file(name)], in: folder)
    try #require(mount.code == 0)
    var failure: (any Error)?
    do { try await body() } catch { failure = error }
    let end = try await Program.run(["/bin/sh", "-c", unmount, folder.file(name)], in: folder)
    #expect(end.code == 0, "\(end.errors)")
    if let failure { throw failure }
  }

  /// A picture that no codec makes small.
  private static func noise(_ size: Dimensions) throws -> PixelBuffer {
    let picture = try PixelBuffer(dimensions: size, format: .rgba8, tags: .sRGB)
    var state: UInt32 = 7
    picture.withUnsafeMutableBytes { bytes in
      for index in bytes.indices {
        state = state &* 1_664_525 &+ 1_013_904_223
        bytes[index] = index % 4 == 3 ? 255 : UInt8(state >> 24)
      }
    }
    return picture
  }
}
