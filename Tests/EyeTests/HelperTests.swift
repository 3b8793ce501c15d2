// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalEyes
import FocalScript
import Foundation
import Testing

/// Disparity by a program of the caller's.
@Suite struct HelperTests {
  /// Answers with the red component at half the size.
  private static let halves = """
    import array, sys
    i, o = sys.stdin.buffer, sys.stdout.buffer
    while line := i.readline():
        word, w, h = line.split()
        w, h = int(w), int(h)
        p = i.read(3 * w * h)
        v = array.array('f', [p[3 * (2 * y * w + 2 * x)] / 255 for y in range(h // 2) for x in range(w // 2)])
        o.write(b'map %d %d disparity\\n' % (w // 2, h // 2) + v.tobytes())
        o.flush()
    """

  private static func picture(_ codes: (Int, Int) -> UInt8) throws -> PixelBuffer {
    let size = Dimensions(width: 32, height: 16)
    return try PixelBuffer(
      dimensions: size, format: .rgba8,
      values: (0..<size.count).flatMap { place in
        [codes(place % size.width, place / size.width), 7, 9, 255]
      })
  }

  @Test func takesTheMapsOfAProgram() async throws {
    let folder = ModelFolder()
    folder.write(Self.halves, to: "helper.py")
    let provider = HelperProvider(command: "python3 '\(folder.file("helper.py"))'")
    for shift in 0..<3 {
      let picture = try Self.picture { x, y in UInt8(8 * (x / 2) + 3 * (y / 2) + shift) }
      let estimate = try await provider.estimate(EstimationInput(picture: picture))
      #expect(estimate.map.dimensions == Dimensions(width: 16, height: 8))
      #expect(estimate.kind == .relative)
      let expected = (0..<128).map { Float(8 * ($0 % 16) + 3 * ($0 / 16) + shift) / 255 }
      let largest = zip(estimate.map.cells, expected).map { abs($0 - $1) }.max() ?? 1
      #expect(largest < 1e-6)
    }
  }

  /// Lines of text that end as on Windows, and bytes behind them that are none.
  @Test func takesLinesThatEndInCarriageReturns() async throws {
    let provider = HelperProvider(
      command: "printf 'map 2 1 disparity\\r\\n'; printf '\\r\\n\\r\\n\\r\\n\\r\\n'; cat >/dev/null"
    )
    let estimate = try await provider.estimate(
      EstimationInput(picture: try Self.picture { _, _ in 9 }))
    #expect(estimate.map.dimensions == Dimensions(width: 2, height: 1))
    #expect(estimate.map.cells.map(\.bitPattern) == [0x0A0D_0A0D, 0x0A0D_0A0D])
    let detector = HelperDetector(
      command: "printf 'objects 1\\r\\nhumanFace 0.5 0.5 0.25 0.25 1\\r\\n'; cat >/dev/null")
    let found = try await detector.detect(try Self.picture { _, _ in 9 }, turn: .identity)
    #expect(found.map(\.confidence) == [1])
  }

