// SPDX-License-Identifier: Apache-2.0

import FocalBoxes
import FocalCore

/// The facts that a writer needs before the first frame.
public struct WriterSettings: Sendable {
  /// The size of every frame: sides of 1 to `PixelBuffer.maximumDimension`.
  public var dimensions: Dimensions
  /// The format of every frame.
  public var pixelFormat: PixelFormat
  /// The meaning of the frames' values as colour.
  public var tags: ColorTags
  /// The format for an output that is a pipe (``PipePath``), whose name says nothing.
  public var stream: StreamFormat?
  /// Whether an existing file of the name is replaced, at the moment when the new one is whole.
  public var overwrite = false
  /// Where unfinished files are registered.
  public var temporaryFiles = TemporaryFiles.shared

  // MARK: Pictures

  /// Whether numbered pictures get their names together when the output is finished, and none stays of one that is not;
  /// by default each has its name as soon as it is whole. ``FrameWriter/publishWaiting()`` goes over from one to the other.
  public var publishesTogether = false
  /// The metadata of picture files.
  public var pictureMetadata = PictureMetadata()
  /// 1 to 100, for JPEG (by default 92), HEIC and AVIF (90).
  public var pictureQuality: Int?

  // MARK: Movies

  /// Ticks a second in which every frame's time is a whole number.
  public var timescale: Int32 = 30000
  /// The typical time from frame to frame; guides the encoder, changes no frame's time.
  public var nominalFrameDuration = Time(value: 1, timescale: 30)
  /// The frame time that becomes zero in the movie.
  public var timelineStart = Time.zero
  /// Stored in `.mov` and `.mp4` as the turn from stored to shown. Other outputs have no place for it: their frames are turned
  /// by the caller, and this is `identity`.
  public var preferredTransform = QuarterTurn.identity
  public var pixelAspectRatio = PixelAspectRatio.square
  /// The colour codes to store, where they say more than ``tags``. Without, codes by sRGB's curve are
  /// stored as BT.709's: what players expect, and they look the same.
  public var colorCodes: ColorCodes?
  /// The description of the screen that high dynamic range was made on.
  public var hdrMetadata = HDRMetadata()
  /// `nil` for a silent movie.
  public var sound: Sound?
  /// Title, dates, timecode, chapters and captions.
  public var companions = FilmCompanions()
  public var codec = Codec.automatic
  /// How the pictures are stored; by default in 4:2:0 with the depth of ``pixelFormat``. Anything that is
  /// not 4:2:0 of 8 or 10 bits is taken from buffers of `rgbaFloat`. Of picture files, DPX heeds the depth.
  public var codedPixels: CodedPixels?
  /// The encoder's constant rate factor, in ``Codec/rateFactors``; by default 16 for H.264, 18 for
  /// HEVC, 20 for AV1 and VP9, which people do not tell from the original.
  public var constantRateFactor: Double?
  /// About how many frames come, if that is known: the movie's index gets its place by that.
  public var expectedFrameCount: Int?
  /// The preset of the encoders of H.264 and HEVC, `ultrafast` to `placebo`; by default `fast`.
  public var encoderPreset: String?
  /// Whether pictures come while they are recorded: H.264's and HEVC's encoders then hold none of them back, so that
  /// little is lost with a program that ends, and little memory is used. Files are larger.
  public var isLive = false

  public init(dimensions: Dimensions, pixelFormat: PixelFormat, tags: ColorTags) {
    self.dimensions = dimensions
    self.pixelFormat = pixelFormat
    self.tags = tags
  }

  /// The metadata of picture files. Where the source states no depth, it is that of ``codedPixels``, and likewise
  /// the shape of pixels.
  var storedMetadata: PictureMetadata {
    var result = pictureMetadata
    result.storedDepth = pictureMetadata.storedDepth ?? codedPixels?.bitDepth
    if pixelAspectRatio != .square {
      result.pixelAspectRatio =
        Float(pixelAspectRatio.horizontal) / Float(pixelAspectRatio.vertical)
    }
    return result
  }

