// SPDX-License-Identifier: Apache-2.0

import FocalCore

/// How maps and pictures fit each other.
extension DisparityMatcher {
  /// Where pictures or maps come from.
  struct Side: Sendable {
    var name: String
    var properties: SourceProperties
    /// A map or a mask, in words.
    var noun = "map"
    var reader: FrameReader?
    var pipe: PipedPictures?

    init(_ reader: FrameReader) {
      (name, properties, self.reader) = (reader.name, reader.properties, reader)
      noun = reader.content.noun
    }

    init(_ pipe: PipedPictures) {
      (name, properties, self.pipe) = (pipe.name, pipe.properties, pipe)
    }

    /// The picture of a number; `nil` behind the last.
    func map(_ number: Int) async throws(CinematicError) -> PixelBuffer? {
      guard let reader else { return try await pipe?.frame(number: number)?.pixelBuffer }
      guard number < reader.properties.frameCount else { return nil }
      return try await reader.frame(number: number).pixelBuffer
    }
  }

  /// From maps as they are read to pictures as they are read.
  package struct Fit: Sendable {
    package let turn: QuarterTurn
    /// Whether rows are mirrored left to right, behind the turn.
    private let isMirrored: Bool

    /// Maps lie as the pictures are shown. Where only one of the two carries a rotation, the other is taken to be stored
    /// as shown; or, where it then has the wrong shape, to be stored as the one that does.
    package init(from map: SourceProperties, to picture: SourceProperties) {
      let shown = map.preferredTransform.followed(by: picture.preferredTransform.inverse)
      let isOneTurned =
        (map.preferredTransform == .identity) != (picture.preferredTransform == .identity)
      let isStoredAlike =
        isOneTurned && !DisparityMatcher.fits(map, picture, turn: shown)
        && DisparityMatcher.fits(map, picture, turn: .identity)
      turn = isStoredAlike ? .identity : shown
      // Readers mirror the one that says so, and leave the other as it is stored.
      isMirrored = isStoredAlike && map.isMirrored != picture.isMirrored
    }

    var isIdentity: Bool { turn == .identity && !isMirrored }

    /// A map as the pictures are read.
    ///
    /// - Throws: `unsupported` for a format that is not a disparity, where it has to be moved; `outOfMemory`.
    package func fitted(_ map: PixelBuffer) throws(CinematicError) -> PixelBuffer {
      if isIdentity { return map }
      // A copy: the reader may give out the same map again.
      let result = try map.turnedDisparity(by: turn)
      if isMirrored { result.mirrorRows() }
      return result
    }
  }

  /// - Parameter countsFrames: whether numbered maps have the numbers of a clip's frames.
  static func pairing(_ maps: Side, _ pictures: Side, _ countsFrames: Bool) -> Pairing {
    if maps.pipe != nil { return .order }
    if countsFrames, maps.reader?.isNumbered == true, pictures.properties.kind == .clip {
      return .frameNumber
    }
    if maps.properties.kind == .clip, pictures.properties.kind == .clip { return .time }
    guard let mapNumbers = maps.reader?.fileNumbers, let numbers = pictures.reader?.fileNumbers
    else {
      return .order
    }
    return Set(numbers).isDisjoint(with: mapNumbers) ? .order : .fileNumber
  }

  /// Whether a map has the picture's shape when it is turned.
  static func fits(
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
  package static func shown(_ source: SourceProperties) -> String {
    let size = source.preferredTransform.applied(to: source.dimensions)
    return source.preferredTransform == .identity ? "\(size)" : "\(size) as shown"
  }
}
