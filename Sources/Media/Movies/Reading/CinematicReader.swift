// SPDX-License-Identifier: Apache-2.0

import FocalBoxes
import FocalCore
import Synchronization

/// Reads the frames of a Cinematic movie: picture, disparity and metadata of one time together.
///
/// ```swift
/// let reader = try await CinematicReader(AssetInfo(asset: Asset(path: "IMG_0001.MOV")))
/// while let frame = try await reader.next() { … }
/// let frame = try await reader.frame(at: Time(value: 5, timescale: 2))
/// ```
///
/// Frames come in order, or from anywhere, forward and back: a frame is the same bit for bit however
/// it was reached. Pictures and maps are decoded ahead, each on a thread of its own; a few of them
/// are held, whatever the length of the movie. Calls from several tasks are served in turn.
public final class CinematicReader: Sendable {
  /// How many frames there are.
  public var frameCount: Int { video.timeline.count }
  /// From the first frame's appearance to the last one's end.
  public var timeRange: TimeRange { video.timeline.shownRange }
  /// The movie's statement about its disparity.
  public let disparityRange: DisparityRange
  /// From the frames' pictures and maps to how they are shown. Tracks that are mirrored besides are mirrored
  /// already.
  public let preferredTransform: QuarterTurn

  private let name: String
  private let video: FrameFeed
  private let disparity: FrameFeed?
  private let metadata: MetadataFeed?
  private let turn = AsyncLock()
  private let position = Mutex(0)

  /// A reader of all that a Cinematic movie has.
  ///
  /// - Throws: what loading the tracks throws; `incomplete` for a video without frames.
  public convenience init(_ info: AssetInfo) async throws(CinematicError) {
    try await self.init(
      asset: info.asset, videoTrack: info.cinematicVideoTrack,
      disparityTrack: info.capability == .renderable ? info.cinematicDisparityTrack : nil,
      metadataTrack: info.cinematicMetadataTrack)
  }

  /// A reader of some tracks of an asset.
  ///
  /// - Throws: as ``init(_:)``.
  public init(
    asset: Asset, videoTrack: AssetTrack, disparityTrack: AssetTrack? = nil,
    metadataTrack: AssetTrack? = nil
  ) async throws(CinematicError) {
    name = asset.name
    preferredTransform = try await videoTrack.quarterTurn
    video = try await Self.videoFeed(videoTrack)
    guard video.timeline.count > 0 else {
      throw CinematicError(
        .incomplete, "\(asset.name) has no frame to show", remedy: "give a whole movie")
    }
    if let disparityTrack {
      let range = try await DisparityRange(disparityTrack)
      disparityRange = range
      disparity = try await Self.disparityFeed(disparityTrack, range)
    } else {
      disparityRange = .unit
      disparity = nil
    }
    if let metadataTrack {
      metadata = try await MetadataFeed(metadataTrack)
    } else {
      metadata = nil
    }
  }

  // MARK: - Frames

  /// The frame after the last one that was read; `nil` at the end.
  ///
  /// - Throws: `malformed` for a damaged picture, map or entry, `unreadable` for a source that cannot be read any more or was
  ///   changed, `cancelled`.
  public func next() async throws(CinematicError) -> CinematicFrame? {
    try await turn.lock()
    defer { turn.unlock() }
    let number = position.withLock { $0 }
    guard number < frameCount else { return nil }
    let frame = try await read(number)
    position.withLock { $0 = number + 1 }
    return frame
  }

  /// The frame that is on the screen at a time; ``next()`` goes on after it.
  ///
  /// - Returns: `nil` before the first frame and from the last one's end on.
  /// - Throws: as ``next()``.
  public func frame(at time: Time) async throws(CinematicError) -> CinematicFrame? {
    guard let number = video.timeline.number(at: time),
      video.timeline[number].timeRange.contains(time)
    else { return nil }
    return try await frame(number: number)
  }

  /// A frame by its number, from 0; ``next()`` goes on after it.
  ///
  /// - Throws: as ``next()``; `invalidParameter` for a number beyond the last.
  public func frame(number: Int) async throws(CinematicError) -> CinematicFrame {
    try check(number)
    try await turn.lock()
    defer { turn.unlock() }
    let frame = try await read(number)
    position.withLock { $0 = number + 1 }
    return frame
  }

  /// The disparity of a frame alone, without decoding its picture; ``next()`` goes on where it was.
  ///
  /// - Returns: `nil` where the movie has none at the frame's time.
  /// - Throws: as ``next()``; `invalidParameter` for a number beyond the last.
  public func disparity(number: Int) async throws(CinematicError) -> PixelBuffer? {
    try check(number)
    try await turn.lock()
    defer { turn.unlock() }
    guard let map = mapNumber(of: number) else { return nil }
    return try await disparity?.picture(map)
  }

