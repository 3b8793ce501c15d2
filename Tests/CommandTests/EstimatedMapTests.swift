// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalMedia
import Foundation
import Testing

/// What becomes of the maps that a program of the caller's makes.
@Suite struct EstimatedMapTests {
  private static let size = Dimensions(width: 64, height: 48)

  /// `clip/%d.png`, each of one gray, from 10 on in steps of 40: every picture is a scene of its own.
  private static func clip(_ numbers: [Int], in folder: Folder) throws {
    folder.make("clip")
    for number in numbers {
      let code = UInt8(10 + 40 * number)
      let codes = [UInt8](repeating: code, count: 4 * size.count)
      let picture = try PixelBuffer(dimensions: size, format: .rgba8, values: codes)
      try PictureWriter.write(picture, to: folder.file("clip/\(number).png"))
    }
  }

  private static func map(_ path: String) async throws -> [Float] {
    let reader = try await FrameReader.open(path, options: ReadOptions(content: .disparity(.unit)))
    return try await reader.frame(number: 0).pixelBuffer.cells
  }

  private static let estimate = ["estimate", "clip/%d.png", "--helper", "python3 helper.py"]

  /// A hole in a near thing is near in files that hold no hole, and a hole in those that do.
  @Test func holesAreFilledWhereAFileHoldsNone() async throws {
    let folder = Folder()
    try Self.clip([0], in: folder)
    folder.writeMapHelper(
      "float('nan') if 20 <= x < 24 and 20 <= y < 26 else 0.9 if 8 <= x < 40 and y >= 8 else 0.1")
    let command = ["estimate", "clip/0.png", "--helper", "python3 helper.py", "-o"]
    let hole = 22 + 23 * Self.size.width
    for output in ["map.png", "map.tif", "map.mov"] {
      let made = try await works(command + [output], in: folder)
      let line = "1 map of \(output) has holes, which are filled from what lies around them"
      #expect(made.errors.contains(line), "\(made.errors)")
      let cells = try await Self.map(folder.file(output))
      #expect(cells[hole] > 0.99, "\(output)")
      #expect(cells[0] < 0.01, "\(output)")
    }
    for output in ["map.pfm", "map.exr"] {
      let made = try await works(command + [output], in: folder)
      #expect(!made.errors.contains("holes"), "\(made.errors)")
      let cells = try await Self.map(folder.file(output))
      #expect(cells[hole].isNaN, "\(output)")
    }
  }

  /// One pixel of a millimetre before a floor of metres leaves the rest its range, and is said.
  @Test func aSingleValueDoesNotSettleTheRange() async throws {
    let folder = Folder()
    try Self.clip([0], in: folder)
    folder.writeMapHelper(
      "0.001 if x == 5 and y == 7 else 5 - 4 * y / (h - 1)", kind: "metric-depth")
    let made = try await works(
      ["estimate", "clip/0.png", "--helper", "python3 helper.py", "--json", "-o", "map.pfm"],
      in: folder)
    #expect(made.errors.contains("single values of the map of clip/0.png lie far beyond"))
    let high = try #require(try made.objects().last?["high"] as? Double)
    #expect(abs(high - 1) < 1e-5)
    let cells = try await Self.map(folder.file("map.pfm"))
    #expect(cells.max() == 1)
    #expect(cells.filter { $0 > 0.5 }.count > 5 * Self.size.width)
  }

  /// Maps of metric depth are asked for every picture, or as often as it is said.
  @Test(arguments: [(nil, 1), ("3", 3)] as [(String?, Int)])
  func metricMapsAreCarriedToo(every: String?, interval: Int) async throws {
    let folder = Folder()
    try Self.clip([0, 1, 2, 3, 4, 5], in: folder)
    folder.writeMapHelper("1 + x / w", kind: "metric-depth")
    let option = every.map { ["--every", $0] } ?? []
    let made = try await works(
      Self.estimate + option + ["--json", "-o", "maps/%d.pfm"], in: folder)
    let done = try #require(try made.objects().last)
    #expect(done["interval"] as? Int == interval)
    #expect(done["kind"] as? String == "metric")
    #expect(folder.names(in: "maps") == (0..<6).map { "\($0).pfm" })
  }

  @Test func refusesAnswersOfSeveralKinds() async throws {
    let folder = Folder()
    try Self.clip([0, 1, 2], in: folder)
    let helper = """
      import array, sys
      i, o = sys.stdin.buffer, sys.stdout.buffer
      while line := i.readline():
          word, w, h = line.split()
          p = i.read(3 * int(w) * int(h))
          o.write(b'map 4 3 metric-depth\\n' if p[0] > 40 else b'map 4 3 depth\\n')
          o.write(array.array('f', [1] * 12).tobytes())
          o.flush()
      """
    folder.write(Array(helper.utf8), to: "helper.py")
    try await refuses(
      Self.estimate + ["-o", "map%d.pfm"], in: folder,
      naming: ["metric disparity after one of relative disparity"])
  }

