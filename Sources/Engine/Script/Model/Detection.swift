// SPDX-License-Identifier: Apache-2.0

import FocalCore

/// Something that was found in a frame and that focus can be set on.
public struct Detection: Hashable, Sendable {
  /// The time of the frame it was found in.
  public var time: Time
  /// The kind of thing that was detected.
  public var detectionType: DetectionType
  /// Where it lies, in shares of the picture's width and height, origin at the top left.
  public var normalizedRect: NormalizedRect
  /// The disparity at which it is in focus: relative, larger is nearer.
  public var focusDisparity: Float
  /// Same subject and same type through time; `nil` until its track is part of a script.
  public package(set) var detectionID: DetectionID?
  /// Same subject over related types; `nil` where the script relates none.
  public package(set) var detectionGroupID: DetectionGroupID?

  /// A detection without ids; a track adds its own.
  public init(
    time: Time, detectionType: DetectionType, normalizedRect: NormalizedRect, focusDisparity: Float
  ) {
    self.time = time
    self.detectionType = detectionType
    self.normalizedRect = normalizedRect
    self.focusDisparity = focusDisparity
  }

  /// Whether it lies at a place: what has none, as a fixed focus may, takes up the whole picture.
  public var hasPlace: Bool { normalizedRect.area < 1 }

  /// The broad category of a type, in English, for a screen reader to speak.
  public static func accessibilityLabel(for type: DetectionType) -> String {
    switch type {
    case .humanFace, .humanHead, .humanTorso: "Person"
    case .catBody, .catHead: "Cat"
    case .dogBody, .dogHead: "Dog"
    case .sportsBall: "Ball"
    case .autoFocus: "Autofocus"
    case .fixedFocus: "Fixed focus"
    case .custom, .unknown: "Object"
    }
  }
}

extension NormalizedRect {
  /// Whether every number of it is finite: what a detection needs.
  package var isFinite: Bool {
    x.isFinite && y.isFinite && width.isFinite && height.isFinite
  }

  /// The largest number of a box that scripts hold. Nothing that is detected lies so many pictures away, and corners and
  /// areas of such boxes are finite.
  package static var largestNumber: Double { 1e6 }

  /// Whether something can have been detected in it: its sides are above zero, and a script holds its numbers.
  package var canHoldDetection: Bool {
    let most = Self.largestNumber
    // Comparisons with what is not a number are false.
    return abs(x) <= most && abs(y) <= most && width > 0 && width <= most && height > 0
      && height <= most
  }

  /// Shared area over joint area, 0 to 1.
  package func overlap(_ other: NormalizedRect) -> Double {
    let shared = intersection(other).area
    let joint = area + other.area - shared
    return joint > 0 ? shared / joint : 0
  }
}
