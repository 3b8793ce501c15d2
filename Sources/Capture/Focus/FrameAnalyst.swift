// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalEyes
import FocalScript

/// Finds the map, the detections and the focus of each frame. Used by one task.
struct FrameAnalyst {
  /// A subject that was chosen at a point, with the tracker that follows it.
  private struct Salient {
    var id: DetectionID
    var tracker: any VisualTracker
    /// In which it began to be followed: a tracker's maps stay on one scale.
    var range: EstimatedRange?
    /// As the provider or the source says it.
    var disparity: Float?
  }

  private let configuration: CaptureSession.Configuration
  private let ids: DetectionIDs
  private let turn: QuarterTurn
  private var steady: (estimator: SteadyEstimator, size: Dimensions)?
  private var isPrepared = false
  private var range: LiveRange
  private var linker = TrackLinker()
  /// With disparities as the maps say them.
  private var lastFound: [Detection] = []
  private var salient: Salient?
  private var puller: FocusPuller
  private var monitor = SceneMonitor()
  private var number = 0
  private var colors: SceneColors?
  /// What the caller should know, since the frame before.
  private var notes: [String] = []

  /// Size of the pictures that cuts are looked for in.
  private static let cutSide = 64

  init(_ configuration: CaptureSession.Configuration, turn: QuarterTurn, ids: DetectionIDs) {
    (self.configuration, self.turn, self.ids) = (configuration, turn, ids)
    range = LiveRange(configuration.estimatedRange)
    puller = FocusPuller(weights: configuration.director, autoFocusID: DetectionID(ids.next()))
  }

  /// - Parameter orders: the calls since the frame before.
  /// - Throws: what the provider and the detector throw.
  mutating func analyze(
    _ picture: CapturedPicture, orders: [CaptureOrder], fNumber: Float
  ) async throws(CinematicError) -> AnalyzedFrame {
    notes = []
    let isCut = try isCut(picture)
    let raw = try await map(of: picture)
    let isEstimated = picture.disparity == nil
    let before = range.settled
    let map =
      isEstimated ? try range.shares(of: raw, picture.pixelBuffer, at: picture.time) : raw
    let scale = isEstimated ? range.settled : nil
    if isEstimated { adapt(from: before, at: picture.time) }
    let info = try DisparityMapInfo(of: map)
    // What stays from picture to picture is on the provider's own scale, which stays.
    var detections = try await detections(in: picture, raw, isCut)
    detections += try track(picture, raw, map, scale, orders, detected: detections)
    for index in detections.indices {
      let disparity = detections[index].focusDisparity
      detections[index].focusDisparity =
        isEstimated ? scale?.share(of: disparity) ?? LiveRange.middle : disparity
    }
    let outcome = puller.update(
      at: picture.time, detections: detections, map: map,
      orders: orders.map { $0.focus(in: scale) }, isCut: isCut)
    let hasChanged = monitor.update(picture.pixelBuffer, at: picture.time)
    number += 1
    var recorded = detections
    if let disparity = outcome.autoFocus {
      var detection = Detection(
        time: picture.time, detectionType: .autoFocus,
        normalizedRect: NormalizedRect(x: 0, y: 0, width: 1, height: 1), focusDisparity: disparity)
      detection.detectionID = puller.autoFocusID
      recorded.append(detection)
    }
    let metadata = CaptureMetadata(
      time: picture.time,
      detections: detections.map {
        CaptureDetection(
          detection: $0, cinematicVideoFocusMode: $0.isOf(outcome.subject) ? outcome.mode : .none)
      }, focusDisparity: outcome.focusDisparity, fNumber: fNumber, focusMode: outcome.mode)
    return AnalyzedFrame(
      picture: picture, map: map, mapInfo: info, metadata: metadata, recorded: recorded,
      made: outcome.made, standing: outcome.standing, subject: outcome.subject,
      statuses: hasChanged ? monitor.statuses : nil, isEstimated: isEstimated, range: scale,
      isCut: isCut, notes: notes)
  }

  /// Brings the focus to a range that has changed.
  private mutating func adapt(from before: EstimatedRange?, at time: Time) {
    guard let now = range.settled, now != before else { return }
    guard let before else {
      if number > 0 { puller.restart() }
      return
    }
    notes.append(
      "disparities reach from \(now.low) to \(now.high) at \((time.seconds * 100).rounded() / 100) s, beyond those"
        + " before: blur is measured by these from now on")
    puller.rescale(fixedID: DetectionID(ids.next())) { before.share($0, in: now) }
  }

  private mutating func isCut(_ picture: CapturedPicture) throws(CinematicError) -> Bool {
    let size = turn.applied(to: picture.pixelBuffer.dimensions).fitting(longerSide: Self.cutSide)
    let now = SceneColors(
      try EyePicture(picture.pixelBuffer, turn: turn, dimensions: size))
    defer { colors = now }
    return colors.map(now.beginScene) ?? false
  }

