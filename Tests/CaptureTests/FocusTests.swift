// SPDX-License-Identifier: Apache-2.0

import FocalCinematic
import FocalCore
import FocalEyes
import FocalMedia
import FocalScript
import MovieKit
import Synchronization
import Testing

@testable import FocalCapture

/// Two faces: one on the square, which is near, and a small one on the wall.
struct TwoFaces: ObjectDetector {
  let name = "two faces"
  static let back = NormalizedRect(x: 0.05, y: 0.1, width: 0.12, height: 0.2)

  func detect(
    _ picture: PixelBuffer, turn: QuarterTurn
  ) async throws(CinematicError) -> [FoundObject] {
    // Where the square begins is told by the picture.
    let row = picture.planes[0].bytesPerRow * (picture.height / 2)
    let left = picture.withUnsafeBytes(ofPlane: 0) { bytes -> Int in
      (0..<picture.width).first(where: { bytes[row + $0] > 120 }) ?? 0
    }
    let front = NormalizedRect(
      x: Double(left) / Double(picture.width), y: 0.3, width: 0.2, height: 0.4)
    return [
      FoundObject(type: .humanFace, rect: front, confidence: 1),
      FoundObject(type: .humanFace, rect: Self.back, confidence: 1),
    ]
  }
}

/// A tracker that stays where it was begun, and passes on what it is told.
private struct DetectionTaker: VisualTracker {
  let take: @Sendable ([NormalizedRect]) -> Void
  var place = NormalizedRect(x: 0, y: 0, width: 1, height: 1)

  init(_ take: @escaping @Sendable ([NormalizedRect]) -> Void) { self.take = take }

  mutating func start(
    within bounds: NormalizedRect, sourceImage: PixelBuffer, sourceDisparity: PixelBuffer?
  ) -> Bool {
    place = bounds
    return true
  }

  mutating func next(
    sourceImage: PixelBuffer, sourceDisparity: PixelBuffer?
  ) -> BoundsPrediction? {
    BoundsPrediction(normalizedBounds: place, confidence: 1)
  }

  mutating func next(
    sourceImage: PixelBuffer, sourceDisparity: PixelBuffer?, detected: [NormalizedRect]
  ) -> BoundsPrediction? {
    take(detected)
    return next(sourceImage: sourceImage, sourceDisparity: sourceDisparity)
  }
}

/// A tracker that sees its object in a box that it was given.
private struct BoxTeller: VisualTracker {
  let box: NormalizedRect

  mutating func start(
    within bounds: NormalizedRect, sourceImage: PixelBuffer, sourceDisparity: PixelBuffer?
  ) -> Bool { true }

  mutating func next(
    sourceImage: PixelBuffer, sourceDisparity: PixelBuffer?
  ) -> BoundsPrediction? {
    BoundsPrediction(normalizedBounds: box, confidence: 1)
  }
}

@Suite struct FocusTests {
  private func start(_ rig: Rig) async throws {
    try await rig.session.start()
    try await rig.give(0..<6)
  }

  private func metadata(_ rig: Rig) async throws -> CaptureMetadata {
    try #require(await rig.session.metadata)
  }

