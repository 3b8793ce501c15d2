// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalEditing
import FocalScript
import Foundation
import Synchronization
import Testing

@Suite struct EditingTests {
  /// A state's content, without the type under test. Read once: equal times may have several forms before.
  private static func fingerprint(_ state: EditState) -> [String] {
    let look = state.look.fields.map { "\($0.name)=\($0.json)" }
    let read = try? Script.Changes(dataRepresentation: state.changes.dataRepresentation)
    return [
      read?.dataRepresentation.base64EncodedString() ?? "unreadable", "\(state.range as Any)",
    ] + look
  }

  /// Random steps with undo and redo against two stacks of fingerprints; the journal gives the same
  /// document back.
  @Test(arguments: 0..<200)
  func randomSteps(seed: UInt64) throws {
    var random = Seeded(seed + 1)
    let file = JournalFile()
    let first = EditState(script: try EditMaterial.script())
    var document = EditDocument(first)
    var journal: EditJournal? = try EditJournal(path: file.path)
    var (past, present, future) = ([[String]](), Self.fingerprint(first), [[String]]())
    var gesture: String?
    for step in 0..<40 {
      switch Int.random(in: 0..<10, using: &random) {
      case 0, 1:
        let didUndo = document.undo()
        #expect(didUndo == !past.isEmpty)
        if let last = past.popLast() {
          future.append(present)
          present = last
          try journal?.appendUndo()
        }
        if didUndo { gesture = nil }
      case 2:
        let didRedo = document.redo()
        #expect(didRedo == !future.isEmpty)
        if let next = future.popLast() {
          past.append(present)
          present = next
          try journal?.appendRedo()
        }
        if didRedo { gesture = nil }
      default:
        let edit = try EditMaterial.edit(document.current, &random)
        let drag = Int.random(in: 0..<4, using: &random) == 0 ? "drag \(step / 8)" : nil
        let before = document
        do {
          let joined = try document.perform(edit, gesture: drag)
          #expect(joined == (drag != nil && drag == gesture && !past.isEmpty && future.isEmpty))
          if !joined { past.append(present) }
          future = []
          present = Self.fingerprint(document.current)
          gesture = drag
          try journal?.append(document.current, joins: joined)
        } catch {
          // A step that is refused changes nothing.
          let isSame = document == before
          #expect(isSame)
        }
      }
      let shown = Self.fingerprint(document.current)
      let isPresent = shown == present
      #expect(isPresent)
      #expect(document.canUndo == !past.isEmpty && document.canRedo == !future.isEmpty)
    }
    journal = nil
    var recovered = EditDocument(EditState(script: try EditMaterial.script()))
    let reopened = try EditJournal(path: file.path)
    _ = try reopened.recover(&recovered)
    #expect(recovered.position == document.position)
    let same = recovered.states.map(Self.fingerprint) == document.states.map(Self.fingerprint)
    #expect(same)
    // All the way back, then forth.
    while document.undo() {}
    let isFirst = Self.fingerprint(document.current) == Self.fingerprint(first)
    #expect(isFirst)
    while document.redo() {}
    let isLast =
      Self.fingerprint(document.current) == Self.fingerprint(try #require(recovered.states.last))
    #expect(isLast)
  }

  /// A journal that ends anywhere gives the state after its last whole line, and goes on from there.
  @Test func tornJournal() throws {
    let file = JournalFile()
    var random = Seeded(77)
    var document = EditDocument(EditState(script: try EditMaterial.script()))
    var journal: EditJournal? = try EditJournal(path: file.path)
    var states: [(bytes: Int, fingerprint: [String])] = [(0, Self.fingerprint(document.current))]
    while states.count < 12 {
      let edit = try EditMaterial.edit(document.current, &random)
      guard (try? document.perform(edit)) != nil else { continue }
      try journal?.append(document.current, joins: false)
      states.append((file.bytes.count, Self.fingerprint(document.current)))
    }
    journal = nil
    let whole = file.bytes
    for length in stride(from: 0, through: whole.count, by: max(whole.count / 400, 1)) {
      file.write(whole.prefix(length))
      var recovered = EditDocument(EditState(script: try EditMaterial.script()))
      let reopened = try EditJournal(path: file.path)
      _ = try reopened.recover(&recovered)
      let expected = try #require(states.last { $0.bytes <= length })
      let isSame = Self.fingerprint(recovered.current) == expected.fingerprint
      #expect(isSame, "cut at \(length)")
      // The next entry that is written is read next time.
      try recovered.perform(.setFNumber(5.6))
      try reopened.append(recovered.current, joins: false)
    }
    var last = EditDocument(EditState(script: try EditMaterial.script()))
    _ = try EditJournal(path: file.path).recover(&last)
    #expect(last.current.script.fNumber == 5.6)
    // A journal that is damaged before its end is left as it is.
    var damaged = whole
    damaged[damaged.startIndex + 20] ^= 0x55
    file.write(damaged)
    let before = last
    let error = #expect(throws: CinematicError.self) {
      try EditJournal(path: file.path).recover(&last)
    }
    #expect(error?.code == .malformed)
    let isSame = last == before && file.bytes == damaged
    #expect(isSame)
  }

