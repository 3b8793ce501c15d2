// SPDX-License-Identifier: Apache-2.0

import FocalCinematic
import FocalCore
import FocalEyes
import FocalMedia
import FocalScript
import MovieKit
import Synchronization
import Testing

@testable import FocalCapture

/// A provider that gives a map of its own for each picture.
final class NumberedProvider: DisparityProvider {
  let name = "a test's provider"
  private let count = Mutex(0)
  private let map: @Sendable (Int) throws -> PixelBuffer

  init(_ map: @escaping @Sendable (Int) throws -> PixelBuffer) { self.map = map }

  func prepare(for samples: [EstimationInput]) async throws(CinematicError) -> [String] {
    ["a word to the caller"]
  }

  func estimate(_ input: EstimationInput) async throws(CinematicError) -> DisparityEstimate {
    let number = count.withLock { count in
      defer { count += 1 }
      return count
    }
    do {
      return DisparityEstimate(map: try map(number), kind: .metric)
    } catch {
      throw CinematicError(.unknown, "\(error)")
    }
  }
}

@Suite struct EstimatedRangeTests {
  /// The scene's map with other disparities.
  private static func map(_ frame: Int, far: Float, near: Float) throws -> PixelBuffer {
    try .map(
      TestScene.map(frame).cells.map { $0 == TestScene.near ? near : far }, TestScene.mapSize)
  }

  private static func near(_ map: PixelBuffer, _ frame: Int) -> Float {
    Detection.disparity(
      in: TestScene.square(frame), sourceDisparity: map, detectionType: .unknown)
  }

  /// Whatever a provider's scale is, the movie holds what an imported clip would: shares of its range.
  @Test(arguments: [(1, 0), (1000, 0), (0.064, 0), (40, -300)] as [(Float, Float)])
  func movieHoldsShares(scale: Float, offset: Float) async throws {
    let given = { @Sendable (frame: Int) in
      try Self.map(
        frame, far: scale * TestScene.far + offset, near: scale * TestScene.near + offset)
    }
    let rig = try Rig(provider: NumberedProvider(given))
    let path = rig.path("movie.mov")
    try await rig.session.startRecording(CaptureRecording(editableMovie: path))
    try await rig.session.start()
    try await rig.give(0..<6, hasMap: false)
    let report = try await rig.session.stopRecording()
    #expect(report.clampedMapCount == 0)
    let range = try #require(EstimatedRange(of: try (0..<6).map(given)))
    let found = try #require(report.estimatedRange)
    #expect(abs(found.low - range.low) < 1e-4 * scale + 1e-4)
    #expect(abs(found.high - range.high) < 1e-4 * scale + 1e-4)
    let movie = try await MovieScript(asset: Asset(path: path))
    let script = try Script(recording: try #require(try movie.recording()))
    for frame in [0, 5] {
      let map = try #require(try await movie.reader.disparity(number: frame))
      let expected = Self.near(try range.shares(of: given(frame)), frame)
      // Codes of ten bits over twice the range.
      #expect(abs(Self.near(map, frame) - expected) < 0.003)
      let time = TestScene.time(frame)
      let focus = try #require(script.frame(at: time, tolerance: TestScene.time(1)))
      #expect(abs(focus.focusDisparity - expected) < 0.003)
    }
    await rig.end()
  }

  /// A camera that begins in the dark, by a model that says one value there, or noise.
  @Test(arguments: [Float(0), 5]) func darkBeginningSettlesNothing(noise: Float) async throws {
    let provider = NumberedProvider { frame in
      frame < 10
        ? try Self.map(frame, far: 0, near: noise) : try Self.map(frame, far: 100, near: 900)
    }
    let rig = try Rig(provider: provider)
    let path = rig.path("movie.mov")
    try await rig.session.startRecording(CaptureRecording(editableMovie: path))
    try await rig.session.start()
    try await rig.give(0..<10, level: 0, hasMap: false)
    #expect(await !rig.session.showsDistances)
    // All is as far, and in focus.
    #expect(await rig.session.metadata?.focusDisparity == LiveRange.middle)
    await #expect(throws: CinematicError.self) {
      try await rig.session.setFixedFocus(at: NormalizedPoint(x: 0.5, y: 0.5), focusMode: .strong)
    }
    try await rig.give(10..<16, hasMap: false)
    #expect(await rig.session.showsDistances)
    let report = try await rig.session.stopRecording()
    #expect(report.clampedMapCount == 0)
    #expect(report.frameCount == 16)
    let movie = try await MovieScript(asset: Asset(path: path))
    let map = try #require(try await movie.reader.disparity(number: 15))
    #expect(abs(Self.near(map, 15) - 0.9545) < 0.003)
    #expect(abs(try #require(await rig.session.metadata).focusDisparity - 0.9545) < 0.01)
    await rig.end()
  }

