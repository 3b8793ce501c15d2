// SPDX-License-Identifier: Apache-2.0

import FocalCore

extension Script {
  /// Of the whole film. Setting one that is not positive and finite is a programming error.
  public var fNumber: Float {
    get { current.fNumber }
    set {
      precondition(newValue.isFinite && newValue > 0, "an f-number is positive and finite")
      _ = edit { old, _ in old.replacing(fNumber: newValue) }
    }
  }

  /// The lens that the film is meant for: the recording's, with ``changedLook`` in its place.
  public var look: Look {
    let snapshot = current
    return snapshot.recording.look.overridden(by: snapshot.changedLook)
  }

  /// The values of the lens that differ from the recording's, of the whole film. Part of the changes. Those that changes
  /// cannot hold, such as numbers that are not finite, are left out.
  public var changedLook: Look {
    get { current.changedLook }
    set {
      let look = newValue.writable
      _ = edit { old, _ in old.replacing(changedLook: look) }
    }
  }

  /// Adds a user decision, in place of one at the same time, which goes with all that was added for it alone, as in
  /// ``takeBackUserDecision(_:)``. Where both are on the same subject, the transition that was set stays.
  ///
  /// - Returns: `false`, and nothing is changed, when its id is not in the script or its time is
  ///   outside the time range.
  @discardableResult
  public func addUserDecision(_ decision: Decision) -> Bool {
    let decision = decision.with(user: true)
    return edit { old, _ in
      guard timeRange.contains(decision.time), old.subject(of: decision) != nil else { return nil }
      var decisions = old.userDecisions
      var transitions = old.transitions
      var tracks = old.addedTracks
      let position = Snapshot.lowerBound(decision.time, in: decisions)
      if position < decisions.count, decisions[position].time == decision.time {
        let replaced = decisions[position]
        let rack = transitions.removeValue(forKey: replaced)
        if replaced.focusDetectionID == decision.focusDetectionID { transitions[decision] = rack }
        decisions[position] = decision
        tracks = old.addedTracks(without: replaced, leaving: decisions)
      } else {
        decisions.insert(decision, at: position)
      }
      return old.replacing(
        addedTracks: tracks, userDecisions: decisions, transitions: transitions)
    }
  }

  /// Removes a user decision, or a tap made while recording: as the script lists it, or as it was
  /// added.
  ///
  /// - Returns: `false`, and nothing is changed, when it is none of the script's user decisions.
  @discardableResult
  public func removeUserDecision(_ decision: Decision) -> Bool {
    remove(decision) { old, _ in old.addedTracks }
  }

  /// Removes a user decision with all that was added for it alone: a fixed focus that no other decision
  /// is on goes, too. Other tracks stay, such as an object that was followed.
  ///
  /// - Returns: `false`, and nothing is changed, when it is none of the script's user decisions.
  @discardableResult
  public func takeBackUserDecision(_ decision: Decision) -> Bool {
    remove(decision) { old, rest in old.addedTracks(without: decision, leaving: rest) }
  }

  /// Removes a user decision.
  ///
  /// - Parameter tracks: the added tracks that stay, by the user decisions that do.
  private func remove(
    _ decision: Decision, keeping tracks: (Snapshot, [Decision]) -> [Snapshot.AddedTrack]
  ) -> Bool {
    let decision = decision.with(user: true)
    return edit { old, _ in
      guard let position = Snapshot.position(of: decision, in: old.userDecisions) else {
        return nil
      }
      var decisions = old.userDecisions
      decisions.remove(at: position)
      var transitions = old.transitions
      transitions[decision] = nil
      return old.replacing(
        addedTracks: tracks(old, decisions), userDecisions: decisions, transitions: transitions)
    }
  }

  /// Takes all user decisions back, and every fixed focus that was added for one.
  public func takeBackAllUserDecisions() {
    removeAllUserDecisions()
    for track in addedDetectionTracks where track.detectionType == .fixedFocus {
      removeDetectionTrack(track)
    }
  }

  /// Leaves base decisions only, as they were recorded; taps made while recording go too.
  public func removeAllUserDecisions() {
    _ = edit { old, _ in
      let base = Set(old.baseDecisions)
      let removed = recording.transitions.filter { !base.contains($0.key) }
      return old.replacing(
        userDecisions: [], baseDecisions: .recorded,
        transitions: old.transitions.merging(removed) { own, _ in own }
          .filter { !$0.key.isUserDecision })
    }
  }

