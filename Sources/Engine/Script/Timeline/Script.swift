// SPDX-License-Identifier: Apache-2.0

import FocalCore
import Synchronization

/// The notebook of a film's focus: what was recorded, what is decided, and for every frame the two
/// numbers that a renderer needs.
///
/// Safe to use from any thread. Every look-up sees the script as it was before an edit or as it is
/// after it, and never waits for an edit to be worked out.
public final class Script: Sendable {
  /// The part that edits never touch.
  public var recording: Recording { index.recording }

  private let index: RecordingIndex
  /// Held only to take or to put a reference.
  private let state: Mutex<Snapshot>
  /// Held through an edit: one at a time. The number is the next added track's id.
  private let editing: Mutex<Int64>

  /// A script of a recording, as recorded or with changes.
  ///
  /// - Throws: `incompatible` for changes of another recording, `malformed` for changes that add a track whose id is taken or
  ///   missing.
  public init(recording: Recording, changes: Changes? = nil) throws(CinematicError) {
    let index = RecordingIndex(recording)
    let snapshot = try Self.snapshot(index, changes)
    self.index = index
    state = Mutex(snapshot)
    editing = Mutex(Self.firstFreeID(snapshot))
  }

  private init(copyOf other: Script, at snapshot: Snapshot, nextID: Int64) {
    index = other.index
    state = Mutex(snapshot)
    editing = Mutex(nextID)
  }

  /// A script of the same recording with the same edits, which from now on is edited apart. Costs nothing but a
  /// few words of memory: what both have in common is shared.
  public func copy() -> Script {
    editing.withLock { nextID in Script(copyOf: self, at: current, nextID: nextID) }
  }

  /// The script as it is now.
  var current: Snapshot { state.withLock { $0 } }

  /// Works out a new state from the present one, and puts it in its place. `nil` changes nothing.
  func edit(_ body: (Snapshot, inout Int64) -> Snapshot?) -> Bool {
    editing.withLock { nextID in
      guard let next = body(current, &nextID) else { return false }
      state.withLock { $0 = next }
      return true
    }
  }

  /// Drops all changes and applies others; `nil` leaves the script as recorded. Added tracks that are in both are shared.
  ///
  /// - Throws: `incompatible` for changes of another recording, `malformed` for changes that add a track whose id is taken or
  ///   missing; the script is then unchanged.
  public func reload(changes: Changes?) throws(CinematicError) {
    let snapshot = try Self.snapshot(index, changes, sharing: current.addedTracks)
    _ = edit { _, nextID in
      nextID = Self.firstFreeID(snapshot)
      return snapshot
    }
  }

  /// - Parameter known: added tracks, which are worked out no second time where the changes have them.
  private static func snapshot(
    _ index: RecordingIndex, _ changes: Changes?, sharing known: [Snapshot.AddedTrack] = []
  ) throws(CinematicError) -> Snapshot {
    guard let changes else {
      return Snapshot(
        index: index, fNumber: index.recording.fNumber, addedTracks: [],
        userDecisions: index.userDecisions, baseDecisions: nil,
        transitions: index.recording.transitions)
    }
    guard changes.identity == index.recording.identity else {
      throw CinematicError(
        .incompatible,
        "the changes belong to the script \(changes.identity), not to \(index.recording.identity)",
        remedy: "apply them to the script that they were made on")
    }
    var ids: Set<DetectionID> = []
    for track in changes.addedDetectionTracks {
      guard let id = track.detectionID, index.timeline(for: id) == nil, ids.insert(id).inserted
      else {
        throw CinematicError(
          .malformed, "the changes add a detection track whose id is taken or missing")
      }
    }
    let shared = Dictionary(
      known.map { (ObjectIdentifier($0.track), $0) }, uniquingKeysWith: { first, _ in first })
    return Snapshot(
      index: index, fNumber: changes.fNumber, changedLook: changes.look,
      addedTracks: changes.addedDetectionTracks.map { track in
        shared[ObjectIdentifier(track)]
          ?? Snapshot.AddedTrack(track: track, timeline: index.timeline(adding: track))
      }, userDecisions: changes.userDecisions, baseDecisions: changes.baseDecisions,
      transitions: changes.transitions)
  }

  private static func firstFreeID(_ snapshot: Snapshot) -> Int64 {
    let recorded = snapshot.recording.detectionTracks.last?.detectionID?.rawValue ?? 0
    let added = snapshot.addedTracks.compactMap { $0.track.detectionID?.rawValue }.max() ?? 0
    let largest = max(recorded, added)
    if largest < .max { return largest + 1 }
    var free: Int64 = 1
    while snapshot.detectionTrack(for: DetectionID(free)) != nil { free += 1 }
    return free
  }
}