  /// A nearer thing than any before widens the range; a focus that is held stays on its distance, also in the script.
  @Test func nearerThingsWidenTheRange() async throws {
    let provider = NumberedProvider { frame in
      frame < 20 ? try Self.map(frame, far: 2, near: 4) : try Self.map(frame, far: 4, near: 10)
    }
    let rig = try Rig(provider: provider)
    let path = rig.path("movie.mov")
    try await rig.session.startRecording(CaptureRecording(editableMovie: path))
    try await rig.session.start()
    try await rig.give(0..<4, hasMap: false)
    // At a distance of 4, where later the wall is.
    try await rig.session.setFixedFocus(at: TestScene.square(3).center, focusMode: .strong)
    try await rig.give(4..<30, hasMap: false)
    let focus = try #require(await rig.session.metadata).focusDisparity
    let report = try await rig.session.stopRecording()
    #expect(report.clampedMapCount == 0)
    let range = try #require(report.estimatedRange)
    #expect(abs(range.low - 1.6) < 1e-3)
    #expect(abs(range.high - 10.4) < 1e-3)
    #expect(abs(focus - range.share(of: 4)) < 1e-4)
    let movie = try await MovieScript(asset: Asset(path: path))
    let map = try #require(try await movie.reader.disparity(number: 29))
    #expect(abs(Self.near(map, 29) - range.share(of: 10)) < 0.003)
    let script = try Script(recording: try #require(try movie.recording()))
    for (frame, expected) in [(18, Float(0.9545)), (28, range.share(of: 4))] {
      let time = TestScene.time(frame)
      let found = try #require(script.frame(at: time, tolerance: TestScene.time(1)))
      #expect(abs(found.focusDisparity - expected) < 0.003, "at frame \(frame)")
    }
    rig.source.end()
    let told = await event(of: rig.session) { event in
      if case .note(let text) = event, text.contains("reach from") { text } else { nil }
    }
    #expect(told?.contains("0.67 s") == true)
    await rig.end()
  }

  @Test func rangeOfTheCallersStays() async throws {
    let provider = NumberedProvider { try Self.map($0, far: 10, near: 50) }
    let rig = try Rig(provider: provider, range: EstimatedRange(low: 0, high: 100))
    try await rig.session.start()
    try await rig.give(0..<2, hasMap: false)
    #expect(abs(try #require(await rig.session.metadata).focusDisparity - 0.5) < 1e-4)
    await rig.end()
  }

  /// By a range without extent no movie could be begun: it is refused before there is a take to lose.
  @Test func rangesWithoutExtentAreRefused() throws {
    let configuration = CaptureSession.Configuration(devices: [.cpu(threadCount: 1)])
    func refusal(_ configuration: CaptureSession.Configuration) -> CinematicError? {
      do throws(CinematicError) {
        _ = try CaptureSession(TestSource(), configuration: configuration, clock: TestClock())
        return nil
      } catch {
        return error
      }
    }
    #expect(refusal(configuration) == nil)
    let ranges: [ClosedRange<Float>] = [
      0.5...0.5, -Float.infinity...0, 0...Float.infinity, -Float.infinity...Float.infinity,
      -3e38...3e38,
    ]
    for range in ranges {
      var other = configuration
      other.disparityRange = range
      #expect(refusal(other)?.code == .invalidParameter, "\(range)")
    }
    let ends: [(Float, Float)] = [(0.5, 0.5), (.nan, .nan), (0, .infinity), (-3e38, 3e38)]
    for (low, high) in ends {
      var other = configuration
      other.estimatedRange = EstimatedRange(low: low, high: high)
      #expect(refusal(other)?.code == .invalidParameter, "\(low) to \(high)")
    }
  }

  @Test func providersWordsAreTold() async throws {
    let rig = try Rig(provider: NumberedProvider { try TestScene.map($0) })
    try await rig.session.start()
    try await rig.give(0..<2, hasMap: false)
    rig.source.end()
    let told = await event(of: rig.session) { event in
      if case .note(let text) = event { text } else { nil }
    }
    #expect(told == "a test's provider: a word to the caller")
    await rig.end()
  }

  /// Holes alone are the map before; a black picture's beginning is none.
  @Test func mapsOfHolesAreTheOneBefore() throws {
    var range = LiveRange(nil)
    let picture = try TestScene.picture(0).pixelBuffer
    let holes = try PixelBuffer.map(
      [Float](repeating: .nan, count: TestScene.mapSize.count), TestScene.mapSize)
    let first = try range.shares(of: holes, picture, at: .zero)
    let areHoles = first.cells.allSatisfy(\.isNaN)
    #expect(areHoles)
    let seen = try range.shares(of: TestScene.map(1), picture, at: TestScene.time(1))
    let held = try range.shares(of: holes, picture, at: TestScene.time(2))
    #expect(held.cells == seen.cells)
    // A scene that stays dark is measured in the end.
    var dark = LiveRange(nil)
    let black = try TestScene.picture(0, level: 0).pixelBuffer
    _ = try dark.shares(of: TestScene.map(0), black, at: .zero)
    #expect(dark.settled == nil)
    _ = try dark.shares(of: TestScene.map(0), black, at: TestScene.time(31))
    #expect(dark.settled != nil)
  }

  @Test func mapsOfHalvesAreTaken() async throws {
    let picture = try TestScene.picture(0).pixelBuffer
    let halves = try TestScene.map(0).storedAsHalves()
    var (own, other) = (LiveRange(nil), LiveRange(nil))
    let shares = try own.shares(of: halves, picture, at: .zero)
    let expected = try other.shares(of: halves.storedAsFloats(), picture, at: .zero)
    #expect(shares.cells == expected.cells)
    #expect(own.settled == other.settled)
    let rig = try Rig(provider: NumberedProvider { try TestScene.map($0).storedAsHalves() })
    try await rig.session.start()
    try await rig.give(0..<2, hasMap: false)
    #expect(await rig.session.showsDistances)
    #expect(await rig.session.failure == nil)
    await rig.end()
  }

  @Test func mapsOfNoDisparityAreNamed() async throws {
    let rig = try Rig(
      provider: NumberedProvider { _ in
        try PixelBuffer(dimensions: TestScene.mapSize, format: .gray8)
      })
    try await rig.session.start()
    try await rig.give(0..<1, hasMap: false)
    await rig.session.ended()
    #expect(await rig.session.failure?.code == .unsupported)
    await rig.end()
  }

  /// Nothing travels from one scene to the next.
  @Test func focusIsThereAtOnceAfterACut() throws {
    for isCut in [false, true] {
      var puller = FocusPuller(weights: .standard, autoFocusID: DetectionID(1))
      var focus: [Float] = []
      for frame in 0..<32 {
        let map = try Self.map(frame, far: 0.1, near: frame < 30 ? 0.4 : 0.9)
        focus.append(
          puller.update(
            at: TestScene.time(frame), detections: [], map: map, orders: [],
            isCut: isCut && frame == 30
          ).focusDisparity)
      }
      #expect(abs(focus[29] - 0.4) < 0.01)
      #expect((abs(focus[30] - 0.9) < 0.01) == isCut)
    }
  }
}
