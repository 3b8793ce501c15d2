// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalScript

/// Finds what focus can be set on in single pictures. A caller's own type conforms.
public protocol ObjectDetector: Sendable {
  /// For messages.
  var name: String { get }

  /// The objects that are seen in a picture, in any order. ``TrackLinker`` leaves out what has no box.
  ///
  /// - Parameters:
  ///   - picture: in any format but those of disparity.
  ///   - turn: from the picture as stored to the picture as shown: it is looked at upright.
  /// - Throws: what the detector's own work throws.
  func detect(
    _ picture: PixelBuffer, turn: QuarterTurn
  ) async throws(CinematicError) -> [FoundObject]
}

/// Something in a single picture.
public struct FoundObject: Hashable, Sendable {
  public var type: DetectionType
  /// Where it lies in the picture as stored, in shares.
  public var rect: NormalizedRect
  /// 0 to 1.
  public var confidence: Float

  public init(type: DetectionType, rect: NormalizedRect, confidence: Float) {
    (self.type, self.rect, self.confidence) = (type, rect, confidence)
  }
}
