// SPDX-License-Identifier: Apache-2.0

import FocalCore

/// The kind of an output, by the ending of its name.
public enum OutputFormat: Hashable, Sendable {
  /// Movie files.
  public enum Container: String, Hashable, Sendable, CaseIterable {
    case mp4
    case mov
  }

  case still(StillKind)
  case movie(Container)
  case numbered(NumberedPattern, StillKind)
  /// Into a pipe.
  case stream(StreamFormat)

  /// The endings that can be written, for messages.
  public static let endings = ".png, .jpg, .heic, .avif, .tif, .dpx, .pfm, .exr, .mp4 or .mov"

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
    let pattern = try NumberedPattern(path)
    let name = path[(path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex)...]
    let ending = name.lastIndex(of: ".").map { String(name[name.index(after: $0)...]) } ?? ""
    let still = StillKind(ending: ending)
    switch (pattern, still, Container(rawValue: ending.lowercased())) {
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

  /// The same for pictures of a source, whose ICC profile may have to be kept: light stays linear
  /// until the file is written, and becomes codes of the profile there.
  public func pixelFormat(
    for source: SourceProperties, codec: WriterSettings.Codec = .automatic
  ) -> (format: PixelFormat, tags: ColorTags) {
    if let stillKind, stillKind.holdsProfiles, source.tags == ColorProfile.workingTags,
      source.pictureMetadata.profile?.isConverted == true
    {
      return (.rgbaFloat, source.tags)
    }
    // Light becomes printing density again.
    if stillKind == .dpx, source.pictureMetadata.isLogarithmic, source.tags.transfer == .linear {
      return (.rgbaFloat, source.tags)
    }
    return pixelFormat(forSource: source.pixelFormat, tags: source.tags, codec: codec)
  }

  /// The pixel format and the tags that fit this output best for pictures from a source: the depth
  /// is kept, light is linear in floating-point files, and movies stay luma and chroma.
  ///
  /// PNG, JPEG and TIFF hold standard range: high dynamic range is for ``FocalCore/ToneMapping``. Codes of
  /// standard range keep their curve, so that pictures of movies and movies of pictures have the codes
  /// of their sources. H.264 that players show has 8 bits, and so standard range.
  ///
  /// - Parameter codec: of a movie.
  public func pixelFormat(
    forSource format: PixelFormat, tags: ColorTags, codec: WriterSettings.Codec = .automatic
  ) -> (format: PixelFormat, tags: ColorTags) {
    switch stillKind {
    case .pfm, .openEXR:
      return (
        .rgbaFloat,
        ColorTags(primaries: tags.primaries, transfer: .linear, matrix: tags.matrix)
      )
    case .jpeg: return (.rgba8, tags.standardRange)
    case .png, .tiff, .dpx:
      return (format.bitsPerComponent > 8 ? .rgbaFloat : .rgba8, tags.standardRange)
    case .heic, .avif:
      let isHighRange = tags.transfer == .hlg || tags.transfer == .pq
      return (
        format.bitsPerComponent > 8 ? .rgbaFloat : .rgba8, isHighRange ? tags : tags.standardRange
      )
    case nil:
      let deep = format.bitsPerComponent > 8
      if deep, codec == .h264 {
        return (format == .yuv420Full10 ? .yuv420Full8 : .yuv420Video8, tags.standardRange)
      }
      if format.isBiPlanar { return (format, tags) }
      return (
        deep ? .yuv420Video10 : .yuv420Video8,
        tags.transfer == .linear ? tags.standardRange : tags
      )
    }
  }
}
