// SPDX-License-Identifier: Apache-2.0

import FocalCore

extension Script {
  /// The edits of a recording: small, apart from it, and always to be dropped again.
  public struct Changes: Equatable, Sendable {
    /// The recording that the changes were made on; they apply to no other.
    public let identity: Identity
    /// The f-number in place of the recording's.
    public let fNumber: Float
    /// The lens, value by value in place of the recording's.
    public let look: Look
    /// All user decisions in force, those of the recording included, in the order of time.
    public let userDecisions: [Decision]
    /// The base decisions in place of the recording's, in the order of time, where some were moved or removed, or gave
    /// way to a director's; `nil` where they are as recorded.
    public let baseDecisions: [Decision]?
    /// With the ids that the script gave them.
    public let addedDetectionTracks: [DetectionTrack]
    /// Transitions that differ from the automatic ones.
    public let transitions: [Decision: Transition]

    package init(
      identity: Identity, fNumber: Float, look: Look, userDecisions: [Decision],
      baseDecisions: [Decision]?,
      addedDetectionTracks: [DetectionTrack], transitions: [Decision: Transition]
    ) {
      self.identity = identity
      self.fNumber = fNumber
      self.look = look
      self.userDecisions = userDecisions
      self.baseDecisions = baseDecisions
      self.addedDetectionTracks = addedDetectionTracks
      self.transitions = transitions
    }
  }
}
