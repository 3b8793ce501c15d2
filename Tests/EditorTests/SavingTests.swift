// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalMedia
import FocalScript
import Foundation
import MovieKit
import Synchronization
import Testing

@testable import FocalEditor

/// What is saved, where, and what is there again.
@Suite(.enabled(if: EncodedClip.isPossible, "this FFmpeg has no libx265"))
struct SavingTests {
  /// What was saved last is open the next time, whatever its name; the terminal and the page say so.
  @Test func savedUnderAnotherName() async throws {
    let studio = try Studio()
    let said = Mutex<[String]>([])
    try await studio.serving(announce: { line in said.withLock { $0.append(line) } }) { address in
      let page = try await Page.opened(address)
      _ = try await page.state(after: ["name": "fNumber", "value": 4])
      _ = try await page.state(after: ["name": "save"])
      _ = try await page.state(after: ["name": "fNumber", "value": 8])
      try await page.send(["name": "saveAs", "file": "other"])
      let document = try await page.next("document")
      #expect(document["changes"] as? String == "other.focus")
      #expect((document["notes"] as? [String])?.isEmpty == true)
      let notice = try await page.next("notice")
      #expect((notice["message"] as? String)?.contains("other.focus") == true)
    }
    #expect(studio.names == ["movie.focus", "movie.mov", "other.focus"])
    let lines = said.withLock { $0 }
    #expect(lines.count == 1 && lines[0].contains(studio.folder + "/other.focus"))
    let again = Mutex<[String]>([])
    try await studio.serving(announce: { line in again.withLock { $0.append(line) } }) { address in
      let page = try await Page(address, cookie: try await address.cookie())
      let (document, state) = try await page.open()
      #expect(document["changes"] as? String == "other.focus")
      let notes = (document["notes"] as? [String])?.joined() ?? ""
      #expect(notes.contains("other.focus") && notes.contains("movie.focus"))
      #expect(State(state).fNumber == 8 && !State(state).isUnsaved)
    }
    #expect(again.withLock { $0 }.joined().contains("other.focus"))
    // A file that is named is that file; from then on it is the latest.
    try await studio.serving(changes: studio.changes) { address in
      let page = try await Page(address, cookie: try await address.cookie())
      let (document, state) = try await page.open()
      #expect(document["changes"] as? String == "movie.focus" && State(state).fNumber == 4)
      _ = try await page.state(after: ["name": "fNumber", "value": 5.6])
      _ = try await page.state(after: ["name": "save"])
    }
    // Changes of other movies are none of this one's, however new.
    _ = FileManager.default.createFile(
      atPath: studio.folder + "/strange.focus", contents: Data("FOCC nonsense".utf8))
    try await studio.serving { address in
      let page = try await Page(address, cookie: try await address.cookie())
      let (document, _) = try await page.open()
      #expect(document["changes"] as? String == "movie.focus")
      let notes = (document["notes"] as? [String])?.joined() ?? ""
      #expect(notes.contains("other.focus") && !notes.contains("strange"))
    }
  }

  /// Edits that were not saved are there again, also where an older file lies beside them.
  @Test func unsavedBesideAnOlderFile() async throws {
    let studio = try Studio()
    try await studio.serving { address in
      let page = try await Page.opened(address)
      _ = try await page.state(after: ["name": "fNumber", "value": 4])
      try await page.send(["name": "saveAs", "file": "other"])
      _ = try await page.next("notice")
    }
    try await studio.serving(changes: studio.changes) { address in
      let page = try await Page.opened(address)
      _ = try await page.state(after: ["name": "fNumber", "value": 11])
    }
    #expect(studio.names == ["movie.focus.journal", "movie.mov", "other.focus"])
    try await studio.serving { address in
      let page = try await Page(address, cookie: try await address.cookie())
      let (document, state) = try await page.open()
      #expect(document["changes"] as? String == "movie.focus")
      #expect(State(state).fNumber == 11 && State(state).isUnsaved)
    }
  }

