// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalMedia
import FocalRendering

/// The frames of a clip beside its disparity, rendered upright with the focus that a source decides.
public final class FocusedClip: ClipFrames {
  /// How the frames are written: what the clip has, in the format that the output can hold.
  public let settings: WriterSettings
  /// How high dynamic range becomes standard; `nil` if the output holds the clip's own range.
  public let toneMapping: ToneMapping?
  /// The part of the source's chroma, depth and alpha that the output does not hold, in words; `nil` where
  /// it holds all.
  public let codingLoss: String?
  /// How many frames were chosen; `nil` of a pipe.
  public var frameCount: Int? { source.frameCount }

  /// The diameter of the largest circle of confusion of the frames so far, in pixels of the picture as it is
  /// rendered. None is drawn larger than ``FocalRendering/RenderingSession/largestCircleDiameter``.
  public var largestCircle: Float { circles.largest }

  /// How many of the frames so far have a map without any valid disparity, by which nothing is blurred.
  public var emptyMapCount: Int { circles.emptyMapCount }

  private let circles = CircleMeter()
  private let source: any FocusedSource
  private let properties: SourceProperties
  private let maps: DisparityMatcher
  private let focus: any FocusSource
  private let masked: MaskedMaps?
  private let renderer: FrameRenderer
  private let holdsPremultipliedAlpha: Bool
  /// The output's name, where it takes no alpha.
  private let opaqueOutput: String?
  /// Whether the output is a film without alpha, as the first frame is.
  private let isOpaqueFilm: Bool
  /// How rendered light becomes codes of the camera's curve again.
  private let logCoding: LogCoding?
  private let rendered: @Sendable (MediaFrame, PixelBuffer) throws(CinematicError) -> Void

  /// - Parameters:
  ///   - pictures: the clip, with the frames that were chosen.
  ///   - maps: matched to the clip.
  ///   - output: the name of what will be written, which decides the format.
  ///   - stream: what is written if the output is a pipe.
  ///   - dimensions: the output's size, in the clip's shape; by default the clip's.
  ///   - coding: of a movie; H.264 of 8 bits has standard range.
  ///   - copiesSound: whether a movie gets the clip's sound.
  ///   - masked: brings the maps' edges to a subject's outline; with the focus, if it holds that.
  ///   - missing: what becomes of frames whose map is missing. ``FocalMedia/MissingFiles/hold`` is a matter
  ///     of how the maps were opened.
  ///   - rendered: told of each frame as read and as rendered, in no particular order.
  /// - Throws: `invalidParameter` for an output of another kind, or one of gray where colours are drawn, `incomplete` for
  ///   frames without maps, `unsupported` for a movie's sound that can be neither copied nor decoded.
  public convenience init(
    _ pictures: FrameReader, maps: DisparityMatcher, focus: any FocusSource,
    renderer: FrameRenderer, output: String, stream: StreamFormat? = nil,
    dimensions: Dimensions? = nil,
    coding: FilmCoding = FilmCoding(), copiesSound: Bool = true, masked: MaskedMaps? = nil,
    missing: MissingFiles = .fail,
    rendered:
      @escaping @Sendable (_ source: MediaFrame, _ picture: PixelBuffer)
      throws(CinematicError) -> Void = { _, _ in }
  ) async throws(CinematicError) {
    let source = ChosenFrames(
      pictures: pictures, numbers: try maps.frames(of: pictures, missing: missing))
    let format = try OutputFormat(path: output, stream: stream)
    let extras = try await ClipExtras(pictures, for: format, copiesSound: copiesSound)
    try self.init(
      source, pictures.properties, maps, focus, masked, renderer, output, format, dimensions,
      coding, extras, rendered)
  }

