// SPDX-License-Identifier: Apache-2.0

import FocalBoxes
import FocalCore
import Synchronization

/// Reads the frames of anything that shows pictures: a picture file, numbered ones, a movie.
///
/// ```swift
/// let reader = try await FrameReader.open("clip.mov")
/// while let frame = try await reader.next() { … }
/// let frame = try await reader.frame(number: 90)
/// ```
///
/// Frames come in order or from anywhere, forward and back; a frame is bit-identical however it was
/// reached. Pictures are decoded ahead on a thread of their own, and a few of them are held, whatever
/// the length of the source. Calls from several tasks are served in turn. Errors name the file and, in
/// a movie, the frame.
public final class FrameReader: Sendable {
  /// The source's name in messages: its path, pattern or address.
  public let name: String
  public let properties: SourceProperties
  /// The numbers of the frames that ``next()`` delivers.
  public let frameNumbers: Range<Int>
  /// The numbers of the source's frames, chosen or not.
  package var allFrameNumbers: Range<Int> { 0..<times.count }
  /// Whether only some frames were chosen.
  public let choosesFrames: Bool

  /// The asset that is read, and the track of it.
  public let asset: Asset
  let track: AssetTrack
  let times: ReadTimes

  /// The numbers of numbered files, of every frame.
  let fileNumbers: [Int]?
  /// Pictures, maps or masks.
  let content: ReadOptions.Content

  private let feed: FrameFeed
  private let turn = AsyncLock()
  private let position: Mutex<Int>

  /// Opens a source and decodes its first frame.
  ///
  /// - Parameter path: a picture (PNG, JPEG, HEIC, AVIF, TIFF, PFM, OpenEXR, told by its content), a movie
  ///   (whatever FFmpeg reads), its address, or a pattern such as `frames/%04d.png`, which stands for
  ///   every number from the lowest there is to the first gap.
  /// - Throws: `unreadable` for a missing file or a folder, `malformed` for an empty, damaged or
  ///   cut-off one, `unsupported` for a file without pictures, `invalidParameter` for a selection
  ///   that begins beyond the last frame, and for options that are none, as a scale of maps without extent.
  public static func open(
    _ path: String, options: ReadOptions = ReadOptions()
  ) async throws(CinematicError) -> FrameReader {
    try options.validate()
    return try await FrameReader(
      Asset.named(
        path, pictureDuration: options.stillDuration, missing: options.missing,
        interlacing: options.interlacing),
      options: options)
  }

  /// Reads the pictures that players show of an asset.
  ///
  /// - Throws: as ``open(_:options:)``.
  public convenience init(
    _ asset: Asset, options: ReadOptions = ReadOptions()
  ) async throws(CinematicError) {
    try await asset.checkLength()
    try await self.init(asset, track: asset.pictureTrack(), options: options)
  }

  /// Reads the pictures of a track of an asset.
  ///
  /// - Throws: as ``open(_:options:)``.
  public init(
    _ asset: Asset, track: AssetTrack, options: ReadOptions = ReadOptions()
  ) async throws(CinematicError) {
    try options.validate()
    var options = options
    if options.interlacing == .keep { options.interlacing = asset.interlacing }
    (self.asset, self.track, name) = (asset, track, asset.name)
    content = options.content
    fileNumbers = try (asset.source as? NumberedPictures)?.numbers()
    let (timeline, index) = try await track.load(.timeline, .sampleIndex)
    guard timeline.count > 0 else {
      throw CinematicError(
        .malformed, "\(asset.name) holds no whole picture", remedy: "make or copy the file again")
    }
    let chosen = try Self.frames(options, asset, count: timeline.count)
    let first = chosen.lowerBound
    let facts = try await track.container.pictureFacts()
    if let name = options.layer ?? options.channel, !facts.isStill {
      throw .hasNoLayers(asset.name, name)
    }
    let decoder = try await track.container.pictureDecoder(track.sampleSource, options)
    let pictures = PictureReading(asset.name, facts, options)
    feed = FrameFeed(
      decoder, timeline: timeline, label: "frames",
      makeConverter: { picture throws(CinematicError) in
        try pictures.makeConverter(first: picture, codecName: decoder.codecName)
      })
    // A recording that begins anywhere begins with the first picture that can be decoded.
    let mayLackFirst = facts.mayLackFirst || index.isLeading(timeline[0].sample)
    _ = try await feed.picture(mayLackFirst ? 0 : first)
    guard let found = pictures.found else {
      throw CinematicError(.unknown, "\(asset.name) gave a picture without a format")
    }
    let missing = mayLackFirst ? timeline.entry(ofPlace: found.place) : 0
    let container = try await asset.container()
    times = ReadTimes(
      timeline, from: missing, startTime: try await container.timelineStart(),
      timescale: try await track.load(.naturalTimescale))
    guard first < times.count else {
      throw CinematicError.lacksFrame(first, asset.name, count: times.count)
    }
    frameNumbers = first..<min(times.count, chosen.upperBound)
    position = Mutex(first)
    choosesFrames = options.frames != nil
    let hasSound = try await asset.loadTracks(withMediaType: .audio).isEmpty == false
    var properties = SourceProperties(
      found, facts, times, frameNumbers, startTime: try await container.startTime(),
      hasAudio: hasSound)
    properties.timelineStart = times.startTime
    self.properties = properties
  }

