// SPDX-License-Identifier: Apache-2.0

import FocalCore

/// Detections that the caller made, by a tracker or by hand, at times of their own.
// @unchecked Sendable: as its superclass, it holds nothing but immutable values.
public final class CustomDetectionTrack: DetectionTrack, @unchecked Sendable {
  /// Whether jitter is taken out of the disparities, as it is at recording time.
  public let isSmoothed: Bool
  /// The disparities before smoothing, one a detection.
  let givenDisparities: [Float]

  /// - Parameters:
  ///   - detections: in any order; of several at one time the last counts. The type of the first
  ///     becomes the track's; ids they carry are ignored.
  ///   - smooth: takes the jitter out of the disparities.
  /// - Throws: `invalidParameter` for no detections, or a rectangle or a disparity that is not
  ///   finite.
  public convenience init(
    detections: [Detection], smooth: Bool
  ) throws(CinematicError) {
    guard let first = detections.first else {
      throw CinematicError(
        .invalidParameter, "a custom detection track without detections cannot be made",
        remedy: "give it at least one detection")
    }
    self.init(
      type: first.detectionType, id: nil, group: nil,
      samples: try DetectionSamples.sorted(detections), smooth: smooth, recorded: false)
  }

  init(
    type: DetectionType, id: DetectionID?, group: DetectionGroupID?, samples: DetectionSamples,
    smooth: Bool, recorded: Bool
  ) {
    isSmoothed = smooth
    givenDisparities = samples.disparities
    let shown =
      smooth
      ? samples.replacing(
        disparities: DisparitySmoother(style: .standard).smoothed(
          samples.disparities, times: samples.times, deadZone: 0))
      : samples
    super.init(type: type, id: id, group: group, userCreated: !recorded, samples: shown)
  }

  private init(copy: CustomDetectionTrack, id: DetectionID, group: DetectionGroupID?) {
    isSmoothed = copy.isSmoothed
    givenDisparities = copy.givenDisparities
    super.init(
      type: copy.detectionType, id: id, group: group, userCreated: copy.isUserCreated,
      samples: copy.samples)
  }

  /// Every detection, in the order of time.
  public var allDetections: [Detection] { (0..<samples.count).map { detection(at: $0) } }

  /// The detections as they were given.
  var givenSamples: DetectionSamples { samples.replacing(disparities: givenDisparities) }

  override func identified(as id: DetectionID, group: DetectionGroupID?) -> DetectionTrack {
    CustomDetectionTrack(copy: self, id: id, group: group)
  }

  /// The same track as part of a recording.
  func recorded() -> CustomDetectionTrack {
    CustomDetectionTrack(
      type: detectionType, id: detectionID, group: detectionGroupID, samples: givenSamples,
      smooth: isSmoothed, recorded: true)
  }

  override func trimmed(
    to range: TimeRange, lastFrame: Time?, shift offset: Time
  ) -> DetectionTrack {
    CustomDetectionTrack(
      type: detectionType, id: detectionID, group: detectionGroupID,
      samples: givenSamples.trimmed(to: range, lastFrame: lastFrame, shift: offset),
      smooth: isSmoothed,
      recorded: !isUserCreated)
  }

  override func isEqual(to other: DetectionTrack) -> Bool {
    guard super.isEqual(to: other), let other = other as? CustomDetectionTrack else { return false }
    return isSmoothed == other.isSmoothed && givenDisparities == other.givenDisparities
  }
}