  /// Blur scale and aperture are part of the changes.
  @Test func lookIsSaved() async throws {
    let studio = try Studio()
    try await studio.serving { address in
      let page = try await Page.opened(address)
      let edited = try await page.state(
        after: ["name": "look", "look": ["blurScale": 0.25, "blades": 6, "squeeze": 1.5]])
      #expect(edited.isUnsaved)
      let saved = try await page.state(after: ["name": "save"])
      #expect(!saved.isUnsaved)
    }
    #expect(studio.names == ["movie.focus", "movie.mov"])
    try await studio.serving { address in
      let page = try await Page(address, cookie: try await address.cookie())
      let look = try await page.open().state["look"] as? [String: Any]
      #expect(look?["blurScale"] as? Double == 0.25 && look?["blades"] as? Int == 6)
      #expect(look?["squeeze"] as? Double == 1.5)
    }
  }

  /// In and out can be saved, and the page says where they are.
  @Test func rangeIsKept() async throws {
    let studio = try Studio()
    try await studio.serving { address in
      let page = try await Page.opened(address)
      let edited = try await page.state(after: ["name": "range", "start": 3, "end": 9])
      #expect(edited.isUnsaved)
      try await page.send(["name": "save"])
      let notice = try await page.next("notice")
      #expect(
        (notice["message"] as? String)?.contains("movie.focus cannot hold in and out") == true)
      #expect(!State(try await page.next("state")).isUnsaved)
    }
    #expect(studio.names == ["movie.focus", "movie.focus.journal", "movie.mov"])
    try await studio.serving { address in
      let page = try await Page(address, cookie: try await address.cookie())
      let (_, state) = try await page.open()
      #expect(state["range"] as? [Int] == [3, 9] && !State(state).isUnsaved)
      _ = try await page.state(after: ["name": "range"])
    }
    #expect(studio.names == ["movie.focus", "movie.mov"])
  }

  /// Undo leads to what was recorded, also after edits that are in the changes file by then.
  @Test func undoBeyondWhatWasSaved() async throws {
    let studio = try Studio()
    let recorded = Mutex(0.0)
    try await studio.serving { address in
      let page = try await Page(address, cookie: try await address.cookie())
      let number = State(try await page.open().state).fNumber
      recorded.withLock { $0 = number }
      _ = try await page.state(after: ["name": "fNumber", "value": 11])
      _ = try await page.state(after: ["name": "range", "start": 3, "end": 9])
      _ = try await page.state(after: ["name": "save"])
    }
    let first = recorded.withLock { $0 }
    try await studio.serving { address in
      let page = try await Page.opened(address)
      let withoutRange = try await page.state(after: ["name": "undo"])
      #expect(withoutRange.fNumber == 11 && withoutRange.canUndo)
      let undone = try await page.state(after: ["name": "undo"])
      #expect(undone.fNumber == first && !undone.canUndo && undone.isUnsaved)
    }
    // It is not saved, and there again.
    #expect(studio.names == ["movie.focus", "movie.focus.journal", "movie.mov"])
    try await studio.serving { address in
      let page = try await Page(address, cookie: try await address.cookie())
      let state = State(try await page.open().state)
      #expect(state.fNumber == first && state.isUnsaved && !state.canUndo)
    }
  }

  /// Unsaved edits are there again beside a file that another program has written meanwhile, which undo leads to.
  @Test func savedElsewhereMeanwhile() async throws {
    let studio = try Studio()
    try await studio.serving(changes: studio.folder + "/other.focus") { address in
      let page = try await Page.opened(address)
      _ = try await page.state(after: ["name": "fNumber", "value": 8])
      _ = try await page.state(after: ["name": "save"])
    }
    try await studio.serving(changes: studio.changes) { address in
      let page = try await Page.opened(address)
      _ = try await page.state(after: ["name": "fNumber", "value": 11])
    }
    try FileManager.default.moveItem(
      atPath: studio.folder + "/other.focus", toPath: studio.changes)
    for _ in 0..<2 {
      try await studio.serving { address in
        let page = try await Page.opened(address)
        let undone = try await page.state(after: ["name": "undo"])
        #expect(undone.fNumber == 8 && !undone.isUnsaved && undone.canUndo)
        let redone = try await page.state(after: ["name": "redo"])
        #expect(redone.fNumber == 11 && redone.isUnsaved)
      }
    }
  }

  /// Changes that were deleted while they are open are written anew; what another program writes in their place is kept.
  @Test func deletedMeanwhile() async throws {
    let studio = try Studio()
    try await studio.serving { address in
      let page = try await Page.opened(address)
      _ = try await page.state(after: ["name": "fNumber", "value": 8])
      _ = try await page.state(after: ["name": "save"])
      try FileManager.default.removeItem(atPath: studio.changes)
      _ = try await page.state(after: ["name": "fNumber", "value": 11])
      try await page.send(["name": "save"])
      var reply = try await page.next()
      while reply["type"] as? String != "failure", reply["isUnsaved"] as? Bool != false {
        reply = try await page.next()
      }
      #expect(reply["type"] as? String == "state", "\(reply)")
      let saved = try #require(FileManager.default.contents(atPath: studio.changes))
      _ = try Script.Changes(dataRepresentation: saved)
      try Data("foreign".utf8).write(to: URL(fileURLWithPath: studio.changes))
      _ = try await page.state(after: ["name": "fNumber", "value": 4])
      try await page.send(["name": "save"])
      let failure = try await page.next("failure")
      #expect((failure["message"] as? String)?.contains("another program") == true)
    }
  }

  /// Makes a file as large as its file system lets any be, so that nothing can be added to it: the disk is as good as full.
  private static func fill(_ path: String) {
    var (possible, impossible) = (0, Int.max)
    while impossible - possible > 1 {
      let size = possible + (impossible - possible) / 2
      if truncate(path, size) == 0 { possible = size } else { impossible = size }
    }
  }

  /// Sets the f-number while the journal cannot be written. There is room again afterwards.
  private static func set(_ number: Double, on page: Page, beside journal: String) async throws {
    let size = try #require(
      try FileManager.default.attributesOfItem(atPath: journal)[.size] as? Int)
    fill(journal)
    try await page.send(["name": "fNumber", "value": number])
    let failure = try await page.next("state")["journalFailure"] as? String
    #expect(failure?.contains("cannot be written") == true)
    #expect(truncate(journal, size) == 0)
  }

  /// A page is told of its own controls: options of a shell are none, and Save as has no other remedy than another name.
  @Test func remediesOfPages() async throws {
    let words = PageWords { parameter in
      switch parameter {
      case .overwrite: "--force"
      case .changes: "--changes"
      default: "--option"
      }
    }
    let control = "\"Replace a file of this name\""
    for (remedy, expected) in [
      ("another name, or \(parameter: .overwrite)", "another name, or \(control)"),
      ("name others with \(parameter: .changes)", "name others with --changes"),
      ("give \(parameter: .layer)", nil), ("\(parameter: .overwrite) or \(parameter: .layer)", nil),
    ] as [(CinematicError.Wording, String?)] {
      let error = CinematicError(.unwritable, "a is there", remedy: remedy)
      #expect(words.remedy(of: error) == expected)
      #expect(words.text(of: error) == "a is there" + (expected.map { "; \($0)" } ?? ""))
    }
    for (said, expected) in [
      (
        "a is there; choose another name, or overwrite with --force",
        "a is there; choose another name, or overwrite with \(control)"
      ),
      ("the focus is held; --focus or --focus-at choose another", "the focus is held"),
      ("--frames has no place", "--frames has no place"), ("", ""),
    ] {
      #expect(words.said(said) == expected)
    }
    let studio = try Studio()
    try Data("kept".utf8).write(to: URL(fileURLWithPath: studio.folder + "/taken.focus"))
    try await studio.serving { address in
      let page = try await Page.opened(address)
      _ = try await page.state(after: ["name": "fNumber", "value": 4])
      try await page.send(["name": "saveAs", "file": "taken"])
      let failure = try await page.next("failure")
      #expect(failure["message"] as? String == "taken.focus is there already")
      #expect(failure["remedy"] as? String == "choose another name")
    }
    #expect(studio.names == ["movie.focus.journal", "movie.mov", "taken.focus"])
  }

  /// Results lie beside their movie or, on a disk that can only be read, in a folder of the command line.
  @Test func foldersOfResults() throws {
    let writable: Set = ["/b", "/c"]
    func folder(_ path: String, _ folders: [String]) throws -> String {
      try ResultFolder.of(path, folders: folders) { writable.contains($0) }
    }
    #expect(try folder("/c/m.mov", ["/b"]) == "/c")
    #expect(try folder("/a/m.mov", ["/x", "/c", "/b"]) == "/c")
    for folders in [[], ["/x"]] {
      let error = #expect(throws: CinematicError.self) { try folder("/a/m.mov", folders) }
      #expect(error?.code == .unwritable)
      let words = PageWords { $0 == .folders ? "--folder" : "--option" }
      let text = error.map { words.text(of: $0) }
      #expect(
        text == "/a takes no new files; start the editor with --folder, a folder that does")
    }
    let studio = try Studio()
    #expect(try ResultFolder.of(studio.movie, folders: []) == studio.folder)
  }

  /// Edits from before the disk was full do not come back over what was saved since.
  @Test(arguments: [nil, "other"]) func saveAfterAFullDisk(name: String?) async throws {
    let studio = try Studio()
    let save = name.map { ["name": "saveAs", "file": $0] } ?? ["name": "save"]
    try await studio.serving { address in
      let page = try await Page.opened(address)
      _ = try await page.state(after: ["name": "fNumber", "value": 2.5])
      try await Self.set(8, on: page, beside: studio.changes + ".journal")
      _ = try await page.state(after: ["name": "fNumber", "value": 16])
      try await page.send(save)
      let saved = try await page.next("state")
      #expect(saved["journalFailure"] == nil && !State(saved).isUnsaved)
    }
    let file = (name ?? "movie") + ".focus"
    #expect(studio.names == [file, "movie.mov"].sorted())
    try await studio.serving { address in
      let page = try await Page(address, cookie: try await address.cookie())
      let state = State(try await page.open().state)
      #expect(state.fNumber == 16 && !state.isUnsaved)
    }
  }

  /// After such a save the journal is whole again, and holds what follows.
  @Test func journalAfterAFullDisk() async throws {
    let studio = try Studio()
    try await studio.serving { address in
      let page = try await Page.opened(address)
      _ = try await page.state(after: ["name": "fNumber", "value": 2.5])
      try await Self.set(16, on: page, beside: studio.changes + ".journal")
      _ = try await page.state(after: ["name": "save"])
      _ = try await page.state(after: ["name": "fNumber", "value": 11])
    }
    #expect(studio.names == ["movie.focus", "movie.focus.journal", "movie.mov"])
    try await studio.serving { address in
      let page = try await Page(address, cookie: try await address.cookie())
      let state = State(try await page.open().state)
      #expect(state.fNumber == 11 && state.isUnsaved)
      let saved = try await page.state(after: ["name": "undo"])
      #expect(saved.fNumber == 16 && !saved.isUnsaved)
      let first = try await page.state(after: ["name": "undo"])
      #expect(first.fNumber == 2.5 && first.isUnsaved && first.canUndo)
    }
  }

  /// What the page does not show of a look, or does not change, stays as it is.
  @Test func lookKeepsOtherValues() throws {
    var known = Look()
    known.blurScale = 12
    known.apertureRotation = 0.1
    known.apertureRoundness = 0.25
    known.nearStrength = 0.5
    known["ofTheFuture"] = "[1]"
    var values = LookValues(known)
    #expect(try values.look(over: known) == known)
    values.squeeze = 1.5
    var expected = known
    expected.apertureSqueeze = 1.5
    #expect(try values.look(over: known) == expected)
    values.blades = 0
    values.blurScale = nil
    let look = try values.look(over: known)
    #expect(look.nearStrength == 0.5 && look["ofTheFuture"] == "[1]" && look.apertureBlades == 0)
    #expect(look.blurScale == nil && look.apertureRoundness == nil && look.apertureRotation == nil)
    values.blades = 6
    values.roundness = 0.75
    values.rotation = 90
    let turned = try values.look(over: known)
    #expect(turned.apertureRoundness == 0.75 && turned.apertureRotation == .pi / 2)
    for wrong in [1, 2, 17, -1, .max, .min] {
      values.blades = wrong
      #expect(throws: CinematicError.self) { try values.look(over: known) }
    }
    values.blades = 6
    values.blurScale = 17
    #expect(throws: CinematicError.self) { try values.look(over: known) }
  }

  /// Recorded blades have a roundness and a rotation that can be changed, and blur scales go as far as everywhere.
  @Test func lookOverARecordedOne() throws {
    var recorded = Look()
    recorded.apertureBlades = 7
    recorded.apertureRoundness = 0.5
    var values = LookValues(Look())
    values.roundness = 0.25
    values.blurScale = 12
    let look = try values.look(over: Look(), recorded: recorded)
    #expect(look.apertureRoundness == 0.25 && look.apertureBlades == nil && look.blurScale == 12)
    #expect(try values.look(over: Look()).apertureRoundness == nil)
    // As recorded again.
    var chosen = look
    chosen.apertureBlades = 5
    let again = LookValues(Look())
    #expect(try again.look(over: chosen, recorded: recorded).apertureRoundness == nil)
  }

  /// A pipe beside the movie, named as changes are, keeps nobody waiting.
  @Test func pipesAreNoChanges() async throws {
    let studio = try Studio()
    #expect(mkfifo(studio.folder + "/pipe.focus", 0o600) == 0)
    try await studio.serving { address in
      let page = try await Page(address, cookie: try await address.cookie())
      #expect(try await page.open().document["changes"] as? String == "movie.focus")
    }
    // In the place of the movie's own, or named, it is refused: nothing can be saved there.
    #expect(mkfifo(studio.changes, 0o600) == 0)
    for changes in [nil, studio.folder + "/pipe.focus"] {
      try await studio.serving(changes: changes) { address in
        let page = try await Page(address, cookie: try await address.cookie())
        try await page.send(["name": "open", "movie": 0])
        let message = try await page.next("failure")["message"] as? String ?? ""
        #expect(message.contains("is not a regular file"), "\(message)")
      }
    }
  }

  /// A changes file that is there and cannot be read is not taken for none, which saving would replace.
  @Test func unreadableChanges() async throws {
    let studio = try Studio()
    #expect(try ChangesFiles.contents(of: studio.changes) == nil)
    #expect(try ChangesFiles.contents(of: studio.movie + "/movie.focus") == nil)
    // A regular file whose first bytes nobody can read, not even root.
    #expect(symlink("/proc/self/mem", studio.changes) == 0)
    try await studio.serving { address in
      let page = try await Page(address, cookie: try await address.cookie())
      try await page.send(["name": "open", "movie": 0])
      let message = try await page.next("failure")["message"] as? String ?? ""
      #expect(message.contains("cannot read \(studio.changes): "), "\(message)")
    }
    #expect(studio.names == ["movie.focus", "movie.mov"])
    unlink(studio.changes)
    // It may become so while the movie is open.
    try await studio.serving { address in
      let page = try await Page.opened(address)
      _ = try await page.state(after: ["name": "fNumber", "value": 4])
      #expect(symlink("/proc/self/mem", studio.changes) == 0)
      try await page.send(["name": "save"])
      let message = try await page.next("failure")["message"] as? String ?? ""
      #expect(message.contains("cannot read \(studio.changes): "), "\(message)")
    }
    #expect(studio.names == ["movie.focus", "movie.focus.journal", "movie.mov"])
  }

  private static func frames(_ state: [String: Any], _ list: String) -> [Int] {
    (state[list] as? [[String: Any]] ?? []).compactMap { $0["frame"] as? Int }
  }

  private static func key(_ state: [String: Any], _ list: String) -> [String: Any] {
    (state[list] as? [[String: Any]])?.first?["key"] as? [String: Any] ?? [:]
  }

  /// An automatic decision is moved, removed and put back; the page is told of what is gone.
  @Test func baseDecisions() async throws {
    try await Studio().serving { address in
      let page = try await Page(address, cookie: try await address.cookie())
      var state = try await page.open().state
      #expect(Self.frames(state, "decisions") == [0] && Self.frames(state, "removed").isEmpty)
      try await page.send(["name": "move", "decision": Self.key(state, "decisions"), "frame": 5])
      state = try await page.next("state")
      #expect(Self.frames(state, "decisions") == [5] && Self.frames(state, "removed") == [0])
      #expect(State(state).user.isEmpty && State(state).isUnsaved)
      try await page.send(["name": "takeBack", "decision": Self.key(state, "decisions")])
      state = try await page.next("state")
      #expect(Self.frames(state, "decisions").isEmpty && Self.frames(state, "removed") == [0])
      try await page.send(["name": "restore", "decision": Self.key(state, "removed")])
      state = try await page.next("state")
      #expect(Self.frames(state, "decisions") == [0] && Self.frames(state, "removed").isEmpty)
      #expect(!State(state).isUnsaved)
      try await page.send(["name": "restore", "decision": Self.key(state, "decisions")])
      let failure = try await page.next("failure")
      #expect((failure["message"] as? String)?.contains("gone") == true)
    }
  }

  /// A rack of no seconds is a cut, and not among the racks: its decision says what was asked for.
  @Test func rackOfNoSeconds() async throws {
    try await Studio().serving { address in
      let page = try await Page.opened(address)
      func decision(_ state: [String: Any]) throws -> [String: Any] {
        let all = state["decisions"] as? [[String: Any]] ?? []
        return try #require(all.first { $0["frame"] as? Int == 8 })
      }
      try await page.send(["name": "decide", "frame": 8, "track": 2, "strong": true])
      let decided = try decision(try await page.next("state"))
      #expect(decided["wanted"] == nil && decided["curve"] == nil)
      let key = try #require(decided["key"] as? [String: Any])
      try await page.send(["name": "rack", "decision": key, "seconds": 0, "curve": "linear"])
      let state = try await page.next("state")
      let racks = (state["racks"] as? [[String: Any]] ?? []).map { $0["to"] as? [String: Any] }
      #expect(racks.allSatisfy { $0?["time"] as? String != key["time"] as? String })
      let cut = try decision(state)
      #expect(cut["wanted"] as? Double == 0 && cut["curve"] as? String == "linear")
    }
  }

  /// The director says what is true: nothing is left to decide, or nothing is detected.
  @Test func directorWithoutRoom() async throws {
    try await Studio().serving { address in
      let page = try await Page.opened(address)
      _ = try await page.state(after: ["name": "decide", "frame": 0, "track": 1, "strong": true])
      try await page.send(["name": "direct"])
      let message = try await page.next("failure")["message"] as? String ?? ""
      #expect(message.contains("decisions of yours are in force"), "\(message)")
    }
  }
}
