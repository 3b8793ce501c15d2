// SPDX-License-Identifier: Apache-2.0

import FocalCore
import Synchronization

/// Where a frame lies in its clip.
public struct FramePlace: Hashable, Sendable {
  /// From 0.
  public var index: Int
  public var time: Time
  public var duration: Time

  public init(index: Int, time: Time, duration: Time) {
    self.index = index
    self.time = time
    self.duration = duration
  }

  public init(index: Int, timeRange: TimeRange) {
    self.init(index: index, time: timeRange.start, duration: timeRange.duration)
  }
}

extension MediaFrame {
  public var place: FramePlace { FramePlace(index: index, time: time, duration: duration) }
}

/// Finds for every frame of a clip its disparity map in another source.
public final class DisparityMatcher: Sendable {
  /// How frames and maps belong together.
  public enum Pairing: Hashable, Sendable {
    /// Both have times of their own. Maps that begin at zero begin with the pictures, also if those begin a little after
    /// the sound beside them; if they begin much later, and the maps last to their end, both have one clock.
    case time
    /// Both are numbered files, some of the same numbers.
    case fileNumber
    /// The maps are numbered files, each with the number of its frame in the clip, from 0.
    case frameNumber
    /// The first to the first.
    case order
  }

  public let pairing: Pairing

  /// Where pictures and maps come from; each may come through a pipe, which has neither numbers nor an end
  /// that is known.
  private let pictures: Side
  private let maps: Side
  private let fit: Fit
  private let isForOnePicture: Bool
  /// Whether there is one map, which has no place in time and fits one frame.
  public let isOneMap: Bool
  private let choosesFrames: Bool
  private let choosesMissing: Bool
  /// Maps without flicker; `nil` where they stay as they are.
  private let steady: SteadyMaps?
  /// Whether one map is that of all frames.
  private let holdsOneMap: Bool
  private let state = Mutex(State())

  private struct State {
    /// The frame that a still map was given to.
    var stillFrame: Int?
    /// The map that was turned last.
    var turned: (number: Int, map: PixelBuffer)?
    /// When the first picture of a pipe is shown.
    var pipedLead = Time.zero
  }

  /// - Parameters:
  ///   - maps: read as disparity.
  ///   - picture: the clip.
  ///   - stretches: whether maps of another shape than the pictures' are stretched over them.
  ///   - steadies: whether the flicker of several maps is taken out.
  ///   - choosesFrames: whether messages may advise to choose fewer frames.
  ///   - choosesMissing: whether they may advise to say what becomes of frames without a map.
  ///   - holdsOneMap: whether one map is that of all frames.
  ///   - countsFrames: whether numbered maps have the numbers of a clip's frames, whichever is the first of them; by
  ///     default the first one is that of the first frame.
  /// - Throws: `incompatible` if the maps' shape does not fit the pictures', beyond rounding,
  ///   `incomplete` for one map and many pictures, unless it is held.
  public convenience init(
    _ maps: FrameReader, for picture: FrameReader, stretches: Bool = false,
    steadies: Bool = false, choosesFrames: Bool = false, choosesMissing: Bool = false,
    holdsOneMap: Bool = false, countsFrames: Bool = false
  ) throws(CinematicError) {
    try self.init(
      Side(maps), Side(picture), stretches, steadies, choosesFrames, choosesMissing, holdsOneMap,
      countsFrames)
  }

  /// The maps of pictures that come through a pipe: by their times if both have some, else the first to the
  /// first. One map and many pictures are an error when the second comes, unless it is held.
  ///
  /// - Throws: `incompatible` if the maps' shape does not fit the pictures', beyond rounding.
  public convenience init(
    _ maps: FrameReader, for pictures: PipedPictures, stretches: Bool = false,
    steadies: Bool = false, holdsOneMap: Bool = false
  ) throws(CinematicError) {
    try self.init(Side(maps), Side(pictures), stretches, steadies, false, true, holdsOneMap)
  }

  /// Maps that come through a pipe: the first to the first. Frames are asked for in their order.
  ///
  /// - Throws: as ``init(_:for:stretches:)``.
  public convenience init(
    _ maps: PipedPictures, for pictures: FrameReader, stretches: Bool = false,
    steadies: Bool = false
  ) throws(CinematicError) {
    try self.init(Side(maps), Side(pictures), stretches, steadies, false, false, false)
  }

  /// Both through pipes: the first to the first.
  ///
  /// - Throws: as ``init(_:for:stretches:)``.
  public convenience init(
    _ maps: PipedPictures, for pictures: PipedPictures, stretches: Bool = false,
    steadies: Bool = false
  ) throws(CinematicError) {
    try self.init(Side(maps), Side(pictures), stretches, steadies, false, false, false)
  }

