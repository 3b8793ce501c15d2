// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalEyes
import FocalMedia
import FocalRendering
import FocalScript

/// Records with a simulated lens: a device's pictures get their disparity, their detections and their focus as they
/// come, and go to several outputs at the same time.
///
/// ```swift
/// let clock = HostClock()
/// let camera = try DeviceSource("v4l2:/dev/video0", clock: clock)
/// let session = try CaptureSession(camera, configuration: .init(devices: [.cpu()], provider: provider), clock: clock)
/// try await session.start()
/// try await session.startRecording(CaptureRecording(editableMovie: "clip.mov"))
/// try await session.setTrackingFocus(at: NormalizedPoint(x: 0.4, y: 0.5), focusMode: .strong)
/// let report = try await session.stopRecording()
/// ```
///
/// Pictures that come faster than they can be worked on are left out and counted (``statistics``), never queued: at most
/// two wait. A device that goes ends a recording with whole movies. A session that was started runs until its device
/// ends or ``stop()`` is called. Points are shares of the picture as it is shown.
public actor CaptureSession {
  /// The settings of a session.
  public struct Configuration: Sendable {
    /// Where maps come from; `nil` for a source that brings them.
    public var provider: (any DisparityProvider)?
    /// `nil` for a session without detections.
    public var detector: (any ObjectDetector)?
    /// The detector looks at every so many pictures, at least 1, and at the first one after a cut.
    public var detectionInterval = 1
    /// Makes what follows a thing that was chosen at a point, given the turn from pictures as stored to pictures as
    /// shown: a `NeuralTracker`, for example. By default, and where it throws, a `CorrelationTracker`.
    public var visualTracker: (@Sendable (QuarterTurn) throws(CinematicError) -> any VisualTracker)?
    /// The criteria of the automatic director.
    public var director = DirectorWeights.standard
    /// The lens apart from focus and f-number.
    public var look = Look()
    /// The devices that render, best first.
    public var devices: [Device]
    /// Of baked movies and frames.
    public var quality = RenderingQuality.preview
    /// The provider's disparities that become 0 and 1 in maps, two different finite numbers; by default those of its first
    /// maps, and wider ones when later maps reach far beyond.
    public var estimatedRange: EstimatedRange?
    /// The disparities that a movie's codes stand for, from one finite number to another. By default those that the
    /// source says; of shares of a provider's disparities −0.5 to 1.5; else those of the session so far, with a margin.
    public var disparityRange: ClosedRange<Float>?

    public init(
      devices: [Device], provider: (any DisparityProvider)? = nil,
      detector: (any ObjectDetector)? = nil
    ) {
      (self.devices, self.provider, self.detector) = (devices, provider, detector)
    }
  }

  enum Phase: Hashable { case ready, running, over }

  public nonisolated let format: CaptureFormat
  /// The properties that all pictures of the source have in common.
  public nonisolated var sourceProperties: SourceProperties { source.properties }
  /// From pictures as they are stored, where detections are given, to pictures as they are shown.
  public nonisolated var preferredTransform: QuarterTurn { source.properties.preferredTransform }
  /// The session's events, in order; a slow reader misses the oldest of 256.
  public nonisolated let events: AsyncStream<CaptureEvent>

  nonisolated let source: any CaptureSource
  nonisolated let configuration: Configuration
  nonisolated let soundFormat: SoundFormat?
  nonisolated let pictures = BoundedQueue<CapturedPicture>(capacity: 2)
  nonisolated let ids = DetectionIDs()
  nonisolated let happened: AsyncStream<CaptureEvent>.Continuation
  private let microphone: (any CaptureSource)?
  let clock: any CaptureClock

  var phase = Phase.ready
  private var aperture: Float
  /// The frame that was worked on last.
  var latest: AnalyzedFrame?
  var orders: [CaptureOrder] = []
  var recording: ActiveRecording?
  /// That of a recording that ended with the session.
  var endedReport: CaptureRecordingReport?
  var consumers: [Int: FrameConsumer] = [:]
  var nextConsumer = 0
  var deliveries = 0
  var seenRange: ClosedRange<Float>?
  /// When the latest sound ends.
  var heardUntil = Time.zero
  var counts = CaptureStatistics()
  var stillsInFlight = 0
  var renderers: [RenderingQuality: LiveRenderer] = [:]
  private var tasks: [Task<Void, Never>] = []
  /// Those who wait for the session's end, by the numbers they have got.
  var waiters: [Int: CheckedContinuation<Void, Never>] = [:]
  private var nextWaiter = 0
  /// Whether everything of the session has ended, and not only its pictures.
  var hasEnded = false
  /// Why the session ended; `nil` while it runs, and where a file has been played or it was stopped.
  public internal(set) var failure: CinematicError?
  public internal(set) var sceneMonitoringStatuses: Set<CaptureSceneMonitoringStatus> = []

  /// - Parameters:
  ///   - source: gives pictures, and perhaps sound.
  ///   - microphone: gives sound instead of the source.
  ///   - clock: that of the sources.
  /// - Throws: `unsupported` for a format in which Cinematic movies cannot be recorded, `invalidParameter` for a
  ///   configuration without a device, an interval below 1 and a range of disparities without extent, and what the
  ///   renderer says of the look.
  public init(
    _ source: any CaptureSource, microphone: (any CaptureSource)? = nil,
    configuration: Configuration, clock: any CaptureClock
  ) throws(CinematicError) {
    let format = CaptureFormat(source.properties)
    guard format.isCinematicVideoCaptureSupported else {
      throw CinematicError(
        .unsupported,
        "\(source.name) gives \(format.coding) of \(format.dimensions), which is no format for Cinematic movies",
        remedy: "choose one of colour, from 180 rows to 4096 columns, of 1 to 60 pictures a second")
    }
    guard configuration.detectionInterval > 0 else {
      throw CinematicError(
        .invalidParameter,
        "a detector cannot look at every \(configuration.detectionInterval)th picture",
        remedy: "give 1 or more")
    }
    try configuration.estimatedRange?.validate()
    // The first picture would be too late: its movie would be lost.
    if let range = configuration.disparityRange ?? source.disparityRange {
      _ = try DisparityCoding(range, hasHoles: true)
    }
    self.format = format
    (self.source, self.microphone, self.clock) = (source, microphone, clock)
    self.configuration = configuration
    soundFormat = microphone?.soundFormat ?? source.soundFormat
    aperture = format.defaultSimulatedAperture
    renderers[configuration.quality] = try LiveRenderer(
      source.properties, look: configuration.look, devices: configuration.devices,
      quality: configuration.quality)
    (events, happened) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(256))
  }

  deinit {
    for task in tasks { task.cancel() }
    pictures.finish()
    for consumer in consumers.values { consumer.continuation.finish() }
    happened.finish()
  }

  // MARK: - Running

  /// Begins to take pictures.
  ///
  /// - Throws: `invalidState` for a session that has been started.
  public func start() throws(CinematicError) {
    guard phase == .ready else {
      throw CinematicError(
        .invalidState, "the session of \(source.name) was started before",
        remedy: "make a session for each run")
    }
    phase = .running
    clock.start()
    tasks.append(Task { [weak self, source] in await Self.read(source, isMain: true, for: self) })
    if let microphone {
      tasks.append(
        Task { [weak self] in await Self.read(microphone, isMain: false, for: self) })
    }
    tasks.append(Task { await work() })
  }

  /// How long pictures that came before the end may take where nothing is recorded: a provider may hang.
  private static let patience = Duration.seconds(2)
  /// How long a call that was cancelled may take to return.
  private static let longestReturn = Duration.seconds(1)

  /// Ends the session, and a recording with it.
  ///
  /// Pictures that came before it are part of the recording, and waited for: up to ten seconds, up to two where nothing is
  /// recorded. A provider or a detector that has not answered by then is cancelled. A call that does not return within
  /// another second is not waited for: it goes on beside, and what it answers is dropped.
  ///
  /// - Returns: the report of a recording that was under way, or that the device's end had ended;
  ///   ``stopRecording()`` gives it, too.
  @discardableResult public func stop() async -> CaptureRecordingReport? {
    var report = endedReport
    let ending = endRecording(withSession: true)
    if let ending { report = await ending.value }
    if phase == .ready { await end() }
    guard phase == .running, let work = tasks.last else { return report }
    for task in tasks.dropLast() { task.cancel() }
    pictures.finish()
    let patience = ending == nil ? Self.patience : .zero
    let limit = Task {
      guard (try? await Task.sleep(for: patience)) != nil else { return }
      work.cancel()
      guard (try? await Task.sleep(for: Self.longestReturn)) != nil else { return }
      await end()
    }
    // To the end, also in a task that was cancelled: the report of a recording is whole then.
    await wait(nextWaiterNumber(), heedsCancellation: false)
    limit.cancel()
    return report
  }

  /// Waits until the session is over; returns at once where it was not started, and when the calling task is cancelled.
  /// The session then goes on.
  public func ended() async {
    let number = nextWaiterNumber()
    await withTaskCancellationHandler {
      await wait(number, heedsCancellation: true)
    } onCancel: {
      Task { await self.giveUp(number) }
    }
  }

  private func nextWaiterNumber() -> Int {
    nextWaiter += 1
    return nextWaiter
  }

  /// Nothing comes between the question and the wait: one who gives up is found, or has not begun.
  private func wait(_ number: Int, heedsCancellation: Bool) async {
    guard !tasks.isEmpty, !hasEnded, !(heedsCancellation && Task.isCancelled) else { return }
    await withCheckedContinuation { waiters[number] = $0 }
  }

  private func giveUp(_ number: Int) { waiters.removeValue(forKey: number)?.resume() }

  /// Takes what comes from a device, until it ends.
  private static func read(
    _ source: any CaptureSource, isMain: Bool, for session: CaptureSession?
  ) async {
    var failure: CinematicError?
    do throws(CinematicError) {
      while let sample = try await source.next() {
        guard let session else { return }
        switch sample {
        case .picture(var picture):
          if isMain {
            if picture.duration <= .zero {
              picture.duration = source.properties.nominalFrameDuration
            }
            await session.arrive(picture)
          }
        case .sound(let buffer): await session.hear(buffer, isMain: isMain)
        }
      }
    } catch {
      failure = error.code == .cancelled ? nil : error
    }
    await session?.ends(because: failure, isMain: isMain)
  }

  /// Pictures that wait when a recording is told to stop are part of it: those that come later do not take their place.
  private func arrive(_ picture: CapturedPicture) {
    let isLate = recording?.stop.map { picture.time > $0 } ?? false
    guard !isLate || recording?.endsWithSession == false else { return }
    counts.arrivedFrameCount += 1
    pictures.put(picture, keepsWaiting: isLate)
  }

  private func hear(_ buffer: SoundBuffer, isMain: Bool) {
    // A microphone takes the place of the camera's own sound.
    guard isMain == (microphone == nil) else { return }
    heardUntil = max(heardUntil, buffer.time + buffer.duration)
    guard let recording else { return }
    guard let stop = recording.stop else { return recording.recorder.sound.put(buffer) }
    if let part = buffer.prefix(upTo: stop) { recording.recorder.sound.put(part) }
  }

  /// A microphone that goes leaves a silent movie; a camera ends the session.
  private func ends(because error: CinematicError?, isMain: Bool) {
    heardUntil = Time(value: Int64(Int32.max), timescale: 1)
    guard isMain else {
      if let error { happened.yield(.microphoneLost(name: microphone?.name ?? "", error)) }
      return
    }
    failure = failure ?? error
    pictures.finish()
  }

  // MARK: - Aperture

  /// The f-number of the whole session: smaller is more blur. At first the format's default.
  public var simulatedAperture: Float { aperture }

  /// Changes the f-number, of every output.
  ///
  /// - Throws: `invalidParameter` for one that the format does not have, `invalidState` while a movie is recorded.
  public func setSimulatedAperture(_ fNumber: Float) throws(CinematicError) {
    let (least, most) = (format.minSimulatedAperture, format.maxSimulatedAperture)
    guard fNumber >= least, fNumber <= most else {
      throw CinematicError(
        .invalidParameter, "the aperture f/\(fNumber) is not one of the format",
        remedy: "give f/\(least) to f/\(most)")
    }
    guard recording == nil else {
      throw CinematicError(
        .invalidState, "the aperture is locked while a movie is recorded",
        remedy: "stop the recording first")
    }
    aperture = fNumber
  }

  // MARK: - Numbers

  /// How many frames went where.
  public var statistics: CaptureStatistics {
    var result = counts
    result.droppedFrameCount = pictures.droppedCount
    result.longestQueue = pictures.longest
    result.unpairedFrameCount = (source as? PairedSource)?.unpairedCount ?? 0
    return result
  }

  /// The metadata of the latest frame; `nil` before the first one.
  public var metadata: CaptureMetadata? { latest?.metadata }

  /// Whether the latest frame's map says what is near and what is far: not before the first frame, and not as long as a
  /// provider saw nothing, as in the dark.
  public var showsDistances: Bool {
    latest.map { !$0.isEstimated || $0.range != nil } ?? false
  }

  /// Whether everything that came has been handed on.
  var isSettled: Bool { pictures.isIdle && deliveries == 0 }
}