  /// Maps of two estimations are not one sequence. The record is gone when the last one is there.
  @Test func goesOnWithTheSameEstimationAlone() async throws {
    let folder = Folder()
    try Self.clip([0, 1, 2, 3, 4, 5], in: folder)
    folder.write([], to: "broken")
    folder.writeMapHelper(
      "x / w / (0 if p[0] > 200 and __import__('os').path.exists('broken') else 1)")
    let command = Self.estimate + ["-o", "maps/%d.pfm"]
    let broken = try await Program.focal(command + ["--every", "1"], in: folder)
    #expect(broken.code == 1)
    let left = (0..<5).map { "\($0).pfm" }
    #expect(folder.names(in: "maps") == ["%d.pfm.anchor", "%d.pfm.estimate"] + left)
    for options in [["--every", "2", "--resume"], ["--every", "1", "--keep-values"]] {
      try await refuses(
        command + options, in: folder,
        naming: ["maps/%d.pfm holds maps of an estimation that is not whole", "--force"])
    }
    try FileManager.default.removeItem(atPath: folder.file("broken"))
    try await works(command + ["--every", "1", "--resume"], in: folder)
    let names = (0..<6).map { "\($0).pfm" }
    #expect(folder.names(in: "maps") == names)
    try await works(Self.estimate + ["--every", "1", "-o", "whole/%d.pfm"], in: folder)
    for name in names {
      let isSame = folder.read("maps/\(name)") == folder.read("whole/\(name)")
      #expect(isSame, "\(name)")
    }
  }

  /// Another's file that bears the name of the record or of the map beside it stays.
  @Test(arguments: ["estimate", "anchor"])
  func leavesAnothersRecordAlone(ending: String) async throws {
    let folder = Folder()
    try Self.clip([0, 1], in: folder)
    folder.writeMapHelper("x / w")
    folder.write([1], to: "map%d.pfm.\(ending)")
    for options in [[], ["--force"], ["--resume"]] {
      try await refuses(
        Self.estimate + options + ["-o", "map%d.pfm"], in: folder,
        naming: ["map%d.pfm.\(ending) is there"])
    }
  }

  /// Maps that no frame takes are told; gaps in their numbers are none, nor are maps of the program's own.
  @Test func mapsThatNoFrameTakes() async throws {
    let folder = Folder()
    try Self.clip([0, 1, 2, 3, 4], in: folder)
    folder.writeMapHelper("x / w")
    try await works(Self.estimate + ["-o", "maps/%d.pfm"], in: folder)
    func remove(_ names: String...) throws {
      for name in names { try FileManager.default.removeItem(atPath: folder.file(name)) }
    }
    try remove("clip/2.png", "clip/3.png")
    let render = [
      "render", "clip/%d.png", "--on-missing", "skip", "--focus", "0.5", "--quality", "thumbnail",
    ]
    let own = try await works(
      render + ["--helper", "python3 helper.py", "-o", "own/%d.png"], in: folder)
    #expect(!own.errors.contains("not used"), "\(own.errors)")
    let given = render + ["--disparity", "maps/%d.pfm", "-o"]
    let all = try await works(given + ["all/%d.png"], in: folder)
    let rest = "maps/%d.pfm has 5 maps for 3 frames; the rest is not used"
    #expect(all.errors.contains(rest), "\(all.errors)")
    try remove("maps/2.pfm", "maps/4.pfm")
    let other = try await works(given + ["other/%d.png"], in: folder)
    let one = "1 map of maps/%d.pfm has no frame, and is not used"
    #expect(other.errors.contains(one), "\(other.errors)")
    #expect(folder.names(in: "other") == ["0.png", "1.png"])
    try await works(
      ["estimate", "clip/4.png", "--helper", "python3 helper.py", "-o", "maps/4.pfm"], in: folder)
    try remove("maps/3.pfm")
    let fitting = try await works(given + ["fitting/%d.png"], in: folder)
    #expect(!fitting.errors.contains("not used"), "\(fitting.errors)")
  }

  /// What cannot be had is said in words that are true of this command.
  @Test func framesThatAreNotThere() async throws {
    let folder = Folder()
    try Self.clip([0, 1, 2, 3, 4], in: folder)
    folder.writeMapHelper("x / w")
    let part = try await works(
      Self.estimate + ["--frames", "3-9", "-o", "part/%d.pfm"], in: folder)
    #expect(part.errors.contains("clip/%d.png has only 2 frames of 3 to 9"), "\(part.errors)")
    try await refuses(
      ["estimate", "clip/0.png", "--stereo", "clip/%d.png", "-o", "m%d.pfm"], in: folder,
      naming: ["clip/0.png has 1 frame and clip/%d.png has 5: they are no pair"])
    folder.make("other")
    for number in 0..<2 {
      folder.write(folder.read("clip/\(number).png"), to: "other/\(number).png")
    }
    try await refuses(
      [
        "estimate", "clip/%d.png", "--stereo", "other/%d.png", "--frames", "0-2", "-o", "m%d.pfm",
      ], in: folder,
      naming: ["of the chosen frames, clip/%d.png has 3 frames and other/%d.png has 2"])
    try FileManager.default.removeItem(atPath: folder.file("clip/2.png"))
    // Each command names the option that it has.
    let commands: [([String], String)] = [
      (Self.estimate + ["-o", "m%d.pfm"], "leave the gap out with --frames\n"),
      (
        ["render", "clip/%d.png", "--disparity", "clip/%d.png", "-o", "r%d.png"],
        "leave the gap out with --frames or --on-missing\n"
      ),
    ]
    for (command, remedy) in commands {
      let outcome = try await Program.focal(command, in: folder)
      expectOneLine(outcome, naming: ["clip/2.png is missing"])
      #expect(outcome.errors.hasSuffix(remedy), "\(outcome.errors)")
    }
  }
}
