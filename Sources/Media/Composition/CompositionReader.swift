// SPDX-License-Identifier: Apache-2.0

import FocalBoxes
import FocalCore

/// Reads what a compositor needs, frame by frame: the pictures, maps and metadata of a composition's
/// tracks at one time.
///
/// ```swift
/// let reader = try await CompositionReader(composition, videoComposition, renderContext: context)
/// for number in 0..<reader.frameCount {
///   let picture = try await compositor.compose(reader.request(number: number))
/// }
/// ```
///
/// The composition is read as it was when the reader was made. Requests may be asked for in any order;
/// sources are decoded ahead, each on a thread of its own, and before a cut so are those that follow it.
/// A picture that begins before a cut and is on the screen there is shown for the rest of its time.
/// Calls from several tasks are served in turn.
// @unchecked Sendable: `feeds` is used only between `turn.lock()` and `turn.unlock()`.
public final class CompositionReader: @unchecked Sendable {
  /// How many frames there are.
  public var frameCount: Int { frames.count }
  public let renderContext: RenderContext
  /// From zero to the composition's end.
  public let timeRange: TimeRange
  /// Ticks a second in which every frame's time is a whole number; where there is no such number of 32
  /// bits, a microsecond.
  public let timescale: Int32

  let frames: CompositionFrames
  private let tracks: [UInt32: CompositionTrack]
  private let timingTrackID: UInt32?
  private let sampleDataTrackIDs: Set<UInt32>
  private let instructions: [any VideoCompositionInstruction]
  private let turn = AsyncLock()
  private let feeds: SourceFeeds

  /// Opens the sources' indices; pictures are decoded when they are asked for.
  ///
  /// - Throws: as ``VideoComposition/validate(for:)``, what loading the sources throws, `incomplete` for
  ///   a composition without a frame.
  public init(
    _ composition: Composition, _ video: VideoComposition, renderContext: RenderContext
  ) async throws(CinematicError) {
    let tracks = composition.tracks
    try video.validate(for: tracks)
    self.renderContext = renderContext
    let end = tracks.map(\.timeRange.end).max() ?? .zero
    timeRange = TimeRange(start: .zero, end: end)
    timingTrackID = video.sourceTrackIDForFrameTiming
    if let timing = tracks.first(where: { $0.trackID == video.sourceTrackIDForFrameTiming }) {
      frames = try await CompositionFrames(timing)
      timescale = try await Self.timescale(frames)
    } else {
      frames = CompositionFrames(step: video.frameDuration, end: end)
      var common = CommonTimescale()
      common.include(video.frameDuration.timescale)
      common.include(end)
      timescale = common.timescale
    }
    guard frames.count > 0 else {
      throw CinematicError(
        .incomplete, "the composition has no frame to show",
        remedy: "insert time ranges that show pictures")
    }
    self.tracks = Dictionary(uniqueKeysWithValues: tracks.map { ($0.trackID, $0) })
    sampleDataTrackIDs = Set(video.sourceSampleDataTrackIDs)
    instructions = video.instructions
    // Those of two clips: the one that is shown and the one after the cut.
    let sources = video.instructions.map {
      $0.requiredSourceTrackIDs.count + $0.requiredSourceSampleDataTrackIDs.count
    }
    feeds = SourceFeeds(capacity: 2 * (sources.max() ?? 1))
  }

  /// Ticks in which the frames of a track begin and end.
  private static func timescale(_ frames: CompositionFrames) async throws(CinematicError) -> Int32 {
    var common = CommonTimescale()
    for run in frames.runs where !common.isTooFine {
      guard let source = run.segment.sourceTrack else { continue }
      common.include(try await source.load(.naturalTimescale))
      // A cut may lie between two ticks.
      for time in [
        run.timeRange(run.entries.lowerBound), run.timeRange(run.entries.upperBound - 1),
      ] {
        common.include(time.start)
        common.include(time.end)
      }
    }
    return common.timescale
  }

  // MARK: - Frames

  /// The time from frame to frame, as ``SourceProperties/nominalFrameDuration``; `nil` where that is nothing.
  package var nominalFrameDuration: Time? {
    let ranges = (0..<frameCount).lazy.map { self.timeRange(ofFrame: $0) }
    return ranges.nominalDuration.flatMap { $0 > .zero ? $0 : nil }
  }

  /// When a frame is shown.
  ///
  /// - Precondition: `number` is below ``frameCount``.
  public func timeRange(ofFrame number: Int) -> TimeRange { frames.timeRange(of: number) }

