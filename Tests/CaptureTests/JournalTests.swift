// SPDX-License-Identifier: Apache-2.0

import FocalCinematic
import FocalCore
import FocalMedia
import FocalScript
import Foundation
import MovieKit
import Testing

@testable import FocalCapture

/// Journals that are damaged, and those of sources that know no durations.
@Suite struct JournalTests {
  /// A copy of a recording that grows, with its journal, as a killed program leaves them.
  private struct Left {
    var recording: String
    var journal: String
    var lines: [Data]
  }

  private static func left(of path: String, as name: String) throws -> Left {
    let recording = InterruptedRecording.path(for: path)
    let copy = InterruptedRecording.path(for: name)
    try FileManager.default.copyItem(atPath: recording, toPath: copy)
    let bytes = try Data(contentsOf: URL(fileURLWithPath: ScriptJournal.path(of: recording)))
    return Left(
      recording: copy, journal: ScriptJournal.path(of: copy),
      lines: bytes.split(separator: UInt8(ascii: "\n")))
  }

  private static func write(_ lines: [Data], to path: String) throws {
    var bytes = Data()
    for line in lines { bytes += line + [UInt8(ascii: "\n")] }
    try bytes.write(to: URL(fileURLWithPath: path))
  }

  /// Cuts are part of the script; lines of older programs say nothing of them.
  @Test func cutsAreInTheScript() throws {
    var log = RecordingLog()
    for frame in 0..<6 {
      let cut = frame == 3 ? ", \"isCut\": true" : ""
      let line = """
        {"time": {"value": \(frame), "timescale": 30}, "duration": {"value": 1, "timescale": 30}, \
        "focusDisparity": 0.5, "found": [], "choices": []\(cut)}
        """
      log.add(try JSONDecoder().decode(RecordingEntry.self, from: Data(line.utf8)))
    }
    let recording = try log.recording(fNumber: 2.8, look: Look())
    #expect(recording.cuts == [TestScene.time(3)])
  }

  /// A line amid the others costs one frame its detections; the movie's focus stays.
  @Test func damagedLineCostsOneFrame() async throws {
    let rig = try Rig()
    let path = rig.path("movie.mov")
    try await rig.session.startRecording(CaptureRecording(editableMovie: path))
    try await rig.session.start()
    try await rig.give(0..<10)
    try await rig.session.setFixedFocus(at: NormalizedPoint(x: 0.1, y: 0.1), focusMode: .strong)
    try await rig.give(10..<60)
    let left = try Self.left(of: path, as: rig.path("cut.mov"))
    _ = try await rig.session.stopRecording()
    var lines = left.lines
    lines[3] = Data("{\"time\": 7".utf8)
    try Self.write(lines, to: left.journal)
    let error = await #expect(throws: CinematicError.self) {
      _ = try await InterruptedCapture.recover(left.recording)
    }
    #expect(error?.code == .malformed)
    let movie = try await MovieScript(asset: Asset(path: rig.path("cut.mov")))
    let count = movie.reader.frameCount
    #expect(error?.message.contains("\(count - 1) of its \(count) frames") == true)
    let script = try Script(recording: try #require(try movie.recording()))
    #expect(script.recording.frameTimes.count == count - 1)
    #expect(script.recording.userDecisions.count == 1)
    #expect(movie.reader.metadataGroupCount >= count - 1)
    let kept = "\(left.recording).1.focus"
    #expect(error?.message.contains(kept) == true)
    let names = try FileManager.default.contentsOfDirectory(atPath: rig.folder).sorted()
    #expect(names == ["cut.mov", "cut.recording.mov.1.focus", "movie.mov"])
    await rig.end()
  }

