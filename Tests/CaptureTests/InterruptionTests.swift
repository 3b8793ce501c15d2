// SPDX-License-Identifier: Apache-2.0

import FocalCinematic
import FocalCore
import FocalMedia
import FocalScript
import Foundation
import MovieKit
import Testing

@testable import FocalCapture

@Suite struct InterruptionTests {
  @Test func namesGoThereAndBack() {
    for path in ["a.mov", "/b/c.d/a.mp4", "./a.b.mov"] {
      let recording = InterruptedRecording.path(for: path)
      #expect(recording != path)
      #expect(InterruptedRecording.finalPath(of: recording) == path)
    }
    for path in ["a.mov", ".recording.mov", "recording", "a.recording/b.mov"] {
      #expect(InterruptedRecording.finalPath(of: path) == nil)
    }
  }

  /// A killed program leaves the file up to some byte: a write may be cut anywhere.
  @Test func recordingCutAnywhereBecomesWholeMovie() async throws {
    let format = SoundFormat(sampleRate: 48000, channelCount: 1)
    let rig = try Rig(sound: format)
    let path = rig.path("movie.mov")
    let baked = rig.path("film.mp4")
    try await rig.session.startRecording(
      CaptureRecording(editableMovie: path, bakedMovie: baked))
    try await rig.session.start()
    for frame in 0..<40 {
      rig.source.give(
        SoundBuffer(
          format: format, samples: [Float](repeating: 0.1, count: 1600),
          time: TestScene.time(frame)))
      try await rig.give(frame..<(frame + 1))
    }
    // Nothing bears a final name, and nobody else finishes what is being written.
    #expect(!FileManager.default.fileExists(atPath: path))
    let recording = InterruptedRecording.path(for: path)
    #expect(InterruptedRecording.isInProgress(recording))
    #expect(throws: CinematicError.self) { try InterruptedRecording.recover(recording) }

    let whole = try Data(contentsOf: URL(fileURLWithPath: recording))
    let film = try Data(contentsOf: URL(fileURLWithPath: InterruptedRecording.path(for: baked)))
    var generator = Seeded(state: 5)
    var most = 0
    for number in 0..<12 {
      let isFilm = number % 4 == 3
      let bytes = isFilm ? film : whole
      let cut = number == 0 ? bytes.count : Int.random(in: 0...bytes.count, using: &generator)
      let name = rig.path("cut\(number).\(isFilm ? "mp4" : "mov")")
      try bytes.prefix(cut).write(to: URL(fileURLWithPath: InterruptedRecording.path(for: name)))
      guard let recovered = try InterruptedRecording.recover(InterruptedRecording.path(for: name))
      else {
        // Not even the first fragment.
        #expect(cut < bytes.count / 3)
        continue
      }
      #expect(recovered == name)
      let reader = try await FrameReader.open(recovered)
      for frame in reader.frameNumbers { _ = try await reader.frame(number: frame) }
      #expect(reader.properties.hasAudio)
      guard !isFilm else { continue }
      let movie = try await MovieScript(asset: Asset(path: recovered))
      #expect(movie.info.capability == .renderable)
      #expect(movie.hasRenderingAttributes)
      most = max(most, movie.reader.frameCount)
    }
    // Of 40 frames at most a quarter of a second, and the samples that wait for the next one.
    #expect(most >= 30)
    _ = try await rig.session.stopRecording()
    #expect(try await FrameReader.open(path).frameNumbers.count == 40)
    await rig.end()
  }

  /// The lens is part of a recording, and of what is found of one that was cut off.
  @Test func looksAreRecorded() async throws {
    var look = Look()
    look.apertureBlades = 5
    look.blurScale = 0.4
    let rig = try Rig(look: look)
    let path = rig.path("movie.mov")
    try await rig.session.startRecording(CaptureRecording(editableMovie: path))
    try await rig.session.start()
    try await rig.give(0..<20)
    let (recording, cut) = (InterruptedRecording.path(for: path), rig.path("cut.recording.mov"))
    try FileManager.default.copyItem(atPath: recording, toPath: cut)
    try FileManager.default.copyItem(
      atPath: ScriptJournal.path(of: recording), toPath: ScriptJournal.path(of: cut))
    let recovered = try #require(try await InterruptedCapture.recover(cut))
    _ = try await rig.session.stopRecording()
    for name in [path, recovered] {
      let movie = try await MovieScript(asset: Asset(path: name))
      let found = try #require(try movie.recording()).look
      #expect(found.apertureBlades == 5 && found.blurScale == 0.4, "\(name)")
    }
    await rig.end()
  }

