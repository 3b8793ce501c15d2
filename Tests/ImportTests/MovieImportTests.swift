// SPDX-License-Identifier: Apache-2.0

import FocalCinematic
import FocalCore
import FocalImport
import FocalMedia
import FocalScript
import Foundation
import Testing

/// Clips that become Cinematic movies by a call.
@Suite struct MovieImportTests {
  private static func wanted(_ folder: ImportFolder, _ name: String) -> MovieImport {
    var wanted = MovieImport(
      of: folder.file("clip/%d.png"), to: folder.file(name), map: .estimated(folder.estimation))
    wanted.focus = .directed(folder.detectors)
    return wanted
  }

  private static func recording(_ path: String) async throws -> Recording {
    let movie = try await MovieScript(asset: Asset.named(path))
    return try #require(try movie.recording())
  }

  /// Cancelled among the maps, and then among the detections, the same import goes on, and makes what one without an end
  /// does.
  @Test func goesOnAfterCancellations() async throws {
    let folder = try ImportFolder()
    let wanted = Self.wanted(folder, "m.mov")
    let first = EventLog(cancellingAfter: (.maps, 5))
    let ended = await failure { () async throws(CinematicError) in
      try await wanted.run { first.add($0) }
    }
    #expect(ended?.code == .cancelled, "\(ended?.description ?? "no error")")
    let maps = folder.names(in: "m.mov.maps").filter { $0.hasSuffix(".exr") }
    #expect((5..<12).contains(maps.count), "\(maps)")
    #expect(!folder.names().contains("m.mov"))
    let stays = first.notes.contains { $0.contains("the estimated maps stay in") }
    #expect(stays, "\(first.notes)")

    let second = EventLog(cancellingAfter: (.detections, 4))
    let again = await failure { () async throws(CinematicError) in
      try await wanted.run { second.add($0) }
    }
    #expect(again?.code == .cancelled, "\(again?.description ?? "no error")")
    let goesOn = second.notes.contains { $0.contains("going on with the maps in") }
    #expect(goesOn, "\(second.notes)")
    #expect(folder.names(in: "m.mov.maps").filter { $0.hasSuffix(".exr") }.count == 12)

    let log = EventLog()
    let result = try await inTask { () async throws(CinematicError) in
      try await wanted.run { log.add($0) }
    }
    let detects = log.notes.contains { $0.contains("going on with the detections of 4 frames") }
    #expect(detects, "\(log.notes)")
    #expect(result.notes == log.notes)
    #expect(folder.names().filter { $0.hasPrefix("m.") } == ["m.mov"])
    #expect(result.frameCount == ImportFolder.frameCount)
    #expect(result.dimensions == ImportFolder.size)
    #expect(!result.copiesPictures)
    #expect(result.script == "the director")

    let through = try await Self.wanted(folder, "n.mov").run()
    #expect(through.disparity == result.disparity)
    let made = try await Self.recording(folder.file("m.mov"))
    let expected = try await Self.recording(folder.file("n.mov"))
    #expect(made.detectionTracks.map(\.detectionType) == [.humanFace])
    #expect(expected.detectionTracks.map(\.detectionType) == [.humanFace])
    #expect(made.baseDecisions == expected.baseDecisions)
  }

  /// Files that a killed import had not finished are its own, whatever machine's and process's they are.
  @Test func unfinishedFilesOfAKilledImport() async throws {
    let folder = try ImportFolder()
    let left = ".focal-0a1b-2c3d-7-0.tmp"
    try folder.make("m.mov.maps")
    try folder.write(to: "m.mov.maps/\(left)")
    let wanted = Self.wanted(folder, "m.mov")
    let first = EventLog(cancellingAfter: (.maps, 5))
    let ended = await failure { () async throws(CinematicError) in
      try await wanted.run { first.add($0) }
    }
    #expect(ended?.code == .cancelled, "\(ended?.description ?? "no error")")
    try folder.write(to: "m.mov.maps/\(left)")
    let result = try await wanted.run()
    let stays = result.notes.contains { $0.contains("stays") }
    #expect(!stays, "\(result.notes)")
    #expect(folder.names().filter { $0.hasPrefix("m.") } == ["m.mov"])
  }

  /// Another's file stays, which is said, and the next import takes the folder.
  @Test func anothersFileBesideTheMaps() async throws {
    let folder = try ImportFolder()
    var wanted = Self.wanted(folder, "m.mov")
    wanted.overwrites = true
    for isFirst in [true, false] {
      let result = try await wanted.run { event in
        guard isFirst, case .progress(let progress) = event else { return }
        if progress.stage == .movie { try? folder.write(to: "m.mov.maps/mine.txt") }
      }
      let words = "m.mov.maps stays: it holds mine.txt, which is not of this program"
      let stays = result.notes.contains { $0.hasSuffix(words) }
      #expect(stays, "\(result.notes)")
      #expect(folder.names(in: "m.mov.maps") == ["estimate.json", "mine.txt"])
    }
  }