  /// A journal of which nothing can be read is said, and kept.
  @Test(arguments: ["", "{}\n", "{}\n{}\n", "no journal"])
  func unreadableJournalIsKept(_ text: String) async throws {
    let rig = try Rig()
    let path = rig.path("movie.mov")
    try await rig.session.startRecording(CaptureRecording(editableMovie: path))
    try await rig.session.start()
    try await rig.give(0..<20)
    let left = try Self.left(of: path, as: rig.path("cut.mov"))
    _ = try await rig.session.stopRecording()
    try Data(text.utf8).write(to: URL(fileURLWithPath: left.journal))
    let error = await #expect(throws: CinematicError.self) {
      _ = try await InterruptedCapture.recover(left.recording)
    }
    #expect(error?.code == .malformed)
    let movie = try await MovieScript(asset: Asset(path: rig.path("cut.mov")))
    #expect(movie.hasRenderingAttributes)
    #expect(movie.scriptData == nil)
    let kept = try Data(contentsOf: URL(fileURLWithPath: "\(left.recording).1.focus"))
    #expect(kept == Data(text.utf8))
    await rig.end()
  }

  /// What is damaged of an earlier recording is told, and keeps no later one of its name from beginning.
  @Test func damagedLeftoverRefusesNoRecording() async throws {
    let rig = try Rig()
    let path = rig.path("movie.mov")
    try await rig.session.startRecording(CaptureRecording(editableMovie: path))
    try await rig.session.start()
    try await rig.give(0..<20)
    let left = try Self.left(of: path, as: rig.path("again.mov"))
    _ = try await rig.session.stopRecording()
    try Data().write(to: URL(fileURLWithPath: left.journal))
    try await rig.session.startRecording(CaptureRecording(editableMovie: rig.path("again.mov")))
    let note = await event(of: rig.session) { event in
      if case .note(let text) = event { text } else { nil }
    }
    #expect(note?.contains("\(left.recording).1.focus") == true)
    try await rig.give(20..<22)
    let report = try await rig.session.stopRecording()
    #expect(report.movies.map(\.error) == [nil])
    #expect(try await FrameReader.open(rig.path("again-recovered.mov")).frameNumbers.count > 5)
    await rig.end()
  }

  /// Times that the source gives, and no durations.
  @Test func picturesWithoutDurationsAreRecorded() async throws {
    let rig = try Rig()
    let path = rig.path("movie.mov")
    try await rig.session.startRecording(CaptureRecording(editableMovie: path))
    try await rig.session.start()
    for frame in 0..<24 {
      var picture = try TestScene.picture(frame)
      picture.duration = frame % 2 == 0 ? .zero : Time(value: -1, timescale: 30)
      rig.source.give(picture)
      try await rig.settle(frame + 1)
      rig.clock.now = TestScene.time(frame + 1)
    }
    let report = try await rig.session.stopRecording()
    #expect(report.movies.map(\.error) == [nil])
    let usual = TestScene.properties.nominalFrameDuration
    #expect(report.duration == TestScene.time(23) + usual)
    let movie = try await MovieScript(asset: Asset(path: path))
    #expect(movie.reader.frameCount == 24)
    let script = try Script(recording: try #require(try movie.recording()))
    #expect(script.recording.frameTimes.count == 24)
    await rig.end()
  }

  /// A number that no journal can hold is called that: no room on a disk would help.
  @Test func numbersThatNoJournalHolds() throws {
    let folder = TemporaryFolder.make()
    defer { TemporaryFolder.remove(folder) }
    let journal = try ScriptJournal(for: "\(folder)/a.mov", fNumber: 4, look: Look())
    let text = """
      {"time": {"value": 0, "timescale": 30}, "duration": {"value": 1, "timescale": 30},
       "focusDisparity": 0.5, "found": [], "choices": []}
      """
    let sound = try JSONDecoder().decode(RecordingEntry.self, from: Data(text.utf8))
    try journal.add(sound)
    var odd = sound
    odd.focusDisparity = .nan
    let entry = odd
    let error = #expect(throws: CinematicError.self) { try journal.add(entry) }
    #expect(error?.code == .invalidParameter && error?.remedy == nil)
    #expect(try ScriptJournal.read(journal.path, frames: 2).frames.count == 1)
  }

  /// Journals of earlier versions hold durations of zero.
  @Test(arguments: [1, 2, 24]) func journalWithoutDurationsIsAScript(count: Int) throws {
    let folder = TemporaryFolder.make()
    defer { TemporaryFolder.remove(folder) }
    let journal = try ScriptJournal(for: "\(folder)/a.mov", fNumber: 4, look: Look())
    for frame in 0..<count {
      let text = """
        {"time": {"value": \(frame), "timescale": 30}, "duration": {"value": 0, "timescale": 1},
         "focusDisparity": 0.5, "found": [], "choices": []}
        """
      try journal.add(JSONDecoder().decode(RecordingEntry.self, from: Data(text.utf8)))
    }
    let contents = try ScriptJournal.read(journal.path, frames: count)
    #expect(contents.frames.count == count)
    let recording = try Recording(jsonRepresentation: Data(contents.script))
    #expect(recording.frameTimes.count == count)
    #expect(recording.timeRange.end > TestScene.time(count - 1))
  }
}
