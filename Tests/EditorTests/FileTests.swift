// SPDX-License-Identifier: Apache-2.0

import FocalCinematic
import FocalCore
import FocalMedia
import FocalScript
import Foundation
import MovieKit
import Testing

@testable import FocalEditor

/// Files that are others than the editor may take them for.
@Suite(.enabled(if: EncodedClip.isPossible, "this FFmpeg has no libx265"))
struct FileTests {
  /// A movie that is replaced takes no further step of the one that is open, and is opened anew when it is asked for.
  @Test func replacedMovies() async throws {
    let studio = try Studio()
    try await studio.serving { address in
      let page = try await Page(address, cookie: try await address.cookie())
      let first = try await page.open().document["opening"] as? String
      _ = try await page.state(after: ["name": "fNumber", "value": 4])
      let next = studio.folder + "/next"
      try FileManager.default.copyItem(atPath: studio.movie, toPath: next)
      #expect(rename(next, studio.movie) == 0)
      for command in [
        ["name": "fNumber", "value": 8], ["name": "save"], ["name": "saveAs", "file": "other"],
        ["name": "follow", "frame": 1, "x": 0.5, "y": 0.9],
        ["name": "export", "preset": "preview", "file": "a.mp4"],
      ] as [[String: Any]] {
        try await page.send(command)
        let failure = try await page.next("failure")
        let message = failure["message"] as? String ?? ""
        #expect(message.contains("movie.mov was replaced"), "\(command): \(message)")
        #expect(failure["remedy"] as? String == "open it again")
      }
      let (document, state) = try await page.open()
      let opening = document["opening"] as? String
      #expect(opening != nil && opening != first)
      // It has the same script: what was edited is there.
      #expect(State(state).fNumber == 4 && State(state).isUnsaved)
      #expect(try await page.state(after: ["name": "fNumber", "value": 8]).fNumber == 8)
      // One that is gone has not become another.
      try FileManager.default.removeItem(atPath: studio.movie)
      #expect(try await page.state(after: ["name": "fNumber", "value": 16]).fNumber == 16)
    }
    #expect(studio.names == ["movie.focus.journal"])
  }

  /// A page of a movie that could not be opened anew at first is told as soon as it is open, by whatever opens it.
  @Test(arguments: [false, true]) func replacedTwice(isPicture: Bool) async throws {
    let studio = try Studio()
    try await studio.serving { address in
      let page = try await Page(address, cookie: try await address.cookie())
      let first = try await page.open().document["opening"] as? String
      for number in [4, 8] as [Double] {
        _ = try await page.state(after: ["name": "fNumber", "value": number])
      }
      let movie = try #require(FileManager.default.contents(atPath: studio.movie))
      let place = URL(fileURLWithPath: studio.movie)
      try Data(repeating: 7, count: 9000).write(to: place)
      try await page.send(["name": "open", "movie": 0])
      _ = try await page.next("failure")
      try movie.write(to: place)
      if isPicture {
        let wish = "/frame?movie=0&frame=3&width=96&height=64&quality=thumbnail&line=a"
        let answer = try await address.get(wish, cookie: try await address.cookie())
        #expect(answer.status == 200)
      }
      try await page.send(["name": "fNumber", "value": 16])
      let opening = try await page.next("document")["opening"] as? String
      #expect(opening != nil && opening != first)
      var state = State(try await page.next("state"))
      while state.revision == 0 { state = State(try await page.next("state")) }
      #expect(state.revision == 1 && state.fNumber == 16)
      #expect(try await page.state(after: ["name": "undo"]).fNumber == 8)
    }
  }

  /// What a command lacks is named; it is no number that is wrong.
  @Test func incompleteCommands() async throws {
    let studio = try Studio()
    try await studio.serving { address in
      let page = try await Page.opened(address)
      for (name, field) in [
        ("fNumber", "value"), ("takeBack", "decision"), ("removeTrack", "track"), ("look", "look"),
      ] {
        try await page.send(["name": name])
        let message = try await page.next("failure")["message"] as? String
        #expect(message == "the command \(name) of the page lacks '\(field)'")
      }
    }
  }

