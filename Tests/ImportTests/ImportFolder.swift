// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalImport
import FocalMedia
import Foundation
import MovieKit
import Synchronization

/// A folder with a clip of numbered pictures, and programs that estimate and detect by their colours.
final class ImportFolder: Sendable {
  static let size = Dimensions(width: 96, height: 54)
  static let frameCount = 12

  private let path = TemporaryFolder.make()

  /// Red pictures, and from the seventh on blue ones.
  init() throws {
    try FileManager.default.createDirectory(
      atPath: file("clip"), withIntermediateDirectories: false)
    for number in 0..<Self.frameCount {
      let codes = (0..<Self.size.count).flatMap { place -> [UInt8] in
        let grain = UInt8((place * 7 + place / Self.size.width * 5) % 9)
        return number < 6 ? [240 + grain, 40, 40, 255] : [20, 20, 180 + grain, 255]
      }
      try PictureWriter.write(
        PixelBuffer(dimensions: Self.size, format: .rgba8, values: codes),
        to: file("clip/\(number).png"))
    }
    try Self.estimator.write(toFile: file("estimate.py"), atomically: true, encoding: .utf8)
    try Self.detector.write(toFile: file("detect.py"), atomically: true, encoding: .utf8)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  func file(_ name: String) -> String { "\(path)/\(name)" }

  func make(_ name: String) throws {
    try FileManager.default.createDirectory(
      atPath: file(name), withIntermediateDirectories: false)
  }

  /// A file of one byte.
  func write(to name: String) throws {
    try Data([1]).write(to: URL(fileURLWithPath: file(name)))
  }

  func names(in folder: String = "") -> [String] {
    (try? FileManager.default.contentsOfDirectory(atPath: file(folder)))?.sorted() ?? []
  }

  /// A large thing in the middle, nearer in blue pictures.
  private static let estimator = """
    import array, sys
    i, o = sys.stdin.buffer, sys.stdout.buffer
    while line := i.readline():
        word, w, h = line.split()
        w, h = int(w), int(h)
        d = i.read(3 * w * h)
        near, far = (400, 100) if d[0] > d[2] else (950, 300)
        inside = lambda x, y: 0.3 * w < x < 0.7 * w and 0.2 * h < y < 0.9 * h
        v = array.array('f', [near if inside(x, y) else far for y in range(h) for x in range(w)])
        o.write(b'map %d %d disparity\\n' % (w, h) + v.tobytes())
        o.flush()
    """

  /// A face in blue pictures.
  private static let detector = """
    import sys
    i, o = sys.stdin.buffer, sys.stdout.buffer
    while line := i.readline():
        word, w, h = line.split()
        d = i.read(3 * int(w) * int(h))
        o.write(b'objects 1\\nhumanFace 0.4 0.3 0.2 0.3 0.9\\n' if d[2] > d[0] else b'objects 0\\n')
        o.flush()
    """

  /// A pattern that moves to the right and gets lighter, without a cut.
  func makeMovingClip(_ name: String) throws {
    try make(name)
    for number in 0..<Self.frameCount {
      let codes = (0..<Self.size.count).flatMap { place -> [UInt8] in
        let (x, y) = (place % Self.size.width - number, place / Self.size.width)
        let code = UInt8(60 + 2 * number + (7 * (x + Self.size.width) + 3 * y) % 40)
        return [code, code, code, 255]
      }
      try PictureWriter.write(
        PixelBuffer(dimensions: Self.size, format: .rgba8, values: codes),
        to: file("\(name)/\(number).png"))
    }
    try Self.changingEstimator.write(
      toFile: file("change.py"), atomically: true, encoding: .utf8)
  }

  /// Lighter things are nearer, and every picture has another scale.
  private static let changingEstimator = """
    import array, sys
    i, o = sys.stdin.buffer, sys.stdout.buffer
    while line := i.readline():
        word, w, h = line.split()
        w, h = int(w), int(h)
        d = i.read(3 * w * h)
        gain = 1 + (d[0] % 5) / 20
        v = array.array('f', [gain * (d[3 * n] / 255 + n % w / w) for n in range(w * h)])
        o.write(b'map %d %d disparity\\n' % (w, h) + v.tobytes())
        o.flush()
    """

  /// Every third picture of the moving clip.
  var changingEstimation: Estimation {
    var estimation = Estimation.helper("python3 '\(file("change.py"))'")
    estimation.interval = 3
    return estimation
  }

  func bytes(_ name: String) -> Data? { FileManager.default.contents(atPath: file(name)) }

  /// Every picture by the program.
  var estimation: Estimation {
    var estimation = Estimation.helper("python3 '\(file("estimate.py"))'")
    estimation.interval = 1
    return estimation
  }

  /// Every picture by the program.
  var detectors: DetectorChoice {
    var detectors = DetectorChoice()
    detectors.helper = "python3 '\(file("detect.py"))'"
    detectors.interval = 1
    return detectors
  }
}

/// What work tells, in order; it may be cancelled on the way.
final class EventLog: Sendable {
  private struct State {
    var progress: [ImportProgress] = []
    var notes: [String] = []
  }

  private let state = Mutex(State())
  private let limit: (stage: ImportProgress.Stage, frames: Int)?

  /// - Parameter limit: the stage and the frame after which the task that works is cancelled.
  init(cancellingAfter limit: (stage: ImportProgress.Stage, frames: Int)? = nil) {
    self.limit = limit
  }

  var progress: [ImportProgress] { state.withLock { $0.progress } }
  var notes: [String] { state.withLock { $0.notes } }

  func add(_ event: ImportEvent) {
    switch event {
    case .note(let text): state.withLock { $0.notes.append(text.description) }
    case .progress(let progress):
      state.withLock { $0.progress.append(progress) }
      guard let limit, limit == (progress.stage, progress.completedFrames) else { return }
      withUnsafeCurrentTask { $0?.cancel() }
    }
  }
}

/// Runs work in a task of its own, which may be cancelled without the test.
///
/// - Throws: what the work throws.
func inTask<Value: Sendable>(
  _ work: @escaping @Sendable () async throws(CinematicError) -> Value
) async throws(CinematicError) -> Value {
  let task = Task<Result<Value, CinematicError>, Never> {
    do throws(CinematicError) {
      return .success(try await work())
    } catch {
      return .failure(error)
    }
  }
  return try await task.value.get()
}

/// The error that work ends with.
func failure<Value: Sendable>(
  of work: @escaping @Sendable () async throws(CinematicError) -> Value
) async -> CinematicError? {
  do throws(CinematicError) {
    _ = try await inTask(work)
    return nil
  } catch {
    return error
  }
}
