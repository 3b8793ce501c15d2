// SPDX-License-Identifier: Apache-2.0

/// The kind of thing that was detected. Raw values are those of Apple's Cinematic framework, with
/// its gaps.
public enum DetectionType: Int, Hashable, Sendable, CaseIterable, CustomStringConvertible {
  case unknown = 0
  case humanFace = 1
  case humanHead = 2
  case humanTorso = 3
  case catBody = 4
  case dogBody = 5
  case catHead = 9
  case dogHead = 10
  case sportsBall = 11
  /// The target of the camera's autofocus.
  case autoFocus = 100
  /// An explicit request for one disparity.
  case fixedFocus = 101
  /// Something that a tracker of the caller's choice followed.
  case custom = 102

  /// The case's own name, as it stands in a script's JSON.
  public var description: String {
    switch self {
    case .unknown: "unknown"
    case .humanFace: "humanFace"
    case .humanHead: "humanHead"
    case .humanTorso: "humanTorso"
    case .catBody: "catBody"
    case .dogBody: "dogBody"
    case .catHead: "catHead"
    case .dogHead: "dogHead"
    case .sportsBall: "sportsBall"
    case .autoFocus: "autoFocus"
    case .fixedFocus: "fixedFocus"
    case .custom: "custom"
    }
  }

  /// The type of that name, or `nil`.
  public init?(name: some StringProtocol) {
    guard let match = Self.allCases.first(where: { $0.description == name }) else { return nil }
    self = match
  }

  /// The order in which a group's detections are preferred as its focus: faces, then heads, then
  /// bodies, then the rest. Smaller is preferred.
  package var focusRank: Int {
    switch self {
    case .humanFace: 0
    case .catHead, .dogHead: 1
    case .humanHead: 2
    case .humanTorso: 3
    case .catBody, .dogBody: 4
    case .sportsBall: 5
    case .custom: 6
    case .unknown: 7
    case .autoFocus: 8
    case .fixedFocus: 9
    }
  }
}
