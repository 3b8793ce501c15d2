// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalMedia
import FocalRendering
import Foundation

/// Pictures that came while a recording was under way, and bear times from before it.
struct EarlyPictures: Sendable {
  var count: Int
  /// The latest of their times.
  var latest: Time
  /// When the recording began.
  var begin: Time
}

/// A recording under way.
struct ActiveRecording: Sendable {
  let recorder: CaptureRecorder
  /// Pictures from then on belong to it.
  let begin: Time
  /// Pictures dropped before.
  let dropped: Int
  /// Pictures that came and are not part of it.
  private(set) var early: EarlyPictures?
  /// Pictures up to then belong to it, once it is told to stop.
  var stop: Time?
  /// Pictures dropped up to then.
  var droppedAtStop = 0
  /// Completes the movies, once it is told to stop: all who stop it wait for this one.
  var outcome: Task<CaptureRecordingReport, Never>?
  /// Whether the session ends with it: its report is then kept for those who ask later.
  var endsWithSession = false

  init(recorder: CaptureRecorder, begin: Time, dropped: Int) {
    (self.recorder, self.begin, self.dropped) = (recorder, begin, dropped)
  }

  /// Counts a picture if its time is before the recording.
  mutating func noteIfEarly(_ time: Time) {
    guard time < begin else { return }
    let known = early ?? EarlyPictures(count: 0, latest: time, begin: begin)
    early = EarlyPictures(
      count: known.count + 1, latest: max(known.latest, time), begin: begin)
  }
}

extension CaptureSession {
  /// Whether a movie is recorded.
  public var isRecording: Bool { recording != nil }

  /// Begins to record, with the next picture that comes; before ``start()``, with the first one.
  ///
  /// A recording of the same name that an earlier program left is finished first, under a name beside it
  /// (`clip-recovered.mov`), which is an event; what it lacks of its detections and decisions is a note.
  ///
  /// - Throws: `invalidState` for a session that is over or records already, and for a name that another one records to;
  ///   `invalidParameter` for no movie or a wrong name, `unwritable` for a name that is taken, what finishing an earlier
  ///   recording throws.
  public func startRecording(_ settings: CaptureRecording) async throws(CinematicError) {
    try checkCanRecord()
    let movies = [settings.editableMovie, settings.bakedMovie].compactMap(\.self)
    for path in movies {
      let recording = InterruptedRecording.path(for: path)
      guard InterruptedRecording.isInProgress(recording) else { continue }
      throw CinematicError(
        .invalidState, "\(path) is being recorded already",
        remedy: "end that recording first, or choose another name")
    }
    // What is refused finishes no other recording.
    _ = try makeRecorder(of: settings)
    for path in movies {
      let earlier = InterruptedRecording.path(for: path)
      guard FileManager.default.fileExists(atPath: earlier) else { continue }
      let recovered = try await InterruptedCapture.finish(
        earlier, leavesName: true, settings.temporaryFiles)
      guard let recovered else { continue }
      happened.yield(.recovered(path: recovered.movie))
      if let lack = recovered.lack { happened.yield(.note("\(lack)")) }
    }
    // Others may have called meanwhile.
    try checkCanRecord()
    let recorder = try makeRecorder(of: settings)
    endedReport = nil
    recording = ActiveRecording(
      recorder: recorder, begin: phase == .ready ? .zero : clock.now, dropped: pictures.droppedCount
    )
  }

  private func makeRecorder(
    of settings: CaptureRecording
  ) throws(CinematicError) -> CaptureRecorder {
    try CaptureRecorder(
      settings, source: source.properties, soundFormat: soundFormat, fNumber: simulatedAperture,
      look: configuration.look, range: configuration.disparityRange ?? source.disparityRange
    ) { [happened] event in
      happened.yield(event)
    }
  }

  private func checkCanRecord() throws(CinematicError) {
    guard phase != .over else {
      throw CinematicError(
        .invalidState, "the session of \(source.name) is over", remedy: "make another one")
    }
    guard recording == nil else {
      throw CinematicError(
        .invalidState, "the session of \(source.name) records already",
        remedy: "stop that recording first")
    }
  }

  /// Ends the recording with the picture that came last, and waits until its movies are whole.
  ///
  /// - Returns: what became of them; of a recording that the end of the device ended, or that somebody else is stopping,
  ///   the same.
  /// - Throws: `invalidState` where nothing is recorded.
  public func stopRecording() async throws(CinematicError) -> CaptureRecordingReport {
    if let report = endedReport {
      endedReport = nil
      return report
    }
    guard let outcome = endRecording() else {
      throw CinematicError(
        .invalidState, "nothing is recorded from \(source.name)", remedy: "start a recording first")
    }
    return await outcome.value
  }

