// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalMedia
import FocalRendering
import FocalSubjects
import Foundation
import Synchronization

/// The frames of a clip, or a picture, of which only subjects are left: upright, with alpha, before another background, or
/// as masks.
public final class LiftedClip: ClipFrames {
  /// The part of each frame that is written.
  public enum Content: Sendable {
    /// The subjects with alpha, or over a background that is not transparent.
    case subjects
    /// Their masks: gray codes from 0 to the largest, straight from alpha.
    case masks
  }

  /// How the frames are written.
  public let settings: WriterSettings
  /// How high dynamic range becomes standard; `nil` if the output holds the clip's own range, and for masks.
  public let toneMapping: ToneMapping?
  /// The part of the clip's chroma and depth that the output does not hold, in words.
  public let codingLoss: String?
  /// The part of what is behind the subjects that the output does not hold, in words.
  public let backgroundLoss: String?
  public var frameCount: Int? { pictures.frameNumbers.count }

  /// Whether a subject was found in any frame so far.
  public var hasSubject: Bool { !drawnSubjects.isEmpty }

  /// The subjects that were found in any frame so far, by their numbers there.
  public var drawnSubjects: IndexSet { drawn.withLock { $0 } }

  /// The frames that begin another scene, of those so far and in their order, without the first one.
  public var cuts: [Int] { cutFrames.withLock { $0 } }

  private let drawn = Mutex(IndexSet())
  private let cutFrames = Mutex<[Int]>([])
  private let pictures: FrameReader
  private let maps: DisparityMatcher?
  private let content: Content
  private let effect: SubjectEffect
  private let follower: SubjectFollower
  private let backdrop: FrameReader?
  private let renderer: FrameRenderer?
  private let part: PixelRect?
  private let isPremultiplied: Bool
  /// Whether the output is a film without alpha, as the first frame or the first one behind the subjects is.
  private let isOpaqueFilm: Bool
  /// How light becomes codes of the camera's curve again.
  private let logCoding: LogCoding?

  /// - Parameters:
  ///   - pictures: the clip, with the frames that were chosen.
  ///   - maps: matched to the clip.
  ///   - follower: finds the subjects of one frame after the other.
  ///   - backdrop: a clip that takes the place of the effect's background, beginning with the clip's first frame; it begins
  ///     again at its end.
  ///   - renderer: for a lens blur.
  ///   - part: of each picture as shown; by default the whole.
  ///   - output: the name of what will be written, which decides the format.
  /// - Throws: `invalidParameter` for an output of another kind, or one without alpha for a transparent background;
  ///   `unsupported` for masks in movies, or for a movie's sound that can be neither copied nor decoded.
  public init(
    _ pictures: FrameReader, maps: DisparityMatcher?, follower: SubjectFollower,
    content: Content = .subjects, effect: SubjectEffect = SubjectEffect(),
    backdrop: FrameReader? = nil,
    renderer: FrameRenderer? = nil, part: PixelRect? = nil, output: String,
    coding: FilmCoding = FilmCoding(), copiesSound: Bool = true
  ) async throws(CinematicError) {
    (self.pictures, self.maps, self.content) = (pictures, maps, content)
    (self.effect, self.follower, self.part) = (effect, follower, part)
    (self.backdrop, self.renderer) = (backdrop, renderer)
    let format = try OutputFormat(path: output)
    let hasAlpha = effect.background.isTransparent && backdrop == nil
    try Self.check(
      output, of: pictures.properties, content: content, isTransparent: hasAlpha, coding: coding)
    // The picture's own background has the picture's own alpha.
    let keepsAlpha =
      effect.background.isKept && backdrop == nil
      && pictures.properties.codedPixels?.hasAlpha == true
    // Another one has its own.
    let takesAlpha = Self.hasAlpha(effect.background, backdrop)
    var source = Self.written(
      pictures.properties,
      hasAlpha: (hasAlpha || keepsAlpha || takesAlpha) && content == .subjects)
    var pixels = try format.pixelFormat(for: source, coding: coding, drawsColors: true)
    // Of picture files it is refused when it is met.
    let losesAlpha = takesAlpha && format.stillKind == nil && pixels.coded?.hasAlpha == false
    backgroundLoss = content == .subjects && losesAlpha ? "alpha is left out" : nil
    if content == .masks, let kind = format.stillKind {
      let isDeep = pixels.format == .rgbaFloat && kind.holdsGray
      if kind != .openEXR, kind != .pfm {
        pixels.format = kind.holdsGray ? (isDeep ? .gray16 : .gray8) : .rgba8
        pixels.tags = .sRGB
      }
      source.pictureMetadata.profile = nil
    }
    var own = source.codedPixels
    if takesAlpha { own?.hasAlpha = false }
    codingLoss = content == .masks ? nil : pixels.loss(of: own)
    logCoding = format.holdsLight || content == .masks ? nil : source.logCoding
    isOpaqueFilm =
      content == .subjects && !hasAlpha
      && format.settlesAlpha(by: (backdrop ?? pictures).properties)
    // Masks have no light.
    toneMapping =
      content == .masks
      ? nil
      : ToneMapping(
        from: source.tags, to: logCoding == nil ? pixels.tags : source.tags,
        peakLuminance: source.hdrMetadata.peakLuminance)
    isPremultiplied = format.stillKind?.holdsPremultipliedAlpha ?? false
    settings = WriterSettings(
      upright: source, dimensions: part?.dimensions, pixels, in: format, codec: coding.codec,
      try await ClipExtras(pictures, for: format, copiesSound: copiesSound))
  }