  /// A second editor's edits are kept once the first has ended, and the first one's that were never saved are among its steps.
  @Test func journalOfAnEditorThatEnded() async throws {
    let studio = try Studio()
    try await studio.serving { address in
      let late = try await Page.opened(address)
      try await studio.serving { other in
        let early = try await Page.opened(other)
        _ = try await early.state(after: ["name": "fNumber", "value": 4])
        try await late.send(["name": "fNumber", "value": 8])
        let held = try await late.next("state")["journalFailure"] as? String
        #expect(held?.contains("in use") == true)
      }
      try await late.send(["name": "fNumber", "value": 16])
      let note = try await late.next("notice")["message"] as? String
      #expect(note?.contains("undo leads to them") == true)
      let state = try await late.next("state")
      #expect(state["journalFailure"] == nil)
    }
    #expect(studio.names == ["movie.focus.journal", "movie.mov"])
    try await studio.serving { address in
      let page = try await Page(address, cookie: try await address.cookie())
      let state = State(try await page.open().state)
      #expect(state.fNumber == 16 && state.isUnsaved)
      for number in [4, 16, 8] as [Double] {
        #expect(try await page.state(after: ["name": "undo"]).fNumber == number)
      }
    }
  }

  /// Changes in a folder that is not there could not be saved.
  @Test func changesInNoFolder() async throws {
    let studio = try Studio()
    try await studio.serving(changes: studio.folder + "/none/a.focus") { address in
      let page = try await Page(address, cookie: try await address.cookie())
      try await page.send(["name": "open", "movie": 0])
      let message = try await page.next("failure")["message"] as? String ?? ""
      #expect(message.contains("there is no folder \(studio.folder)/none"), "\(message)")
    }
  }

  /// A movie that is named twice, or found behind a link, is one.
  @Test func filesAreListedOnce() throws {
    let folder = TemporaryFolder.make()
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let files = FileManager.default
    try files.createDirectory(
      atPath: folder + "/a/maps", withIntermediateDirectories: true)
    for name in ["/a/m.mov", "/a/maps/0001.png"] {
      #expect(files.createFile(atPath: folder + name, contents: Data()))
    }
    #expect(symlink("a", folder + "/b") == 0)
    let (movie, link) = (folder + "/a/m.mov", folder + "/b/m.mov")
    var catalog = Catalog(
      movies: [movie, movie, link], folders: [folder + "/b", folder + "/a"])
    catalog.refresh()
    #expect(catalog.movies == [movie])
    #expect(catalog.clips == [link])
    #expect(catalog.maps == [link, folder + "/b/maps/%04d.png"])
  }