  /// The frames that options choose, from 0.
  private static func frames(
    _ options: ReadOptions, _ asset: Asset, count: Int
  ) throws(CinematicError) -> Range<Int> {
    guard let pictures = asset.source as? NumberedPictures else {
      let first = options.frames?.lowerBound ?? 0
      guard first < count else { throw .lacksFrame(first, asset.name, count: count) }
      // One more than the largest number there is cannot be counted.
      return first..<(min(options.frames?.upperBound ?? count, count - 1) + 1)
    }
    let numbers = try pictures.numbers()
    var range = 0..<numbers.count
    if let wanted = options.frames {
      range =
        numbers.partitionPoint {
          $0 < wanted.lowerBound
        }..<numbers.partitionPoint {
          $0 <= wanted.upperBound
        }
      let (first, last) = (numbers[0], numbers[numbers.count - 1])
      guard !range.isEmpty else {
        // Numbers on both sides: the chosen ones are missing.
        if range.lowerBound > 0, range.lowerBound < numbers.count {
          let wanted =
            wanted.count == 1
            ? "frame \(wanted.lowerBound)"
            : "frame from \(wanted.lowerBound) to \(wanted.upperBound)"
          throw CinematicError(
            .incomplete,
            "\(asset.name) has no \(wanted): its files go on with \(numbers[range.lowerBound]) after"
              + " \(numbers[range.lowerBound - 1])",
            remedy:
              "choose frames that are there, or hold others with \(parameter: .heldFrames)"
          )
        }
        throw CinematicError(
          .invalidParameter,
          "\(asset.name) has no frame \(wanted.lowerBound): its files are numbered from \(first) to"
            + " \(last)",
          remedy: "choose frames by the numbers of their files")
      }
    }
    if case .picture = options.content { try pictures.checkFiles(range) }
    return range
  }

  /// The number in the name of a frame's file, where files are numbered; else the frame's own, as for frames that there are
  /// not.
  public func fileNumber(ofFrame number: Int) -> Int {
    guard let fileNumbers, fileNumbers.indices.contains(number) else { return number }
    return fileNumbers[number]
  }

  /// A frame in messages: its own file, or its number in the source.
  package func name(ofFrame number: Int) -> String {
    if properties.kind == .still { return name }
    if let pictures = asset.source as? NumberedPictures, let path = try? pictures.path(number) {
      return path
    }
    return "frame \(number) of \(name)"
  }

  /// How many files are missing between the chosen frames of numbered files, whether others stand for them
  /// or not.
  public var missingFileCount: Int {
    guard let fileNumbers, let pictures = asset.source as? NumberedPictures else { return 0 }
    let there = frameNumbers.count { (try? pictures.isOwnFile($0)) == true }
    let (first, last) = (frameNumbers.lowerBound, frameNumbers.upperBound - 1)
    return fileNumbers[last] - fileNumbers[first] + 1 - there
  }

  /// Whether there is a numbered file of a number, and not another that stands for it.
  public func hasOwnFile(numbered number: Int) -> Bool {
    guard let index = frame(ofFile: number), let pictures = asset.source as? NumberedPictures
    else { return false }
    return (try? pictures.isOwnFile(index)) == true
  }

  /// Whether the source is numbered files.
  public var isNumbered: Bool { fileNumbers != nil }

