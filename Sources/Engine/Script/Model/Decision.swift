// SPDX-License-Identifier: Apache-2.0

import FocalCore

/// From `time` on, focus belongs to a subject: the first time at which the subject is *already* in
/// focus; the rack toward it runs before.
///
/// Base decisions are automatic. User decisions lie on top of them: a weak one holds until the next
/// base or user decision, a strong one until the next user decision, and both at most until their
/// subject's track ends.
public struct Decision: Hashable, Sendable {
  /// The thing that a decision focuses on.
  public enum FocusDetectionID: Hashable, Sendable {
    /// One detection track.
    case single(DetectionID)
    /// The best detection of a group at each time: face, then head, then torso.
    case group(DetectionGroupID)
  }

  /// When its subject comes into focus.
  public let time: Time
  /// The track or the group that comes into focus.
  public let focusDetectionID: FocusDetectionID
  /// Whether it holds until the next user decision; a weak one holds until the next decision of any
  /// kind.
  public let isStrongDecision: Bool
  /// Whether it is an edit (or a tap while recording), not a base decision. Set by the script that
  /// the decision is added to.
  public internal(set) var isUserDecision: Bool

  /// A decision for a track.
  public init(time: Time, detectionID: DetectionID, strong: Bool) {
    self.init(time: time, focus: .single(detectionID), strong: strong)
  }

  /// A decision for a group, of which the best track in each frame is followed.
  public init(time: Time, detectionGroupID: DetectionGroupID, strong: Bool) {
    self.init(time: time, focus: .group(detectionGroupID), strong: strong)
  }

  package init(time: Time, focus: FocusDetectionID, strong: Bool, user: Bool = false) {
    self.time = time
    self.focusDetectionID = focus
    self.isStrongDecision = strong
    self.isUserDecision = user
  }

  /// The id of a single decision, else `nil`.
  public var detectionID: DetectionID? {
    if case .single(let id) = focusDetectionID { id } else { nil }
  }

  /// The id of a group decision, else `nil`.
  public var detectionGroupID: DetectionGroupID? {
    if case .group(let id) = focusDetectionID { id } else { nil }
  }

  /// Whether it is for a group.
  public var isGroupDecision: Bool { detectionGroupID != nil }

  package func with(user: Bool) -> Decision {
    Decision(time: time, focus: focusDetectionID, strong: isStrongDecision, user: user)
  }

  package func moved(to time: Time) -> Decision {
    Decision(time: time, focus: focusDetectionID, strong: isStrongDecision, user: isUserDecision)
  }
}
