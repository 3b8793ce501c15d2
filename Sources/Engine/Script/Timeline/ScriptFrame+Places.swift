// SPDX-License-Identifier: Apache-2.0

import FocalCore

extension ScriptFrame {
  /// The meaning of a tap: the detection at a point; of several the one that is preferred as a focus (a face
  /// before a head before a body), of several of those the smallest.
  ///
  /// - Parameter point: as detections lie, before a movie's turn.
  public func detection(at point: NormalizedPoint) -> Detection? {
    allDetections.filter { $0.normalizedRect.contains(point) }.min { a, b in
      let ranks = (a.detectionType.focusRank, b.detectionType.focusRank)
      return ranks.0 != ranks.1
        ? ranks.0 < ranks.1 : a.normalizedRect.area < b.normalizedRect.area
    }
  }
}

extension ScriptFrame {
  /// The subject that a tap at a point decides for: the detection there, with its group where it has one;
  /// `nil` where nothing is detected.
  ///
  /// - Parameter point: as detections lie, before a movie's turn.
  public func subject(at point: NormalizedPoint) -> Decision.FocusDetectionID? {
    guard let hit = detection(at: point) else { return nil }
    if let group = hit.detectionGroupID { return .group(group) }
    return hit.detectionID.map { .single($0) }
  }
}

extension NormalizedRect {
  /// The part of the picture that stands for a tapped point: a small square of shares around it.
  public static func around(_ point: NormalizedPoint) -> NormalizedRect {
    let side = 0.06
    return NormalizedRect(
      x: min(max(point.x - side / 2, 0), 1 - side), y: min(max(point.y - side / 2, 0), 1 - side),
      width: side, height: side)
  }
}
