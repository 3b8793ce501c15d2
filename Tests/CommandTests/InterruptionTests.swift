// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalMedia
import Foundation
import Testing

/// Ctrl-C, and whoever reads the program's words going away.
@Suite struct InterruptionTests {
  /// 3000 frames of one picture: minutes of work, of which the first moment is enough.
  private static func longInput(in folder: Folder) throws {
    folder.make("frames")
    try PictureWriter.write(
      Material.picture(Dimensions(width: 240, height: 160)), to: folder.file("frames/0000.png"))
    for number in 1..<3000 {
      Material.link("frames/0000.png", String(format: "frames/%04d.png", number), in: folder)
    }
    try Material.numberedMaps(3000, in: folder)
    folder.make("out")
  }

  /// Whether the tests were started with hang-ups ignored, which their programs inherit.
  private static let ignoresHangUps: Bool = {
    var action = sigaction()
    sigaction(SIGHUP, nil, &action)
    return withUnsafeBytes(of: action) { $0.load(as: UInt.self) } == 1
  }()

  @Test(
    arguments: [(SIGINT, 130, "out.mp4"), (SIGTERM, 143, "out/%04d.png")]
      as [(Int32, Int32, String)])
  func render(_ signal: Int32, _ code: Int32, _ output: String) async throws {
    try await Self.interrupt(by: signal, code, output)
  }

  @Test(.enabled(if: !Self.ignoresHangUps, "the tests were started with nohup"))
  func renderBeforeAHangUp() async throws {
    try await Self.interrupt(by: SIGHUP, 129, "out.mov")
  }

  private static func interrupt(
    by signal: Int32, _ code: Int32, _ output: String
  ) async throws {
    let folder = Folder()
    try Self.longInput(in: folder)
    let before = folder.names
    let outcome = try await Program.run(
      [
        Program.path, "render", "frames/%04d.png", "--disparity", "maps/%04d.png", "-o", output,
        "--before-after", "both.png", "--json",
      ], in: folder
    ) { process, progress in
      let first = output.contains("%") ? folder.file("out/0000.png") : progress
      await Program.end(process, by: signal) { Self.size(first) > 0 }
    }
    #expect(outcome.code == code, "\(outcome.errors)")
    let last = try #require(outcome.errorObjects().last)
    #expect(last["event"] as? String == "error" && last["kind"] as? String == "interrupted")
    #expect(last["exitCode"] as? Int == Int(code))
    // Frames that were whole stay.
    let finished = folder.names(in: "out")
    #expect(folder.names.filter { !$0.hasPrefix("out/") } == before)
    #expect(finished.isEmpty != output.contains("%"))
    for name in finished { _ = try await Material.frames(folder.file("out/" + name)) }
  }

  /// Helpers end with the program, and a folder without a map goes.
  @Test func helper() async throws {
    let folder = Folder()
    try Material.clip("clip.mp4", in: folder, times: Material.steady(3))
    let before = folder.names
    let outcome = try await Program.run(
      [
        Program.path, "render", "clip.mp4", "--helper", "echo $$ > number; exec sleep 1000", "-o",
        "out.mp4",
      ], in: folder
    ) { process, _ in
      await Program.end(process, by: SIGTERM) {
        folder.read("number").last == 10 && folder.names.contains("out.mp4.maps/estimate.json")
      }
    }
    #expect(outcome.code == 143, "\(outcome.errors)")
    #expect(folder.names.filter { $0 != "number" } == before, "\(folder.names)")
    #expect(!outcome.errors.contains("stay"), "\(outcome.errors)")
    let number = String(decoding: folder.read("number").dropLast(), as: UTF8.self)
    // Of one that nobody has waited for, there is a number without a command.
    func isRunning() -> Bool {
      guard let file = fopen("/proc/\(number)/cmdline", "r") else { return false }
      defer { fclose(file) }
      return fgetc(file) != EOF
    }
    for _ in 0..<3000 where isRunning() { try await Task.sleep(for: .milliseconds(20)) }
    #expect(!isRunning())
  }