  /// Ends the recording, if there is one, once: whoever calls gets the same outcome.
  ///
  /// - Parameter withSession: whether nothing is recorded after it.
  func endRecording(withSession: Bool = false) -> Task<CaptureRecordingReport, Never>? {
    guard let active = recording else { return nil }
    if withSession { recording?.endsWithSession = true }
    if let outcome = active.outcome { return outcome }
    let stop = clock.now
    recording?.stop = stop
    recording?.droppedAtStop = pictures.droppedCount
    let outcome = Task { () -> CaptureRecordingReport in
      await settle(active.recorder, until: stop)
      return await finish(active)
    }
    recording?.outcome = outcome
    return outcome
  }

  /// How long a stop waits for what is under way, in steps of ten milliseconds.
  private static let longestWait = 1000
  /// The same for sound of the last picture's time.
  private static let longestSoundWait = 30

  /// Waits for pictures that came before the stop, and for their sound.
  private func settle(_ recorder: CaptureRecorder, until stop: Time) async {
    for _ in 0..<Self.longestWait {
      let isBeyond = latest.map { $0.picture.time > stop } ?? false
      if phase == .over || isSettled || isBeyond && deliveries == 0 { break }
      try? await Task.sleep(for: .milliseconds(10))
    }
    guard soundFormat != nil, let end = await recorder.end else { return }
    for _ in 0..<Self.longestSoundWait where heardUntil < end && phase == .running {
      try? await Task.sleep(for: .milliseconds(10))
    }
  }

  private func finish(_ active: ActiveRecording) async -> CaptureRecordingReport {
    let report = await active.recorder.finish(
      dropped: (recording?.droppedAtStop ?? active.dropped) - active.dropped,
      early: recording?.early, endedBy: failure)
    // In one step: whoever finds no recording finds its report.
    if recording?.endsWithSession == true { endedReport = report }
    recording = nil
    return report
  }

  // MARK: - Stills

  /// How many stills may be worked on at the same time.
  private static let mostStills = 2

  /// Writes the latest frame as a picture, with its blur, at the quality of exports; also while a movie is recorded.
  ///
  /// - Throws: `invalidState` before the first frame, and while two others are being written; what rendering and
  ///   writing throw.
  public func capturePhoto(
    to path: String, overwrite: Bool = false
  ) async throws(CinematicError) {
    guard let frame = latest else {
      throw CinematicError(
        .invalidState, "no picture has come from \(source.name) yet",
        remedy: "wait for the first one")
    }
    guard stillsInFlight < Self.mostStills else {
      throw CinematicError(
        .invalidState, "\(path) cannot be taken: \(stillsInFlight) stills are being written",
        remedy: "wait for one of them")
    }
    stillsInFlight += 1
    defer { stillsInFlight -= 1 }
    let properties = source.properties
    try Self.checkPhotoName(path, overwrite: overwrite)
    let pixels = try OutputFormat(path: path).pixelFormat(for: properties)
    let picture = try await renderer(.export).render(
      frame, dimensions: properties.shownDimensions, format: pixels.format, tags: pixels.tags)
    var settings = WriterSettings(
      dimensions: picture.dimensions, pixelFormat: picture.format, tags: picture.tags)
    settings.overwrite = overwrite
    settings.pixelAspectRatio = properties.shownPixelAspectRatio
    try await Self.write(picture, path, settings)
  }

  /// Whether a still can be written under a name, for those who know it long before.
  ///
  /// - Throws: `invalidParameter` for a name that is not one picture's, `unwritable` for one that is taken, or in a folder
  ///   that is not there.
  public static func checkPhotoName(
    _ path: String, overwrite: Bool = false
  ) throws(CinematicError) {
    guard !PipePath.isPipe(path), case .still = try OutputFormat(path: path) else {
      throw CinematicError(
        .invalidParameter, "\(path) is not the name of one picture",
        remedy: "end it in .jpg, .png, .heic, .avif, .tif or .exr")
    }
    try checkOutputName(path, overwrite: overwrite)
    try checkFolder(of: path)
  }

  /// Off the session: pictures go on meanwhile.
  nonisolated private static func write(
    _ picture: PixelBuffer, _ path: String, _ settings: WriterSettings
  ) async throws(CinematicError) {
    let writer = try FrameWriter.create(path, settings: settings)
    defer { writer.cancel() }
    try writer.append(picture, time: .zero, duration: settings.nominalFrameDuration)
    try writer.finish()
  }
}