  /// Undo leads to the state before the first step, also where a changes file that was saved meanwhile holds another one.
  @Test func undoBeyondWhatWasSaved() throws {
    let file = JournalFile()
    let first = EditState(script: try EditMaterial.script())
    var document = EditDocument(first)
    var journal: EditJournal? = try EditJournal(path: file.path)
    try journal?.appendFirst(first)
    for number in [4, 8] as [Float] {
      try document.perform(.setFNumber(number))
      try journal?.append(document.current, joins: false)
    }
    document.markSaved()
    try journal?.appendSaved()
    let saved = document.saved
    document.undo()
    document.undo()
    try journal?.appendUndo()
    try journal?.appendUndo()
    journal = nil
    var recovered = EditDocument(
      EditState(
        script: try Script(recording: first.script.recording, changes: saved.changes)))
    #expect(try EditJournal(path: file.path).recover(&recovered) == 5)
    #expect(recovered.states.map(\.script.fNumber) == [2.8, 4, 8])
    #expect(recovered.position == 0 && recovered.saved.changes == saved.changes)
    #expect(recovered.hasUnsavedEdits && recovered.canRedo)
    // A first state without a step says nothing: the file counts.
    file.write(Data())
    try EditJournal(path: file.path).appendFirst(first)
    var alone = EditDocument(saved)
    #expect(try EditJournal(path: file.path).recover(&alone) == 0)
    #expect(alone.current.script.fNumber == 8 && !alone.hasUnsavedEdits)
  }

  /// However often a journal is recovered from, its tracks keep the numbers that they have in the file.
  @Test func recoveredTwice() throws {
    let file = JournalFile()
    var document = EditDocument(EditState(script: try EditMaterial.script()))
    var journal: EditJournal? = try EditJournal(path: file.path)
    func follow(from start: Int) throws {
      let track = try CustomDetectionTrack(
        detections: (start..<(start + 15)).map { EditMaterial.detection($0, 0.6, x: 0.3) },
        smooth: true)
      try document.perform(.follow(track, at: EditMaterial.time(start), strong: false))
      try journal?.append(document.current, joins: false)
    }
    try follow(from: 0)
    for _ in 0..<2 {
      var again = EditDocument(EditState(script: try EditMaterial.script()))
      let steps = try journal?.recover(&again)
      #expect(steps == 1)
    }
    try follow(from: 20)
    journal = nil
    var last = EditDocument(EditState(script: try EditMaterial.script()))
    #expect(try EditJournal(path: file.path).recover(&last) == 2)
    let isSame = Self.fingerprint(last.current) == Self.fingerprint(document.current)
    #expect(isSame)
  }

  /// A journal is free when it was let go of, although a program that is just being started has all descriptors.
  @Test func journalIsFreeBesideOtherDescriptors() throws {
    let file = JournalFile()
    var journal: EditJournal? = try EditJournal(path: file.path)
    let copy = try #require(file.copyOfDescriptor())
    defer { close(copy) }
    #expect(throws: CinematicError.self) { try EditJournal(path: file.path) }
    withExtendedLifetime(journal) {}
    journal = nil
    _ = try EditJournal(path: file.path)
  }

