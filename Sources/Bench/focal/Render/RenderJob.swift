// SPDX-License-Identifier: Apache-2.0

import FocalCinematic
import FocalCommands
import FocalCore
import FocalMedia
import FocalRendering

/// Renders one input to one output.
struct RenderJob: Sendable {
  var input: String
  var map: String
  var output: String
  var inputOptions: ReadOptions
  var mapOptions: ReadOptions
  var stretchesMap: Bool
  var size: Dimensions?
  var focus: FocusChoice
  var fNumber: Float
  var attributes: RenderingSession.Attributes
  var quality: RenderingQuality
  /// Best first: when one fails, the work goes on with the next, from the frame that failed.
  var devices: [Device]
  /// Where a picture of the first frame, half sharp and half rendered, goes.
  var beforeAfter: String?
  var overwrite: Bool
  /// Frames of numbered pictures that are there already stay.
  var resumes = false
  var json: Bool
  /// Decides focus and f-number frame by frame, instead of `focus` and `fNumber`.
  var script: ScriptedFocus?

  func run() async throws(CinematicError) -> RenderReport {
    let start = ContinuousClock.now
    let usage = ProcessUsage.current
    try checkValues()
    try LocalInputs.check([input, map])
    let pictures = try await FrameReader.open(input, options: inputOptions)
    let turn = pictures.properties.preferredTransform
    let renderer = try FrameRenderer(
      devices: devices, sessionAttributes: attributes, quality: quality
    ) { [json] change in change.tell(json: json) }
    try check(pictures.properties)
    try checkNumbers(of: pictures)
    let maps = try DisparityMatcher(
      await FrameReader.open(map, options: mapOptions), for: pictures, stretches: stretchesMap,
      choosesFrames: true)
    if maps.pairing == .order, pictures.isNumbered, !json {
      note("\(map) has no number of \(input): the first map belongs to the first picture")
    }
    let first = pictures.frameNumbers.lowerBound
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
      dimensions: size, missing: inputOptions.missing
    ) { source, picture throws(CinematicError) in
      guard source.index == first else { return }
      try comparison?.draw(source.pixelBuffer, turn: turn, picture)
    }
    var settings = clip.settings
    settings.overwrite = overwrite
    let rendering = ClipRenderer(clip, to: output, settings: settings, resumes: resumes)
    // Known before anything is said.
    try rendering.open()
    if let origin = chosen.origin, !json {
      note("focus \(chosen.disparity): \(origin)")
    }
    if !json { note(leftOut: settings.sound) }
    if clip.toneMapping != nil, !json {
      note("high dynamic range becomes standard: \(output) holds no more")
    }
    try await rendering.render(reportedSince: start, json: json)
    try comparison?.finish()

    if rendering.frameCount < clip.frameCount, !json {
      note("\(counted(clip.frameCount - rendering.frameCount, "frame")) were there already")
    }
    if let frames = inputOptions.frames, pictures.frameNumbers.count < frames.count {
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

  // MARK: - What can be said beforehand

  /// The checks that need no opened file.
  ///
  /// - Throws: `invalidParameter`.
  func checkValues() throws(CinematicError) {
    var given: Float = 0
    if case .disparity(let disparity) = focus { given = disparity }
    try RenderingSession.FrameAttributes(focusDisparity: given, fNumber: fNumber).validate()
    guard !output.isEmpty else {
      throw CinematicError(
        .invalidParameter, "the output's file name is empty", remedy: "name a file with -o")
    }
    _ = try OutputFormat(path: output)
    guard let beforeAfter else { return }
    guard case .still = try OutputFormat(path: beforeAfter) else {
      throw CinematicError(
        .invalidParameter, "\(beforeAfter) is not the name of one picture",
        remedy: "end it in .png, .tif, .pfm or .exr")
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
    let inputs = try [input, map].map { path throws(CinematicError) in
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
