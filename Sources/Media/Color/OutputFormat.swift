// SPDX-License-Identifier: Apache-2.0

import FocalCore

/// The kind of an output, by the ending of its name.
public enum OutputFormat: Hashable, Sendable {
  /// Movie files.
  public enum Container: String, Hashable, Sendable, CaseIterable {
    case mp4
    case mov
    case webM = "webm"
  }

  case still(StillKind)
  case movie(Container)
  case numbered(NumberedPattern, StillKind)
  /// Into a pipe.
  case stream(StreamFormat)

  /// The endings that can be written, for messages.
  public static let endings =
    ".png, .jpg, .heic, .avif, .tif, .dpx, .pfm, .exr, .mp4, .mov or .webm"

  /// - Parameter stream: what goes into the output if it is a pipe, whose name says nothing.
  /// - Throws: `invalidParameter` for an ending that cannot be written, a pipe without a format, or a format
  ///   where there is no pipe.
  public init(path: String, stream: StreamFormat? = nil) throws(CinematicError) {
    if PipePath.isPipe(path) {
      guard let stream else {
        throw CinematicError(
          .invalidParameter,
          "\(PipePath.outputName(path)) has no ending that says what to write",
          remedy: "name what goes into it, such as y4m, nut or png")
      }
      self = .stream(stream)
      return
    }
    guard stream == nil else {
      throw CinematicError(
        .invalidParameter, "\(path) is no pipe, and its ending says what it holds",
        remedy: "give a format for standard output only, which is -")
    }
    guard !path.isEmpty else {
      throw CinematicError(
        .invalidParameter, "the output's file name is empty", remedy: "name a file")
    }
    let name = path[(path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex)...]
    let ending = name.lastIndex(of: ".").map { String(name[name.index(after: $0)...]) } ?? ""
    let still = StillKind(ending: ending)
    let container = Container(rawValue: ending.lowercased())
    // A film has no number to be misunderstood.
    let pattern: NumberedPattern? =
      if container == nil { try NumberedPattern(path) } else { try? NumberedPattern(path) }
    switch (pattern, still, container) {
    case (let pattern?, let still?, _): self = .numbered(pattern, still)
    case (nil, let still?, _): self = .still(still)
    case (nil, _, let container?): self = .movie(container)
    case (_?, _, _?):
      throw CinematicError(
        .invalidParameter, "\(path) numbers movies",
        remedy: "number pictures (\(StillKind.endings)), or write one movie")
    default:
      throw CinematicError(
        .invalidParameter,
        ending.isEmpty
          ? "\(path) has no ending that says what to write"
          : "cannot write \(path): files that end in .\(ending) are not known",
        remedy: "end the name in \(Self.endings), or number pictures as in frames/%04d.png")
    }
  }

  /// Refuses a pipe where only a file will do.
  ///
  /// - Parameter endings: of the files that will do, for the remedy.
  /// - Throws: `invalidParameter`.
  package static func checkFile(_ path: String, endings: String) throws(CinematicError) {
    guard PipePath.isPipe(path) else { return }
    throw CinematicError(
      .invalidParameter, "\(PipePath.outputName(path)) is not possible here",
      remedy: "give a file that ends in \(endings)")
  }

  /// The still kind that is written, whether one picture or many.
  public var stillKind: StillKind? {
    switch self {
    case .still(let kind), .numbered(_, let kind): kind
    case .stream(let format): format.stillKind
    case .movie: nil
    }
  }

  /// Whether it takes more than one picture.
  package var holdsSeveral: Bool {
    switch self {
    case .still: false
    case .movie, .numbered: true
    case .stream(let format): format.holdsSeveral
    }
  }

  /// Whether files hold linear light.
  package var holdsLight: Bool { stillKind == .openEXR || stillKind == .pfm }

  /// - Throws: `invalidParameter` for JPEG, which has too few codes for a camera's curve.
  package func check(_ curve: LogCurve) throws(CinematicError) {
    guard stillKind == .jpeg else { return }
    throw CinematicError(
      .invalidParameter, "JPEG has too few codes for \(curve.title)",
      remedy: "write .png, .tif, .exr or a movie")
  }

  /// The same for pictures of a source, whose ICC profile may have to be kept: light stays linear
  /// until the file is written, and becomes codes of the profile there.
  ///
  /// - Parameter drawsColors: whether something is drawn over the pictures, so that gray does not stay gray.
  /// - Throws: `invalidParameter` for chroma or depth that the codec of a film does not have.
  public func pixelFormat(
    for source: SourceProperties, coding: FilmCoding = FilmCoding(), drawsColors: Bool = false
  ) throws(CinematicError) -> OutputPixels {
    if let log = source.logCoding, !holdsLight {
      try check(log.curve)
      var pixels = try pixelFormat(
        forSource: source.pixelFormat, tags: log.tags, coded: source.codedPixels,
        isClip: source.kind == .clip, coding: coding)
      pixels.format = .rgbaFloat
      return pixels
    }
    if let stillKind, let profile = source.pictureMetadata.profile, profile.isConverted,
      stillKind.holds(profile), source.tags == profile.workingTags
    {
      return OutputPixels(
        format: .rgbaFloat, tags: source.tags, coded: source.codedPixels.map(stillKind.stored))
    }
    // Light becomes printing density again.
    if stillKind == .dpx, source.pictureMetadata.isLogarithmic, source.tags.transfer == .linear {
      return OutputPixels(
        format: .rgbaFloat, tags: source.tags, coded: source.codedPixels.map(StillKind.dpx.stored))
    }
    return try pixelFormat(
      forSource: source.pixelFormat, tags: source.tags, coded: source.codedPixels,
      isClip: source.kind == .clip, coding: coding, drawsColors: drawsColors)
  }

