// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalMedia
import FocalRendering

/// How pictures and maps are stored.
extension ImportJob {
  /// How pictures are compressed where they cannot be copied.
  struct Target {
    var settings: WriterSettings
    /// How high dynamic range becomes standard, if it does.
    var toneMapping: ToneMapping?
    /// The part of chroma, depth and alpha that is not held, in words.
    var codingLoss: String?

    /// A picture as it is compressed.
    func stored(_ picture: PixelBuffer) throws(CinematicError) -> PixelBuffer {
      try picture.converted(to: settings.pixelFormat, tags: settings.tags, by: toneMapping)
    }
  }

  func target(_ pictures: FrameReader) throws(CinematicError) -> Target {
    let source = pictures.properties
    var coding = coding
    if coding.codec == .automatic { coding.codec = .hevc }
    let pixels = try OutputFormat(path: output).pixelFormat(for: source, coding: coding)
    var settings = WriterSettings(
      keeping: source, dimensions: source.dimensions, pixelFormat: pixels.format,
      tags: pixels.tags)
    settings.timelineStart = .zero
    settings.codec = coding.codec
    settings.codedPixels = pixels.coded
    settings.constantRateFactor = rateFactor
    return Target(
      settings: settings,
      toneMapping: ToneMapping(
        from: source.tags, to: pixels.tags, peakLuminance: source.hdrMetadata.peakLuminance),
      codingLoss: pixels.loss(of: source.codedPixels))
  }

  /// What the movie is to hold.
  ///
  /// - Parameter clip: the pictures where they are copied.
  func settings(
    _ pictures: FrameReader, _ clip: CodedClip?, _ target: Target, mapDimensions: Dimensions,
    _ coding: DisparityCoding
  ) async throws(CinematicError) -> MovieWriter.Settings {
    var settings = MovieWriter.Settings(
      video: clip.map { .copied($0) } ?? .encoded(target.settings),
      disparityDimensions: mapDimensions, disparityCoding: coding)
    if copiesSound, pictures.properties.kind == .clip {
      settings.sound = try await AssetSound(pictures.asset).map { .asset($0) }
    }
    if pictures.properties.kind == .clip {
      settings.companions = try await FilmCompanions(
        pictures.asset, frameDuration: pictures.properties.nominalFrameDuration)
      let source = pictures.properties
      settings.companions.leaveOut(clip == nil ? source.unkeptExtras : source.unkeptMarks)
    }
    settings.companions.addCaptions(captions)
    settings.overwrite = overwrite
    return settings
  }

  /// The disparities that the movie's codes stand for: what integer codes say, else what the maps
  /// hold, for which all are read once.
  func coding(of maps: FrameReader) async throws(CinematicError) -> DisparityCoding {
    if case .disparity(let mapScale) = mapOptions.content, mapScale.kind == .disparity,
      maps.properties.bitDepth <= 16, !maps.properties.holdsFloats
    {
      return try DisparityCoding(
        min(mapScale.low, mapScale.high)...max(mapScale.low, mapScale.high))
    }
    var range: ClosedRange<Float>?
    var hasHoles = false
    for number in maps.frameNumbers {
      try checkCancellation(of: video)
      let info = try DisparityMapInfo(of: try await maps.frame(number: number).pixelBuffer)
      hasHoles = hasHoles || info.hasHoles
      guard let found = info.range else { continue }
      let known = range ?? found
      range =
        min(known.lowerBound, found.lowerBound)...max(known.upperBound, found.upperBound)
    }
    guard var range else {
      throw CinematicError(
        .malformed, "\(map) has no valid disparity", remedy: "check the map, or its kind")
    }
    if let codedRange {
      guard codedRange.contains(range.lowerBound), codedRange.contains(range.upperBound) else {
        let coded = "\(codedRange.lowerBound),\(codedRange.upperBound)"
        throw CinematicError(
          .invalidParameter,
          worded: """
            \(map) has disparities from \(range.lowerBound) to \(range.upperBound), beyond \
            \(parameter: .mapCodes, to: coded)
            """,
          remedy: "give a range that holds them, or none")
      }
      range = codedRange
    }
    // One disparity everywhere still needs a scale.
    if range.lowerBound == range.upperBound {
      let margin = max(abs(range.lowerBound) / 2, 0.5)
      range = (range.lowerBound - margin)...(range.upperBound + margin)
    }
    return try DisparityCoding(range, hasHoles: hasHoles)
  }
}
