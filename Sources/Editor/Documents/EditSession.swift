// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalEditing
import FocalMedia
import FocalScript
import Foundation

/// The edits of one movie: the document, the changes file and the journal beside it. Used by one task at a time.
final class EditSession {
  private(set) var document: EditDocument
  /// Rises with every change of the document.
  private(set) var revision = 0
  /// Where the changes are saved.
  private(set) var changesPath: String
  /// Why edits are not kept in a journal; `nil` where they are.
  private(set) var journalFailure: String?
  /// Whether the reason is that another editor holds it: each step tries again.
  private var isJournalTaken = false
  /// Things that a person should know after opening, and of steps since then.
  private(set) var notes: [String] = []
  private var journal: EditJournal?
  /// The bytes of the changes file when it was read or written last; `nil` where there was none.
  private var knownBytes: Data?

  /// - Parameter note: what a person should know of the choice of the file.
  /// - Throws: `incompatible` for changes of another movie, `invalidState` for a journal in use, `unsupported` for changes
  ///   that are no file, `unreadable` for those that cannot be read, `unwritable` for those in no folder.
  init(recording: Recording, changesPath: String, note: String?) throws(CinematicError) {
    self.changesPath = changesPath
    if let note { notes.append(note) }
    try ChangesFiles.checkFolder(of: changesPath)
    knownBytes = try ChangesFiles.contents(of: changesPath)
    var changes: Script.Changes?
    if let knownBytes {
      do throws(CinematicError) {
        changes = try Script.Changes(dataRepresentation: knownBytes)
      } catch {
        throw error.replacing(message: "\(changesPath): \(error.message)")
      }
      guard changes?.identity == recording.identity else {
        throw CinematicError(
          .incompatible, "\(changesPath) holds changes of another movie",
          remedy: "name other changes with \(parameter: .changes), or move them away")
      }
    }
    let stored = EditState(script: try Script(recording: recording, changes: changes))
    document = EditDocument(stored)
    let path = EditJournal.path(besideChanges: changesPath)
    let isThere = FileManager.default.fileExists(atPath: path)
    do throws(CinematicError) {
      let opened = try EditJournal(path: path)
      let steps = try opened.recover(&document)
      journal = opened
      // The file counts, even if another program has written it since.
      if document.saved.changes != stored.changes { try takeIn(stored, opened) }
      if steps > 0, document.hasUnsavedEdits {
        notes.append("edits that were not saved are here again; undo takes them back step by step")
      } else if steps == 0, !isThere {
        // Begun with the first step.
        opened.remove()
        journal = nil
      }
    } catch {
      // Another editor's, or another movie's: nothing is overwritten.
      guard error.code == .unwritable else { throw error }
      journalFailure = error.message
    }
  }

  /// Puts what another program has saved before the present state, so that undo leads to it.
  private func takeIn(_ stored: EditState, _ journal: EditJournal) throws(CinematicError) {
    let present = document.current
    document.take(stored)
    document.markSaved()
    try journal.append(stored, joins: false)
    try journal.appendSaved()
    guard present != stored else { return }
    document.take(present)
    try journal.append(present, joins: false)
    guard document.hasUnsavedEdits else { return }
    let name = URL(fileURLWithPath: changesPath).lastPathComponent
    notes.append("another program has written \(name) since: undo leads to what it holds")
  }

  /// Whether the changes or the range differ from what was saved last.
  var isUnsaved: Bool {
    document.hasUnsavedEdits || document.current.range != document.saved.range
  }

  /// Takes a step and writes it down.
  func perform(_ edit: Edit, gesture: String? = nil) throws(CinematicError) {
    let joins = try document.perform(edit, gesture: gesture)
    revision += 1
    let state = document.current
    keep { journal throws(CinematicError) in try journal.append(state, joins: joins) }
  }

  func undo() {
    guard document.undo() else { return }
    revision += 1
    keep { journal throws(CinematicError) in try journal.appendUndo() }
  }

  func redo() {
    guard document.redo() else { return }
    revision += 1
    keep { journal throws(CinematicError) in try journal.appendRedo() }
  }

  /// Writes the changes file, whole or not at all. One that is gone meanwhile is written anew.
  ///
  /// - Parameter overwrite: also where another program has changed it meanwhile.
  /// - Throws: `unwritable`, `invalidState` where another program has changed the file, `unreadable` where nobody can tell.
  func save(overwrite: Bool) throws(CinematicError) {
    if !overwrite, let stored = try ChangesFiles.contents(of: changesPath), stored != knownBytes {
      throw CinematicError(
        .invalidState, "\(changesPath) was changed by another program meanwhile",
        remedy: "save under another name, or choose \"Save over changes made elsewhere\" in More…")
    }
    try write(to: changesPath, overwrite: true)
    let wasUnsaved = isUnsaved
    document.markSaved()
    if wasUnsaved { revision += 1 }
    keepSaved()
  }

