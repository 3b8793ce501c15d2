// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalMedia
import Foundation
import Testing

/// Numbered pictures, as render farms have them: gaps, numbers that count from anywhere, runs that break.
@Suite struct SequenceTests {
  private static let render = [
    "render", "frames/%04d.png", "--disparity", "maps/%04d.png", "--quality", "thumbnail",
  ]

  /// Pictures and maps of the numbers 1001 to 1012, each of its own.
  private static func material(
    in folder: Folder, numbers: ClosedRange<Int> = 1001...1012, maps: ClosedRange<Int>? = nil,
    size: Dimensions = Material.size
  ) throws {
    folder.make("frames")
    folder.make("maps")
    for number in numbers {
      try PictureWriter.write(
        Material.picture(size, phase: Double(number % 100) / 3),
        to: folder.file("frames/\(number).png"))
    }
    for number in maps ?? numbers {
      let map = try Material.map()
      map.withUnsafeMutableBytes { bytes in
        let codes = bytes.bindMemory(to: UInt16.self)
        for index in codes.indices { codes[index] = codes[index] / 2 + UInt16(number % 100) * 300 }
      }
      try PictureWriter.write(map, to: folder.file(String(format: "maps/%04d.png", number)))
    }
  }

  private static func remove(_ names: [String], in folder: Folder) throws {
    for name in names { try FileManager.default.removeItem(atPath: folder.file(name)) }
  }

  /// Killed at any moment, a run leaves whole frames, and the next one renders the others: all are those of
  /// a run that was left alone. More moments in FOCAL_KILLS.
  @Test func killed() async throws {
    let folder = Folder()
    try Self.material(in: folder)
    let whole = try await works(
      Self.render + ["-o", "whole/%04d.png"], in: folder.with("whole")
    ).duration
    let kills = ProcessInfo.processInfo.environment["FOCAL_KILLS"].flatMap { Int($0) } ?? 4
    let names = folder.names(in: "whole")
    for round in 1...kills {
      let target = folder.with("out\(round)")
      let arguments = Self.render + ["-o", "out\(round)/%04d.png"]
      let moment = whole * Double(round) / Double(kills + 1)
      _ = try await Program.run([Program.path] + arguments, in: target) { process, _ in
        try? await Task.sleep(for: moment)
        kill(process, SIGKILL)
      }
      for name in names where folder.names(in: "out\(round)").contains(name) {
        #expect(folder.read("out\(round)/\(name)") == folder.read("whole/\(name)"))
      }
      try await works(arguments + ["--resume"], in: folder)
      #expect(folder.names(in: "out\(round)") == names)
      for name in names {
        #expect(folder.read("out\(round)/\(name)") == folder.read("whole/\(name)"), "\(name)")
      }
    }
  }