  private init(
    _ maps: Side, _ picture: Side, _ stretches: Bool, _ steadies: Bool, _ choosesFrames: Bool,
    _ choosesMissing: Bool, _ holdsOneMap: Bool, _ countsFrames: Bool = false
  ) throws(CinematicError) {
    self.maps = maps
    pictures = picture
    self.choosesFrames = choosesFrames
    self.choosesMissing = choosesMissing
    self.holdsOneMap = holdsOneMap
    let (map, image) = (maps.properties, picture.properties)
    pairing = Self.pairing(maps, picture, countsFrames)
    isForOnePicture = image.kind == .still
    isOneMap = map.kind == .still
    steady =
      steadies && !isOneMap && !isForOnePicture
      ? SteadyMaps { number throws(CinematicError) in try await maps.map(number) } : nil
    fit = try Self.fit(
      of: map, named: maps.name, noun: maps.noun, for: image, named: picture.name,
      stretches: stretches)
    if isOneMap, image.frameCount > 1, !holdsOneMap { throw oneMap(for: picture.name) }
  }

  /// The first map of a source, as a picture is stored that it belongs to.
  ///
  /// - Throws: as ``init(_:for:stretches:choosesFrames:)``.
  package static func map(
    _ maps: FrameReader, for picture: SourceProperties, named name: String, stretches: Bool
  ) async throws(CinematicError) -> PixelBuffer {
    let fit = try fit(
      of: maps.properties, named: maps.name, noun: maps.content.noun, for: picture, named: name,
      stretches: stretches)
    return try fit.fitted(try await maps.frame(number: 0).pixelBuffer)
  }

  /// Looks at the shape that a map's file says, before its pixels are read: of PNG. Others are looked at when they are
  /// read.
  ///
  /// - Parameter content: what the file is read as: maps or masks.
  /// - Throws: `incompatible` if the shapes differ.
  package static func checkStatedShape(
    of map: String, for picture: SourceProperties, named name: String, stretches: Bool,
    content: ReadOptions.Content = .disparity(.unit)
  ) async throws(CinematicError) {
    guard !stretches, !PipePath.isPipe(map), let asset = try? Asset.named(map),
      let stated = await asset.statedProperties()
    else { return }
    _ = try fit(
      of: stated, named: asset.name, noun: content.noun, for: picture, named: name,
      stretches: false)
  }

  /// - Throws: `incompatible` if the shapes differ.
  private static func fit(
    of map: SourceProperties, named mapName: String, noun: String, for image: SourceProperties,
    named name: String, stretches: Bool
  ) throws(CinematicError) -> Fit {
    let fit = Fit(from: map, to: image)
    guard stretches || fits(map, image, turn: fit.turn) else {
      throw CinematicError(
        .incompatible,
        "\(mapName) is \(Self.shown(map)) where \(name) is \(Self.shown(image)): the shapes differ",
        remedy: """
          give a \(noun) of the picture's shape, or \(parameter: .stretchedMaps) if it covers the \
          same view
          """)
    }
    return fit
  }

  private func oneMap(for clip: String) -> CinematicError {
    let fewer: CinematicError.Wording =
      choosesFrames ? ", or choose one frame with \(parameter: .frames)" : ""
    let held: CinematicError.Wording =
      choosesMissing ? ", or hold the \(maps.noun) with \(parameter: .heldMap)" : ""
    return CinematicError(
      .incomplete, "\(maps.name) is one \(maps.noun), and \(clip) has more frames",
      remedy: "give a movie or numbered pictures (\(maps.noun)s/%04d.png)\(fewer)\(held)")
  }

  /// The map of a frame, as the picture is stored.
  ///
  /// - Throws: `incomplete` if the maps end before the frame or the clip lacks it, and the reader's errors.
  public func map(for frame: FramePlace) async throws(CinematicError) -> PixelBuffer {
    // One map fits one frame, whichever it is.
    if isOneMap, !isForOnePicture, !holdsOneMap {
      let isOther = state.withLock { state in
        let first = state.stillFrame ?? frame.index
        state.stillFrame = first
        return first != frame.index
      }
      if isOther { throw oneMap(for: pictures.name) }
    }
    guard let number = number(for: frame) else { throw lacksMap(frame.index) }
    if let turned = state.withLock({ $0.turned }), turned.number == number { return turned.map }
    let found: PixelBuffer?
    if let steady {
      found = try await steady.map(number)
    } else {
      found = try await maps.map(number)
    }
    guard let map = found else { throw lacksMap(frame.index) }
    if fit.isIdentity { return map }
    let turned = try fit.fitted(map)
    state.withLock { $0.turned = (number, turned) }
    return turned
  }