  @Test func decisionsSurvive() async throws {
    let rig = try Rig()
    let path = rig.path("movie.mov")
    try await rig.session.setSimulatedAperture(4)
    try await rig.session.startRecording(CaptureRecording(editableMovie: path))
    try await rig.session.start()
    try await rig.give(0..<10)
    try await rig.session.setFixedFocus(at: NormalizedPoint(x: 0.1, y: 0.1), focusMode: .strong)
    try await rig.give(10..<60)
    let (recording, cut) = (InterruptedRecording.path(for: path), rig.path("cut.recording.mov"))
    try FileManager.default.copyItem(atPath: recording, toPath: cut)
    let journal = try Data(contentsOf: URL(fileURLWithPath: ScriptJournal.path(of: recording)))
    // Its last line is half-written.
    try journal.dropLast(20).write(to: URL(fileURLWithPath: ScriptJournal.path(of: cut)))
    let recovered = try #require(try await InterruptedCapture.recover(cut))
    let movie = try await MovieScript(asset: Asset(path: recovered))
    #expect(movie.info.capability == .renderable)
    let script = try Script(recording: try #require(try movie.recording()))
    #expect(script.fNumber == 4)
    #expect(script.recording.userDecisions.map(\.isStrongDecision) == [true])
    #expect(script.recording.frameTimes.count == movie.reader.frameCount)
    for (frame, focus) in [(5, TestScene.near), (45, TestScene.far)] {
      let time = TestScene.time(frame)
      let found = try #require(script.frame(at: time, tolerance: TestScene.time(1)))
      #expect(abs(found.focusDisparity - focus) < 0.02, "at frame \(frame)")
    }
    _ = try await rig.session.stopRecording()
    let names = try FileManager.default.contentsOfDirectory(atPath: rig.folder).sorted()
    #expect(names == ["cut.mov", "movie.mov"])
    await rig.end()
  }

  /// Wherever it ends, the next one goes on: no movie bears the name without its script.
  @Test func recoveryThatEndsEarlyLosesNothing() async throws {
    let rig = try Rig()
    let path = rig.path("movie.mov")
    try await rig.session.startRecording(CaptureRecording(editableMovie: path))
    try await rig.session.start()
    try await rig.give(0..<30)
    let (recording, cut) = (InterruptedRecording.path(for: path), rig.path("cut.recording.mov"))
    for (from, to) in [
      (recording, cut), (ScriptJournal.path(of: recording), ScriptJournal.path(of: cut)),
    ] {
      try FileManager.default.copyItem(atPath: from, toPath: to)
    }
    _ = try await rig.session.stopRecording()
    // As a disk that is full, and as Ctrl-C: no file can be begun.
    let closed = TemporaryFiles()
    closed.removeAll()
    let error = await #expect(throws: CinematicError.self) {
      _ = try await InterruptedCapture.recover(cut, temporaryFiles: closed)
    }
    #expect(error?.code == .cancelled)
    let names = try FileManager.default.contentsOfDirectory(atPath: rig.folder).sorted()
    #expect(names == ["cut.recording.mov", "cut.recording.mov.focus", "movie.mov"])
    let recovered = try #require(try await InterruptedCapture.recover(cut))
    #expect(recovered == rig.path("cut.mov"))
    let movie = try await MovieScript(asset: Asset(path: recovered))
    let script = try Script(recording: try #require(try movie.recording()))
    #expect(script.recording.frameTimes.count == movie.reader.frameCount)
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: rig.folder).sorted()
        == ["cut.mov", "movie.mov"])
    await rig.end()
  }

  /// A journal without its recording is somebody's: it is kept under the first free name, and the movie gets one of its
  /// own.
  @Test func journalOfAnotherRecordingMovesAside() async throws {
    let rig = try Rig()
    let path = rig.path("movie.mov")
    let recording = InterruptedRecording.path(for: path)
    let journal = ScriptJournal.path(of: recording)
    let (taken, bytes) = (Data("older".utf8), Data("decisions".utf8))
    try taken.write(to: URL(fileURLWithPath: "\(recording).1.focus"))
    try bytes.write(to: URL(fileURLWithPath: journal))
    try await rig.session.startRecording(CaptureRecording(editableMovie: path))
    try await rig.session.start()
    try await rig.give(0..<3)
    let moved = await event(of: rig.session) { event in
      if case .journalMoved(let from, let to) = event { [from, to] } else { nil }
    }
    #expect(moved == [journal, "\(recording).2.focus"])
    #expect(try ScriptJournal.read(journal, frames: 3).frames.count == 3)
    let report = try await rig.session.stopRecording()
    #expect(report.movies.map(\.error) == [nil])
    let names = try FileManager.default.contentsOfDirectory(atPath: rig.folder).sorted()
    #expect(names == ["movie.mov", "movie.recording.mov.1.focus", "movie.recording.mov.2.focus"])
    #expect(try Data(contentsOf: URL(fileURLWithPath: "\(recording).1.focus")) == taken)
    #expect(try Data(contentsOf: URL(fileURLWithPath: "\(recording).2.focus")) == bytes)
    await rig.end()
  }

  @Test func leftoverIsFinishedBeforeTheNextRecordingOfItsName() async throws {
    let rig = try Rig()
    let path = rig.path("movie.mov")
    try await rig.session.startRecording(CaptureRecording(editableMovie: path))
    try await rig.session.start()
    try await rig.give(0..<20)
    let bytes = try Data(contentsOf: URL(fileURLWithPath: InterruptedRecording.path(for: path)))
    _ = try await rig.session.stopRecording()
    // The movie of the name is there; beside it lies what a killed program left.
    try bytes.write(to: URL(fileURLWithPath: InterruptedRecording.path(for: path)))
    var again = CaptureRecording(editableMovie: path)
    again.overwrite = true
    try await rig.session.startRecording(again)
    let recovered = await event(of: rig.session) { event in
      if case .recovered(let path) = event { path } else { nil }
    }
    #expect(recovered == rig.path("movie-recovered.mov"))
    try await rig.give(20..<22)
    _ = try await rig.session.stopRecording()
    #expect(try await FrameReader.open(path).frameNumbers.count == 2)
    #expect(try await FrameReader.open(rig.path("movie-recovered.mov")).frameNumbers.count > 5)
    await rig.end()
  }

  /// The next recording gets its name, and what was left of an earlier one another; a recording that is refused finishes
  /// nothing.
  @Test func leftoverLeavesTheNameToTheNextRecording() async throws {
    let rig = try Rig()
    let path = rig.path("movie.mov")
    let leftover = InterruptedRecording.path(for: path)
    try await rig.session.startRecording(CaptureRecording(editableMovie: path))
    try await rig.session.start()
    try await rig.give(0..<20)
    let bytes = try Data(contentsOf: URL(fileURLWithPath: leftover))
    _ = try await rig.session.stopRecording()
    try bytes.write(to: URL(fileURLWithPath: leftover))
    await #expect(throws: CinematicError.self) {
      try await rig.session.startRecording(CaptureRecording(editableMovie: path))
    }
    #expect(try Data(contentsOf: URL(fileURLWithPath: leftover)) == bytes)

    try FileManager.default.removeItem(atPath: path)
    try await rig.session.startRecording(CaptureRecording(editableMovie: path))
    let recovered = await event(of: rig.session) { event in
      if case .recovered(let path) = event { path } else { nil }
    }
    #expect(recovered == rig.path("movie-recovered.mov"))
    try await rig.give(20..<22)
    let report = try await rig.session.stopRecording()
    #expect(report.movies.map(\.error) == [nil])
    #expect(try await FrameReader.open(path).frameNumbers.count == 2)
    #expect(try await FrameReader.open(rig.path("movie-recovered.mov")).frameNumbers.count > 5)
    await rig.end()
  }

  /// A line that cannot be written is an error, once; those before it are kept.
  @Test func journalSaysWhatItCannotKeep() throws {
    let folder = TemporaryFolder.make()
    defer { TemporaryFolder.remove(folder) }
    let journal = try ScriptJournal(for: "\(folder)/a.mov", fNumber: 4, look: Look())
    var entry = try JSONDecoder().decode(
      RecordingEntry.self,
      from: Data(
        """
        {"time": {"value": 0, "timescale": 30}, "duration": {"value": 1, "timescale": 30},
         "focusDisparity": 0.5, "found": [], "choices": []}
        """.utf8))
    try journal.add(entry)
    entry.focusDisparity = .nan
    let error = #expect(throws: CinematicError.self) { try journal.add(entry) }
    #expect(error?.code == .invalidParameter)
    try journal.add(entry)
    let kept = try ScriptJournal.read(journal.path, frames: 3)
    #expect(kept.frames.map(\.focusDisparity) == [0.5])
  }

  @Test func otherFilesAreNoRecordings() throws {
    let folder = TemporaryFolder.make()
    defer { TemporaryFolder.remove(folder) }
    let path = "\(folder)/a.recording.mov"
    #expect(throws: CinematicError.self) { try InterruptedRecording.recover("\(folder)/a.mov") }
    #expect(throws: CinematicError.self) { try InterruptedRecording.recover(path) }
    try Data(repeating: 7, count: 1000).write(to: URL(fileURLWithPath: path))
    #expect(throws: CinematicError.self) { try InterruptedRecording.recover(path) }
    // A file that is no movie stays.
    #expect(FileManager.default.fileExists(atPath: path))
  }
}

/// A sequence of numbers that every run has (SplitMix64).
private struct Seeded: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var value = (state ^ (state >> 30)) &* 0xBF58_476D_1CE4_E5B9
    value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
    return value ^ (value >> 31)
  }
}
