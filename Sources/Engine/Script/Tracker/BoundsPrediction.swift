// SPDX-License-Identifier: Apache-2.0

import FocalCore

/// Where an object is thought to be.
public struct BoundsPrediction: Hashable, Sendable {
  /// In shares of the picture's width and height, origin at the top left; beyond 0 to 1 where the object
  /// reaches out of the picture.
  public var normalizedBounds: NormalizedRect
  /// 0 to 1.
  public var confidence: Float

  /// A prediction of these bounds.
  public init(normalizedBounds: NormalizedRect, confidence: Float) {
    self.normalizedBounds = normalizedBounds
    self.confidence = confidence
  }
}

/// Something that finds an object again from frame to frame: ``CorrelationTracker``, or a caller's
/// own, to be driven by an ``ObjectTracker``.
public protocol VisualTracker {
  /// Takes in what the object looks like, in place of any object before.
  ///
  /// - Parameter bounds: not empty, at least partly inside the picture.
  /// - Returns: `false` when nothing there can be followed.
  mutating func start(
    within bounds: NormalizedRect, sourceImage: PixelBuffer, sourceDisparity: PixelBuffer?
  ) -> Bool

  /// Finds the object in the next frame.
  ///
  /// - Returns: `nil` when it is lost; it may be found again in a later frame. A box with a side that is not above zero, or
  ///   with a number that is not finite or beyond a million, counts as lost.
  mutating func next(
    sourceImage: PixelBuffer, sourceDisparity: PixelBuffer?
  ) -> BoundsPrediction?

  /// The same, where a detector has found things in that frame: one of them may be an object that was lost.
  ///
  /// - Parameter detected: their boxes.
  mutating func next(
    sourceImage: PixelBuffer, sourceDisparity: PixelBuffer?, detected: [NormalizedRect]
  ) -> BoundsPrediction?
}

extension VisualTracker {
  public mutating func next(
    sourceImage: PixelBuffer, sourceDisparity: PixelBuffer?, detected: [NormalizedRect]
  ) -> BoundsPrediction? {
    next(sourceImage: sourceImage, sourceDisparity: sourceDisparity)
  }
}