  /// Whether the clip has a frame of an index. A pipe's frames are not counted before.
  private func hasFrame(_ index: Int) -> Bool {
    guard let reader = pictures.reader else { return index >= 0 }
    return reader.allFrameNumbers.contains(index)
  }

  private func lacksMap(_ frame: Int) -> CinematicError {
    guard hasFrame(frame) else {
      return CinematicError(
        .incomplete,
        "\(pictures.name) has no frame \(frame), and \(maps.name) no \(maps.noun) of it",
        remedy: "ask for frames of the clip")
    }
    let fewer: CinematicError.Wording =
      choosesFrames ? ", or render fewer frames with \(parameter: .frames)" : ""
    guard pairing == .fileNumber else {
      return CinematicError(
        .incomplete,
        "\(maps.name) ends before frame \(pictures.reader?.fileNumber(ofFrame: frame) ?? frame) of"
          + " \(pictures.name)",
        remedy: "give a \(maps.noun) as long as the clip\(fewer)")
    }
    let number = pictures.reader?.fileNumber(ofFrame: frame) ?? frame
    let numbers = maps.reader?.fileNumbers ?? []
    // A map is held between others only.
    let isGap = number > numbers.first ?? 0 && number < numbers.last ?? 0
    let actions = isGap ? "hold or skip" : "skip"
    let action: CinematicError.Wording =
      choosesMissing ? ", or give \(parameter: .missing, to: actions)" : ""
    return CinematicError(
      .incomplete,
      "\(maps.name) has no \(maps.noun) of the number \(number), and \(pictures.name) has a picture",
      remedy: "complete the \(maps.noun)s\(action)\(fewer)")
  }

  /// How many numbered maps there are, and how many of them no frame of the clip takes, chosen or not; `nil` for maps that
  /// are no numbered files, for pictures through a pipe, and for maps that were made of the clip's frames.
  package var numberedMaps: (count: Int, unused: Int)? {
    guard let maps = maps.reader, maps.isNumbered, let pictures = pictures.reader,
      pairing != .frameNumber
    else { return nil }
    let there = maps.allFrameNumbers.filter {
      maps.hasOwnFile(numbered: maps.fileNumber(ofFrame: $0))
    }
    let taken =
      isForOnePicture
      ? min(1, there.count)
      : there.count { number in
        pairing == .fileNumber
          ? pictures.frame(ofFile: maps.fileNumber(ofFrame: number)) != nil
          : number < pictures.allFrameNumbers.count
      }
    return (there.count, there.count - taken)
  }

  /// - Throws: `incomplete` if a frame has no map, or the clip lacks it.
  public func check(_ frame: FramePlace) throws(CinematicError) {
    guard hasMap(for: frame) else { throw lacksMap(frame.index) }
  }

  /// Whether a frame has a map; one that the clip lacks has none.
  public func hasMap(for frame: FramePlace) -> Bool { number(for: frame) != nil }

  /// The number of the map that belongs to a frame; `nil` if there is none.
  private func number(for frame: FramePlace) -> Int? {
    if isForOnePicture { return 0 }
    guard hasFrame(frame.index) else { return nil }
    if isOneMap { return 0 }
    guard let maps = maps.reader else { return frame.index }
    switch pairing {
    case .time: return mapOnScreen(at: frame, maps)
    case .fileNumber:
      return pictures.reader.flatMap { maps.frame(ofFile: $0.fileNumber(ofFrame: frame.index)) }
    case .frameNumber: return maps.frame(ofFile: frame.index)
    case .order: return frame.index < maps.properties.frameCount ? frame.index : nil
    }
  }

  private func mapOnScreen(at frame: FramePlace, _ maps: FrameReader) -> Int? {
    let time = frame.time - lead(before: frame)
    let number = maps.number(nearest: time)
    let range = maps.timeRange(ofFrame: number)
    // The nearest may be just the last there is.
    let tolerance = max(range.duration, frame.duration)
    return time <= range.end + tolerance ? number : nil
  }

  /// How much later the pictures begin than the sound beside them, where the maps begin at zero. Pictures through a pipe
  /// say it when the first one comes.
  private func lead(before frame: FramePlace) -> Time {
    guard let maps = maps.reader, maps.timeRange(ofFrame: 0).start == .zero else { return .zero }
    guard let reader = pictures.reader else {
      return state.withLock { state in
        if frame.index == 0, frame.time <= Self.mostDelay { state.pipedLead = frame.time }
        return state.pipedLead
      }
    }
    let start = reader.timeRange(ofFrame: 0).start
    return start > Self.mostDelay && maps.end + frame.duration >= reader.end ? .zero : start
  }

  /// Pictures begin so long after sound without anything being meant by it.
  private static let mostDelay = Time(value: 1, timescale: 4)
}