  private mutating func map(of picture: CapturedPicture) async throws(CinematicError) -> PixelBuffer
  {
    if let given = picture.disparity { return given }
    guard let provider = configuration.provider else {
      throw CinematicError(
        .incomplete, "the pictures come without disparity",
        remedy: "give a second eye, a depth camera or a provider of disparity")
    }
    var input = EstimationInput(
      picture: picture.pixelBuffer, otherEye: picture.otherEye, turn: turn)
    input.isRightEye = picture.isRightEye
    if !isPrepared {
      isPrepared = true
      notes += try await provider.prepare(for: [input]).map { "\(provider.name): \($0)" }
    }
    let shown: PixelBuffer
    if let steady {
      var made: PixelBuffer?
      let place = number
      try await steady.estimator.estimate(place..<(place + 1)) {
        _ async throws(CinematicError) in
        input
      } _: { _, map async throws(CinematicError) in
        made = map
      }
      guard let made else {
        throw CinematicError(.unknown, "\(provider.name) made no map")
      }
      shown = made
    } else {
      let estimate = try await provider.estimate(input)
      // Scales of relative maps change from picture to picture.
      if estimate.kind == .relative {
        let estimator = SteadyEstimator(provider, interval: 1, size: estimate.map.dimensions)
        try estimator.go(onAfter: number, input, map: estimate.map)
        steady = (estimator, estimate.map.dimensions)
      }
      shown = estimate.map
    }
    // Providers see the picture upright; here it lies as it is stored.
    return turn == .identity ? shown : try shown.turnedDisparity(by: turn.inverse)
  }

  private mutating func detections(
    in picture: CapturedPicture, _ map: PixelBuffer, _ isCut: Bool
  ) async throws(CinematicError) -> [Detection] {
    guard let detector = configuration.detector else { return [] }
    // Between two looks, what was found stays where it was; not beyond a cut.
    guard isCut || number % configuration.detectionInterval == 0 else {
      return lastFound.map { $0.at(picture.time) }
    }
    let found = try await detector.detect(picture.pixelBuffer, turn: turn)
    linker.add(found, at: picture.time, disparity: map, isCut: isCut)
    lastFound = linker.takeLatest(ids.next).map { id, group, detection in
      var detection = detection
      detection.detectionID = DetectionID(id)
      detection.detectionGroupID = DetectionGroupID(group)
      return detection
    }
    return lastFound
  }

  /// Follows what was chosen at a point; lost, it is looked for where something was detected, too.
  private mutating func track(
    _ picture: CapturedPicture, _ raw: PixelBuffer, _ map: PixelBuffer, _ range: EstimatedRange?,
    _ orders: [CaptureOrder], detected: [Detection]
  ) throws(CinematicError) -> [Detection] {
    for order in orders {
      guard let (id, rect) = order.salient else { continue }
      var tracker = makeTracker()
      guard
        tracker.start(within: rect, sourceImage: picture.pixelBuffer, sourceDisparity: map)
      else { continue }
      salient = Salient(id: id, tracker: tracker, range: range, disparity: nil)
      return [detection(rect, picture.time, raw)].compactMap { $0 }
    }
    var seen = map
    if let begun = salient?.range, begun != range { seen = try begun.shares(of: raw) }
    guard
      let found = salient?.tracker.next(
        sourceImage: picture.pixelBuffer, sourceDisparity: seen,
        detected: detected.map(\.normalizedRect))
    else { return [] }
    return [detection(found.normalizedBounds, picture.time, raw)].compactMap { $0 }
  }

  private mutating func makeTracker() -> any VisualTracker {
    guard let make = configuration.visualTracker else { return CorrelationTracker() }
    do throws(CinematicError) {
      return try make(turn)
    } catch {
      notes.append("\(error): the built-in tracker follows instead")
      return CorrelationTracker()
    }
  }

  private mutating func detection(
    _ rect: NormalizedRect, _ time: Time, _ map: PixelBuffer
  ) -> Detection? {
    guard let id = salient?.id, rect.canHoldDetection else { return nil }
    let disparity = Detection.disparity(
      in: rect, sourceDisparity: map, detectionType: .custom, priorDisparity: salient?.disparity)
    guard disparity.isFinite else { return nil }
    salient?.disparity = disparity
    var detection = Detection(
      time: time, detectionType: .custom, normalizedRect: rect, focusDisparity: disparity)
    detection.detectionID = id
    return detection
  }
}

extension Detection {
  fileprivate func at(_ time: Time) -> Detection {
    var result = self
    result.time = time
    return result
  }

  /// Whether it is of a subject.
  func isOf(_ subject: Decision.FocusDetectionID) -> Bool {
    switch subject {
    case .single(let id): detectionID == id
    case .group(let id): detectionGroupID == id
    }
  }
}
