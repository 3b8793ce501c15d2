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
  /// Decides focus and f-number frame by frame, instead of `focus` and `fNumber`.
  var script: ScriptedFocus?

  /// From here on working memory is limited: 4K and 8K frames stay below.
  private static let largePixelCount = 40_000_000
  /// A strip of a picture of 20,000 columns with its apron fits in several times.
  private static let workingMemoryOfLargePictures = 256 << 20

  func run() async throws(CinematicError) -> RenderReport {
    let start = ContinuousClock.now
    let usage = ProcessUsage.current
    try checkValues()
    try LocalInputs.check([input, map ?? input])
    let pictures = try await FrameReader.open(input, options: inputOptions)
    try checkFields(fieldOption, pictures.properties, of: input, json: json)
    let turn = pictures.properties.preferredTransform
    var attributes = attributes
    // A large photograph and its rendering fill the memory by themselves, and take their time.
    var pieceDone: (@Sendable (Int, Int) -> Void)?
    if pictures.properties.dimensions.count > Self.largePixelCount {
      attributes.workingMemoryLimit = Self.workingMemoryOfLargePictures
      if pictures.properties.kind == .still {
        let strips = StripProgress(json: json)
        pieceDone = { completed, total in strips.tell(completed, total) }
      }
    }
    let renderer = try FrameRenderer(
      devices: devices, sessionAttributes: attributes, quality: quality,
      deviceChanged: { [json] change in change.tell(json: json) }, pieceDone: pieceDone)
    try check(pictures.properties)
    try checkNumbers(of: pictures)
    let mapReader = try await FrameReader.open(mapPath(of: pictures), options: mapOptions)
    let maps = try DisparityMatcher(
      mapReader, for: pictures, stretches: stretchesMap || map == nil,
      choosesFrames: true)
    if maps.pairing == .order, pictures.isNumbered, !json {
      note("\(map ?? input) has no number of \(input): the first map belongs to the first picture")
    }
    // The first that is rendered.
    let first =
      pictures.frameNumbers.first { number in
        inputOptions.missing != .skip
          || maps.hasMap(
            for: FramePlace(index: number, timeRange: pictures.timeRange(ofFrame: number)))
      } ?? pictures.frameNumbers.lowerBound
    let scripted = try script?.attributes(at: pictures.timeRange(ofFrame: first).start)
    let chosen: (disparity: Float, origin: String?) =
      if let scripted {
        (scripted.focusDisparity, nil)
      } else {
        try await chosenFocus(pictures, maps)
      }
    let steady = RenderingSession.FrameAttributes(
      focusDisparity: chosen.disparity, fNumber: fNumber)
    try (scripted ?? steady).validate()

    let comparison = try beforeAfter.map { path throws(CinematicError) in
      try BeforeAfter(path: path, overwrite: overwrite, source: pictures.properties)
    }
    defer { comparison?.cancel() }
    let decider: any FocusSource = if let script { script } else { steady }
    let clip = try await FocusedClip(
      pictures, maps: maps, focus: decider, renderer: renderer, output: output,
      dimensions: size ?? pictures.properties.shownDimensions.fitting(within: film.maximumSize),
      coding: film.coding, copiesSound: film.copiesSound, missing: inputOptions.missing
    ) { source, picture throws(CinematicError) in
      guard source.index == first else { return }
      try comparison?.draw(source.pixelBuffer, turn: turn, picture)
    }
    var settings = clip.settings
    settings.overwrite = overwrite
    settings.pictureQuality = pictureQuality
    settings.constantRateFactor = film.constantRateFactor
    settings.encoderPreset = film.encoderPreset
    let rendering = ClipRenderer(clip, to: output, settings: settings, resumes: resumes)
    // Known before anything is said.
    try rendering.open()
    if let origin = chosen.origin, !json {
      note("focus \(chosen.disparity): \(origin)")
    }
    if !json {
      note(leftOut: settings.sound)
      try note(leftOut: settings.companions, in: output)
      tellOfGaps(pictures, without: pictures.frameNumbers.count - clip.frameCount)
    }
    if clip.toneMapping != nil, !json {
      note("high dynamic range becomes standard: \(output) holds no more")
    }
    if let loss = clip.codingLoss, !json { note("\(output) holds \(loss)") }
    if !json {
      let place = FramePlace(index: first, timeRange: pictures.timeRange(ofFrame: first))
      if maps.hasMap(for: place) {
        tellDoubts(
          mapReader.properties.pictureMetadata, focus: chosen.disparity,
          in: try await maps.map(for: place))
      }
      tellLosses(of: pictures.properties)
    }
    try await rendering.render(reportedSince: start, json: json)
    try comparison?.finish()

    if rendering.frameCount < clip.frameCount, !json {
      note("\(counted(clip.frameCount - rendering.frameCount, "frame")) were there already")
    }
    // The largest number that can be given is one that cannot be counted to.
    if let frames = inputOptions.frames, !json,
      pictures.fileNumber(ofFrame: pictures.frameNumbers.upperBound - 1) < frames.upperBound
    {
      note(
        "\(input) has only \(counted(pictures.frameNumbers.count, "frame")) of"
          + " \(frames.lowerBound) to \(frames.upperBound)")
    }
    let seconds = (ContinuousClock.now - start) / .seconds(1)
    return RenderReport(
      output: output, width: settings.dimensions.width, height: settings.dimensions.height,
      frames: rendering.frameCount, focusDisparity: chosen.disparity, focusOrigin: chosen.origin,
      script: script?.name, fNumber: fNumber, blurScale: attributes.blurScale,
      isToneMapped: clip.toneMapping != nil, quality: quality.description,
      device: renderer.device.identifier,
      seconds: seconds, cpuSeconds: ProcessUsage.current.cpuSeconds - usage.cpuSeconds,
      framesPerSecond: Double(rendering.frameCount) / max(seconds, 1e-9))
  }

  /// Says which frames are left out or shown twice.
  ///
  /// - Parameter mapless: frames without a map.
  private func tellOfGaps(_ pictures: FrameReader, without mapless: Int) {
    let missing = pictures.missingFileCount
    if missing > 0 {
      let isHeld = inputOptions.missing == .hold
      note(
        "\(counted(missing, "picture")) of \(input) \(missing == 1 ? "is" : "are") missing:"
          + (isHeld ? " the one before is shown again" : " there is no such frame"))
    }
    if mapless > 0 {
      note("\(counted(mapless, "frame")) without a map \(mapless == 1 ? "is" : "are") left out")
    }
  }

  /// The focus that is settled once, in the first frame of the clip that has a map, whichever frames are
  /// rendered: so ranges that are rendered apart agree.
  private func chosenFocus(
    _ pictures: FrameReader, _ maps: DisparityMatcher
  ) async throws(CinematicError) -> (disparity: Float, origin: String?) {
    let chosen = pictures.frameNumbers
    let all = (maps.isOneMap ? chosen.lowerBound : 0)..<chosen.upperBound
    let places = all.lazy.map {
      FramePlace(index: $0, timeRange: pictures.timeRange(ofFrame: $0))
    }
    guard let place = places.first(where: maps.hasMap) else {
      throw CinematicError(.incomplete, "no frame of \(input) has a map")
    }
    let map = try await maps.map(for: place)
    return (
      try focus.resolve(in: map, turn: pictures.properties.preferredTransform), focus.origin
    )
  }

  /// Where the map is.
  ///
  /// - Throws: `incomplete` for an input without one.
  private func mapPath(of pictures: FrameReader) throws(CinematicError) -> String {
    if let map { return map }
    guard pictures.properties.pictureMetadata.companions.contains(.disparity) else {
      throw CinematicError(
        .incomplete, "\(input) holds no disparity map", remedy: "give one with --disparity")
    }
    return input
  }

  /// Says if what is asked for hardly is what is meant: depth taken for disparity, a focus that nothing
  /// has.
  private func tellDoubts(
    _ metadata: PictureMetadata, focus: Float, in map: PixelBuffer
  ) {
    if case .disparity(let scale) = mapOptions.content, scale.kind == .disparity,
      metadata.isCalledDepth
    {
      note(
        "the map's channel is called depth and is read as disparity: larger is nearer;"
          + " --disparity-kind depth reads it as depth")
    }
    var (least, most) = (Float.infinity, -Float.infinity)
    map.withUnsafeBytes { bytes in
      for y in 0..<map.height {
        let row = (bytes.baseAddress! + y * map.planes[0].bytesPerRow)
          .assumingMemoryBound(to: Float.self)
        for x in 0..<map.width where row[x].isFinite {
          least = min(least, row[x])
          most = max(most, row[x])
        }
      }
    }
    if least <= most, focus < least || focus > most {
      note("nothing is sharp: the focus is \(focus), and the map reaches from \(least) to \(most)")
    }
  }

  /// Says what of a photograph does not come out again.
  private func tellLosses(of source: SourceProperties) {
    let lost = PictureMetadata.Companion.allCases.filter {
      source.pictureMetadata.companions.contains($0)
    }
    let channels = source.pictureMetadata.leftOutChannels
    if !channels.isEmpty {
      let most = 8
      let more = channels.count > most ? " and \(channels.count - most) more" : ""
      note(
        "\(output) does not keep the channels \(channels.prefix(most).joined(separator: ", "))\(more)"
      )
    }
    guard channels.isEmpty, !lost.isEmpty else { return }
    note("\(output) does not keep the photograph's \(lost.map(\.name).joined(separator: ", "))")
  }

  // MARK: - What can be said beforehand

  /// The checks that need no opened file.
  ///
  /// - Throws: `invalidParameter`.
  func checkValues() throws(CinematicError) {
    var given: Float = 0
    if case .disparity(let disparity) = focus { given = disparity }
    try RenderingSession.FrameAttributes(focusDisparity: given, fNumber: fNumber).validate()
    _ = try OutputFormat(path: output)
    guard let beforeAfter else { return }
    guard case .still = try OutputFormat(path: beforeAfter) else {
      throw CinematicError(
        .invalidParameter, "\(beforeAfter) is not the name of one picture",
        remedy: "end it in \(StillKind.endings)")
    }
    guard beforeAfter != output else {
      throw CinematicError(
        .invalidParameter, "\(output) cannot be both the output and the before-and-after picture",
        remedy: "give two names")
    }
  }

  /// Frames appear one by one, so numbered pictures cannot take the place of those that are read.
  ///
  /// - Throws: `invalidParameter` for an output that is the input or the map.
  private func checkNumbers(of pictures: FrameReader) throws(CinematicError) {
    guard case .numbered(let pattern, _) = try OutputFormat(path: output) else { return }
    let number = pictures.fileNumber(ofFrame: pictures.frameNumbers.lowerBound)
    let inputs = try [input, map ?? input].map { path throws(CinematicError) in
      try NumberedPattern(path)?.path(number)
    }
    try KeptInputs.check(pattern.path(number), inputs: inputs)
  }

  /// The checks that need the input's size and number of frames.
  ///
  /// - Throws: `incompatible` for a size of another shape, `invalidParameter` for many frames to one
  ///   picture.
  func check(_ source: SourceProperties) throws(CinematicError) {
    let shown = source.shownDimensions
    if let size {
      let height = Double(size.width) * Double(shown.height) / Double(shown.width)
      let width = Double(size.height) * Double(shown.width) / Double(shown.height)
      guard abs(height - Double(size.height)) <= 2 || abs(width - Double(size.width)) <= 2 else {
        let fitting = Dimensions(width: size.width, height: max(1, Int(height.rounded())))
        throw CinematicError(
          .incompatible, "--size \(size) has another shape than \(input) (\(shown))",
          remedy: "use --size \(fitting)")
      }
    }
    let count = source.frameCount
    if case .still = try OutputFormat(path: output), count > 1 {
      throw CinematicError(
        .invalidParameter, "\(output) holds one picture, and \(input) has \(count) frames",
        remedy: "choose one with --frames, or name a movie or a pattern such as frames/%04d.png")
    }
  }
}