  /// Whether another background than the picture's own lets light through.
  private static func hasAlpha(
    _ background: SubjectEffect.Background, _ backdrop: FrameReader?
  ) -> Bool {
    if let backdrop { return backdrop.properties.codedPixels?.hasAlpha == true }
    guard case .picture(let picture) = background else { return false }
    return picture.isTranslucent
  }

  /// Numbered pictures keep their numbers, whichever they begin with.
  public func fileNumber(ofFrame number: Int) -> Int {
    pictures.fileNumber(ofChosen: number)
  }

  /// - Throws: `invalidParameter` for a frame that was not chosen, `incompatible` for alpha in a film whose first frame has none,
  ///   and what reading, maps and the work on subjects throw.
  public func frame(_ number: Int) async throws(CinematicError) -> ClipFrame? {
    let chosen = try pictures.frameNumbers.number(ofChosen: number, in: pictures.name)
    let frame = try await pictures.frame(number: chosen)
    var map: PixelBuffer?
    if let maps { map = try await maps.map(for: frame.place) }
    if isOpaqueFilm, backdrop == nil, effect.background.isKept {
      try frame.checkIsOpaque(named: pictures.name(ofFrame: frame.index))
    }
    let picture = try pictures.straight(frame)
    // Frames are followed in their order; the rest of the work goes on beside the next one's.
    let found = try await follower.observation(of: picture, disparity: map)
    drawn.withLock { $0.formUnion(found.seenInstances) }
    if found.beginsScene, number > 0 { cutFrames.withLock { $0.append(number) } }
    var effect = effect
    if let backdrop {
      effect.background = .picture(
        try await backdrop.picture(behind: frame, of: pictures, isOpaque: isOpaqueFilm))
    }
    return ClipFrame(
      timeRange: frame.timeRange,
      pictureMetadata: pictures.isNumbered ? frame.pictureMetadata : nil
    ) { [self, effect] () async throws(CinematicError) in
      try finished(picture, found, effect)
    }
  }

  private func finished(
    _ picture: PixelBuffer, _ found: FollowedSubjects, _ effect: SubjectEffect
  ) throws(CinematicError) -> PixelBuffer {
    var tags = settings.tags
    if logCoding != nil { tags.transfer = .linear }
    let result = try PixelBuffer(
      dimensions: settings.dimensions, format: settings.pixelFormat, tags: tags)
    let shown = pictures.properties.shownDimensions
    let part = part ?? PixelRect(shown)
    if content == .masks {
      let mask = try found.mask(of: picture)
      result.storeMask(mask.part(columns: part.columns, rows: part.rows))
      return result
    }
    if effect.isDrawn || result.format.isBiPlanar {
      let whole = try found.picture(of: picture, effect: effect, renderer: renderer)
      var light = whole
      if part != PixelRect(shown) {
        light = try whole.part(columns: part.columns, rows: part.rows).linearRGBA()
      }
      try result.store(straight: light, by: toneMapping, multiplies: isPremultiplied)
    } else {
      // Light takes four times the room of most files' codes.
      try found.strips(of: picture, part: part) { (light, row) throws(CinematicError) in
        try result.store(
          straight: light, atRow: row, by: toneMapping, multiplies: isPremultiplied)
      }
    }
    guard let logCoding else { return result }
    result.encodeLog(logCoding.curve, isFullRange: logCoding.isFullRange)
    return result.tagged(settings.tags)
  }
}

extension FrameReader {
  /// A frame's picture, whose light is not multiplied by alpha.
  package func straightPicture(number: Int) async throws(CinematicError) -> PixelBuffer {
    try straight(try await frame(number: number))
  }

  fileprivate func straight(_ frame: MediaFrame) throws(CinematicError) -> PixelBuffer {
    properties.pictureMetadata.hasPremultipliedAlpha
      ? try frame.pixelBuffer.dividedByAlpha() : frame.pixelBuffer
  }

  /// The upright picture that is behind a frame, whose clip began with the first of these.
  ///
  /// - Parameter isOpaque: whether it is to have no alpha.
  fileprivate func picture(
    behind frame: MediaFrame, of clip: FrameReader, isOpaque: Bool
  ) async throws(CinematicError) -> PixelBuffer {
    let start = timeRange(ofFrame: frameNumbers.lowerBound).start
    let duration = (timeRange(ofFrame: frameNumbers.upperBound - 1).end - start).seconds
    let begun = clip.timeRange(ofFrame: clip.frameNumbers.lowerBound).start
    var time = frame.time - begun
    if duration > 0 {
      let rounds = (time.seconds / duration + 1e-6).rounded(.down)
      time -= Time(seconds: rounds * duration, preferredTimescale: 90_000)
    }
    let nearest = number(nearest: start + time)
    let chosen = min(max(nearest, frameNumbers.lowerBound), frameNumbers.upperBound - 1)
    let behind = try await self.frame(number: chosen)
    if isOpaque { try behind.checkIsOpaque(named: name(ofFrame: chosen)) }
    return try straight(behind).upright(properties.preferredTransform)
  }
}
