// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalMedia
import Foundation
import MovieKit
import Testing

@testable import FocalCapture

/// How sessions and their movies end where something does not go as it should.
@Suite struct SessionEndTests {
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
