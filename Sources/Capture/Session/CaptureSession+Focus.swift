// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalScript

/// The calls that move focus. They take effect with the next frame; a movie that is recorded keeps them as decisions
/// of the user's.
extension CaptureSession {
  /// Focus follows a detection. Strong: it stays, although others would win, until the next call, or until the subject
  /// has been gone for three seconds. Weak: the director may move on.
  ///
  /// - Throws: `invalidParameter` for an id that is not in the latest frame, or the mode `none`.
  public func setTrackingFocus(
    detectedObjectID id: DetectionID, focusMode: CinematicVideoFocusMode
  ) throws(CinematicError) {
    try Self.check(focusMode)
    guard let found = latest?.metadata.detections.first(where: { $0.detection.detectionID == id })
    else {
      throw CinematicError(
        .invalidParameter, "nothing of the id \(id) is in the picture",
        remedy: "give the id of a detection of the latest frame")
    }
    let subject: Decision.FocusDetectionID =
      found.detection.detectionGroupID.map { .group($0) } ?? .single(id)
    orders.append(CaptureOrder(focus: .subject(subject, focusMode)))
  }

  /// Finds something salient at a point and follows it, as a detection of the type `custom`.
  ///
  /// - Returns: the id of its detections.
  /// - Throws: `incomplete` where nothing can be told from what is around it, `invalidParameter` for a point outside
  ///   the picture or the mode `none`, `invalidState` before the first frame.
  @discardableResult public func setTrackingFocus(
    at point: NormalizedPoint, focusMode: CinematicVideoFocusMode
  ) throws(CinematicError) -> DetectionID {
    try Self.check(focusMode)
    let (frame, place) = try place(of: point)
    let found = ObjectTracker().findObject(
      at: place, sourceImage: frame.picture.pixelBuffer, sourceDisparity: frame.map)
    guard let found else {
      throw CinematicError(
        .incomplete, "nothing that could be followed is at \(point.x),\(point.y)",
        remedy: "choose another point, or fix the focus there")
    }
    let id = DetectionID(ids.next())
    orders.append(
      CaptureOrder(
        focus: .subject(.single(id), focusMode), salient: (id, found.normalizedBounds)))
    return id
  }

  /// Holds the focus at the distance of what is seen at a point. Strong: on that plane, whatever happens in front of it.
  /// Weak: until the director moves on.
  ///
  /// - Throws: `incomplete` for a point without disparity, `invalidParameter` and `invalidState` as above.
  public func setFixedFocus(
    at point: NormalizedPoint, focusMode: CinematicVideoFocusMode
  ) throws(CinematicError) {
    try Self.check(focusMode)
    let (frame, place) = try place(of: point)
    let spot = NormalizedRect(x: place.x - 0.01, y: place.y - 0.01, width: 0.02, height: 0.02)
    let disparity = Detection.disparity(
      in: spot, sourceDisparity: frame.map, detectionType: .fixedFocus)
    guard disparity.isFinite else {
      throw CinematicError(
        .incomplete, "the map has no disparity at \(point.x),\(point.y)",
        remedy: "choose another point")
    }
    guard !frame.isEstimated || frame.range != nil else {
      throw CinematicError(
        .incomplete, "the pictures of \(source.name) show no distances yet",
        remedy: "wait until there is something to see")
    }
    orders.append(
      CaptureOrder(
        focus: .fixed(DetectionID(ids.next()), disparity: disparity, focusMode),
        range: frame.range))
  }

  /// Gives the focus back to the director.
  public func setAutomaticFocus() { orders.append(CaptureOrder(focus: .automatic)) }

  /// A tap in a camera's interface: on something out of focus, focus follows it weakly; on what is followed
  /// weakly, strongly; where nothing was detected, something salient is found and followed weakly.
  ///
  /// - Throws: as ``setTrackingFocus(at:focusMode:)``.
  public func tap(at point: NormalizedPoint) throws(CinematicError) {
    let (frame, place) = try place(of: point)
    guard let found = frame.metadata.detection(at: place), let id = found.detection.detectionID
    else {
      try setTrackingFocus(at: point, focusMode: .weak)
      return
    }
    try setTrackingFocus(
      detectedObjectID: id, focusMode: found.cinematicVideoFocusMode == .none ? .weak : .strong)
  }

  /// A long press: focus is fixed there, strongly.
  ///
  /// - Throws: as ``setFixedFocus(at:focusMode:)``.
  public func press(at point: NormalizedPoint) throws(CinematicError) {
    try setFixedFocus(at: point, focusMode: .strong)
  }

  private static func check(_ mode: CinematicVideoFocusMode) throws(CinematicError) {
    guard mode == .none else { return }
    throw CinematicError(
      .invalidParameter, "the focus mode none is reported and never set",
      remedy: "give weak or strong")
  }

  /// A point of the picture as it is stored, and the latest frame.
  private func place(
    of point: NormalizedPoint
  ) throws(CinematicError) -> (AnalyzedFrame, NormalizedPoint) {
    guard let frame = latest else {
      throw CinematicError(
        .invalidState, "no picture has come from \(source.name) yet",
        remedy: "wait for the first one")
    }
    guard (0...1).contains(point.x), (0...1).contains(point.y) else {
      throw CinematicError(
        .invalidParameter, "the point \(point.x),\(point.y) is outside the picture",
        remedy: "give shares of its width and height, 0 to 1")
    }
    return (frame, source.properties.preferredTransform.inverse.applied(to: point))
  }
}