  /// The pixel format and the tags that fit this output best for pictures from a source: the depth
  /// is kept, light is linear in floating-point files, and movies stay luma and chroma.
  ///
  /// PNG, JPEG and TIFF hold standard range: high dynamic range is for ``FocalCore/ToneMapping``. Codes of
  /// standard range keep their curve, so that pictures of movies and movies of pictures have the codes
  /// of their sources. H.264 of 8 bits has standard range, and so has VP9 with alpha.
  ///
  /// - Parameters:
  ///   - coded: how the source stores its codes, if that is known.
  ///   - isClip: whether the source is a movie, not pictures.
  ///   - coding: of a movie.
  ///   - drawsColors: whether something is drawn over the pictures, so that gray does not stay gray.
  /// - Throws: `invalidParameter` for chroma or depth that the codec does not have.
  public func pixelFormat(
    forSource format: PixelFormat, tags: ColorTags, coded: CodedPixels? = nil, isClip: Bool = true,
    coding: FilmCoding = FilmCoding(), drawsColors: Bool = false
  ) throws(CinematicError) -> OutputPixels {
    // Buffers of floats hold clips of any depth.
    let isDeep =
      isClip ? (coded?.bitDepth ?? format.bitsPerComponent) > 8 : format.bitsPerComponent > 8
    let storedStill = coded.flatMap { stillKind?.stored($0) }
    if let stillKind, stillKind.holdsGray, stillKind.holdsProfiles, !drawsColors,
      format == .gray8 || format == .gray16
    {
      return OutputPixels(
        format: isDeep && stillKind != .jpeg ? .gray16 : .gray8, tags: tags.standardRange,
        coded: storedStill)
    }
    switch stillKind {
    case .pfm, .openEXR:
      return OutputPixels(
        format: .rgbaFloat,
        tags: ColorTags(primaries: tags.primaries, transfer: .linear, matrix: tags.matrix),
        coded: storedStill)
    case .jpeg:
      return OutputPixels(format: .rgba8, tags: tags.standardRange, coded: storedStill)
    case .png, .tiff, .dpx:
      // Codes that become those of other primaries are not to be dithered before.
      let isConverted = stillKind?.holds(tags.standardRange.primaries) == false
      return OutputPixels(
        format: isDeep || isConverted ? .rgbaFloat : .rgba8, tags: tags.standardRange,
        coded: storedStill)
    case .heic, .avif:
      let isHighRange = tags.transfer == .hlg || tags.transfer == .pq
      return OutputPixels(
        format: isDeep ? .rgbaFloat : .rgba8, tags: isHighRange ? tags : tags.standardRange,
        coded: storedStill)
    case nil:
      var coding = coding
      // Every reader of a stream takes these.
      if case .stream = self {
        coding = FilmCoding(chroma: .yuv420, bitDepth: isDeep ? 10 : 8)
      }
      // Gray would drop what is drawn; codecs of luma and chroma have room for it.
      if drawsColors, coding.chroma == nil, coded?.chroma == .gray,
        coding.codec.chromas.contains(.gray)
      {
        coding.chroma = .rgb
      }
      var container: Container?
      if case .movie(let movie) = self { container = movie }
      let stored = try coding.pixels(
        for: coded ?? CodedPixels(format), isClip: isClip, isDeep: isDeep, in: container)
      // VP9 has 8 bits where it has alpha.
      let isShallow =
        stored.bitDepth == 8 && (coding.codec == .h264 || container == .webM && stored.hasAlpha)
      let isStandard = tags.transfer == .linear || isShallow
      var tags = isStandard ? tags.standardRange : tags
      // Its pictures cannot say BT.601 themselves, and players believe them.
      if coding.codec.isDNxHR, tags.matrix == .bt601 { tags.matrix = .bt709 }
      return OutputPixels(
        format: stored.biPlanarFormat ?? .rgbaFloat, tags: tags, coded: stored)
    }
  }
}

/// The form of an output's pictures.
public struct OutputPixels: Hashable, Sendable {
  /// The buffers that a writer takes.
  public var format: PixelFormat
  public var tags: ColorTags
  /// How they are stored; `nil` for picture files where the source's form is unknown.
  public var coded: CodedPixels?

  public init(format: PixelFormat, tags: ColorTags, coded: CodedPixels? = nil) {
    self.format = format
    self.tags = tags
    self.coded = coded
  }

  /// The part of a source's chroma, depth and alpha that the output does not hold, in words; `nil` where it
  /// holds all, or where the source's are unknown.
  public func loss(of source: CodedPixels?) -> String? {
    coded.flatMap { source?.loss(in: $0) }
  }
}

extension StillKind {
  /// How a file of the kind stores pixels of such codes. HEIC and AVIF have the chroma that every viewer of them
  /// takes; JPEG's is a matter of its quality.
  fileprivate func stored(_ source: CodedPixels) -> CodedPixels {
    let depths =
      switch self {
      case .jpeg: [8]
      case .png, .tiff: [8, 16]
      case .heic: [8, HEICFormat.deepBits]
      case .avif: [8, AVIFFormat.deepBits]
      case .dpx: [10, 12, 16]
      case .pfm, .openEXR: [32]
      }
    var result = source
    result.bitDepth = depths.first { $0 >= source.bitDepth } ?? depths[depths.count - 1]
    if self == .pfm { result.hasAlpha = false }
    if self == .heic || self == .avif, CodedPixels.Chroma.yuv420.isCoarser(than: source.chroma) {
      result.chroma = .yuv420
    }
    return result
  }
}
