// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalEyes
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

  @Test(arguments: [
    ("exit 3", "ended with code 3"),
    ("no-such-program-here 2>/dev/null", "ended with code 127"),
    ("echo hello; cat >/dev/null", "answered “hello”"),
    ("echo map 32 16 beauty; cat >/dev/null", "beauty"),
    ("echo map 32 32 disparity; cat >/dev/null", "32x32"),
    ("echo map 0 0 disparity; cat >/dev/null", "0x0"),
    ("echo map 32 16 disparity; head -c 100 /dev/zero", "before its map was whole"),
    ("head -c 9999 /dev/zero; cat >/dev/null", "something else"),
  ]) func namesWhatAProgramDoesWrong(command: String, reason: String) async throws {
    let provider = HelperProvider(command: command)
    let picture = try Self.picture { _, _ in 9 }
    let error = await #expect(throws: CinematicError.self) {
      _ = try await provider.estimate(EstimationInput(picture: picture))
    }
    #expect(error?.description.contains(reason) == true, "\(String(describing: error))")
  }
}
