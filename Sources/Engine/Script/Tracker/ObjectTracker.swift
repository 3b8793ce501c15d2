// SPDX-License-Identifier: Apache-2.0

import FocalCore

/// Makes a detection track of an object for which none was recorded: find it at a point, start,
/// continue frame by frame, finish.
///
/// ```swift
/// let tracker = ObjectTracker()
/// if let found = tracker.findObject(at: point, sourceImage: image, sourceDisparity: map) {
///   tracker.startTracking(
///     at: time, within: found.normalizedBounds, sourceImage: image, sourceDisparity: map)
///   while ... { tracker.continueTracking(at: time, sourceImage: image, sourceDisparity: map) }
///   let track = tracker.finishDetectionTrack()
/// }
/// ```
/// To be used from one thread at a time.
public final class ObjectTracker {
  private var visual: any VisualTracker
  private var detections: [Detection] = []
  private var isTracking = false
  private var rounding: TrackRounding?

  /// - Parameter visualTracker: what finds the object from frame to frame.
  public init(visualTracker: any VisualTracker = CorrelationTracker()) { visual = visualTracker }

  /// The object that a point of the picture lies on; `nil` where none can be told.
  ///
  /// - Parameter sourceDisparity: makes it easier to tell an object from what is behind it.
  public func findObject(
    at point: NormalizedPoint, sourceImage: PixelBuffer, sourceDisparity: PixelBuffer? = nil
  ) -> BoundsPrediction? {
    ObjectFinder().find(at: point, sourceImage: sourceImage, sourceDisparity: sourceDisparity)
  }

  /// Starts a new track, in place of one that was not finished, with a first detection.
  ///
  /// - Returns: `false` when there is nothing in `bounds` that can be followed.
  @discardableResult
  public func startTracking(
    at time: Time, within bounds: NormalizedRect, sourceImage: PixelBuffer,
    sourceDisparity: PixelBuffer
  ) -> Bool {
    resetDetectionTrack()
    guard bounds.canHoldDetection,
      visual.start(
        within: bounds, sourceImage: sourceImage, sourceDisparity: sourceDisparity)
    else { return false }
    isTracking = add(bounds, at: time, sourceDisparity)
    return isTracking
  }

  /// Finds the object in a later frame, and adds a detection to its track.
  ///
  /// - Parameter detected: boxes of what a detector found in the frame: an object that was lost is looked for there,
  ///   too, at their sizes.
  /// - Returns: `nil`, and nothing is added, when the object is lost, or the visual tracker's box is none; it may be found
  ///   again later.
  @discardableResult
  public func continueTracking(
    at time: Time, sourceImage: PixelBuffer, sourceDisparity: PixelBuffer,
    detected: [NormalizedRect] = []
  ) -> BoundsPrediction? {
    guard isTracking, let last = detections.last, time > last.time,
      let found = visual.next(
        sourceImage: sourceImage, sourceDisparity: sourceDisparity, detected: detected),
      add(found.normalizedBounds, at: time, sourceDisparity)
    else { return nil }
    return found
  }

  /// The track as far as it goes, its disparities smoothed; the tracker is then ready for another.
  /// `nil` when nothing was tracked.
  public func finishDetectionTrack() -> CustomDetectionTrack? {
    defer { resetDetectionTrack() }
    // Boxes and disparities that are not finite have not been added.
    return try? CustomDetectionTrack(detections: detections, smooth: true)
  }

  /// Forgets the track.
  public func resetDetectionTrack() {
    detections = []
    isTracking = false
    rounding = nil
  }

  private func add(
    _ bounds: NormalizedRect, at time: Time, _ map: PixelBuffer
  ) -> Bool {
    guard bounds.canHoldDetection else { return false }
    let disparity = Detection.disparity(
      in: bounds, sourceDisparity: map, detectionType: .custom,
      priorDisparity: detections.last?.focusDisparity)
    guard disparity.isFinite else { return false }
    var detection = Detection(
      time: time, detectionType: .custom, normalizedRect: bounds, focusDisparity: disparity)
    var rounding =
      rounding ?? TrackRounding(first: detection, spread: DisparitySampling.spread(of: map))
    rounding.round(&detection)
    self.rounding = rounding
    detections.append(detection)
    return true
  }
}