  /// The frame that is on the screen at a time; `nil` where there is none.
  public func frameNumber(at time: Time) -> Int? {
    guard let number = frames.number(at: time), frames.timeRange(of: number).contains(time) else {
      return nil
    }
    return number
  }

  /// The number of a frame's picture in its source, from 0; `nil` where no track gives the frames' times.
  ///
  /// - Precondition: `number` is below ``frameCount``.
  package func sourceFrameNumber(ofFrame number: Int) -> Int? { frames.place(of: number)?.entry }

  /// Whether decoding can begin at a frame; `false` where no track gives the frames' times.
  ///
  /// - Throws: `invalidParameter` for a frame that there is not, and what loading the source's index throws.
  public func isSync(frame number: Int) async throws(CinematicError) -> Bool {
    try check(number)
    guard let (run, _, entry) = frames.place(of: number), let source = run.segment.sourceTrack
    else {
      return false
    }
    return try await source.load(.sampleIndex).isSync(run.timeline[entry].sample)
  }

  /// All that is needed to compose a frame.
  ///
  /// - Throws: `invalidParameter` for a frame that there is not, `cancelled` where the calling task is
  ///   cancelled, and what reading and decoding the sources throw.
  public func request(number: Int) async throws(CinematicError) -> VideoCompositionRequest {
    try await request(number: number, steadies: true)
  }

  /// The same, also with maps as they are stored: their neighbours are not read then.
  package func request(
    number: Int, steadies: Bool
  ) async throws(CinematicError) -> VideoCompositionRequest {
    try check(number)
    try await turn.lock()
    defer { turn.unlock() }
    guard !Task.isCancelled else {
      throw CinematicError(.cancelled, "reading a frame was cancelled")
    }
    let range = frames.timeRange(of: number)
    let instruction = try instruction(at: range.start)
    let moment = CompositionMoment(frames.place(of: number), range, timingTrackID)
    // All decode while the first is waited for.
    var entries: [(trackID: UInt32, entry: Entry)] = []
    for trackID in instruction.requiredSourceTrackIDs {
      guard var entry = try await entry(trackID, moment, instruction) else { continue }
      if !steadies { entry.steady = nil }
      // Steady maps are read from earlier ones on.
      if entry.steady == nil { entry.feed.expect(entry.number) }
      entries.append((trackID, entry))
    }
    var pictures: [UInt32: SourceFrame] = [:]
    for (trackID, entry) in entries {
      pictures[trackID] = SourceFrame(
        pixelBuffer: try await entry.picture(), preferredTransform: entry.turn,
        timeRange: entry.feed.timeline[entry.number].timeRange, track: entry.source)
    }
    var metadata: [UInt32: TimedMetadataGroup] = [:]
    for trackID in instruction.requiredSourceSampleDataTrackIDs
    where sampleDataTrackIDs.contains(trackID) {
      metadata[trackID] = try await group(trackID, moment)
    }
    try await expectAfterCut(from: number)
    return VideoCompositionRequest(
      number: number, timeRange: range, instruction: instruction, renderContext: renderContext,
      frames: pictures, metadata: metadata)
  }

  /// How many sources are open.
  func openFeedCount() async throws(CinematicError) -> Int {
    try await turn.lock()
    defer { turn.unlock() }
    return feeds.count
  }

  /// - Throws: `invalidParameter` for a frame that there is not.
  package func check(_ number: Int) throws(CinematicError) {
    guard (0..<frameCount).contains(number) else {
      throw CinematicError(
        .invalidParameter, "the composition has no frame \(number)",
        remedy: "choose one from 0 to \(frameCount - 1)")
    }
  }

  private func instruction(
    at time: Time
  ) throws(CinematicError) -> any VideoCompositionInstruction {
    let next = instructions.partitionPoint { $0.timeRange.start <= time }
    guard next > 0 else {
      throw CinematicError(.unknown, "the video composition says nothing at \(time.secondsText) s")
    }
    return instructions[next - 1]
  }

  // MARK: - Sources

  /// A picture of a source.
  private struct Entry {
    var feed: FrameFeed
    /// If the picture is a map whose flicker is taken out.
    var steady: SteadyMaps?
    var turn: QuarterTurn
    var number: Int
    var source: AssetTrack

    func picture() async throws(CinematicError) -> PixelBuffer {
      if let steady, let map = try await steady.map(number) { return map }
      return try await feed.picture(number)
    }
  }

