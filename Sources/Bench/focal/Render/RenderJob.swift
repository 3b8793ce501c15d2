// SPDX-License-Identifier: Apache-2.0

import FocalCinematic
import FocalCommands
import FocalCore
import FocalMedia
import FocalRendering

/// Renders one input to one output.
struct RenderJob: Sendable {
  var input: String
  /// `nil` for the map in the input.
  var map: String?
  var output: String
  var inputOptions: ReadOptions
  /// The option about interlaced pictures that was given.
  var fieldOption: String?
  var mapOptions: ReadOptions
  var stretchesMap: Bool
  var steadiesMaps = true
  /// Whether numbered maps have the numbers of a clip's frames, as estimated ones do.
  var mapsCountFrames = false
  /// Whether a rate was given, which only numbered pictures have.
  var givesFrameRate = false
  var size: Dimensions?
  var focus: FocusChoice
  var fNumber: Float
  var attributes: RenderingSession.Attributes
  var quality: RenderingQuality
  /// Best first: when one fails, the work goes on with the next, from the frame that failed.
  var devices: [Device]
  /// 1 to 100; `nil` for the file kind's own.
  var pictureQuality: Int?
  /// Where a picture of the first frame, half sharp and half rendered, goes.
  var beforeAfter: String?
  var overwrite: Bool
  /// How a film is compressed, how large it is at most, and whether it is heard.
  var film = ExportSession.Settings()
  /// Frames of numbered pictures that are there already stay.
  var resumes = false
  var json: Bool
  /// Whether disparities must be 1/m, for a real lens.
  var needsMetricMap = false
  /// Whether the caller said which disparities the map's codes stand for.
  var statesDisparityRange = false
  /// Decides focus and f-number frame by frame, instead of `focus` and `fNumber`.
  var script: ScriptedFocus?
  var progress = Progress.Style.lines
  /// The format for an output that is a pipe; by default the one that fits the input.
  var stream: StreamFormat?
  /// Of the view that is shown instead of the pictures.
  var legend: ViewLegend?
  /// A point of the subject that is held sharp as a whole.
  var subject: NormalizedPoint?
  /// A mask of the subject.
  var matte: String?
  /// Whether a mask of another shape is stretched over the picture.
  var stretchesMatte = false
  /// Whether the mask's subject is held sharp as a whole.
  var holdsMatte = false

  /// From here on photographs are rendered from file to file where they can be, and their working memory is limited:
  /// held whole, one of 38 megapixels with alpha takes 2.7 GB.
  var largePixelCount = 24_000_000
  /// From here on the working memory of clips is limited: 4K and 8K frames stay below.
  static let largeFramePixelCount = 40_000_000
  /// A strip of a picture of 20,000 columns with its apron fits in several times.
  static let workingMemoryOfLargePictures = 256 << 20

