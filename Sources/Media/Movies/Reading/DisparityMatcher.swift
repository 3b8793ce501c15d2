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
    /// Both have times of their own.
    case time
    /// Both are numbered files, some of the same numbers.
    case fileNumber
    /// The first to the first.
    case order
  }

  public let pairing: Pairing

  private let pictures: FrameReader
  private let maps: FrameReader
  /// From the map as stored to the picture as stored.
  private let turn: QuarterTurn
  private let isForOnePicture: Bool
  /// Whether there is one map, which has no place in time and fits one frame.
  public let isOneMap: Bool
  private let choosesFrames: Bool
  private let state = Mutex(State())

  private struct State {
    /// The frame that a still map was given to.
    var stillFrame: Int?
    /// The map that was turned last.
    var turned: (number: Int, map: PixelBuffer)?
  }

  /// - Parameters:
  ///   - maps: read as disparity.
  ///   - picture: the clip.
  ///   - stretches: whether maps of another shape than the pictures' are stretched over them.
  ///   - choosesFrames: whether messages may advise to choose fewer frames.
  /// - Throws: `incompatible` if the maps' shape does not fit the pictures', beyond rounding,
  ///   `incomplete` for one map and many pictures.
  public init(
    _ maps: FrameReader, for picture: FrameReader, stretches: Bool = false,
    choosesFrames: Bool = false
  ) throws(CinematicError) {
    self.maps = maps
    pictures = picture
    self.choosesFrames = choosesFrames
    let (map, image) = (maps.properties, picture.properties)
    pairing = Self.pairing(maps, picture)
    isForOnePicture = image.kind == .still
    isOneMap = map.kind == .still
    turn = try Self.turn(of: maps, for: image, named: picture.name, stretches: stretches)
    if isOneMap, image.frameCount > 1 { throw oneMap(for: picture.name) }
  }

  /// The first map of a source, as a picture is stored that it belongs to.
  ///
  /// - Throws: as ``init(_:for:stretches:choosesFrames:)``.
  package static func map(
    _ maps: FrameReader, for picture: SourceProperties, named name: String, stretches: Bool
  ) async throws(CinematicError) -> PixelBuffer {
    let turn = try turn(of: maps, for: picture, named: name, stretches: stretches)
    let map = try await maps.frame(number: 0).pixelBuffer
    return turn == .identity ? map : try map.turnedDisparity(by: turn)
  }

  /// From maps as stored to pictures as stored.
  ///
  /// - Throws: `incompatible` if the shapes differ.
  private static func turn(
    of maps: FrameReader, for image: SourceProperties, named name: String, stretches: Bool
  ) throws(CinematicError) -> QuarterTurn {
    let map = maps.properties
    // Where only one of the two carries a rotation, the other is taken to be stored as shown; or, where
    // it then has the wrong shape, to be stored as the one that does.
    let shown = turn(from: map, to: image)
    let isOneTurned =
      (map.preferredTransform == .identity) != (image.preferredTransform == .identity)
    let isStoredAlike =
      isOneTurned && !fits(map, image, turn: shown) && fits(map, image, turn: .identity)
    let turn = isStoredAlike ? .identity : shown
    guard stretches || fits(map, image, turn: turn) else {
      throw CinematicError(
        .incompatible,
        "\(maps.name) is \(Self.shown(map)) where \(name) is \(Self.shown(image)): the shapes differ",
        remedy: "give a map of the picture's shape, or --disparity-fit stretch if it covers the"
          + " same view")
    }
    return turn
  }

  private static func pairing(_ maps: FrameReader, _ pictures: FrameReader) -> Pairing {
    if maps.properties.kind == .clip, pictures.properties.kind == .clip { return .time }
    guard let mapNumbers = maps.fileNumbers, let numbers = pictures.fileNumbers else {
      return .order
    }
    return Set(numbers).isDisjoint(with: mapNumbers) ? .order : .fileNumber
  }

  /// Whether a map has the picture's shape when it is turned.
  private static func fits(
    _ map: SourceProperties, _ picture: SourceProperties, turn: QuarterTurn
  ) -> Bool {
    let map = turn.applied(to: map.dimensions)
    let size = picture.dimensions
    // A map's own rounding of its sides may put its shape off by a pixel or so.
    let fitting = Double(map.height) * Double(size.width) / Double(size.height)
    let fittingHeight = Double(map.width) * Double(size.height) / Double(size.width)
    return abs(fitting - Double(map.width)) <= 1.5
      || abs(fittingHeight - Double(map.height)) <= 1.5
  }

  /// A source's size; that on the screen, and said so, if it carries a rotation.
  private static func shown(_ source: SourceProperties) -> String {
    let size = source.preferredTransform.applied(to: source.dimensions)
    return source.preferredTransform == .identity ? "\(size)" : "\(size) as shown"
  }

  private func oneMap(for clip: String) -> CinematicError {
    CinematicError(
      .incomplete, "\(maps.name) is one map, and \(clip) has more frames",
      remedy: "give a movie or numbered pictures (maps/%04d.png)"
        + (choosesFrames ? ", or choose one frame with --frames" : ""))
  }

  private static func turn(from map: SourceProperties, to picture: SourceProperties) -> QuarterTurn
  {
    let degrees = map.preferredTransform.rawValue - picture.preferredTransform.rawValue
    return QuarterTurn(rawValue: (degrees + 360) % 360) ?? .identity
  }

  /// The map of a frame, as the picture is stored.
  ///
  /// - Throws: `incomplete` if the maps end before the frame, and the reader's errors.
  public func map(for frame: FramePlace) async throws(CinematicError) -> PixelBuffer {
    // One map fits one frame, whichever it is.
    if isOneMap, !isForOnePicture {
      let isOther = state.withLock { state in
        let first = state.stillFrame ?? frame.index
        state.stillFrame = first
        return first != frame.index
      }
      if isOther { throw oneMap(for: "the clip") }
    }
    guard let number = number(for: frame) else { throw lacksMap(frame.index) }
    if let turned = state.withLock({ $0.turned }), turned.number == number { return turned.map }
    let map = try await maps.frame(number: number).pixelBuffer
    if turn == .identity { return map }
    let turned = try map.turnedDisparity(by: turn)
    state.withLock { $0.turned = (number, turned) }
    return turned
  }

  private func lacksMap(_ frame: Int) -> CinematicError {
    let fewer = choosesFrames ? ", or render fewer frames with --frames" : ""
    guard pairing == .fileNumber else {
      return CinematicError(
        .incomplete, "\(maps.name) ends before frame \(frame) of the clip",
        remedy: "give a map as long as the clip" + fewer)
    }
    let number = pictures.fileNumber(ofFrame: frame)
    let numbers = maps.fileNumbers ?? []
    // A map is held between others only.
    let isGap = number > numbers.first ?? 0 && number < numbers.last ?? 0
    let action = isGap ? "--on-missing hold or skip" : "--on-missing skip"
    return CinematicError(
      .incomplete,
      "\(maps.name) has no map of the number \(number), and \(pictures.name) has a picture",
      remedy: "complete the maps" + (choosesFrames ? ", or give \(action)" : "") + fewer)
  }

  /// - Throws: `incomplete` if a frame has no map.
  public func check(_ frame: FramePlace) throws(CinematicError) {
    guard hasMap(for: frame) else { throw lacksMap(frame.index) }
  }

  /// Whether a frame has a map.
  public func hasMap(for frame: FramePlace) -> Bool { number(for: frame) != nil }

  /// The number of the map that belongs to a frame; `nil` if there is none.
  private func number(for frame: FramePlace) -> Int? {
    if isOneMap || isForOnePicture { return 0 }
    switch pairing {
    case .time: return mapOnScreen(at: frame)
    case .fileNumber: return maps.frame(ofFile: pictures.fileNumber(ofFrame: frame.index))
    case .order: return frame.index < maps.properties.frameCount ? frame.index : nil
    }
  }

  private func mapOnScreen(at frame: FramePlace) -> Int? {
    let number = maps.number(nearest: frame.time)
    let range = maps.timeRange(ofFrame: number)
    // The nearest may be just the last there is.
    let tolerance = max(range.duration, frame.duration)
    return frame.time <= range.end + tolerance ? number : nil
  }
}