  /// - Parameters:
  ///   - pictures: that come through a pipe, whose sound is lost.
  ///   - stream: what is written if the output is a pipe, too.
  /// - Throws: `invalidParameter` for an output of another kind.
  public convenience init(
    _ pictures: PipedPictures, maps: DisparityMatcher, focus: any FocusSource,
    renderer: FrameRenderer, output: String, stream: StreamFormat? = nil,
    dimensions: Dimensions? = nil, coding: FilmCoding = FilmCoding(), masked: MaskedMaps? = nil,
    rendered:
      @escaping @Sendable (_ source: MediaFrame, _ picture: PixelBuffer)
      throws(CinematicError) -> Void = { _, _ in }
  ) throws(CinematicError) {
    let format = try OutputFormat(path: output, stream: stream)
    try self.init(
      PipedSequence(pictures: pictures), pictures.properties, maps, focus, masked, renderer, output,
      format, dimensions, coding, ClipExtras(pictures, for: format), rendered)
  }

  private init(
    _ source: any FocusedSource, _ properties: SourceProperties, _ maps: DisparityMatcher,
    _ focus: any FocusSource, _ masked: MaskedMaps?, _ renderer: FrameRenderer, _ output: String,
    _ format: OutputFormat, _ dimensions: Dimensions?, _ coding: FilmCoding, _ extras: ClipExtras,
    _ rendered: @escaping @Sendable (MediaFrame, PixelBuffer) throws(CinematicError) -> Void
  ) throws(CinematicError) {
    self.source = source
    self.properties = properties
    self.maps = maps
    self.focus = focus
    self.masked = masked
    self.renderer = renderer
    self.rendered = rendered
    if focus.drawsColors, coding.chroma == .gray {
      throw CinematicError(
        .invalidParameter, "gray holds no colours, and some are drawn over the pictures",
        remedy: "give \(parameter: .chroma, to: "rgb"), or leave it out")
    }
    let pixels = try format.pixelFormat(
      for: properties, coding: coding, drawsColors: focus.drawsColors)
    codingLoss = pixels.loss(of: properties.codedPixels)
    holdsPremultipliedAlpha = format.stillKind?.holdsPremultipliedAlpha ?? false
    opaqueOutput = format.stillKind?.refusesAlpha == true ? PipePath.outputName(output) : nil
    isOpaqueFilm = format.settlesAlpha(by: properties)
    logCoding = format.holdsLight ? nil : properties.logCoding
    toneMapping = ToneMapping(
      from: properties.tags, to: logCoding == nil ? pixels.tags : properties.tags,
      peakLuminance: properties.hdrMetadata.peakLuminance)
    settings = WriterSettings(
      upright: properties, dimensions: dimensions, pixels, in: format, codec: coding.codec, extras)
  }

  /// Numbered pictures keep their numbers, whichever they begin with.
  public func fileNumber(ofFrame number: Int) -> Int { source.fileNumber(ofFrame: number) }