  /// The face at a disparity.
  private func face(_ metadata: CaptureMetadata, near: Bool) throws -> CaptureDetection {
    try #require(
      metadata.detections.first {
        $0.detection.detectionType == .humanFace && ($0.detection.focusDisparity > 0.5) == near
      })
  }

  @Test func directorChoosesWeaklyAndCallsDecide() async throws {
    let rig = try Rig(detector: TwoFaces())
    let path = rig.path("movie.mov")
    try await rig.session.startRecording(CaptureRecording(editableMovie: path))
    try await start(rig)
    var known = try await metadata(rig)
    #expect(known.detections.count == 2)
    #expect(try face(known, near: true).cinematicVideoFocusMode == .weak)
    #expect(try face(known, near: false).cinematicVideoFocusMode == .none)
    #expect(abs(known.focusDisparity - TestScene.near) < 0.01)

    let back = try #require(try face(known, near: false).detection.detectionID)
    try await rig.session.setTrackingFocus(detectedObjectID: back, focusMode: .strong)
    try await rig.give(6..<46)
    known = try await metadata(rig)
    #expect(try face(known, near: false).cinematicVideoFocusMode == .strong)
    // The rack is over.
    #expect(abs(known.focusDisparity - TestScene.far) < 0.01)

    // On the plane of the square.
    let middle = TestScene.square(46).center
    try await rig.session.setFixedFocus(at: middle, focusMode: .strong)
    try await rig.give(46..<90)
    known = try await metadata(rig)
    #expect(known.focusMode == .strong)
    #expect(known.detections.allSatisfy { $0.cinematicVideoFocusMode == .none })
    #expect(abs(known.focusDisparity - TestScene.near) < 0.01)

    _ = try await rig.session.stopRecording()
    let movie = try await MovieScript(asset: Asset(path: path))
    let recording = try #require(try movie.recording())
    #expect(recording.userDecisions.map(\.isStrongDecision) == [true, true])
    #expect(recording.detectionTracks.contains { $0.detectionID == back })
    // The script moves focus as it was moved.
    let script = try Script(recording: recording)
    for (frame, focus) in [(5, TestScene.near), (40, TestScene.far), (88, TestScene.near)] {
      let time = TestScene.time(frame)
      let found = try #require(script.frame(at: time, tolerance: TestScene.time(1)))
      #expect(abs(found.focusDisparity - focus) < 0.02, "at frame \(frame)")
    }
    await rig.end()
  }

  /// As in a script, from one end of what was seen to the other it takes longest.
  @Test func racksAreAsLongAsTheirWay() throws {
    let map = try PixelBuffer.map(
      [Float](repeating: 0.5, count: 64), Dimensions(width: 8, height: 8))
    let detections = [Float(0.2), 0.75, 0.8].enumerated().map { index, disparity in
      var detection = Detection(
        time: .zero, detectionType: .custom,
        normalizedRect: NormalizedRect(x: 0.3 * Double(index), y: 0.4, width: 0.2, height: 0.2),
        focusDisparity: disparity)
      detection.detectionID = DetectionID(Int64(index + 1))
      return detection
    }
    var puller = FocusPuller(weights: DirectorWeights(), autoFocusID: DetectionID(99))
    var racks: [Double] = []
    for (index, id) in [3, 1, 3, 2].enumerated() {
      for frame in 0..<90 {
        let orders: [FocusPuller.Order] =
          frame > 0 ? [] : [.subject(.single(DetectionID(Int64(id))), .strong)]
        let outcome = puller.update(
          at: Time(value: Int64(90 * index + frame), timescale: 30), detections: detections,
          map: map, orders: orders)
        racks += outcome.made.filter(\.decision.isUserDecision).map(\.rack)
      }
    }
    #expect(racks.count == 4)
    let style = FocusStyle.standard
    let expected = [0, 0.6, 0.6, 0.05].map {
      $0 == 0 ? 0 : style.rackDuration(difference: $0, range: 0.6)
    }
    for (rack, expected) in zip(racks, expected) { #expect(abs(rack - expected) < 0.01) }
  }

  @Test func salientObjectAtPointIsFollowed() async throws {
    let rig = try Rig()
    try await start(rig)
    let place = TestScene.square(5)
    try await rig.session.tap(at: place.center)
    try await rig.give(6..<36)
    let known = try await metadata(rig)
    let found = try #require(known.detections.first)
    #expect(found.detection.detectionType == .custom)
    #expect(found.cinematicVideoFocusMode == .weak)
    #expect(found.detection.normalizedRect.overlap(TestScene.square(35)) > 0.5)
    // A tap on what is followed weakly makes it strong.
    try await rig.session.tap(at: found.detection.normalizedRect.center)
    try await rig.give(36..<38)
    #expect(try await metadata(rig).detections.first?.cinematicVideoFocusMode == .strong)
    await rig.session.setAutomaticFocus()
    try await rig.give(38..<40)
    #expect(
      try await metadata(rig).detections.first?.cinematicVideoFocusMode
        == CinematicVideoFocusMode.none)
    await rig.end()
  }

  /// A long press fixes the focus at the distance of the place, strongly, whatever lies nearer; the movie has that decision.
  @Test func pressFixesTheFocus() async throws {
    let rig = try Rig()
    let path = rig.path("movie.mov")
    try await rig.session.startRecording(CaptureRecording(editableMovie: path))
    try await start(rig)
    try await rig.session.press(at: NormalizedPoint(x: 0.05, y: 0.1))
    try await rig.give(6..<60)
    let known = try await metadata(rig)
    #expect(known.focusMode == .strong)
    #expect(abs(known.focusDisparity - TestScene.far) < 0.01)
    let report = try await rig.session.stopRecording()
    #expect(report.movies.map(\.error) == [nil])
    let movie = try await MovieScript(asset: Asset(path: path))
    let recording = try #require(try movie.recording())
    #expect(recording.userDecisions.map(\.isStrongDecision) == [true])
    let fixed = try #require(recording.userDecisions.first?.detectionID)
    let track = recording.detectionTracks.first { $0.detectionID == fixed }
    #expect(track?.detectionType == .fixedFocus)
    await rig.end()
  }

  /// A tracker of the caller's follows, and learns of what was detected.
  @Test func trackersAreGivenDetections() async throws {
    let known = Mutex<[[NormalizedRect]]>([])
    let rig = try Rig(
      detector: TwoFaces(),
      tracker: { _ in DetectionTaker { boxes in known.withLock { $0.append(boxes) } } })
    try await start(rig)
    try await rig.session.setTrackingFocus(at: TestScene.square(5).center, focusMode: .strong)
    try await rig.give(6..<10)
    let boxes = known.withLock { $0 }
    #expect(boxes.count == 3)
    #expect(boxes.allSatisfy { $0.contains(TwoFaces.back) })
    await rig.end()
    // One that cannot be made is told, and the built-in one follows.
    let other = try Rig(tracker: { _ throws(CinematicError) in
      throw CinematicError(.incomplete, "there is no model")
    })
    try await start(other)
    try await other.session.setTrackingFocus(at: TestScene.square(5).center, focusMode: .strong)
    try await other.give(6..<12)
    #expect(try await metadata(other).detections.first?.cinematicVideoFocusMode == .strong)
    other.source.end()
    let told = await event(of: other.session) { event in
      if case .note(let text) = event { text } else { nil }
    }
    #expect(told?.contains("there is no model") == true)
    await other.end()
  }

  /// A box that no script could hold counts as lost: the movie is whole, and has its script.
  @Test(arguments: [
    NormalizedRect(x: .nan, y: 0, width: 1, height: 1),
    NormalizedRect(x: 0, y: 0, width: .infinity, height: 1),
    NormalizedRect(x: -1e300, y: 0, width: 2e300, height: 1e300),
    NormalizedRect(x: -1.1e6, y: 0, width: 1.2e6, height: 1),
  ])
  func oddBoxesOfATrackerAreLost(_ box: NormalizedRect) async throws {
    let rig = try Rig(tracker: { _ in BoxTeller(box: box) })
    let path = rig.path("movie.mov")
    try await rig.session.startRecording(CaptureRecording(editableMovie: path))
    try await start(rig)
    try await rig.session.setTrackingFocus(at: TestScene.square(5).center, focusMode: .strong)
    try await rig.give(6..<16)
    let report = try await rig.session.stopRecording()
    #expect(report.movies.map(\.error) == [nil])
    let movie = try await MovieScript(asset: Asset(path: path))
    let recording = try #require(try movie.recording())
    #expect(recording.frameTimes.count == 16)
    await rig.end()
  }

  @Test func wrongCallsAreErrors() async throws {
    let rig = try Rig(detector: TwoFaces())
    let point = NormalizedPoint(x: 0.5, y: 0.5)
    let early = await #expect(throws: CinematicError.self) {
      try await rig.session.setFixedFocus(at: point, focusMode: .strong)
    }
    #expect(early?.code == .invalidState)
    try await start(rig)
    typealias Call = (CaptureSession) async throws -> Void
    let calls: [(code: CinematicError.Code, call: Call)] = [
      (
        .invalidParameter,
        { try await $0.setTrackingFocus(detectedObjectID: DetectionID(99), focusMode: .weak) }
      ),
      (
        .invalidParameter,
        { try await $0.setTrackingFocus(detectedObjectID: DetectionID(1), focusMode: .none) }
      ),
      (.invalidParameter, { try await $0.setFixedFocus(at: point, focusMode: .none) }),
      (
        .invalidParameter,
        { try await $0.setFixedFocus(at: NormalizedPoint(x: 1.5, y: 0), focusMode: .weak) }
      ),
      (.invalidParameter, { try await $0.tap(at: NormalizedPoint(x: .nan, y: 0)) }),
      (.invalidState, { try await $0.start() }),
      (.invalidState, { _ = try await $0.stopRecording() }),
      (.invalidParameter, { try await $0.capturePhoto(to: "film.mp4") }),
    ]
    for (number, item) in calls.enumerated() {
      let error = await #expect(throws: CinematicError.self) { try await item.call(rig.session) }
      #expect(error?.code == item.code, "call \(number)")
    }
    await rig.end()
  }

  @Test func weakChoiceGivesWayToDirectorAndStrongDoesNot() throws {
    for mode in [CinematicVideoFocusMode.weak, .strong] {
      var puller = FocusPuller(weights: .standard, autoFocusID: DetectionID(1))
      let map = try TestScene.map(0)
      func face(_ id: Int64, _ rect: NormalizedRect, _ disparity: Float, _ time: Time) -> Detection
      {
        var detection = Detection(
          time: time, detectionType: .humanFace, normalizedRect: rect, focusDisparity: disparity)
        detection.detectionID = DetectionID(id)
        return detection
      }
      var outcome: FocusPuller.Outcome?
      for frame in 0..<150 {
        let time = TestScene.time(frame)
        // At 3 s a large face comes, which the director takes.
        var found = [face(2, TwoFaces.back, 0.2, time)]
        found.append(face(3, NormalizedRect(x: 0.7, y: 0.1, width: 0.12, height: 0.2), 0.3, time))
        if frame >= 90 {
          found.append(face(4, NormalizedRect(x: 0.3, y: 0.2, width: 0.4, height: 0.7), 0.9, time))
        }
        let orders: [FocusPuller.Order] =
          frame == 30 ? [.subject(.single(DetectionID(3)), mode)] : []
        outcome = puller.update(at: time, detections: found, map: map, orders: orders)
        if frame == 80 { #expect(outcome?.subject == .single(DetectionID(3))) }
      }
      let last = try #require(outcome)
      #expect(last.subject == .single(DetectionID(mode == .weak ? 4 : 3)))
      #expect(last.mode == mode)
      #expect(abs(last.focusDisparity - (mode == .weak ? 0.9 : 0.3)) < 0.01)
    }
  }

  /// The face of the next shot is in focus from its first frame on; a weak choice of the caller's ends there.
  @Test(arguments: [false, true])
  func faceOfTheNextShotIsInFocusAtOnce(_ isChosen: Bool) throws {
    var puller = FocusPuller(weights: .standard, autoFocusID: DetectionID(1))
    let map = try TestScene.map(0)
    var focus: [Float] = []
    var racks: [Double] = []
    for frame in 0..<60 {
      let time = TestScene.time(frame)
      let disparity: Float = frame < 30 ? 0.2 : 0.9
      var face = Detection(
        time: time, detectionType: .humanFace, normalizedRect: TwoFaces.back,
        focusDisparity: disparity)
      face.detectionID = DetectionID(frame < 30 ? 2 : 3)
      let orders: [FocusPuller.Order] =
        isChosen && frame == 10 ? [.subject(.single(DetectionID(2)), .weak)] : []
      let outcome = puller.update(
        at: time, detections: [face], map: map, orders: orders, isCut: frame == 30)
      focus.append(outcome.focusDisparity)
      if frame >= 30 { racks += outcome.made.map(\.rack) }
    }
    #expect(focus[..<30].allSatisfy { abs($0 - 0.2) < 0.001 })
    #expect(focus[30...].allSatisfy { abs($0 - 0.9) < 0.001 })
    #expect(racks == [0])
  }

  @Test func focusNeverLeapsOrOvershoots() throws {
    var puller = FocusPuller(weights: .standard, autoFocusID: DetectionID(1))
    let map = try TestScene.map(0)
    var last: Float?
    for frame in 0..<120 {
      let orders: [FocusPuller.Order] =
        frame % 17 == 3
        ? [.fixed(DetectionID(Int64(frame)), disparity: frame % 2 == 0 ? 0.1 : 0.9, .strong)] : []
      let focus = puller.update(
        at: TestScene.time(frame), detections: [], map: map, orders: orders
      ).focusDisparity
      #expect((0.1...0.9).contains(focus))
      if let last { #expect(abs(focus - last) < 0.1) }
      last = focus
    }
  }

  @Test func sessionThatNeverBeganCanBeStopped() async throws {
    let rig = try Rig()
    let report = await rig.session.stop()
    #expect(report?.frameCount == nil)
    let error = await #expect(throws: CinematicError.self) { try await rig.session.start() }
    #expect(error?.code == .invalidState)
    await rig.end()
  }

  @Test func darkScenesAskForLight() async throws {
    let rig = try Rig()
    try await rig.session.start()
    try await rig.give(0..<10)
    #expect(await rig.session.sceneMonitoringStatuses.isEmpty)
    try await rig.give(10..<30, level: 0.05)
    #expect(await rig.session.sceneMonitoringStatuses == [.notEnoughLight])
    try await rig.give(30..<50)
    #expect(await rig.session.sceneMonitoringStatuses.isEmpty)
    await rig.end()
  }
}