  /// Each picture keeps what it says itself.
  @Test func metadata() async throws {
    let folder = Folder()
    try Self.material(in: folder, numbers: 1001...1003)
    folder.make("told")
    for number in 1001...1003 {
      var metadata = PictureMetadata()
      metadata.xmp = Array(
        "<rdf:RDF><rdf:Description dc:title=\"frame \(number)\"/></rdf:RDF>".utf8)
      try PictureWriter.write(
        Material.picture(), to: folder.file("told/\(number).jpg"), metadata: metadata)
    }
    try await works(
      [
        "render", "told/%04d.jpg", "--disparity", "maps/%04d.png", "--quality", "thumbnail",
        "-o", "out/%04d.jpg",
      ], in: folder.with("out"))
    for number in 1001...1003 {
      let said = try await FrameReader.open(folder.file("out/\(number).jpg"))
        .properties.pictureMetadata.xmp
      #expect(
        String(decoding: said ?? [], as: UTF8.self).contains("frame \(number)"), "\(number)")
    }
  }

  /// A film does not become shorter without a word.
  @Test func gaps() async throws {
    let folder = Folder()
    try Self.material(in: folder)
    try await works(
      Self.render + ["-o", "whole/%04d.png", "--focus", "0.5"], in: folder.with("whole"))
    try Self.remove(["frames/1010.png", "frames/1011.png"], in: folder)
    try await refuses(
      Self.render + ["-o", "out/%04d.png"], in: folder.with("out"),
      naming: ["frames/1010.png", "frames/1011.png", "--on-missing"])
    // A part without a gap is whole.
    try await works(
      Self.render + ["-o", "part/%04d.png", "--focus", "0.5", "--frames", "1005-1008"],
      in: folder.with("part"))
    #expect(folder.names(in: "part") == ["1005.png", "1006.png", "1007.png", "1008.png"])
    #expect(folder.read("part/1006.png") == folder.read("whole/1006.png"))
    try await refuses(
      Self.render + ["-o", "out/%04d.png", "--on-missing", "skip", "--frames", "1010-1011"],
      in: folder, naming: ["1010 to 1011", "1012 after 1009"])
    for action in ["hold", "skip"] {
      let outcome = try await Program.focal(
        Self.render + [
          "-o", "\(action)/%04d.png", "--focus", "0.5", "--on-missing", action, "--frames",
          "0-9223372036854775807",
        ], in: folder.with(action))
      #expect(outcome.code == 0, "\(outcome.errors)")
      #expect(outcome.errors.contains("2 pictures of frames/%04d.png are missing"))
      #expect(folder.names(in: action).count == (action == "hold" ? 12 : 10))
      #expect(folder.read("\(action)/1012.png") == folder.read("whole/1012.png"))
    }
    // The picture before, with its map: those of the gap are missing there, too.
    try Self.remove(["maps/1010.png", "maps/1011.png", "hold/1010.png"], in: folder)
    try await works(
      Self.render + [
        "-o", "hold/%04d.png", "--focus", "0.5", "--on-missing", "hold", "--resume",
      ], in: folder)
    #expect(folder.read("hold/1010.png") == folder.read("whole/1009.png"))
  }

  /// A map belongs to the picture of its number.
  @Test func mapsByNumber() async throws {
    let folder = Folder()
    try Self.material(in: folder)
    try await works(
      Self.render + ["-o", "whole/%04d.png", "--focus", "0.5"], in: folder.with("whole"))
    try Self.remove(["maps/1001.png"], in: folder)
    try await refuses(
      Self.render + ["-o", "out/%04d.png", "--focus", "0.5"], in: folder.with("out"),
      naming: ["maps/%04d.png", "1001"])
    try await works(
      Self.render + ["-o", "out/%04d.png", "--focus", "0.5", "--on-missing", "skip"], in: folder)
    #expect(folder.names(in: "out") == folder.names(in: "whole").filter { $0 != "1001.png" })
    #expect(folder.read("out/1002.png") == folder.read("whole/1002.png"))
    // Numbers that have nothing in common are told.
    let other = Folder()
    try Self.material(in: other, numbers: 1001...1003, maps: 1...3)
    let outcome = try await Program.focal(
      Self.render + ["-o", "out/%04d.png"], in: other.with("out"))
    #expect(outcome.code == 0, "\(outcome.errors)")
    #expect(outcome.errors.contains("the first map belongs to the first picture"))
  }

  /// Ranges that are rendered apart agree with the whole, byte for byte: the focus is settled once.
  @Test(arguments: [["--focus-at", "0.3,0.5"], []])
  func rangesAgree(_ focus: [String]) async throws {
    let folder = Folder()
    try Self.material(in: folder)
    try await works(Self.render + focus + ["-o", "whole/%04d.png"], in: folder.with("whole"))
    for range in ["1001-1004", "1005-1009", "1010-2000"] {
      try await works(
        Self.render + focus + ["-o", "parts/%04d.png", "--frames", range],
        in: folder.with("parts"))
    }
    let names = folder.names(in: "whole")
    #expect(names.count == 12)
    #expect(folder.names(in: "parts") == names)
    for name in names {
      #expect(folder.read("parts/" + name) == folder.read("whole/" + name), "\(name)")
    }
    try await refuses(
      Self.render + ["-o", "none/%04d.png", "--frames", "5-8"], in: folder.with("none"),
      naming: ["frame 5", "1001", "1012"])
  }

  /// Where nothing can be missing there is nothing to do about it.
  @Test(arguments: ["hold", "skip"]) func nothingIsMissing(_ action: String) async throws {
    let folder = Folder()
    try Material.still(in: folder)
    try Material.clip("clip.mov", in: folder, times: Material.steady(3))
    for (input, map, output) in [
      ("in.png", "map.png", "out.png"), ("clip.mov", "clip.mov", "out.mov"),
    ] {
      try await refuses(
        ["render", input, "--disparity", map, "--on-missing", action, "-o", output],
        in: folder, naming: ["--on-missing", input])
    }
  }

  /// All that lies before a picture that cannot be rendered is written, and stays.
  @Test(arguments: ["damaged", "size"]) func brokenPicture(_ kind: String) async throws {
    let folder = Folder()
    try Self.material(in: folder)
    try await works(
      Self.render + ["-o", "whole/%04d.png", "--focus", "0.5"], in: folder.with("whole"))
    if kind == "damaged" {
      folder.write(Array(folder.read("frames/1007.png").prefix(300)), to: "frames/1007.png")
    } else {
      try Self.remove(["frames/1007.png"], in: folder)
      try PictureWriter.write(
        Material.picture(Dimensions(width: 24, height: 16)), to: folder.file("frames/1007.png"))
    }
    let outcome = try await Program.focal(
      Self.render + ["-o", "out/%04d.png", "--focus", "0.5"], in: folder.with("out"))
    let error = try #require(outcome.errorLines.last)
    #expect(outcome.code == 1 && error.contains("frames/1007.png"), "\(outcome.errors)")
    #expect(folder.names(in: "out") == (1001...1006).map { "\($0).png" })
    for name in folder.names(in: "out") {
      #expect(folder.read("out/" + name) == folder.read("whole/" + name), "\(name)")
    }
    // Of a film nothing is left.
    let film = try await Program.focal(
      Self.render + ["-o", "film.mov", "--focus", "0.5"], in: folder)
    #expect(film.code == 1 && !folder.names.contains("film.mov") && folder.unfinished.isEmpty)
    // Those before go through a pipe, too.
    let piped = try await Program.shell(
      "focal \(Self.render.joined(separator: " ")) --focus 0.5 -o - --format png > all.png",
      in: folder)
    let isSame =
      folder.read("all.png") == (1001...1006).flatMap { folder.read("whole/\($0).png") }
    #expect(piped.code == 1 && isSame)
  }

  /// Every file is whole at any moment, and a second run renders the rest.
  @Test(arguments: [0.02, 0.3])
  func killedAndResumed(_ share: Double) async throws {
    let folder = Folder()
    try Self.material(
      in: folder, numbers: 1001...1080, size: Dimensions(width: 240, height: 160))
    let command = [
      "render", "frames/%04d.png", "--disparity", "maps/%04d.png", "--focus", "0.5",
    ]
    try await works(command + ["-o", "whole/%04d.png"], in: folder.with("whole"))
    let output = folder.file("out")
    let most = 80 * share
    var code: Int32 = 0
    // A run may be at its end before it is killed.
    for _ in 0..<10 where code == 0 {
      try? FileManager.default.removeItem(atPath: output)
      let outcome = try await Program.run(
        [Program.path] + command + ["-o", "out/%04d.png"], in: folder.with("out")
      ) { process, _ in
        await Program.end(process, by: SIGKILL) {
          let names = (try? FileManager.default.contentsOfDirectory(atPath: output)) ?? []
          return Double(names.filter { $0.hasSuffix(".png") }.count) > most
        }
      }
      code = outcome.code
    }
    #expect(code == -SIGKILL)
    let finished = folder.names(in: "out").filter { $0.hasSuffix(".png") }
    #expect(!finished.isEmpty && finished.count < 80)
    for name in finished {
      #expect(folder.read("out/" + name) == folder.read("whole/" + name), "\(name)")
    }
    let resumed = try await Program.focal(
      command + ["-o", "out/%04d.png", "--resume", "--json"], in: folder)
    #expect(resumed.code == 0, "\(resumed.errors)")
    let report = try #require(try resumed.objects().last)
    #expect(report["frames"] as? Int == 80 - finished.count)
    #expect(folder.names(in: "out") == folder.names(in: "whole"))
    for name in folder.names(in: "whole") {
      #expect(folder.read("out/" + name) == folder.read("whole/" + name), "\(name)")
    }
    try await refuses(
      command + ["-o", "out/%04d.png"], in: folder, naming: ["exists already", "--resume"])
    // Nothing is left to do.
    try await works(command + ["-o", "out/%04d.png", "--resume"], in: folder)
    try await refuses(
      command + ["-o", "out.mov", "--resume"], in: folder, naming: ["out.mov", "one file"])
  }
}