  /// Writes the changes under another name in the same folder, which they are then saved to.
  ///
  /// - Throws: `unwritable` for a name that is taken.
  func save(as name: String) throws(CinematicError) {
    let folder = URL(fileURLWithPath: changesPath).deletingLastPathComponent()
    let path = folder.appendingPathComponent(try FileName.checked(name, ending: "focus")).path
    guard path != changesPath else { return try save(overwrite: false) }
    let journalPath = EditJournal.path(besideChanges: path)
    guard !FileManager.default.fileExists(atPath: journalPath) else {
      throw CinematicError(
        .invalidState, "there are edits under this name that were never saved, in \(journalPath)",
        remedy: "choose another name")
    }
    guard !FileManager.default.fileExists(atPath: path) else {
      throw CinematicError(
        .unwritable, "\(URL(fileURLWithPath: path).lastPathComponent) is there already",
        remedy: "choose another name")
    }
    let journal = try EditJournal(path: journalPath)
    do throws(CinematicError) {
      try write(to: path, overwrite: false)
    } catch {
      journal.remove()
      throw error
    }
    self.journal?.remove()
    self.journal = journal
    changesPath = path
    // They are about the file before.
    notes = []
    document.markSaved()
    revision += 1
    journalFailure = nil
    keepWhole()
  }

  /// At the end: a journal that holds nothing beyond the changes file goes, and so does one that lacks the way back to it.
  func close() {
    // The editor that held it may have ended since the last step.
    if isJournalTaken, isUnsaved { keepWhole() }
    let isWanted = document.current.range != nil && journalFailure == nil
    if !document.hasUnsavedEdits, !isWanted { journal?.remove() }
    journal = nil
  }

  private func write(to path: String, overwrite: Bool) throws(CinematicError) {
    let data = document.current.changes.dataRepresentation
    let writer = try DataWriter(path: path, overwrite: overwrite)
    defer { writer.cancel() }
    try writer.write([UInt8](data))
    try writer.finish()
    knownBytes = data
  }

  /// Writes something into the journal, which is begun where there is none. Edits go on where that fails, and the
  /// page says so; where another editor holds it, the next step tries again.
  private func keep(_ write: (EditJournal) throws(CinematicError) -> Void) {
    guard journal != nil else { return keepWhole() }
    guard let journal, journalFailure == nil else { return }
    do throws(CinematicError) { try write(journal) } catch { journalFailure = error.message }
  }

  /// Writes down that all is saved. A journal that lacks steps is begun anew: it would show older edits over what was saved.
  private func keepSaved() {
    guard journalFailure != nil else {
      return keep { journal throws(CinematicError) in try journal.appendSaved() }
    }
    journal?.remove()
    journal = nil
    journalFailure = nil
    keepWhole()
  }

  /// Begins a journal with every state that there is, so that undo leads as far back as now.
  private func keepWhole() {
    guard journalFailure == nil || isJournalTaken else { return }
    journalFailure = nil
    isJournalTaken = false
    if journal == nil {
      do throws(CinematicError) { journal = try begunJournal() } catch {
        // Nothing is written into one that another editor holds, or that is not understood.
        journalFailure = error.message
        isJournalTaken = error.code == .invalidState
        return
      }
    }
    guard let journal else { return }
    do throws(CinematicError) {
      try journal.appendFirst(document.states[0])
      for state in document.states.dropFirst() { try journal.append(state, joins: false) }
      for _ in (document.position + 1)..<document.states.count { try journal.appendUndo() }
      if !document.hasUnsavedEdits { try journal.appendSaved() }
    } catch {
      // Its first part would show older edits.
      journal.remove()
      self.journal = nil
      journalFailure = error.message
    }
  }

  /// Opens a journal for edits that are not in one. One may be there that another editor has left with edits that were never
  /// saved: they come before the present state, so that undo leads to them.
  private func begunJournal() throws(CinematicError) -> EditJournal {
    let opened = try EditJournal(path: EditJournal.path(besideChanges: changesPath))
    var other = EditDocument(document.saved)
    guard try opened.recover(&other) > 0, other.hasUnsavedEdits else { return opened }
    let present = document.current
    guard other.current != present else { return opened }
    document.putBefore(other.current)
    revision += 1
    notes.append("another editor has left edits that were never saved: undo leads to them")
    return opened
  }
}

/// Names of files that a page may choose: in a folder that the server knows.
enum FileName {
  /// A name that leads nowhere else, with an ending.
  ///
  /// - Throws: `invalidParameter` for a name with a folder in it, say.
  static func checked(_ name: String, ending: String) throws(CinematicError) -> String {
    let full = name.lowercased().hasSuffix("." + ending) ? name : "\(name).\(ending)"
    guard !name.contains("%") else {
      throw CinematicError(
        .invalidParameter, "'\(name.prefix(80))' has a %, which stands for numbers of pictures",
        remedy: "leave it out")
    }
    guard !name.isEmpty, full.utf8.count <= 200, !name.hasPrefix("."), !name.hasPrefix("-"),
      name.unicodeScalars.allSatisfy({
        $0 != "/" && $0 != "\\" && $0.value >= 32 && $0.value != 127
      })
    else {
      throw CinematicError(
        .invalidParameter, "'\(name.prefix(80))' is no name of a file",
        remedy: "write a name without a folder, of letters and digits")
    }
    return full
  }
}
