// SPDX-License-Identifier: Apache-2.0

import FocalCPU
import FocalCore
import FocalEyes
import FocalMedia
import Foundation
import MovieKit
import Synchronization
import Testing

@testable import FocalCapture

/// How sessions and their movies end where something does not go as it should.
@Suite struct SessionEndTests {
  /// A call that goes on whatever is cancelled is left alone, and what it answers later changes nothing.
  @Test(.timeLimit(.minutes(10))) func stopDoesNotWaitForUncancellableProvider() async throws {
    let provider = UncancellableProvider()
    let rig = try Rig(provider: provider)
    let frames = await rig.session.bakedFrames()
    try await rig.session.start()
    for frame in 0..<3 { rig.source.give(try TestScene.picture(frame, hasMap: false)) }
    for _ in 0..<10000 where !provider.hasCaller { try await Task.sleep(for: .microseconds(500)) }
    await rig.session.stop()
    #expect(provider.hasCaller)
    #expect(await rig.session.phase == .over)
    for await _ in frames {}
    await rig.session.ended()
    provider.answer()
    try await Task.sleep(for: .milliseconds(50))
    #expect(provider.callCount == 1)
    #expect(await rig.session.statistics.analyzedFrameCount == 0)
    #expect(await rig.session.failure == nil)
    await rig.end()
  }

  /// One who waits for the end can give up: the session goes on. One who stops it waits whatever is cancelled.
  @Test(.timeLimit(.minutes(10))) func waitingForTheEndIsCancelled() async throws {
    let rig = try Rig()
    let session = rig.session
    try await session.start()
    let waiting = Task { await session.ended() }
    for _ in 0..<10000 {
      if await !session.waiters.isEmpty { break }
      try await Task.sleep(for: .microseconds(500))
    }
    waiting.cancel()
    await waiting.value
    #expect(await session.phase == .running)
    let late = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      await session.ended()
    }
    await late.value
    #expect(await session.waiters.isEmpty)
    let stopping = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      await session.stop()
    }
    await stopping.value
    #expect(await session.phase == .over)
    await rig.end()
  }

  /// Readers of a session that never ran.
  @Test(.timeLimit(.minutes(10))) func framesEndWithSessionThatWasNotStarted() async throws {
    let rig = try Rig()
    let frames = await rig.session.bakedFrames()
    let preview = try await rig.session.preview(maximumSide: 64)
    await rig.session.stop()
    for await _ in frames {}
    for await _ in preview {}
    await rig.end()

    let (dropped, shown) = try await Self.streamsOfDroppedSession()
    for await _ in dropped {}
    for await _ in shown {}
  }

  private static func streamsOfDroppedSession() async throws -> (
    AsyncStream<CapturedFrame>, AsyncStream<CapturedFrame>
  ) {
    let session = try CaptureSession(
      TestSource(), configuration: .init(devices: [.cpu(threadCount: 1)]), clock: TestClock())
    return (await session.bakedFrames(), try await session.preview(maximumSide: 64))
  }

  /// Pictures of a clock that is not the session's are no reason to say that none came.
  @Test func picturesFromBeforeTheRecordingAreSaid() async throws {
    let rig = try Rig()
    try await rig.session.start()
    rig.clock.now = Time(value: 100, timescale: 1)
    try await rig.session.startRecording(
      CaptureRecording(editableMovie: rig.path("movie.mov")))
    try await rig.give(0..<5)
    let report = try await rig.session.stopRecording()
    let error = try #require(report.movies.first?.error)
    #expect(error.code == .incomplete)
    #expect(error.message.contains("(5)"))
    #expect(error.message.contains("100.0 s"))
    #expect(error.remedy?.contains("clock") == true)
    await rig.end()
  }

  /// The part of a movie that failed is named where there is one, and its frames are those that count.
  @Test(arguments: [2, 40]) func whatIsKeptOfAFailedMovie(count: Int) async throws {
    let rig = try Rig()
    let path = rig.path("movie.mov")
    try await rig.session.startRecording(CaptureRecording(editableMovie: path))
    try await rig.session.start()
    try await rig.give(0..<count)
    // Two pictures at one time.
    rig.source.give(try TestScene.picture(count - 1))
    try await rig.settle(count + 1)
    let recording = InterruptedRecording.path(for: path)
    let kept = await event(of: rig.session) { event in
      if case .movieFailed(_, let kept, _) = event { kept ?? "nothing" } else { nil }
    }
    // The first fragment holds a quarter of a second.
    #expect(kept == (count == 2 ? "nothing" : recording))
    let report = try await rig.session.stopRecording()
    let movie = try #require(report.movies.first)
    #expect(movie.error != nil)
    #expect(report.frameCount == movie.frameCount)
    #expect(report.duration == TestScene.time(movie.frameCount))
    let names = try FileManager.default.contentsOfDirectory(atPath: rig.folder).sorted()
    if count == 2 {
      #expect(movie.frameCount == 0)
      #expect(names.isEmpty)
    } else {
      #expect(names == ["movie.recording.mov", "movie.recording.mov.focus"])
      let recovered = try #require(try await InterruptedCapture.recover(recording))
      let frames = try await FrameReader.open(recovered).frameNumbers
      #expect(frames.count == movie.frameCount)
      #expect(movie.frameCount > 20 && movie.frameCount <= count)
    }
    await rig.end()
  }
}

/// A provider whose calls heed no cancellation: each waits for the test.
final class UncancellableProvider: DisparityProvider {
  let name = "a provider that cannot be cancelled"
  private let state = Mutex<(caller: CheckedContinuation<Void, Never>?, count: Int)>(
    (caller: nil, count: 0))

  var hasCaller: Bool { state.withLock { $0.caller != nil } }
  var callCount: Int { state.withLock { $0.count } }

  func answer() {
    let caller = state.withLock { state in
      defer { state.caller = nil }
      return state.caller
    }
    caller?.resume()
  }

  func estimate(_ input: EstimationInput) async throws(CinematicError) -> DisparityEstimate {
    await withCheckedContinuation { (caller: CheckedContinuation<Void, Never>) in
      state.withLock { state in
        state.caller = caller
        state.count += 1
      }
    }
    do {
      return DisparityEstimate(map: try TestScene.map(0), kind: .metric)
    } catch {
      throw CinematicError(.unknown, "\(error)")
    }
  }
}