  @Test func journalOfAnotherOrInUse() throws {
    let file = JournalFile()
    let journal = try EditJournal(path: file.path)
    #expect(throws: CinematicError.self) { try EditJournal(path: file.path) }
    var document = EditDocument(EditState(script: try EditMaterial.script()))
    try document.perform(.setFNumber(4))
    try journal.append(document.current, joins: false)
    let range = TimeRange(start: .zero, duration: EditMaterial.time(5))
    let other = try Script(
      recording: Recording(
        timeRange: range,
        frameTimes: FrameTimes(range: range, frameDuration: EditMaterial.time(1)),
        fNumber: 2.8, detectionTracks: [], decisions: []))
    var wrong = EditDocument(EditState(script: other))
    let error = #expect(throws: CinematicError.self) { try journal.recover(&wrong) }
    #expect(error?.code == .incompatible)
  }

  /// A journal that is refused closes its own file alone. It was closed twice, and the second time whatever another thread had
  /// opened in between: here, a file that is closed at once.
  @Test func refusedJournalClosesNothingElse() throws {
    let file = JournalFile()
    let journal = try EditJournal(path: file.path)
    let path = file.path
    let refused = Atomic(0)
    let lost = Atomic(0)
    let isDone = Atomic(false)
    DispatchQueue.concurrentPerform(iterations: 2) { thread in
      guard thread == 0 else {
        while !isDone.load(ordering: .relaxed) {
          if close(open("/dev/null", O_RDONLY | O_CLOEXEC)) != 0 {
            lost.add(1, ordering: .relaxed)
          }
        }
        return
      }
      for _ in 0..<50000 where (try? EditJournal(path: path)) == nil {
        refused.add(1, ordering: .relaxed)
      }
      isDone.store(true, ordering: .relaxed)
    }
    #expect(refused.load(ordering: .relaxed) == 50000)
    #expect(lost.load(ordering: .relaxed) == 0)
    withExtendedLifetime(journal) {}
  }