  /// Each stage begins with 0, counts every frame, and ends.
  @Test func tellsEveryFrameOfEveryStage() async throws {
    let folder = try ImportFolder()
    let wanted = Self.wanted(folder, "m.mov")
    let log = EventLog()
    try await wanted.run { log.add($0) }
    var stages: [ImportProgress.Stage] = []
    for progress in log.progress where progress.completedFrames == 0 {
      stages.append(progress.stage)
    }
    #expect(stages == [.maps, .detections, .movie])
    for stage in stages {
      let reports = log.progress.filter { $0.stage == stage }
      let counts = reports.map(\.completedFrames)
      #expect(counts == Array(0...12) + [12], "\(stage): \(counts)")
      #expect(reports.map(\.isFinished).firstIndex(of: true) == 13)
      #expect(reports.last?.frameCount == 12)
    }
  }

  /// Two imports in one process keep their maps apart.
  @Test func importsAtTheSameTime() async throws {
    let folder = try ImportFolder()
    async let first = Self.wanted(folder, "a.mov").run()
    async let second = Self.wanted(folder, "b.mov").run()
    let both = try await [first, second]
    #expect(both.map(\.frameCount) == [12, 12])
    #expect(folder.names().filter { $0.contains(".maps") }.isEmpty)
    let recordings = [
      try await Self.recording(folder.file("a.mov")),
      try await Self.recording(folder.file("b.mov")),
    ]
    #expect(recordings[0].baseDecisions == recordings[1].baseDecisions)
  }

  /// Maps that were made before, and one focus.
  @Test func takesMapsThatAreThere() async throws {
    let folder = try ImportFolder()
    try FileManager.default.createDirectory(
      atPath: folder.file("maps"), withIntermediateDirectories: false)
    var maps = MapEstimation(
      of: folder.file("clip/%d.png"), to: folder.file("maps/%d.exr"), by: folder.estimation)
    maps.resumes = true
    let log = EventLog(cancellingAfter: (.maps, 4))
    let ended = await failure { [maps] () async throws(CinematicError) in
      try await maps.run { log.add($0) }
    }
    #expect(ended?.code == .cancelled, "\(ended?.description ?? "no error")")
    let some = folder.names(in: "maps").filter { $0.hasSuffix(".exr") }
    #expect((4..<12).contains(some.count), "\(some)")
    let made = try await maps.run()
    #expect(made.frameCount == 12)
    #expect(made.way == "command")
    #expect(folder.names(in: "maps").count == 12)

    var wanted = MovieImport(
      of: folder.file("clip/%d.png"), to: folder.file("m.mov"),
      map: .given(MovieImport.GivenMap(folder.file("maps/%d.exr"))))
    wanted.focus = .choice(.disparity(0.25))
    wanted.look = Look()
    wanted.look?.blurScale = 0.5
    let result = try await wanted.run()
    #expect(result.script == nil)
    let recording = try await Self.recording(folder.file("m.mov"))
    #expect(recording.look.blurScale == 0.5)
    let frame = try Script(recording: recording).frame(shownAt: Time(value: 7, timescale: 30))
    #expect(frame?.focusDisparity == 0.25)
  }

  /// Values that do not go together are refused before anything is made.
  @Test func refusesWhatDoesNotGoTogether() async throws {
    let folder = try ImportFolder()
    let before = folder.names()
    func refused(
      _ code: CinematicError.Code, _ word: String, _ change: (inout MovieImport) -> Void
    ) async {
      var wanted = Self.wanted(folder, "m.mov")
      change(&wanted)
      let error = await failure { [wanted] () async throws(CinematicError) in
        try await wanted.run()
      }
      #expect(error?.code == code, "\(word): \(error?.description ?? "no error")")
      #expect(error?.message.contains(word) == true, "\(error?.description ?? "no error")")
    }
    await refused(.invalidParameter, "one is given") {
      $0.map = .given(MovieImport.GivenMap(folder.file("clip/%d.png")))
    }
    await refused(.invalidParameter, "never written over") { $0.output = folder.file("clip/3.png") }
    await refused(.invalidParameter, "f-number") { $0.fNumber = .infinity }
    await refused(.invalidParameter, "frames of") { $0.reading.frames = 2...4 }
    await refused(.invalidParameter, "every 0 pictures") {
      $0.map = .estimated(Estimation())
      if case .estimated(var estimation) = $0.map {
        estimation.interval = 0
        $0.map = .estimated(estimation)
      }
    }
    #expect(folder.names() == before)
  }

  /// Texts of the library name its parameters.
  @Test func namesParameters() async throws {
    let folder = try ImportFolder()
    var estimation = folder.estimation
    estimation.way = .people
    let maps = MapEstimation(
      of: folder.file("clip/%d.png"), to: folder.file("%d.exr"), by: estimation)
    let error = await failure { () async throws(CinematicError) in try await maps.run() }
    #expect(error?.message == "Estimation.helper says nothing for disparity by people")
    #expect(error?.remedy == "leave it out, or choose another way with Estimation.way")
    let options = ["Estimation.helper": "--helper", "Estimation.way": "--estimate"]
    let told = error?.description { options[$0.rawValue] ?? "" }
    let expected =
      "--helper says nothing for disparity by people; leave it out, or choose another way with --estimate"
    #expect(told == expected)
  }
}
