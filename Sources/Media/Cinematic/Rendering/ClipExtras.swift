// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalMedia

/// The parts of a clip beside its pictures that a film, or a stream, gets.
struct ClipExtras {
  var sound: AssetSound?
  /// Of streams, and of pictures the parts that are left out, so that they can be named.
  var companions = FilmCompanions()
  /// When the film begins, if only some frames were chosen; `nil` keeps the clip's times.
  var firstTime: Time?

  /// - Parameter copiesSound: whether a movie gets the clip's sound.
  /// - Throws: `unsupported` for sound that can be neither copied nor decoded, and what reading throws.
  init(
    _ pictures: FrameReader, for format: OutputFormat, copiesSound: Bool
  ) async throws(CinematicError) {
    if pictures.choosesFrames {
      firstTime = pictures.timeRange(ofFrame: pictures.frameNumbers.lowerBound).start
    }
    guard pictures.properties.kind == .clip else { return }
    guard format.stillKind == nil else {
      companions.leaveOut(pictures.properties.unkeptExtras)
      return
    }
    if copiesSound, case .movie = format { sound = try await AssetSound(pictures.asset) }
    companions = try await FilmCompanions(
      pictures.asset, frameDuration: pictures.properties.nominalFrameDuration)
    companions.leaveOut(pictures.properties.unkeptExtras)
    // The first frame's time becomes zero by itself.
    if let firstTime, firstTime != .zero {
      let end = pictures.timeRange(ofFrame: pictures.frameNumbers.upperBound - 1).end
      try companions.fitCaptions(to: TimeRange(start: firstTime, end: end))
      companions.leaveOutTimedText()
    }
  }

  /// - Parameter pictures: that come through a pipe, whose sound is lost.
  init(_ pictures: PipedPictures, for format: OutputFormat) {
    if format.stillKind == nil {
      companions = pictures.companions
    } else {
      companions.leaveOut(pictures.properties.unkeptExtras)
    }
  }
}

extension WriterSettings {
  /// The settings for a clip's frames once they stand upright.
  ///
  /// - Parameters:
  ///   - dimensions: by default the clip's as shown.
  ///   - pixels: how they are stored.
  init(
    upright source: SourceProperties, dimensions: Dimensions? = nil, _ pixels: OutputPixels,
    in format: OutputFormat, codec: Codec, _ extras: ClipExtras
  ) {
    self.init(
      keeping: source, dimensions: dimensions ?? source.shownDimensions, pixelFormat: pixels.format,
      tags: pixels.tags, sound: extras.sound, firstTime: extras.firstTime)
    // Pictures cannot say how they are turned, and not every player heeds a movie that does: what
    // is written stands upright.
    preferredTransform = .identity
    pixelAspectRatio = source.shownPixelAspectRatio
    companions = extras.companions
    self.codec = codec
    codedPixels = pixels.coded
    if case .stream(let stream) = format { self.stream = stream }
  }
}
