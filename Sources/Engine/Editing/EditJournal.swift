// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalScript
import Foundation

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A file beside the changes that holds every step since they were saved, one a line, as it is taken: what is unsaved
/// survives whatever ends the program.
///
/// A line is written at once. A last line without its end was being written when the program ended: it is left out.
/// Steps that a line tells are whole, so that none is half there. Power that fails may cost the latest lines.
///
/// One program at a time holds a journal.
public final class EditJournal {
  /// The file's path.
  public let path: String
  private let descriptor: Int32
  /// Tracks that the journal holds, by their numbers.
  private var tracks: [DetectionTrack] = []
  /// The numbers of tracks that states share with the journal: a step asks for all of its tracks. Those that are not among
  /// them are compared.
  private var numbers: [ObjectIdentifier: (track: DetectionTrack, number: Int)] = [:]

  /// The name of a changes file's journal.
  public static func path(besideChanges changes: String) -> String { changes + ".journal" }

  /// Opens a journal, or begins one.
  ///
  /// - Throws: `invalidState` for one that another program holds, `unwritable`.
  public init(path: String) throws(CinematicError) {
    self.path = path
    descriptor = open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { throw Self.failure(path, errno) }
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
      let number = errno
      // All of it is set, so that it ends as any other does: `deinit` closes the file, once.
      guard number == EWOULDBLOCK else { throw Self.failure(path, number) }
      throw CinematicError(
        .invalidState, "\(path) is in use: another editor has the same changes open",
        remedy: "use that one, or end it first")
    }
    // Its holder may have removed it meanwhile: what is written into a file without a name is lost.
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_nlink > 0 else {
      throw CinematicError(
        .invalidState, "\(path) was in use: another editor had the same changes open",
        remedy: "try again")
    }
  }

  deinit {
    // At once, although a program that is just being started may have the file a moment longer.
    _ = flock(descriptor, LOCK_UN)
    close(descriptor)
  }

  // MARK: - Writing

  /// Writes a line about a document's first state, to which undo leads. The journal begins with it: a changes file that is
  /// saved later holds another one.
  ///
  /// - Throws: `unwritable` where the disk is full, say.
  public func appendFirst(_ state: EditState) throws(CinematicError) {
    try append(state, event: .edit, isFirst: true)
  }

  /// Writes a line about the latest state of a document.
  ///
  /// - Parameter joins: whether it took the place of the one before.
  /// - Throws: `unwritable` where the disk is full, say.
  public func append(_ state: EditState, joins: Bool) throws(CinematicError) {
    try append(state, event: joins ? .joined : .edit, isFirst: false)
  }

  private func append(
    _ state: EditState, event: Line.Event, isFirst: Bool
  ) throws(CinematicError) {
    let changes = state.changes
    var numbers: [Int] = []
    for track in changes.addedDetectionTracks {
      if let known = number(of: track) {
        numbers.append(known)
        continue
      }
      let alone = Script.Changes(
        identity: changes.identity, fNumber: changes.fNumber, look: Look(), userDecisions: [],
        baseDecisions: nil, addedDetectionTracks: [track], transitions: [:])
      try write(Line(event: .track, changes: alone.dataRepresentation))
      numbers.append(tracks.count)
      self.numbers[ObjectIdentifier(track)] = (track, tracks.count)
      tracks.append(track)
    }
    let others = Script.Changes(
      identity: changes.identity, fNumber: changes.fNumber, look: changes.look,
      userDecisions: changes.userDecisions, baseDecisions: changes.baseDecisions,
      addedDetectionTracks: [], transitions: changes.transitions)
    var line = Line(event: event, changes: others.dataRepresentation)
    line.isFirst = isFirst ? true : nil
    line.tracks = numbers
    line.range = state.range.map { ["\($0.start)", "\($0.end)"] }
    try write(line)
  }

  /// The number of a track that the journal holds.
  private func number(of track: DetectionTrack) -> Int? {
    if let known = numbers[ObjectIdentifier(track)] { return known.number }
    guard let found = tracks.lastIndex(of: track) else { return nil }
    numbers[ObjectIdentifier(track)] = (track, found)
    return found
  }

  /// Writes a line about a step back.
  ///
  /// - Throws: `unwritable` where the disk is full, say.
  public func appendUndo() throws(CinematicError) { try write(Line(event: .undo)) }

  /// Writes a line about a step that is taken again.
  ///
  /// - Throws: as ``appendUndo()``.
  public func appendRedo() throws(CinematicError) { try write(Line(event: .redo)) }

  /// Begins anew after a save: what is in the changes file need not be told again, the history until now is.
  ///
  /// - Throws: as ``appendUndo()``.
  public func appendSaved() throws(CinematicError) { try write(Line(event: .saved)) }

  /// Removes the file: nothing in it is wanted any more.
  public func remove() { unlink(path) }

  private func write(_ line: Line) throws(CinematicError) {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    guard var bytes = try? encoder.encode(line) else {
      throw CinematicError(.unknown, "a step cannot be written to \(path)")
    }
    bytes.append(UInt8(ascii: "\n"))
    let start = lseek(descriptor, 0, SEEK_END)
    let outcome = bytes.withUnsafeBytes { DescriptorOutput.writeAll($0, to: descriptor) }
    guard outcome.number == 0 else {
      // Half a line would spoil the next one.
      _ = ftruncate(descriptor, start)
      throw Self.failure(path, outcome.number)
    }
  }

  // MARK: - Reading

  /// Takes a document through the steps of the journal. A last line without its end is cut off.
  ///
  /// - Parameter document: of the same script, as the changes file holds it.
  /// - Returns: how many steps there were.
  /// - Throws: `incompatible` for the journal of another script, `malformed` for one of another version or a
  ///   damaged one, `unreadable`; document and journal are then as they were.
  public func recover(_ document: inout EditDocument) throws(CinematicError) -> Int {
    let data: Data
    do { data = try Data(contentsOf: URL(fileURLWithPath: path)) } catch {
      throw CinematicError(
        .unreadable, "the journal \(path) cannot be read", remedy: "move it away")
    }
    var steps = 0
    var lines = 0
    var valid = data.startIndex
    var result = document
    var found: [DetectionTrack] = []
    while let end = data[valid...].firstIndex(of: UInt8(ascii: "\n")) {
      guard let line = try? JSONDecoder().decode(Line.self, from: data[valid..<end]),
        try take(line, &result, &found)
      else {
        throw CinematicError(
          .malformed, "line \(lines + 1) of the journal \(path) is not understood",
          remedy: "move the journal away, or cut it there: the \(lines) lines before are whole")
      }
      lines += 1
      steps += line.event == .track || line.isFirst == true ? 0 : 1
      valid = data.index(after: end)
    }
    _ = ftruncate(descriptor, off_t(valid - data.startIndex))
    tracks = found
    numbers = [:]
    if steps > 0 { document = result }
    return steps
  }

  /// - Parameter tracks: those of the lines before.
  /// - Returns: whether the line makes sense.
  /// - Throws: `incompatible` for changes of another script.
  private func take(
    _ line: Line, _ document: inout EditDocument, _ tracks: inout [DetectionTrack]
  ) throws(CinematicError) -> Bool {
    switch line.event {
    case .undo: return document.undo()
    case .redo: return document.redo()
    case .saved:
      document.markSaved()
      return true
    case .track, .edit, .joined: break
    }
    guard let data = line.changes, let known = try? Script.Changes(dataRepresentation: data) else {
      return false
    }
    let script = document.current.script
    guard known.identity == script.recording.identity else {
      throw CinematicError(
        .incompatible, "the journal \(path) belongs to another movie's script",
        remedy: "move it away, or name other changes with \(parameter: .journalPath)")
    }
    if line.event == .track {
      guard known.addedDetectionTracks.count == 1 else { return false }
      tracks += known.addedDetectionTracks
      return true
    }
    let numbers = line.tracks ?? []
    guard numbers.allSatisfy(tracks.indices.contains) else { return false }
    // Journals of older programs hold the look beside the changes.
    var look = known.look
    for (name, json) in line.look ?? [:] { look[name] = json }
    let changes = Script.Changes(
      identity: known.identity, fNumber: known.fNumber, look: look,
      userDecisions: known.userDecisions,
      baseDecisions: known.baseDecisions, addedDetectionTracks: numbers.map { tracks[$0] },
      transitions: known.transitions)
    let next = script.copy()
    guard (try? next.reload(changes: changes)) != nil else { return false }
    var range: TimeRange?
    if let ends = line.range {
      guard ends.count == 2, let start = Self.time(ends[0]), let end = Self.time(ends[1]) else {
        return false
      }
      range = TimeRange(start: start, end: end)
    }
    let state = EditState(script: next, range: range)
    if line.isFirst == true {
      document.begin(with: state)
      return true
    }
    if line.event == .joined, !document.canUndo { return false }
    document.record(state, joins: line.event == .joined)
    return true
  }

  private static func time(_ text: String) -> Time? {
    let parts = text.split(separator: "/")
    guard parts.count == 2, let value = Int64(parts[0]), let scale = Int32(parts[1]), scale > 0
    else { return nil }
    return Time(value: value, timescale: scale)
  }

  private static func failure(_ path: String, _ number: Int32) -> CinematicError {
    CinematicError(
      .unwritable, "the journal \(path) cannot be written: \(String(cString: strerror(number)))",
      remedy: "make room or choose another place with \(parameter: .journalPath)")
  }

  /// A line of the file.
  private struct Line: Codable {
    enum Event: String, Codable {
      /// A track that later lines name by its number, from 0.
      case track
      case edit
      /// An edit in place of the one before.
      case joined
      case undo
      case redo
      case saved
    }
    var event: Event
    /// The binary form of changes, without tracks; of a track with it alone.
    var changes: Data?
    var tracks: [Int]?
    var range: [String]?
    var look: [String: String]?
    /// Whether undo leads no further back. Older programs take the line for an edit.
    var isFirst: Bool?

    init(event: Event, changes: Data? = nil) {
      self.event = event
      self.changes = changes
    }
  }
}
