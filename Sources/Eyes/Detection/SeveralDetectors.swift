// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalScript

/// The objects that several detectors find; an object that two of them find is one.
public struct SeveralDetectors: ObjectDetector {
  public let detectors: [any ObjectDetector]
  public var name: String { detectors.map(\.name).joined(separator: " and ") }

  /// Faces and others that share more of their area are one.
  private static let mostOverlap = 0.4

  public init(_ detectors: [any ObjectDetector]) { self.detectors = detectors }

  public func detect(
    _ picture: PixelBuffer, turn: QuarterTurn
  ) async throws(CinematicError) -> [FoundObject] {
    var found: [FoundObject] = []
    for detector in detectors { found += try await detector.detect(picture, turn: turn) }
    return detectors.count > 1 ? found.withoutDoubles(sharing: Self.mostOverlap) : found
  }
}
