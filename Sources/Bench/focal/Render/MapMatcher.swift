// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalMedia

/// Finds for every frame of a clip its disparity map: by time where both sources have times of
/// their own, else by frame number.
struct MapMatcher {
  /// A frame's number and time.
  struct FramePlace {
    var index: Int
    var time: Time
    var duration: Time
  }

  private let reader: FrameReader
  private let matchesByTime: Bool
  /// From the map as stored to the picture as stored.
  private let turn: QuarterTurn
  private let isSingle: Bool
  /// Whether the map is one picture, and so has no place in time.
  private let isStill: Bool
  private let choosesFrames: Bool
  /// The frame that a still map was given to.
  private var stillFrame: Int?
  private var current: Frame?
  private var following: Frame?
  private var turned: PixelBuffer?

  /// - Parameter choosesFrames: whether the command has `--frames`.
  /// - Throws: `incompatible` when the map's shape does not fit the picture's, beyond rounding.
  init(
    _ reader: FrameReader, for picture: FrameReader, stretch: Bool, choosesFrames: Bool = false
  ) throws(CinematicError) {
    self.reader = reader
    self.choosesFrames = choosesFrames
    matchesByTime = reader.properties.kind == .clip && picture.properties.kind == .clip
    isSingle = picture.properties.kind == .still
    isStill = reader.properties.kind == .still
    // Where only one of the two carries a rotation, the other is taken to be stored as shown; or, where
    // it then has the wrong shape, to be stored as the one that does.
    let shown = Self.turn(from: reader.properties, to: picture.properties)
    let isOneTurned =
      (reader.properties.preferredTransform == .identity)
      != (picture.properties.preferredTransform == .identity)
    let isStoredAlike =
      isOneTurned && !Self.fits(reader, picture, turn: shown)
      && Self.fits(reader, picture, turn: .identity)
    turn = isStoredAlike ? .identity : shown
    guard stretch || Self.fits(reader, picture, turn: turn) else {
      throw CinematicError(
        .incompatible,
        "\(reader.path) is \(Self.shown(reader)) where \(picture.path) is"
          + " \(Self.shown(picture)): the shapes differ",
        remedy: "give a map of the picture's shape, or --disparity-fit stretch if it covers the"
          + " same view")
    }
    if isStill, let count = picture.properties.frameCountEstimate, count > 1 {
      throw oneMap(reader.path, for: picture.path)
    }
  }

  /// Whether a map has the picture's shape when it is turned.
  private static func fits(
    _ reader: FrameReader, _ picture: FrameReader, turn: QuarterTurn
  ) -> Bool {
    let map = turn.applied(to: reader.properties.dimensions)
    let size = picture.properties.dimensions
    // A map's own rounding of its sides may put its shape off by a pixel or so.
    let fitting = Double(map.height) * Double(size.width) / Double(size.height)
    let fittingHeight = Double(map.width) * Double(size.height) / Double(size.width)
    return abs(fitting - Double(map.width)) <= 1.5
      || abs(fittingHeight - Double(map.height)) <= 1.5
  }

  /// A source's size; that on the screen, and said so, where it carries a rotation.
  private static func shown(_ reader: FrameReader) -> String {
    let properties = reader.properties
    let size = properties.preferredTransform.applied(to: properties.dimensions)
    return properties.preferredTransform == .identity ? "\(size)" : "\(size) as shown"
  }

  private func oneMap(_ map: String, for clip: String) -> CinematicError {
    CinematicError(
      .incomplete, "\(map) is one map, and \(clip) has more frames",
      remedy: "give a movie or numbered pictures (maps/%04d.png)"
        + (choosesFrames ? ", or choose one frame with --frames" : ""))
  }

  private static func turn(from map: SourceProperties, to picture: SourceProperties) -> QuarterTurn
  {
    let degrees = map.preferredTransform.rawValue - picture.preferredTransform.rawValue
    return QuarterTurn(rawValue: (degrees + 360) % 360) ?? .identity
  }

  /// The map of a frame; frames must be asked for in order.
  ///
  /// - Throws: `incomplete` when the map ends before the frame, and the reader's errors.
  mutating func map(for frame: Frame) throws(CinematicError) -> PixelBuffer {
    try map(for: FramePlace(index: frame.index, time: frame.time, duration: frame.duration))
  }

  /// The same for a frame of which only the place is known.
  mutating func map(for frame: FramePlace) throws(CinematicError) -> PixelBuffer {
    if current == nil {
      current = try reader.next()
      following = try reader.next()
      turned = nil
    }
    while let following, isBetter(following, than: current, for: frame) {
      current = following
      turned = nil
      self.following = try reader.next()
    }
    // One map fits one frame, whichever it is.
    if isStill, !isSingle {
      guard (stillFrame ?? frame.index) == frame.index else {
        throw oneMap(reader.path, for: "the clip")
      }
      stillFrame = frame.index
    }
    guard let current, isSingle || isStill || covers(current, frame) else {
      throw CinematicError(
        .incomplete, "\(reader.path) ends before frame \(frame.index) of the clip",
        remedy: "give a map as long as the clip"
          + (choosesFrames ? ", or render fewer frames with --frames" : ""))
    }
    if turn == .identity { return current.pixelBuffer }
    if let turned { return turned }
    let buffer = try current.pixelBuffer.turnedDisparity(by: turn)
    turned = buffer
    return buffer
  }

  private func isBetter(_ candidate: Frame, than current: Frame?, for frame: FramePlace) -> Bool {
    guard let current else { return true }
    guard matchesByTime else { return current.index < frame.index }
    // The nearest in time; of two equally near the earlier.
    let before = frame.time - current.time
    let after = candidate.time - frame.time
    return after < before
  }

  /// Whether the map, being the nearest, belongs to the frame and is not just the last there is.
  private func covers(_ map: Frame, _ frame: FramePlace) -> Bool {
    guard matchesByTime else { return map.index == frame.index }
    let tolerance = max(map.duration, frame.duration)
    return frame.time <= map.time + map.duration + tolerance
  }
}