  /// The picture of a track that a moment shows, or one that is held.
  private func entry(
    _ trackID: UInt32, _ moment: CompositionMoment,
    _ instruction: any VideoCompositionInstruction
  ) async throws(CinematicError) -> Entry? {
    var entry = try await shownEntry(trackID, moment)
    if entry == nil, instruction.heldSourceTrackIDs.contains(trackID) {
      entry = try await heldEntry(trackID, moment, in: instruction.timeRange)
    }
    if !instruction.steadySourceTrackIDs.contains(trackID) { entry?.steady = nil }
    return entry
  }

  /// How a source in a track is read; `nil` for one without pictures.
  private func opened(
    _ source: AssetTrack, in trackID: UInt32
  ) async throws(CinematicError) -> (feed: FrameFeed, steady: SteadyMaps?, turn: QuarterTurn)? {
    switch try await feeds.feed(source, in: trackID) {
    case .pictures(let feed, let turn): (feed, nil, turn)
    case .maps(let feed, let steady, let turn): (feed, steady, turn)
    case .metadata: nil
    }
  }

  /// How long a picture is held where its track shows none: a few frames.
  private static let holdingTime = Time(value: 1, timescale: 2)

  /// The nearest picture of a track that shows none at a moment.
  ///
  /// - Parameter range: of the instruction, whose pictures belong together.
  private func heldEntry(
    _ trackID: UInt32, _ moment: CompositionMoment, in range: TimeRange
  ) async throws(CinematicError) -> Entry? {
    func distance(_ range: TimeRange, _ time: Time) -> Time {
      max(range.start - time, time - range.end, .zero)
    }
    let nearest = (tracks[trackID]?.segments ?? [])
      .filter { $0.sourceTrack != nil && !$0.timeRange.intersection(range).isEmpty }
      .min { distance($0.timeRange, moment.time) < distance($1.timeRange, moment.time) }
    guard let nearest, let source = nearest.sourceTrack,
      let (feed, steady, turn) = try await opened(source, in: trackID),
      feed.timeline.count > 0
    else { return nil }
    let time = nearest.sourceTime(at: moment.time)
    let within = max(nearest.sourceTimeRange.start, min(time, nearest.sourceTimeRange.end))
    let number = feed.timeline.number(at: within, tolerance: moment.tolerance) ?? 0
    guard distance(feed.timeline[number].timeRange, time) <= Self.holdingTime else { return nil }
    return Entry(feed: feed, steady: steady, turn: turn, number: number, source: source)
  }

  /// The picture of a track that a moment shows.
  private func shownEntry(
    _ trackID: UInt32, _ moment: CompositionMoment
  ) async throws(CinematicError) -> Entry? {
    guard let track = tracks[trackID], let (source, time) = moment.place(in: track),
      let (feed, steady, turn) = try await opened(source, in: trackID)
    else { return nil }
    if trackID == moment.trackID, let number = moment.entry {
      return Entry(feed: feed, steady: steady, turn: turn, number: number, source: source)
    }
    guard let number = feed.timeline.number(at: time, tolerance: moment.tolerance),
      feed.timeline[number].timeRange.end > time
    else { return nil }
    return Entry(feed: feed, steady: steady, turn: turn, number: number, source: source)
  }

  private func group(
    _ trackID: UInt32, _ moment: CompositionMoment
  ) async throws(CinematicError) -> TimedMetadataGroup? {
    guard let track = tracks[trackID], let (source, time) = moment.place(in: track),
      case .metadata(let feed) = try await feeds.feed(source, in: trackID)
    else { return nil }
    return try await feed.group(at: time, tolerance: moment.tolerance)
  }

  /// Shortly before a cut, begins to decode what comes after it.
  private func expectAfterCut(from number: Int) async throws(CinematicError) {
    guard let (run, index, _) = frames.place(of: number), index + 1 < frames.runs.count,
      run.firstFrame + run.entries.count - number <= FrameFeed.capacity
    else { return }
    let next = frames.runs[index + 1]
    // A clip that is still shown goes on from where it is.
    guard next.segment.sourceTrack !== run.segment.sourceTrack else { return }
    let range = frames.timeRange(of: next.firstFrame)
    let moment = CompositionMoment(frames.place(of: next.firstFrame), range, timingTrackID)
    let now = frames.timeRange(of: number).start
    let instruction = try instruction(at: range.start)
    for trackID in instruction.requiredSourceTrackIDs {
      guard let track = tracks[trackID], let (source, _) = moment.place(in: track),
        track.segment(at: now)?.sourceTrack !== source
      else { continue }
      guard let entry = try await entry(trackID, moment, instruction) else { continue }
      if entry.steady == nil { entry.feed.expect(entry.number) }
    }
  }
}