  func run() async throws(CinematicError) -> RenderReport {
    let start = ContinuousClock.now
    let usage = ProcessUsage.current
    try checkValues()
    try LocalInputs.check([input, map ?? input, matte ?? input])
    if let report = try await renderStrips(since: start, usage) { return report }
    let pictures = try await RenderSource.open(input, options: inputOptions)
    let source = pictures.properties
    try checkFields(fieldOption, source, of: inputName)
    let turn = source.preferredTransform
    let stream = stream(for: source)
    let format = try OutputFormat(path: output, stream: stream)
    try check(source, format)
    try SteadinessOptions.check(steadies: steadiesMaps, source, inputName)
    var attributes = attributes
    // A large photograph and its rendering fill the memory by themselves, and take their time.
    var pieceDone: (@Sendable (Int, Int) -> Void)?
    let limit = source.kind == .still ? largePixelCount : Self.largeFramePixelCount
    if source.dimensions.count > limit {
      attributes.workingMemoryLimit = Self.workingMemoryOfLargePictures
      if source.kind == .still {
        let strips = StripProgress(progress)
        pieceDone = { completed, total in strips.tell(completed, total) }
      }
    }
    let masked = try await maskedMaps(of: pictures, attributes)
    // Such maps have no blurred edges left.
    if masked != nil { attributes.mapEdges = .sharp }
    let renderer = try FrameRenderer(
      devices: devices, sessionAttributes: attributes, quality: quality,
      deviceChanged: { [json] change in change.tell(json: json) }, pieceDone: pieceDone)
    let mapSource = try await openMap(of: pictures)
    try checkMetric(mapSource.properties)
    try checkHighlights(of: source)
    try checkEffects(source, isNumbered: pictures.reader?.isNumbered == true, mapSource)
    let holds = inputOptions.missing == .hold
    let maps = try pictures.matcher(
      mapSource, stretches: stretchesMap || map == nil, steadies: steadiesMaps,
      holds: holds, countsFrames: mapsCountFrames)
    if maps.pairing == .order, !maps.isOneMap, pictures.reader?.isNumbered == true {
      note("\(map ?? input) has no number of \(input): the first map belongs to the first picture")
    }
    if holds, maps.isOneMap, pictures.reader == nil || source.frameCount > 1 {
      note("\(map ?? input) is one map, and is held for all of \(inputName)")
    }
    if let script, let reader = pictures.reader {
      try script.check(
        against: reader, isWhole: inputOptions.frames == nil, named: inputName,
        where: { inputOptions.missing != .skip || maps.hasMap(for: $0) }, to: .program)
    }
    // The first that is rendered.
    let place = try await pictures.first(maps, skips: inputOptions.missing == .skip)
    var firstMap = maps.hasMap(for: place) ? try await maps.map(for: place) : nil
    if let firstMap {
      try checkStatedRange(of: firstMap, mapSource.properties)
      try checkHoldsDisparity(firstMap, of: source)
    }
    if let masked, let map = firstMap {
      firstMap = try await firstMasked(masked, pictures, place, map).map
    }
    let scripted = try script?.attributes(at: place.time)
    let chosen: (disparity: Float, origin: String?) =
      if let scripted {
        (scripted.focusDisparity, nil)
      } else if let held = masked?.focusDisparity {
        (held, maskedFocusOrigin)
      } else {
        try await chosenFocus(pictures.reader, place, maps, turn)
      }
    let steady = RenderingSession.FrameAttributes(
      focusDisparity: chosen.disparity, fNumber: fNumber)
    try (scripted ?? steady).validate()
    try await checkAlpha(of: pictures.reader, place.index, format)

    let comparison = try beforeAfter.map { path throws(CinematicError) in
      try BeforeAfter(
        path: path, overwrite: overwrite, source: source, format: format, legend: legend)
    }
    defer { comparison?.cancel() }
    var decider: any FocusSource = if let script { script } else { steady }
    if let legend { decider = ShownFocus(focus: decider, legend: legend) }
    let dimensions = size ?? source.shownDimensions.fitting(within: film.maximumSize)
    let rendered = { @Sendable (frame: MediaFrame, picture: PixelBuffer) throws(CinematicError) in
      guard frame.index == place.index else { return }
      try comparison?.draw(frame.pixelBuffer, picture)
    }
    let clip =
      switch pictures {
      case .files(let reader):
        try await FocusedClip(
          reader, maps: maps, focus: decider, renderer: renderer, output: output, stream: stream,
          dimensions: dimensions, coding: film.coding, copiesSound: film.copiesSound,
          masked: masked, missing: inputOptions.missing, rendered: rendered)
      case .pipe(let pipe):
        try FocusedClip(
          pipe, maps: maps, focus: decider, renderer: renderer, output: output, stream: stream,
          dimensions: dimensions, coding: film.coding, masked: masked, rendered: rendered)
      }
    var settings = clip.settings
    settings.overwrite = overwrite
    settings.pictureQuality = pictureQuality
    settings.constantRateFactor = film.constantRateFactor
    settings.encoderPreset = film.encoderPreset
    let keepsGainMap = keepsGainMap(of: source, in: format)
    if let reader = pictures.reader, let firstMap, keepsGainMap {
      settings.pictureMetadata.gainMap = try await gainMap(
        of: reader.asset, source, to: turn.inverse.applied(to: dimensions), disparity: firstMap,
        frame: steady
      ) { renderer async throws(CinematicError) in
        try renderer.add(try await reader.frame(number: place.index).pixelBuffer, at: 0)
      }
    }
    let rendering = ClipRenderer(clip, to: output, settings: settings, resumes: resumes)
    // Known before anything is said.
    try rendering.open()
    if let origin = chosen.origin { note("focus \(chosen.disparity): \(origin)") }
    if source.hasAudio, pictures.reader == nil {
      note("the sound of \(inputName) is left out: give the clip as a file to keep it")
    }
    try OutputNotes(
      source: inputName, output: output, settings: settings, writtenSound: rendering.writtenSound,
      hasSound: source.hasAudio && pictures.reader != nil, isSteady: pictures.isSteady,
      codingLoss: clip.codingLoss, showsView: legend != nil,
      isToneMapped: clip.toneMapping != nil, clipsLight: source.clipsLight(as: settings.tags),
      codesLight: source.codesLight(as: settings.tags)
    ).tell()
    if source.kind == .clip { await pictures.reader?.asset.tellDoubtfulEnd() }
    if let reader = pictures.reader, let count = clip.frameCount {
      tellOfGaps(
        reader, maps: maps.pairing == .fileNumber ? mapSource.reader : nil,
        without: reader.frameNumbers.count - count)
      sourceNotes.tellOfSurplus(maps, of: map ?? input, frames: reader.frameNumbers.count)
    }
    if let firstMap {
      try tellDoubts(
        mapSource.properties, focus: chosen.disparity, in: firstMap,
        width: turn.inverse.applied(to: dimensions).width, fNumber: script == nil ? fNumber : nil)
    }
    try tellOfBeforeAfter(source)
    sourceNotes.tellLosses(of: source, in: format, keepsGainMap: keepsGainMap)
    try await reporting(rendering.progress, rendering.frameCount, since: start, progress) {
      () async throws(CinematicError) in try await rendering.render()
    }
    try comparison?.finish()
    if script != nil { OutputNotes.tellOfCircles(clip.largestCircle, "--size") }
    if clip.emptyMapCount > 0 {
      note(
        "\(counted(clip.emptyMapCount, "frame")) of \(inputName) \(clip.emptyMapCount == 1 ? "has" : "have")"
          + " a map without any valid disparity, and no blur")
    }

    if let masked { tellCuts(of: masked, pictures.reader) }
    if let reader = pictures.reader, clip.frameCount != nil {
      sourceNotes.tellOfMissingFrames(reader)
    }
    return RenderReport(
      outcome: RenderOutcome(
        rendering.writtenPath, settings.dimensions, frames: rendering.completedFrames,
        kept: resumes ? rendering.keptFrameCount : nil,
        isToneMapped: clip.toneMapping != nil, quality: quality,
        device: renderer.device.identifier, since: start, usage),
      focus: RenderReport.Focus(
        focusDisparity: chosen.disparity, focusOrigin: chosen.origin, script: script?.name,
        fNumber: scripted?.fNumber ?? fNumber, blurScale: attributes.blurScale))
  }