  /// A decision between two frames comes into force with the second one, where the page shows it.
  @Test func decisionsBetweenFrames() async throws {
    let studio = try Studio()
    let movie = try await MovieScript(asset: Asset(path: studio.movie))
    let script = try Script(recording: try #require(try movie.recording()))
    let time = Time(value: 7 * 20 + 5, timescale: 600)
    script.addUserDecision(Decision(time: time, detectionID: DetectionID(2), strong: true))
    try script.changes().dataRepresentation.write(to: URL(fileURLWithPath: studio.changes))
    try await studio.serving { address in
      let page = try await Page(address, cookie: try await address.cookie())
      let state = try await page.open().state
      #expect(State(state).user == ["8s[2]"])
      let focus = state["focus"] as? [[String: Any]] ?? []
      let ends = focus.compactMap { $0["end"] as? Int }
      #expect(ends.first == 8)
      #expect(focus.dropFirst().first?["start"] as? Int == 8)
    }
  }

  /// Two jobs do not write one file, and an ending in capitals is one.
  @Test func resultsOfOneName() async throws {
    let studio = try Studio()
    let script = studio.folder + "/program.sh"
    _ = FileManager.default.createFile(atPath: script, contents: Data("exec sleep 600".utf8))
    try await studio.serving(program: ("/bin/sh", [script])) { address in
      let page = try await Page.opened(address)
      let export: [String: Any] = ["name": "export", "preset": "preview", "file": "a.MP4"]
      try await page.send(export)
      let jobs = try await page.next("jobs")["jobs"] as? [[String: Any]]
      #expect(jobs?.first?["title"] as? String == "a.MP4")
      for isForced in [false, true] {
        try await page.send(export.merging(["replace": isForced]) { _, new in new })
        let message = try await page.next("failure")["message"] as? String ?? ""
        #expect(message.contains("a.MP4 is being written already"), "\(message)")
      }
      try await page.send(["name": "importClip", "clip": 0, "file": "movie"])
      let taken = try await page.next("failure")["message"] as? String
      #expect(taken == "movie.mov is there already")
    }
  }

  /// A job that something else ends has a note that says so; one that says why itself has none.
  @Test(arguments: [
    ("kill -KILL $$", "signal 9), perhaps for want of memory"), ("kill -TERM $$", "by signal 15"),
    ("echo 'focal: no room'; exit 3", "no room"),
  ])
  func jobsThatAreEnded(script: String, said: String) async throws {
    let studio = try Studio()
    let path = studio.folder + "/program.sh"
    _ = FileManager.default.createFile(atPath: path, contents: Data(script.utf8))
    try await studio.serving(program: ("/bin/sh", [path])) { address in
      let page = try await Page.opened(address)
      try await page.send(["name": "export", "preset": "preview", "file": "a.mp4"])
      var job: [String: Any] = [:]
      while job["state"] as? String != "failed" {
        job = (try await page.next("jobs")["jobs"] as? [[String: Any]])?.first ?? [:]
      }
      let notes = job["notes"] as? [String] ?? []
      #expect(notes.count == 1 && notes.first?.contains(said) == true, "\(notes)")
    }
  }

  /// In and out are of exports: a movie with the changes has all frames, which is said where a range is set.
  @Test func movieWithTheChangesOfARange() async throws {
    let studio = try Studio()
    let path = studio.folder + "/program.sh"
    _ = FileManager.default.createFile(
      atPath: path, contents: Data(#"echo "$*" >> "${0%.sh}.txt""#.utf8))
    try await studio.serving(program: ("/bin/sh", [path])) { address in
      let page = try await Page.opened(address)
      try await page.send(["name": "apply", "file": "whole"])
      _ = try await page.state(after: ["name": "range", "start": 3, "end": 9])
      try await page.send(["name": "apply", "file": "part"])
      let notice = try await page.next("notice")["message"] as? String
      #expect(notice == "part.mov gets all frames: in and out are of exports alone")
      try await page.send(["name": "export", "preset": "preview", "file": "a.mp4"])
      var done = 0
      while done < 3 {
        let jobs = try await page.next("jobs")["jobs"] as? [[String: Any]] ?? []
        done = jobs.count { $0["state"] as? String == "done" }
      }
    }
    let said = try String(contentsOfFile: studio.folder + "/program.txt", encoding: .utf8)
    for line in said.split(separator: "\n") {
      #expect(line.contains("--range") == line.hasPrefix("export "), "\(line)")
    }
  }

  /// The bounds of a rack are said.
  @Test func racksThatAreTooLong() async throws {
    try await Studio().serving { address in
      let page = try await Page(address, cookie: try await address.cookie())
      let decisions = try await page.open().state["decisions"] as? [[String: Any]]
      let key = try #require(decisions?.first?["key"] as? [String: Any])
      try await page.send(["name": "rack", "decision": key, "seconds": 5000])
      let failure = try await page.next("failure")
      #expect((failure["message"] as? String)?.contains("5000") == true)
      #expect((failure["remedy"] as? String)?.contains("0 to 3600 s") == true)
    }
  }
}
