// SPDX-License-Identifier: Apache-2.0

import FocalCPU
import FocalCore
import FocalEyes
import FocalMedia
import FocalScript
import MovieKit
import Synchronization
import Testing

@testable import FocalCapture

/// A clock that stands where the test puts it; nobody waits by it.
final class TestClock: CaptureClock {
  private let time = Mutex(Time.zero)

  var now: Time {
    get { time.withLock { $0 } }
    set { time.withLock { $0 = newValue } }
  }
  func start() -> Double { 0 }
  func sleep(until time: Time) async { self.time.withLock { $0 = max($0, time) } }
}

/// A device that gives what the test hands it.
final class TestSource: CaptureSource {
  let name = "a test's camera"
  let properties: SourceProperties
  let soundFormat: SoundFormat?
  private let queue = BoundedQueue<Result<CaptureSample, CinematicError>>(capacity: 10000)

  init(_ properties: SourceProperties = TestScene.properties, sound: SoundFormat? = nil) {
    (self.properties, soundFormat) = (properties, sound)
  }

  func next() async throws(CinematicError) -> CaptureSample? { try await queue.next()?.get() }

  func give(_ picture: CapturedPicture) { queue.put(.success(.picture(picture))) }
  func give(_ sound: SoundBuffer) { queue.put(.success(.sound(sound))) }
  func fail(_ error: CinematicError) { queue.put(.failure(error)) }
  func end() { queue.finish() }
}

/// A wall with a square in front of it, which moves to the right.
enum TestScene {
  static let size = Dimensions(width: 320, height: 180)
  static let mapSize = Dimensions(width: 64, height: 36)
  static let far: Float = 0.2
  static let near: Float = 0.8
  static let properties = SourceProperties(
    dimensions: size, pixelFormat: .yuv420Video8,
    tags: ColorTags(primaries: .bt709, transfer: .bt709, matrix: .bt709))

  static func time(_ frame: Int) -> Time { Time(value: Int64(frame), timescale: 30) }

  /// Where the square is.
  static func square(_ frame: Int) -> NormalizedRect {
    NormalizedRect(x: 0.25 + 0.004 * Double(frame % 100), y: 0.3, width: 0.2, height: 0.4)
  }

  /// - Parameter level: how bright it is, 0 to 1.
  static func picture(
    _ frame: Int, level: Double = 1, hasMap: Bool = true, tags: ColorTags = properties.tags
  ) throws -> CapturedPicture {
    let buffer = try PixelBuffer(dimensions: size, format: .yuv420Video8, tags: tags)
    let rect = square(frame)
    for plane in 0..<2 {
      let layout = buffer.planes[plane]
      let rows = plane == 0 ? size.height : size.height / 2
      buffer.withUnsafeMutableBytes(ofPlane: plane) { bytes in
        for y in 0..<rows {
          for x in 0..<size.width {
            var code = 128.0
            if plane == 0 {
              let isNear = rect.contains(
                NormalizedPoint(
                  x: (Double(x) + 0.5) / Double(size.width),
                  y: (Double(y) + 0.5) / Double(size.height)))
              code = isNear ? 150 + Double((x / 4 + y / 4) % 2) * 60 : 50 + Double((x ^ y) & 31)
              code = 16 + (code - 16) * level
            }
            bytes[y * layout.bytesPerRow + x] = UInt8(code)
          }
        }
      }
    }
    var picture = CapturedPicture(
      pixelBuffer: buffer, time: time(frame), duration: Time(value: 1, timescale: 30))
    if hasMap { picture.disparity = try map(frame) }
    return picture
  }

  static func map(_ frame: Int) throws -> PixelBuffer {
    let rect = square(frame)
    let values = (0..<mapSize.count).map { index in
      let point = NormalizedPoint(
        x: (Double(index % mapSize.width) + 0.5) / Double(mapSize.width),
        y: (Double(index / mapSize.width) + 0.5) / Double(mapSize.height))
      return rect.contains(point) ? near : far
    }
    return try PixelBuffer(
      dimensions: mapSize, format: .disparityFloat, tags: .linearBT709, values: values)
  }
}

/// A session on a test's device, and a folder.
struct Rig {
  let clock = TestClock()
  let source: TestSource
  let session: CaptureSession
  let folder = TemporaryFolder.make()

  init(
    _ properties: SourceProperties = TestScene.properties, sound: SoundFormat? = nil,
    provider: (any DisparityProvider)? = nil,
    detector: (any ObjectDetector)? = nil, range: EstimatedRange? = nil, look: Look = Look(),
    tracker: (@Sendable (QuarterTurn) throws(CinematicError) -> any VisualTracker)? = nil
  ) throws {
    source = TestSource(properties, sound: sound)
    var configuration = CaptureSession.Configuration(
      devices: [.cpu(threadCount: 1)], provider: provider, detector: detector)
    configuration.quality = .thumbnail
    configuration.estimatedRange = range
    configuration.look = look
    configuration.visualTracker = tracker
    session = try CaptureSession(source, configuration: configuration, clock: clock)
  }

  func path(_ name: String) -> String { "\(folder)/\(name)" }

  /// Gives frames one after the other, each when the one before has been written.
  func give(_ frames: Range<Int>, level: Double = 1, hasMap: Bool = true) async throws {
    for frame in frames {
      source.give(
        try TestScene.picture(
          frame, level: level, hasMap: hasMap, tags: source.properties.tags))
      try await settle(frame + 1)
      clock.now = TestScene.time(frame + 1)
    }
  }

  /// Waits until so many frames have come, and all that came was handed on.
  func settle(_ count: Int) async throws {
    for _ in 0..<20000 {
      if await session.statistics.arrivedFrameCount >= count, await session.isSettled { return }
      if await session.phase == .over { return }
      try await Task.sleep(for: .microseconds(500))
    }
    Issue.record("the session does not settle")
  }

  func end() async {
    source.end()
    await session.stop()
    TemporaryFolder.remove(folder)
  }
}

/// The first event of a kind, or `nil` when the session is over.
func event<Value: Sendable>(
  of session: CaptureSession, _ pick: (CaptureEvent) -> Value?
) async -> Value? {
  for await event in session.events {
    if let value = pick(event) { return value }
  }
  return nil
}