  /// Adds a track.
  ///
  /// - Returns: the id that the track has in the script; look it up by this id to see it there.
  @discardableResult
  public func addDetectionTrack(_ track: DetectionTrack) -> DetectionID {
    var given = DetectionID(0)
    _ = edit { old, nextID in
      var id = DetectionID(max(nextID, 1))
      // taken ids can only be met once the largest id has been given out
      while old.detectionTrack(for: id) != nil {
        id = DetectionID(id.rawValue < .max ? id.rawValue + 1 : 1)
      }
      nextID = id.rawValue < .max ? id.rawValue + 1 : 1
      given = id
      let user: DetectionTrack =
        switch track {
        case let fixed as FixedDetectionTrack where !fixed.isUserCreated:
          FixedDetectionTrack(
            focusDisparity: fixed.focusDisparity, original: fixed.originalDetection, id: nil,
            group: nil, recorded: false)
        case let custom as CustomDetectionTrack where !custom.isUserCreated:
          CustomDetectionTrack(
            type: custom.detectionType, id: nil, group: nil, samples: custom.givenSamples,
            smooth: custom.isSmoothed, recorded: false)
        case is RecordedDetectionTrack:
          CustomDetectionTrack(
            type: track.detectionType, id: nil, group: nil, samples: track.samples,
            smooth: true, recorded: false)
        default: track
        }
      let added = user.identified(as: id, group: nil)
      return old.replacing(
        addedTracks: old.addedTracks + [
          Snapshot.AddedTrack(track: added, timeline: old.index.timeline(adding: added))
        ])
    }
    return given
  }

  /// Removes an added track and the user decisions on it.
  ///
  /// - Returns: `false`, and nothing is changed, for a track of the recording or of no script.
  @discardableResult
  public func removeDetectionTrack(_ track: DetectionTrack) -> Bool {
    track.detectionID.map { removeDetectionTrack(id: $0) } ?? false
  }

  /// Removes an added track by its id and the user decisions on it.
  @discardableResult
  public func removeDetectionTrack(id: DetectionID) -> Bool {
    edit { old, _ in
      guard old.addedTracks.contains(where: { $0.track.detectionID == id }) else { return nil }
      return old.replacing(
        addedTracks: old.addedTracks.filter { $0.track.detectionID != id },
        userDecisions: old.userDecisions.filter { $0.detectionID != id },
        transitions: old.transitions.filter { $0.key.detectionID != id })
    }
  }

  /// Sets how focus travels to a decision; `nil` for the automatic way.
  ///
  /// - Returns: `false`, and nothing is changed, when it is none of the script's decisions.
  @discardableResult
  public func setTransition(_ transition: Transition?, for decision: Decision) -> Bool {
    edit { old, _ in
      guard let decision = old.listed(decision) else { return nil }
      var transitions = old.transitions
      transitions[decision] = transition
      return old.replacing(transitions: transitions)
    }
  }

  /// The changes as they are now.
  public func changes() -> Changes { current.changes(identity: recording.identity) }

  /// The changes for a film cut to a range, whose time then starts at zero: they belong to
  /// ``Recording/trimmed(by:)`` of the same range. A decision in force at the range's start stays
  /// in force.
  ///
  /// - Throws: `unsupported` where times can no longer be expressed.
  public func changes(trimmedBy range: TimeRange) throws(CinematicError) -> Changes {
    try current.changes(trimmedBy: range)
  }
}

extension Snapshot {
  /// The base decisions of a next state.
  enum BaseDecisions {
    case recorded
    case edited([Decision])
  }

  func replacing(
    fNumber: Float? = nil, changedLook: Look? = nil, addedTracks: [AddedTrack]? = nil,
    userDecisions: [Decision]? = nil,
    baseDecisions: BaseDecisions? = nil, transitions: [Decision: Transition]? = nil
  ) -> Snapshot {
    let base: [Decision]? =
      switch baseDecisions {
      case nil: editedBaseDecisions
      case .recorded: nil
      case .edited(let decisions): decisions
      }
    return Snapshot(
      index: index, fNumber: fNumber ?? self.fNumber,
      changedLook: changedLook ?? self.changedLook, addedTracks: addedTracks ?? self.addedTracks,
      userDecisions: userDecisions ?? self.userDecisions, baseDecisions: base,
      transitions: transitions ?? self.transitions)
  }

  /// The added tracks that stay when a user decision goes: all but its fixed focus, if no decision that is left is on it.
  fileprivate func addedTracks(
    without decision: Decision, leaving userDecisions: [Decision]
  ) -> [AddedTrack] {
    guard let id = decision.detectionID,
      !(userDecisions + baseDecisions).contains(where: { $0.detectionID == id })
    else { return addedTracks }
    return addedTracks.filter {
      $0.track.detectionID != id || $0.track.detectionType != .fixedFocus
    }
  }

  func changes(identity: Identity) -> Script.Changes {
    Script.Changes(
      identity: identity, fNumber: fNumber, look: changedLook, userDecisions: userDecisions,
      baseDecisions: editedBaseDecisions, addedDetectionTracks: addedTracks.map(\.track),
      transitions: transitions)
  }
}