  /// The same for files of a kind.
  ///
  /// - Parameter isNumbered: whether there are several, which all have the same channels.
  func storedMetadata(of kind: StillKind, isNumbered: Bool) -> PictureMetadata {
    var result = storedMetadata
    result.keepsAlpha = keepsAlpha(in: kind, isNumbered: isNumbered)
    return result
  }

  /// Whether alpha is stored although it may be 1 everywhere: numbered files whose source has alpha all have it, whatever
  /// each of them shows, and so has OpenEXR, where programs that composite look for the channel.
  func keepsAlpha(in kind: StillKind, isNumbered: Bool) -> Bool {
    guard codedPixels?.hasAlpha == true, kind != .pfm, !kind.refusesAlpha else { return false }
    return isNumbered || kind == .openEXR
  }

  /// The colour codes that a movie stores.
  var storedColorCodes: ColorCodes {
    if let colorCodes { return colorCodes }
    var tags = tags
    if tags.transfer == .srgb { tags.transfer = .bt709 }
    return ColorCodes(tags)
  }

  /// Settings that keep what a source has: times, rotation, pixel aspect and, in a movie from a movie,
  /// the stored colour codes, what is said about high dynamic range, and the sound.
  ///
  /// - Parameters:
  ///   - sound: the source's, if it is to be heard.
  ///   - firstTime: the first frame's time where only some frames were chosen; the movie then starts
  ///     at it and the sound is trimmed. `nil` keeps the source's own times.
  public init(
    keeping source: SourceProperties, dimensions: Dimensions, pixelFormat: PixelFormat,
    tags: ColorTags, sound: AssetSound? = nil, firstTime: Time? = nil
  ) {
    self.init(dimensions: dimensions, pixelFormat: pixelFormat, tags: tags)
    timescale = source.timescale
    nominalFrameDuration = source.nominalFrameDuration
    preferredTransform = source.preferredTransform
    pixelAspectRatio = source.pixelAspectRatio
    timelineStart = firstTime ?? -source.timelineStart
    pictureMetadata = source.pictureMetadata
    expectedFrameCount = source.frameCount > 0 ? source.frameCount : nil
    if source.kind == .clip, source.logCoding?.tags ?? source.tags == tags {
      colorCodes = source.colorCodes
      hdrMetadata = source.hdrMetadata
    }
    self.sound = sound.map { .asset($0, extent: firstTime == nil ? .whole : .whilePictures) }
  }
}

extension WriterSettings {
  /// - Throws: `invalidParameter` for a size that no picture has.
  func checkSize(_ path: String) throws(CinematicError) {
    do throws(CinematicError) {
      try PixelBuffer.check(dimensions)
    } catch {
      throw error.naming(path)
    }
  }

  /// - Throws: `incompatible` for a film's frame of another size or format: its planes are copied by the settings' sizes.
  func check(_ frame: PixelBuffer, of path: String) throws(CinematicError) {
    guard frame.dimensions == dimensions, frame.format == pixelFormat else {
      throw CinematicError(
        .incompatible,
        "\(path) takes pictures of \(dimensions) in \(pixelFormat), not of \(frame.dimensions) in"
          + " \(frame.format)")
    }
  }

  /// - Throws: `unsupported` for pictures that are to be shown turned, where the output has no place to say so.
  func checkIsUpright(_ path: String) throws(CinematicError) {
    guard preferredTransform == .identity else {
      throw CinematicError(
        .unsupported,
        "\(path) cannot say that its pictures are shown turned by \(preferredTransform.rawValue) degrees",
        remedy: "turn them, and let preferredTransform be identity, or write .mov or .mp4")
    }
  }

  /// - Throws: `invalidParameter` for numbers that no movie has.
  func checkForMovie(_ path: String) throws(CinematicError) {
    try checkSize(path)
    guard timescale >= 1, nominalFrameDuration > .zero else {
      throw CinematicError(
        .invalidParameter,
        "\(path) cannot have a timescale of \(timescale) and frames of"
          + " \(nominalFrameDuration) s", remedy: "give numbers above zero")
    }
    if let rate = constantRateFactor { try codec.check(rateFactor: rate) }
  }
}