  /// Makes ``next()`` go on with the frame that is on the screen at a time, or the first one after it.
  public func seek(to time: Time) {
    let number = video.timeline.number(at: time) ?? 0
    let isOver = video.timeline[number].timeRange.end <= time
    position.withLock { $0 = isOver ? number + 1 : number }
  }

  /// When a frame is shown.
  ///
  /// - Precondition: `number` is below ``frameCount``.
  public func timeRange(ofFrame number: Int) -> TimeRange { video.timeline[number].timeRange }

  /// How many metadata groups there are.
  public var metadataGroupCount: Int { metadata?.timeline.count ?? 0 }

  /// A metadata group by its number, from 0, without decoding a picture.
  ///
  /// - Throws: `invalidParameter` for a number beyond the last, `malformed` for a damaged group, what
  ///   the source throws.
  public func metadataGroup(_ number: Int) async throws(CinematicError) -> TimedMetadataGroup {
    guard let metadata, (0..<metadataGroupCount).contains(number) else {
      throw CinematicError(
        .invalidParameter, "\(name) has no metadata group \(number)",
        remedy: "it has \(metadataGroupCount), counted from 0")
    }
    return try await metadata.group(number)
  }

  private func check(_ number: Int) throws(CinematicError) {
    guard (0..<frameCount).contains(number) else {
      throw CinematicError(
        .invalidParameter, "\(name) has no frame \(number)",
        remedy: "choose one from 0 to \(frameCount - 1)")
    }
  }

  /// How much two times of one moment may differ: timescales that have no common one put it a little
  /// before or after.
  private func tolerance(_ range: TimeRange) -> Time {
    Time(value: range.duration.value / 4, timescale: range.duration.timescale)
  }

  /// The map that belongs to a frame.
  private func mapNumber(of number: Int) -> Int? {
    let range = video.timeline[number].timeRange
    guard let timeline = disparity?.timeline,
      let found = timeline.number(at: range.start, tolerance: tolerance(range)),
      timeline[found].timeRange.end > range.start
    else { return nil }
    return found
  }

  private func read(_ number: Int) async throws(CinematicError) -> CinematicFrame {
    let range = video.timeline[number].timeRange
    let mapNumber = mapNumber(of: number)
    // Both decode while the first is waited for.
    if let mapNumber { disparity?.expect(mapNumber) }
    let image = try await video.picture(number)
    var map: PixelBuffer?
    if let mapNumber { map = try await disparity?.picture(mapNumber) }
    return CinematicFrame(
      index: number, timeRange: range, image: image, disparity: map,
      metadata: try await metadata?.group(at: range.start, tolerance: tolerance(range)))
  }

  // MARK: - Opening

  /// The pictures of a track.
  static func videoFeed(_ track: AssetTrack) async throws(CinematicError) -> FrameFeed {
    let isMirrored = try await track.displayRotation.isMirrored
    return try await feed(track, "video", isMirrored: isMirrored) { color, name in
      { first throws(CinematicError) in
        let converter = try PictureConverter(
          first: first, container: color, isStill: false, transfer: nil, path: name)
        return { frame, _ throws(CinematicError) in try converter.convert(frame, path: name) }
      }
    }
  }

  /// The maps of a track.
  static func disparityFeed(
    _ track: AssetTrack, _ range: DisparityRange
  ) async throws(CinematicError) -> FrameFeed {
    let isMirrored = try await track.holdsMapsToMirror
    return try await feed(track, "disparity", isMirrored: isMirrored) { color, name in
      { _ throws(CinematicError) in
        let converter = try DisparityConverter(range.scale, container: color)
        return { frame, _ throws(CinematicError) in
          let buffer = try converter.convert(frame, path: name)
          if let hole = range.holeCode { buffer.dropDisparity(ofCode: hole, in: frame) }
          return buffer
        }
      }
    }
  }

  /// - Parameter isMirrored: whether what the track holds is mirrored left to right as it is read.
  static func feed(
    _ track: AssetTrack, _ label: String, isMirrored: Bool,
    makeConverter: (ContainerColor?, String) -> FrameFeed.MakeConverter
  ) async throws(CinematicError) -> FrameFeed {
    let (timeline, entries) = try await track.load(.timeline, .formatDescriptions)
    let source = track.sampleSource
    var options = ReadOptions()
    if track.mediaType == .video { options.interlacing = track.interlacing }
    let decoder = try await track.container.pictureDecoder(source, options)
    let make = makeConverter(entries.first?.containerColor, source.name)
    return FrameFeed(decoder, timeline: timeline, label: label) { first throws(CinematicError) in
      let convert = try make(first)
      guard isMirrored else { return convert }
      return { frame, sample throws(CinematicError) in
        let buffer = try convert(frame, sample)
        buffer.mirrorRows()
        return buffer
      }
    }
  }
}