  /// Base decisions are moved, removed and put back; the changes hold it, and undo takes it back.
  @Test func baseDecisionsAreEdited() throws {
    let first = EditState(script: try EditMaterial.script())
    var document = EditDocument(first)
    func focused(_ frame: Int, in script: Script) -> Int64? {
      script.primaryDecision(at: EditMaterial.time(frame))?.detectionID?.rawValue
    }
    func inForce(_ frames: Int...) throws -> [Int64?] {
      let changes = try Script.Changes(
        dataRepresentation: document.current.changes.dataRepresentation)
      let read = try Script(recording: document.current.script.recording, changes: changes)
      let found = frames.map { focused($0, in: read) }
      #expect(found == frames.map { focused($0, in: document.current.script) })
      return found
    }
    let base = try #require(first.script.baseDecisions(in: first.script.timeRange).last)
    #expect(try inForce(20, 30, 59) == [1, 2, 2])
    try document.perform(.move(base, to: EditMaterial.time(20)))
    #expect(try inForce(19, 20, 59) == [1, 2, 2] && document.hasUnsavedEdits)
    let moved = try #require(
      document.current.script.baseDecisions(in: first.script.timeRange).last)
    #expect(!moved.isUserDecision && moved.time == EditMaterial.time(20))
    try document.perform(.takeBack(moved))
    #expect(try inForce(20, 30, 59) == [1, 1, 1])
    let error = #expect(throws: CinematicError.self) { try document.perform(.takeBack(base)) }
    #expect(error?.code == .invalidParameter)
    #expect(throws: CinematicError.self) { try document.perform(.restore(moved)) }
    try document.perform(.restore(base))
    #expect(try inForce(29, 30) == [1, 2] && !document.hasUnsavedEdits)
    document.undo()
    #expect(try inForce(30) == [1])
    try document.perform(.revert)
    #expect(document.current.changes == first.changes)
    #expect(throws: CinematicError.self) {
      try document.perform(.move(base, to: EditMaterial.time(60)))
    }
  }

  /// A base decision becomes strong by a user decision at its time, which hides it.
  @Test func baseDecisionsAreHidden() throws {
    var document = EditDocument(EditState(script: try EditMaterial.script()))
    let base = try #require(
      document.current.script.baseDecisions(in: document.current.script.timeRange).last)
    try document.perform(.setStrength(base, strong: true))
    let user = document.current.script.userDecisions(in: document.current.script.timeRange)
    #expect(user.count == 1 && user[0].isStrongDecision && user[0].time == base.time)
    #expect(document.hasUnsavedEdits)
    document.undo()
    #expect(!document.hasUnsavedEdits)
    document.redo()
    document.markSaved()
    #expect(!document.hasUnsavedEdits)
  }

  /// The director says why it decides nothing.
  @Test func directorWithoutRoom() throws {
    var document = EditDocument(EditState(script: try EditMaterial.script()))
    try document.perform(
      .decide(Decision(time: EditMaterial.time(0), detectionID: DetectionID(1), strong: true)))
    let covered = #expect(throws: CinematicError.self) { try document.perform(.direct) }
    #expect(covered?.code == .invalidState && covered?.message.contains("in force") == true)
    let range = TimeRange(start: .zero, duration: EditMaterial.time(5))
    var empty = EditDocument(
      EditState(
        script: try Script(
          recording: Recording(
            timeRange: range,
            frameTimes: FrameTimes(range: range, frameDuration: EditMaterial.time(1)),
            fNumber: 2.8, detectionTracks: [], decisions: []))))
    let bare = #expect(throws: CinematicError.self) { try empty.perform(.direct) }
    #expect(bare?.code == .incomplete && bare?.message.contains("nothing is detected") == true)
  }

  /// Blur scale and aperture are part of the changes, also of those that an older journal holds beside them.
  @Test func lookIsAChange() throws {
    var document = EditDocument(EditState(script: try EditMaterial.script()))
    var look = Look()
    look.blurScale = 0.25
    look.apertureBlades = 6
    try document.perform(.setLook(look))
    #expect(document.hasUnsavedEdits && document.current.look == look)
    let changes = try Script.Changes(
      dataRepresentation: document.current.changes.dataRepresentation)
    #expect(changes.look == look)
    let file = JournalFile()
    let bare = document.states[0].changes.dataRepresentation.base64EncodedString()
    file.write(
      Data(
        "{\"event\":\"edit\",\"changes\":\"\(bare)\",\"look\":{\"blurScale\":\"0.5\"},\"tracks\":[]}\n"
          .utf8))
    var older = EditDocument(document.states[0])
    #expect(try EditJournal(path: file.path).recover(&older) == 1)
    #expect(older.current.look.blurScale == 0.5)
  }

  /// A fixed focus goes when its decision is replaced, as when it is taken back, and undo brings it back. What was followed stays.
  @Test func fixedFocusesGoWithTheirDecisions() throws {
    var document = EditDocument(EditState(script: try EditMaterial.script()))
    func added() -> [Float] {
      document.current.script.addedDetectionTracks.compactMap {
        ($0 as? FixedDetectionTrack)?.focusDisparity
      }
    }
    func user(_ frame: Int) throws -> Decision {
      try #require(document.current.script.decision(at: EditMaterial.time(frame)))
    }
    /// Does a step, takes it back, and does it once more.
    func perform(_ edit: Edit, leaving disparities: [Float]) throws {
      let before = document.current.changes
      try document.perform(edit)
      #expect(added() == disparities)
      document.undo()
      #expect(document.current.changes == before)
      document.redo()
      #expect(added() == disparities)
    }
    try perform(.fix(EditMaterial.detection(5, 0.9, x: 0.4), strong: true), leaving: [0.9])
    try perform(.fix(EditMaterial.detection(5, 0.1, x: 0.4), strong: false), leaving: [0.1])
    try perform(.setStrength(try user(5), strong: true), leaving: [0.1])
    try perform(.fix(EditMaterial.detection(9, 0.6, x: 0.4), strong: true), leaving: [0.1, 0.6])
    try perform(.move(try user(9), to: EditMaterial.time(5)), leaving: [0.6])
    // Another decision is on it, too.
    try perform(
      .decide(
        Decision(
          time: EditMaterial.time(20), focus: try user(5).focusDetectionID, strong: true)),
      leaving: [0.6])
    let onFirst = Decision(time: EditMaterial.time(5), detectionID: DetectionID(1), strong: true)
    try perform(.decide(onFirst), leaving: [0.6])
    try perform(.takeBack(try user(20)), leaving: [])
    let track = try CustomDetectionTrack(
      detections: (0..<15).map { EditMaterial.detection($0, 0.6, x: 0.3) }, smooth: true)
    try perform(.follow(track, at: EditMaterial.time(5), strong: true), leaving: [])
    try perform(.takeBack(try user(5)), leaving: [])
    #expect(document.current.script.addedDetectionTracks.count == 1)
  }

  /// Where nothing is recorded, nothing is in focus once all that was fixed is taken back.
  @Test func replacedFixedFocusesDecideNothing() throws {
    let range = TimeRange(start: .zero, duration: EditMaterial.time(5))
    let script = try Script(
      recording: Recording(
        timeRange: range,
        frameTimes: FrameTimes(range: range, frameDuration: EditMaterial.time(1)),
        fNumber: 2.8, detectionTracks: [], decisions: []))
    var document = EditDocument(EditState(script: script))
    for disparity in [Float(0.9), 0.1] {
      try document.perform(.fix(EditMaterial.detection(2, disparity, x: 0.4), strong: true))
    }
    let decision = try #require(document.current.script.decision(at: EditMaterial.time(2)))
    try document.perform(.takeBack(decision))
    #expect(document.current.script.frame(at: .zero)?.focusDisparity == 0)
    #expect(!document.hasUnsavedEdits)
  }

  /// Steps that no file could hold are refused, and change nothing.
  @Test func numbersThatAreNotFinite() throws {
    var document = EditDocument(EditState(script: try EditMaterial.script()))
    var look = Look()
    look.highlights = .infinity
    var detection = EditMaterial.detection(0, 0.3, x: .nan)
    for edit in [.setLook(look), .fix(detection, strong: true), .setFNumber(.nan)] as [Edit] {
      let error = #expect(throws: CinematicError.self) { try document.perform(edit) }
      #expect(error?.code == .invalidParameter)
    }
    #expect(!document.canUndo)
    detection = EditMaterial.detection(0, 0.3, x: 0.5)
    try document.perform(.fix(detection, strong: true))
  }

  /// A rack goes with a decision that is moved or changes its strength.
  @Test func racksGoAlong() throws {
    var document = EditDocument(EditState(script: try EditMaterial.script()))
    let decision = Decision(time: EditMaterial.time(20), detectionID: DetectionID(2), strong: false)
    try document.perform(.decide(decision))
    let rack = Transition(duration: EditMaterial.time(6), curve: .linear)
    try document.perform(.setRack(decision.asUser, rack))
    try document.perform(.move(decision, to: EditMaterial.time(25)))
    var moved = try #require(
      document.current.script.userDecisions(in: document.current.script.timeRange).first)
    #expect(document.current.script.transition(for: moved) == rack)
    try document.perform(.setStrength(moved, strong: true))
    moved = try #require(
      document.current.script.userDecisions(in: document.current.script.timeRange).first)
    #expect(moved.isStrongDecision && document.current.script.transition(for: moved) == rack)
    // The same subject once more at the same time keeps it, another one does not.
    let again = Decision(time: moved.time, detectionID: DetectionID(2), strong: false)
    try document.perform(.decide(again))
    #expect(document.current.script.transition(for: again.asUser) == rack)
    let other = Decision(time: moved.time, detectionID: DetectionID(1), strong: false)
    try document.perform(.decide(other))
    #expect(document.current.script.transition(for: other.asUser) == nil)
    #expect(document.current.changes.transitions.isEmpty)
  }
}

extension Decision {
  /// The same as the script lists it.
  var asUser: Decision {
    let script = try? EditMaterial.script()
    script?.addUserDecision(self)
    return script?.userDecisions(in: script?.timeRange ?? .zero).first ?? self
  }
}