  /// Maps that were made stay. Their folder is named once, before the last line, which speaks of them.
  @Test func mapsStay() async throws {
    let folder = Folder()
    try Material.clip("clip.mp4", in: folder, times: Material.steady(30))
    let helper = """
      import array, os, sys
      i, o = sys.stdin.buffer, sys.stdout.buffer
      while line := i.readline():
          word, w, h = line.split()
          w, h = int(w), int(h)
          i.read(3 * w * h)
          if os.path.exists('out.mp4.maps/000001.exr'): i.read()
          v = array.array('f', [n % w / w for n in range(w * h)])
          o.write(b'map %d %d disparity\\n' % (w, h) + v.tobytes())
          o.flush()
      """
    folder.write(Array(helper.utf8), to: "helper.py")
    let second = folder.file("out.mp4.maps/000001.exr")
    let outcome = try await Program.run(
      [
        Program.path, "render", "clip.mp4", "--helper", "python3 helper.py", "--every", "1", "-o",
        "out.mp4",
      ], in: folder
    ) { process, _ in
      await Program.end(process, by: SIGTERM) { access(second, F_OK) == 0 }
    }
    #expect(outcome.code == 143, "\(outcome.errors)")
    let notes = outcome.errorLines.filter { $0.contains("the estimated maps stay in out.mp4.maps") }
    #expect(notes.count == 1, "\(outcome.errors)")
    #expect(
      outcome.errorLines.last?.contains("but the estimated maps") == true, "\(outcome.errors)")
    #expect(folder.names(in: "out.mp4.maps").contains("000001.exr"))
  }

  @Test func sample() async throws {
    let folder = Folder()
    let outcome = try await Program.run(
      [
        Program.path, "sample", "-o", "deep/sample", "--size", "320x180", "--frames", "300",
        "--ground-truth",
      ], in: folder
    ) { process, _ in
      await Program.end(process, by: SIGINT) { !folder.unfinished.isEmpty }
    }
    #expect(outcome.code == 130, "\(outcome.errors)")
    #expect(folder.names.isEmpty, "\(folder.names)")
  }

  /// A sample that is to be replaced stays as it is, also when maps of the new one are whole.
  @Test func sampleInPlaceOfAnother() async throws {
    let folder = Folder()
    try await works(
      ["sample", "-o", "s", "--size", "48x28", "--frames", "3", "--samples", "1"], in: folder)
    let before = folder.contents
    let outcome = try await Program.run(
      [
        Program.path, "sample", "-o", "s", "--size", "320x180", "--frames", "300", "--seed", "2",
        "--force",
      ], in: folder
    ) { process, _ in
      await Program.end(process, by: SIGTERM) {
        folder.unfinished.filter { $0.hasPrefix("s/disparity/") }.count > 2
      }
    }
    #expect(outcome.code == 143, "\(outcome.errors)")
    #expect(folder.contents == before, "\(folder.names)")
  }

  /// A program started with nohup survives a hangup.
  @Test func hangUpThatIsIgnored() async throws {
    let folder = Folder()
    try Self.longInput(in: folder)
    let outcome = try await Program.run(
      [
        "/bin/bash", "-c", "trap '' HUP; exec \"$@\"", "bash", Program.path, "render",
        "frames/%04d.png", "--disparity", "maps/%04d.png", "-o", "out.mp4", "--json",
        "--frames", "0-60",
      ], in: folder
    ) { process, progress in
      await Program.end(process, by: SIGHUP) { Self.size(progress) > 0 }
    }
    #expect(outcome.code == 0, "\(outcome.errors)")
    #expect(try await Material.frames(folder.file("out.mp4")).frames.count == 61)
  }

  /// If the progress is not read, the rendering goes on.
  @Test(arguments: ["2>/dev/full", "2>&-", "2> >(exec head -c 1 >/dev/null)"])
  func standardErrorThatIsGone(_ redirection: String) async throws {
    let folder = Folder()
    try Material.clip("clip.mp4", in: folder, times: Material.steady(20))
    try Material.numberedMaps(20, in: folder)
    let outcome = try await Program.focal(
      ["render", "clip.mp4", "--disparity", "maps/%04d.png", "-o", "out.mp4"], in: folder,
      after: "exec \(redirection); sleep 0.05")
    #expect(outcome.code == 0)
    #expect(try await Material.frames(folder.file("out.mp4")).frames.count == 20)
    #expect(folder.unfinished.isEmpty)
  }

  /// Results that nobody gets are an error, whichever command prints them.
  @Test(arguments: [["--version"], ["help"], ["devices", "--json"], ["render", "--help"]])
  func standardOutputThatIsFull(_ arguments: [String]) async throws {
    let outcome = try await Program.focal(
      arguments, in: Folder(), after: "exec >/dev/full")
    #expect(outcome.code == 1)
    #expect(outcome.errors.contains("standard output"), "\(outcome.errors)")
  }

  private static func size(_ path: String) -> Int {
    var status = stat()
    return stat(path, &status) == 0 ? Int(status.st_size) : 0
  }
}