  var inputName: String { PipePath.inputName(input) }
  var outputName: String { PipePath.outputName(output) }

  /// The format for an output that is a pipe.
  private func stream(for source: SourceProperties) -> StreamFormat? {
    guard PipePath.isPipe(output) else { return nil }
    return stream ?? (source.kind == .still ? .pictures(.png) : .y4m)
  }

  /// The focus that is settled once, in the first frame of the clip that has a map, whichever frames are
  /// rendered: so ranges that are rendered apart agree.
  ///
  /// - Parameters:
  ///   - pictures: `nil` of a pipe, whose first frame decides.
  ///   - first: the first frame that is rendered.
  private func chosenFocus(
    _ pictures: FrameReader?, _ first: FramePlace, _ maps: DisparityMatcher, _ turn: QuarterTurn
  ) async throws(CinematicError) -> (disparity: Float, origin: String?) {
    var place = first
    if let pictures {
      let chosen = pictures.frameNumbers
      let all = (maps.isOneMap ? chosen.lowerBound : 0)..<chosen.upperBound
      let places = all.lazy.map {
        FramePlace(index: $0, timeRange: pictures.timeRange(ofFrame: $0))
      }
      guard let found = places.first(where: maps.hasMap) else {
        throw CinematicError(.incomplete, "no frame of \(input) has a map")
      }
      place = found
    }
    return (try focus.resolve(in: try await maps.map(for: place), turn: turn), focus.origin?.told)
  }

  /// The map that is given, else the one in the input.
  ///
  /// - Throws: `incomplete` for an input without one.
  private func openMap(of pictures: RenderSource) async throws(CinematicError) -> RenderSource {
    if let map {
      guard map != PipePath.standard || input != PipePath.standard else {
        throw CinematicError(
          .invalidParameter, "pictures and maps cannot both come from standard input",
          remedy: "give one of them as a file, or through a named pipe")
      }
      try await DisparityMatcher.checkStatedShape(
        of: map, for: pictures.properties, named: inputName, stretches: stretchesMap)
      let source = try await RenderSource.open(map, options: mapOptions)
      try await source.reader?.checkIsMap()
      return source
    }
    guard let reader = pictures.reader,
      reader.properties.pictureMetadata.companions.contains(.disparity)
    else {
      guard try await pictures.reader?.asset.holdsDisparity == true else { throw lacksMap }
      throw CinematicError(
        .invalidParameter, "\(inputName) is a Cinematic movie",
        remedy: "render it with focal export")
    }
    return .files(try await FrameReader(reader.asset, options: mapOptions))
  }
}