  /// - Throws: `invalidParameter` for a frame that was not chosen, `incompatible` for a frame with alpha in a film whose first one
  ///   has none, and what reading and rendering throw.
  public func frame(_ number: Int) async throws(CinematicError) -> ClipFrame? {
    guard let frame = try await source.frame(number) else { return nil }
    var map = try await maps.map(for: frame.place)
    var attributes = try focus.attributes(at: frame.time)
    var known: DisparityMapInfo?
    if let masked, attributes.fNumber.isFinite {
      let held = try await masked.map(of: frame, map)
      (map, known) = (held.map, held.info)
      if let found = masked.focusDisparity { attributes.focusDisparity = found }
    }
    attributes.toneMapping = toneMapping
    // Views are opaque.
    if let opaqueOutput, attributes.view == nil, frame.pixelBuffer.isTranslucent {
      throw .cannotHoldAlpha(opaqueOutput)
    }
    if isOpaqueFilm, attributes.view == nil {
      try frame.checkIsOpaque(named: source.name(ofFrame: number))
    }
    let turn = properties.preferredTransform
    var tags = settings.tags
    if logCoding != nil { tags.transfer = .linear }
    let destination = try PixelBuffer(
      dimensions: settings.dimensions, format: settings.pixelFormat, tags: tags)
    var job = FrameRenderer.Frame(
      number: number, sourceImage: frame.pixelBuffer, sourceDisparity: map,
      attributes: attributes, preferredTransform: turn, destination: destination)
    var info = known
    if info == nil, attributes.fNumber.isFinite { info = try DisparityMapInfo(of: map) }
    job.disparityInfo = info
    circles.add(
      info, attributes, renderer.sessionAttributes,
      width: turn.inverse.applied(to: settings.dimensions).width)
    if properties.pictureMetadata.hasPremultipliedAlpha {
      job.sourceAlpha = .premultiplied
    }
    if holdsPremultipliedAlpha { job.destinationAlpha = .premultiplied }
    let pending = try renderer.commit(job)
    return ClipFrame(
      timeRange: frame.timeRange,
      pictureMetadata: source.isNumbered ? frame.pictureMetadata : nil
    ) {
      [renderer, focus, rendered, logCoding, settings] () async throws(CinematicError) in
      try await renderer.completed(pending)
      try focus.draw(at: frame.time, into: destination, turn: turn)
      var picture = destination
      if let logCoding {
        destination.encodeLog(logCoding.curve, isFullRange: logCoding.isFullRange)
        picture = destination.tagged(settings.tags)
      }
      try rendered(frame, picture)
      return picture
    }
  }
}

/// Where the frames of a ``FocusedClip`` come from.
private protocol FocusedSource: Sendable {
  var frameCount: Int? { get }
  /// Whether each frame is a file of its own, with metadata of its own.
  var isNumbered: Bool { get }
  func fileNumber(ofFrame number: Int) -> Int
  /// A frame in messages.
  func name(ofFrame number: Int) -> String
  /// - Returns: `nil` after the last one.
  func frame(_ number: Int) async throws(CinematicError) -> MediaFrame?
}

/// Chosen frames of a clip that lies there as a whole.
private struct ChosenFrames: FocusedSource {
  let pictures: FrameReader
  /// The frames that are rendered.
  let numbers: [Int]

  var frameCount: Int? { numbers.count }
  var isNumbered: Bool { pictures.isNumbered }

  func fileNumber(ofFrame number: Int) -> Int {
    numbers.indices.contains(number) ? pictures.fileNumber(ofFrame: numbers[number]) : number
  }

  func name(ofFrame number: Int) -> String {
    numbers.indices.contains(number) ? pictures.name(ofFrame: numbers[number]) : pictures.name
  }

  func frame(_ number: Int) async throws(CinematicError) -> MediaFrame? {
    let chosen = try numbers.number(ofChosen: number, in: pictures.name)
    return try await pictures.frame(number: chosen)
  }
}

/// All that comes through a pipe.
private struct PipedSequence: FocusedSource {
  let pictures: PipedPictures

  var frameCount: Int? { nil }
  var isNumbered: Bool { false }
  func fileNumber(ofFrame number: Int) -> Int { number }
  func name(ofFrame number: Int) -> String { "picture \(number) of \(pictures.name)" }

  func frame(_ number: Int) async throws(CinematicError) -> MediaFrame? {
    try await pictures.frame(number: number)
  }
}

extension DisparityMatcher {
  /// The chosen frames of a clip that have maps.
  ///
  /// - Throws: `incomplete` for one that has none, unless such are skipped.
  fileprivate func frames(
    of pictures: FrameReader, missing: MissingFiles
  ) throws(CinematicError) -> [Int] {
    var numbers: [Int] = []
    for number in pictures.frameNumbers {
      let place = FramePlace(index: number, timeRange: pictures.timeRange(ofFrame: number))
      if missing == .skip, !hasMap(for: place) { continue }
      try check(place)
      numbers.append(number)
    }
    guard !numbers.isEmpty else {
      throw CinematicError(.incomplete, "no frame of \(pictures.name) has a map")
    }
    return numbers
  }
}