  /// Whether the chosen frames but the last are shown about equally long.
  public var isSteady: Bool { frameNumbers.lazy.map(timeRange(ofFrame:)).isSteady }

  /// The frame of a numbered file; `nil` if there is no such file.
  func frame(ofFile number: Int) -> Int? {
    guard let fileNumbers, let pictures = asset.source as? NumberedPictures else { return nil }
    let index = fileNumbers.partitionPoint { $0 < number }
    guard index < fileNumbers.count, fileNumbers[index] == number,
      (try? pictures.hasFile(index)) == true
    else { return nil }
    return index
  }

  /// The frame after the last one that was read; `nil` after the last one that was chosen.
  ///
  /// - Throws: `malformed` for a damaged picture, `unreadable` for a source that cannot be read any more or was changed,
  ///   `incompatible` for a frame of another size or profile than the first, `cancelled`.
  public func next() async throws(CinematicError) -> MediaFrame? {
    try await turn.lock()
    defer { turn.unlock() }
    let number = position.withLock { $0 }
    guard number < frameNumbers.upperBound else { return nil }
    return try await read(number)
  }

  /// A frame by its number in the source, from 0, whether it was chosen or not; ``next()`` goes on
  /// after it.
  ///
  /// - Throws: as ``next()``; `invalidParameter` for a number beyond the last.
  public func frame(number: Int) async throws(CinematicError) -> MediaFrame {
    guard (0..<times.count).contains(number) else {
      throw CinematicError.lacksFrame(number, name, count: times.count)
    }
    try await turn.lock()
    defer { turn.unlock() }
    return try await read(number)
  }

  /// The frame that is on the screen at a time; ``next()`` goes on after it.
  ///
  /// - Returns: `nil` before the first frame and from the last one's end on.
  /// - Throws: as ``next()``.
  public func frame(at time: Time) async throws(CinematicError) -> MediaFrame? {
    guard let number = times.number(at: time) else { return nil }
    return try await frame(number: number)
  }

  /// When a frame is shown.
  ///
  /// - Precondition: the source has a frame of the number.
  public func timeRange(ofFrame number: Int) -> TimeRange { times.timeRange(number) }

  /// Pictures of the source that are no frames, in words: those that the next one takes the place of at once.
  package func unseenPictures() async throws(CinematicError) -> [String] {
    try await track.load(.timeline).unseenPictures
  }

  /// When the source's last frame ends, whether it was chosen or not.
  package var end: Time { times.timeRange(times.count - 1).end }

  /// The frame that appears nearest to a time; of two equally near, the earlier.
  package func number(nearest time: Time) -> Int { times.number(nearest: time) }

  private func read(_ number: Int) async throws(CinematicError) -> MediaFrame {
    let picture = try await feed.read(number + times.first)
    position.withLock { $0 = number + 1 }
    let range = times.timeRange(number)
    return MediaFrame(
      pixelBuffer: picture.pixelBuffer, time: range.start, duration: range.duration,
      index: number, pictureMetadata: picture.metadata)
  }
}

extension ReadOptions {
  /// - Throws: `invalidParameter` for frames below zero, a duration that is not positive, and a scale of maps without extent.
  fileprivate func validate() throws(CinematicError) {
    try content.validate()
    try shaping.validate()
    guard stillDuration > .zero else {
      throw CinematicError(
        .invalidParameter, "a frame cannot be shown for \(stillDuration) s",
        remedy: "give a frame rate above zero")
    }
    if let frames, frames.lowerBound < 0 {
      throw CinematicError(
        .invalidParameter, "there is no frame \(frames.lowerBound)",
        remedy: "frames are numbered from 0")
    }
  }
}

extension CinematicError {
  fileprivate static func lacksFrame(_ number: Int, _ name: String, count: Int) -> CinematicError {
    CinematicError(
      .invalidParameter, "\(name) has no frame \(number): it has \(count), numbered from 0",
      remedy: "choose frames that exist")
  }
}

extension Timeline {
  /// The first entry that shows the sample of a place in the order of the screen; the first of all if
  /// none does.
  fileprivate func entry(ofPlace place: Int) -> Int {
    guard order.indices.contains(place) else { return 0 }
    let sample = Int(order[place])
    return (0..<count).first { self[$0].sample == sample } ?? 0
  }
}