  @Test(arguments: [
    ("exit 3", "ended with code 3"),
    ("no-such-program-here 2>/dev/null", "ended with code 127"),
    ("echo hello; cat >/dev/null", "answered “hello”"),
    ("echo map 32 16 beauty; cat >/dev/null", "beauty"),
    ("cat", "answered “frame 32 16”"),
    ("echo map 32 32 disparity; cat >/dev/null", "32x32"),
    ("echo map 0 0 disparity; cat >/dev/null", "0x0"),
    ("echo map 32 16 disparity; head -c 100 /dev/zero", "before its answer was whole"),
    ("head -c 9999 /dev/zero; cat >/dev/null", "something else"),
  ]) func namesWhatAProgramDoesWrong(command: String, reason: String) async throws {
    let provider = HelperProvider(command: command)
    let picture = try Self.picture { _, _ in 9 }
    let error = await #expect(throws: CinematicError.self) {
      _ = try await provider.estimate(EstimationInput(picture: picture))
    }
    #expect(error?.description.contains(reason) == true, "\(String(describing: error))")
  }

  /// Limits of no end, and of none.
  @Test(arguments: [Double.infinity, 1e300, 1e18, -1, 0, -.infinity, .nan])
  func anyLimitIsOne(seconds: Double) async throws {
    let provider = HelperProvider(command: "echo hello; cat >/dev/null", timeLimit: seconds)
    let picture = try Self.picture { _, _ in 9 }
    let error = await #expect(throws: CinematicError.self) {
      _ = try await provider.estimate(EstimationInput(picture: picture))
    }
    let text = error?.message ?? ""
    #expect(text.contains("answered “hello”") || !(seconds >= 1) && text.contains("within 0.001 s"))
  }

  /// An answer that comes before a picture is read is taken, whatever a pipe holds.
  @Test func takesWhatComesEarly() async throws {
    let provider = HelperProvider(command: "cat", timeLimit: 60)
    let picture = try Pairs.plain(Dimensions(width: 640, height: 320), 90)
    let error = await #expect(throws: CinematicError.self) {
      _ = try await provider.estimate(EstimationInput(picture: picture))
    }
    #expect(error?.message.contains("answered “frame 640 320”") == true)
  }

  /// A helper that hangs is ended, and so are its children.
  @Test(arguments: [
    "echo $$ >> pids; sleep 3600",
    "echo $$ >> pids; cat >/dev/null; sleep 3600",
    "echo $$ >> pids; echo map 32 16 disparity; sleep 3600 & echo $! >> pids; wait",
    "echo $$ >> pids; exec >&-; sleep 3600",
  ]) func endsAProgramThatHangs(command: String) async throws {
    let folder = ModelFolder()
    // More than a pipe holds.
    let picture = try Pairs.plain(Dimensions(width: 640, height: 320), 90)
    let start = ContinuousClock.now
    // Beside other work a shell may need longer until it has written its number.
    for (limit, text) in [(0.4, "0.4"), (4, "4"), (40, "40")] as [(Double, String)] {
      let numbers = FileManager.default.contents(atPath: folder.file("pids")) ?? Data()
      guard numbers.isEmpty else { break }
      let provider = HelperProvider(
        command: "cd '\(folder.path)'; \(command)", timeLimit: limit)
      let error = await #expect(throws: CinematicError.self) {
        _ = try await provider.estimate(EstimationInput(picture: picture))
      }
      #expect(error?.code == .incomplete)
      #expect(error?.message.contains("did not answer a picture within \(text) s") == true)
      #expect(error?.remedy?.contains("timeLimit") == true)
    }
    // Beside other tests minutes may pass until this one goes on; the helper would take an hour.
    #expect(ContinuousClock.now - start < .seconds(1800))
    try await Self.expectEnds(in: folder)
  }

  /// That the programs end whose numbers a helper wrote down.
  private static func expectEnds(in folder: ModelFolder) async throws {
    let data = FileManager.default.contents(atPath: folder.file("pids")) ?? Data()
    let numbers = String(decoding: data, as: UTF8.self).split(separator: "\n").compactMap {
      Int32($0)
    }
    #expect(!numbers.isEmpty)
    for number in numbers {
      // A child that is killed is there until its parent, or the system, has heard of it.
      for _ in 0..<1500 where kill(number, 0) == 0 && !hasEnded(number) {
        try await Task.sleep(for: .milliseconds(10))
      }
      #expect(kill(number, 0) != 0 || hasEnded(number))
    }
  }

  /// So is one that goes on after the end of its input, after a map, and after an answer that was none.
  @Test(arguments: [true, false]) func endsAProgramThatGoesOn(answers: Bool) async throws {
    let folder = ModelFolder()
    folder.write(Self.halves, to: "helper.py")
    let answer = answers ? "python3 helper.py" : "echo hello"
    let command = "cd '\(folder.path)'; echo $$ >> pids; \(answer); trap '' TERM HUP; sleep 3600"
    do {
      let provider = HelperProvider(command: command)
      let input = EstimationInput(picture: try Self.picture { _, _ in 255 })
      if answers {
        _ = try await provider.estimate(input)
      } else {
        let error = await #expect(throws: CinematicError.self) {
          _ = try await provider.estimate(input)
        }
        #expect(error?.message.contains("answered “hello”") == true)
      }
    }
    try await Self.expectEnds(in: folder)
  }

  /// A call that is cancelled does not wait for the program, whether it is being answered or waits for its turn. The
  /// next one starts another.
  @Test func aCancelledCallEndsTheProgram() async throws {
    let folder = ModelFolder()
    let command =
      "cd '\(folder.path)'; if [ -e pid ]; then echo hello; cat >/dev/null; exit; fi;"
      + " echo $$ > pid; sleep 3600"
    let provider = HelperProvider(command: command, timeLimit: 1800)
    let input = EstimationInput(picture: try Self.picture { _, _ in 9 })
    let first = Task { try await provider.estimate(input) }
    var number: Int32?
    for _ in 0..<6000 where number == nil {
      try await Task.sleep(for: .milliseconds(10))
      let data = FileManager.default.contents(atPath: folder.file("pid")) ?? Data()
      let text = String(decoding: data, as: UTF8.self)
      if text.hasSuffix("\n") { number = Int32(text.dropLast()) }
    }
    let process = try #require(number)
    for delay in [0, 20] {
      let second = Task { try await provider.estimate(input) }
      try await Task.sleep(for: .milliseconds(delay))
      second.cancel()
      let error = await #expect(throws: CinematicError.self) { _ = try await second.value }
      #expect(error?.code == .cancelled)
    }
    #expect(!Self.hasEnded(process))
    first.cancel()
    let error = await #expect(throws: CinematicError.self) { _ = try await first.value }
    #expect(error?.code == .cancelled)
    // It was waited for.
    #expect(Self.hasEnded(process))
    let other = await #expect(throws: CinematicError.self) {
      _ = try await provider.estimate(input)
    }
    #expect(other?.message.contains("answered “hello”") == true)
  }

  /// What a program says beyond an answer that was none is not taken for the next one.
  @Test func aWrongAnswerEndsTheProgram() async throws {
    let folder = ModelFolder()
    folder.write(Self.halves, to: "helper.py")
    let command =
      "cd '\(folder.path)'; if [ -e seen ]; then exec python3 helper.py; fi; touch seen;"
      + " echo hello; echo and more; cat >/dev/null"
    let provider = HelperProvider(command: command)
    let input = EstimationInput(picture: try Self.picture { _, _ in 255 })
    let error = await #expect(throws: CinematicError.self) {
      _ = try await provider.estimate(input)
    }
    #expect(error?.message.contains("answered “hello”") == true)
    let estimate = try await provider.estimate(input)
    #expect(estimate.map.cells.allSatisfy { $0 == 1 })
  }

  private static func hasEnded(_ process: Int32) -> Bool {
    let state = FileManager.default.contents(atPath: "/proc/\(process)/stat") ?? Data()
    let text = String(decoding: state, as: UTF8.self)
    return text.isEmpty || text.contains(") Z ")
  }

  /// Answers with a ball where the red component is.
  private static let finds = """
    import sys
    i = sys.stdin.buffer
    while line := i.readline():
        word, w, h = line.split()
        p = i.read(3 * int(w) * int(h))
        print('objects 2')
        print('sportsBall', 0.25, p[0] / 255, 0.5, 0.125, 0.75)
        print('humanFace 0.5 0.5 0.25 0.25 1', flush=True)
    """

  @Test func takesTheObjectsOfAProgram() async throws {
    let folder = ModelFolder()
    folder.write(Self.finds, to: "helper.py")
    let detector = HelperDetector(command: "python3 '\(folder.file("helper.py"))'")
    for code in [0, 51] {
      let picture = try Self.picture { _, _ in UInt8(code) }
      let found = try await detector.detect(picture, turn: .identity)
      #expect(found.map(\.type) == [.sportsBall, .humanFace])
      #expect(found.map(\.confidence) == [0.75, 1])
      let expected = NormalizedRect(x: 0.25, y: Double(code) / 255, width: 0.5, height: 0.125)
      let distance = abs(found[0].rect.y - expected.y) + abs(found[0].rect.width - expected.width)
      #expect(distance < 1e-6)
    }
    // In the picture as stored.
    let turned = try await detector.detect(try Self.picture { _, _ in 0 }, turn: .clockwise90)
    #expect(turned[0].rect == NormalizedRect(x: 0, y: 0.25, width: 0.125, height: 0.5))
  }

  @Test(arguments: [
    ("echo hello; cat >/dev/null", "answered “hello”"),
    ("echo objects -1; cat >/dev/null", "objects -1"),
    ("echo objects 9999; cat >/dev/null", "objects 9999"),
    ("echo objects 1; echo spoon 0 0 1 1 1; cat >/dev/null", "spoon"),
    ("echo objects 1; echo autoFocus 0 0 1 1 1; cat >/dev/null", "autoFocus"),
    ("echo objects 1; echo humanFace 0 0 0 1 1; cat >/dev/null", "humanFace 0 0 0 1 1"),
    ("echo objects 1; echo humanFace 0 0 nan 1 1; cat >/dev/null", "nan"),
    ("echo objects 1; echo humanFace 2 0 1 1 1; cat >/dev/null", "humanFace 2 0"),
    ("echo objects 2; echo humanFace 0 0 1 1 1", "before its answer was whole"),
  ]) func namesWhatADetectorDoesWrong(command: String, reason: String) async throws {
    let detector = HelperDetector(command: command)
    let picture = try Self.picture { _, _ in 9 }
    let error = await #expect(throws: CinematicError.self) {
      _ = try await detector.detect(picture, turn: .identity)
    }
    #expect(error?.description.contains(reason) == true, "\(String(describing: error))")
  }
}
