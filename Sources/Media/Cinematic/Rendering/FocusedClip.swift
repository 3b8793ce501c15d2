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
  /// What of the source's chroma, depth and alpha a film does not hold, as a clause; `nil` where it holds
  /// all.
  public let codingLoss: String?
  /// How many frames were chosen.
  public var frameCount: Int { numbers.count }

  /// The frames that are rendered.
  private let numbers: [Int]
  private let pictures: FrameReader
  private let maps: DisparityMatcher
  private let focus: any FocusSource
  private let renderer: FrameRenderer
  private let holdsPremultipliedAlpha: Bool
  /// How rendered light becomes codes of the camera's curve again.
  private let logCoding: LogCoding?
  private let rendered: @Sendable (MediaFrame, PixelBuffer) throws(CinematicError) -> Void

  /// - Parameters:
  ///   - pictures: the clip, with the frames that were chosen.
  ///   - maps: matched to the clip.
  ///   - output: the name of what will be written, which decides the format.
  ///   - dimensions: the output's size, in the clip's shape; by default the clip's.
  ///   - coding: of a movie; H.264 of 8 bits has standard range.
  ///   - copiesSound: whether a movie gets the clip's sound.
  ///   - missing: what becomes of frames whose map is missing. ``FocalMedia/MissingFiles/hold`` is a matter
  ///     of how the maps were opened.
  ///   - rendered: told of each frame as read and as rendered, in no particular order.
  /// - Throws: `invalidParameter` for an output of another kind, `incomplete` for frames without maps,
  ///   `unsupported` for a movie's sound that can be neither copied nor decoded.
  public init(
    _ pictures: FrameReader, maps: DisparityMatcher, focus: any FocusSource,
    renderer: FrameRenderer, output: String, dimensions: Dimensions? = nil,
    coding: FilmCoding = FilmCoding(), copiesSound: Bool = true,
    missing: MissingFiles = .fail,
    rendered:
      @escaping @Sendable (_ source: MediaFrame, _ picture: PixelBuffer)
      throws(CinematicError) -> Void = { _, _ in }
  ) async throws(CinematicError) {
    self.pictures = pictures
    self.maps = maps
    self.focus = focus
    self.renderer = renderer
    self.rendered = rendered
    numbers = try maps.frames(of: pictures, missing: missing)
    let source = pictures.properties
    let format = try OutputFormat(path: output)
    let pixels = try format.pixelFormat(for: source, coding: coding)
    let (pixelFormat, tags) = (pixels.format, pixels.tags)
    codingLoss = pixels.coded.flatMap { Self.loss(of: source, in: $0) }
    holdsPremultipliedAlpha = format.stillKind?.holdsPremultipliedAlpha ?? false
    logCoding = format.stillKind == .openEXR || format.stillKind == .pfm ? nil : source.logCoding
    toneMapping = ToneMapping(
      from: source.tags, to: logCoding == nil ? tags : source.tags,
      peakLuminance: source.hdrMetadata.peakLuminance)
    var sound: AssetSound?
    if copiesSound, source.kind == .clip, case .movie = try OutputFormat(path: output) {
      sound = try await AssetSound(pictures.asset)
    }
    var settings = WriterSettings(
      upright: pictures, dimensions: dimensions, pixelFormat: pixelFormat, tags: tags,
      sound: sound)
    if source.kind == .clip, case .movie = format {
      settings.companions = try await FilmCompanions(
        pictures.asset, frameDuration: source.nominalFrameDuration)
      settings.companions.leaveOut(source.unkeptExtras)
    }
    settings.codec = coding.codec
    settings.codedPixels = pixels.coded
    self.settings = settings
  }

  /// Films of pictures are less fine than those as a rule; what is seen through is another matter.
  private static func loss(of source: SourceProperties, in coded: CodedPixels) -> String? {
    guard let own = source.codedPixels else { return nil }
    return source.kind == .clip || (own.hasAlpha && !coded.hasAlpha) ? own.loss(in: coded) : nil
  }

  /// Numbered pictures keep their numbers, whichever they begin with.
  public func fileNumber(ofFrame number: Int) -> Int {
    pictures.fileNumber(ofFrame: numbers[number])
  }

  /// - Throws: what reading and rendering throw.
  public func frame(_ number: Int) async throws(CinematicError) -> ClipFrame {
    let frame = try await pictures.frame(number: numbers[number])
    let map = try await maps.map(for: frame.place)
    var attributes = try focus.attributes(at: frame.time)
    attributes.toneMapping = toneMapping
    let turn = pictures.properties.preferredTransform
    var tags = settings.tags
    if logCoding != nil { tags.transfer = .linear }
    let destination = try PixelBuffer(
      dimensions: settings.dimensions, format: settings.pixelFormat, tags: tags)
    var job = FrameRenderer.Frame(
      number: number, sourceImage: frame.pixelBuffer, sourceDisparity: map,
      attributes: attributes, preferredTransform: turn, destination: destination)
    if pictures.properties.pictureMetadata.hasPremultipliedAlpha {
      job.sourceAlpha = .premultiplied
    }
    if holdsPremultipliedAlpha { job.destinationAlpha = .premultiplied }
    let pending = try renderer.commit(job)
    return ClipFrame(timeRange: frame.timeRange) {
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

extension WriterSettings {
  /// The settings for a clip's frames once they stand upright.
  fileprivate init(
    upright pictures: FrameReader, dimensions: Dimensions?, pixelFormat: PixelFormat,
    tags: ColorTags, sound: AssetSound?
  ) {
    let source = pictures.properties
    let shown = source.shownDimensions
    // A part begins at its first frame, and its sound is cut; a whole keeps its times.
    let firstTime =
      pictures.choosesFrames
      ? pictures.timeRange(ofFrame: pictures.frameNumbers.lowerBound).start : nil
    self.init(
      keeping: source, dimensions: dimensions ?? shown, pixelFormat: pixelFormat, tags: tags,
      sound: sound, firstTime: firstTime)
    // Pictures cannot say how they are turned, and not every player heeds a movie that does: what
    // is written stands upright.
    preferredTransform = .identity
    if shown != source.dimensions, shown == source.dimensions.transposed {
      pixelAspectRatio = PixelAspectRatio(
        horizontal: source.pixelAspectRatio.vertical,
        vertical: source.pixelAspectRatio.horizontal)
    }
  }
}
