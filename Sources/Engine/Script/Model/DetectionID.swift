// SPDX-License-Identifier: Apache-2.0

/// Names one subject, seen as one type, through a script. Valid ids are positive.
public struct DetectionID: RawRepresentable, Hashable, Comparable, Sendable, CustomStringConvertible
{
  /// The number; positive in a valid id.
  public let rawValue: Int64
  /// An id of a number.
  public init(rawValue: Int64) { self.rawValue = rawValue }
  /// An id of a number.
  public init(_ rawValue: Int64) { self.rawValue = rawValue }

  /// Whether a script can hold a track of this id.
  public var isValid: Bool { rawValue > 0 }
  public var description: String { "\(rawValue)" }
  public static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }
}

/// Names one subject over its related types: a person's face, head and torso. Valid ids are positive.
public struct DetectionGroupID: RawRepresentable, Hashable, Comparable, Sendable,
  CustomStringConvertible
{
  /// The number; positive in a valid id.
  public let rawValue: Int64
  /// An id of a number.
  public init(rawValue: Int64) { self.rawValue = rawValue }
  /// An id of a number.
  public init(_ rawValue: Int64) { self.rawValue = rawValue }

  /// Whether a script can hold a track of this group.
  public var isValid: Bool { rawValue > 0 }
  public var description: String { "\(rawValue)" }
  public static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }
}
