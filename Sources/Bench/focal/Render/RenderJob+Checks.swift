// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalMedia
import FocalRendering

/// Checks beforehand.
extension RenderJob {
  /// For an input without a map, where none is given.
  var lacksMap: CinematicError {
    CinematicError(
      .incomplete, "\(inputName) holds no disparity map", remedy: "give one with --disparity")
  }

  /// The checks that need no opened file.
  ///
  /// - Throws: `invalidParameter`.
  func checkValues() throws(CinematicError) {
    for path in [output, beforeAfter].compactMap({ $0 }) {
      try KeptInputs.check(path, inputs: [input, map])
    }
    var given: Float = 0
    if case .disparity(let disparity) = focus { given = disparity }
    try RenderingSession.FrameAttributes(focusDisparity: given, fNumber: fNumber).validate()
    if !PipePath.isPipe(output) { _ = try OutputFormat(path: output) }
    guard let beforeAfter else { return }
    try OutputFormat.checkFile(beforeAfter, endings: StillKind.endings)
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

  /// - Throws: `invalidParameter` for a real lens before a map that is not metric.
  func checkMetric(_ maps: SourceProperties) throws(CinematicError) {
    guard needsMetricMap else { return }
    try checkIsMetric(
      maps, mapOptions, statesRange: statesDisparityRange, map: map, of: input)
  }

  /// - Throws: `invalidParameter` for options that do nothing for these pictures and maps.
  ///
  /// - Parameter isNumbered: whether the pictures are numbered files.
  func checkEffects(
    _ source: SourceProperties, isNumbered: Bool, _ maps: RenderSource
  ) throws(CinematicError) {
    // Pictures through a pipe are one behind the other, too. Numbered maps belong to pictures whatever their rate.
    try checkPictureRate(
      isGiven: givesFrameRate, hasSequence: isNumbered || source.kind == .numbered, inputName)
    guard inputOptions.missing != .fail, !isNumbered,
      maps.reader?.isNumbered != true, maps.properties.kind != .still || source.kind == .still
    else { return }
    throw CinematicError(
      .invalidParameter,
      "--on-missing is for numbered pictures and maps, which neither \(inputName) nor \(map ?? input) are",
      remedy: "leave it out")
  }

  /// Floats keep their values: a range is a statement about them, which a real lens relies on.
  ///
  /// - Parameter map: the first one.
  /// - Throws: `invalidParameter` for one with other values.
  func checkStatedRange(
    of map: PixelBuffer, _ source: SourceProperties
  ) throws(CinematicError) {
    guard statesDisparityRange, source.holdsFloats || source.bitDepth >= 32,
      case .disparity(let scale) = mapOptions.content,
      let range = try DisparityMapInfo(of: map).range
    else { return }
    var ends = (scale.low, scale.high)
    // Depth was turned into disparity.
    if scale.kind == .depth { ends = (1 / max(ends.0, 0), 1 / max(ends.1, 0)) }
    let (low, high) = (min(ends.0, ends.1), max(ends.0, ends.1))
    let slack = 1e-3 * max(abs(range.lowerBound), abs(range.upperBound))
    guard range.lowerBound < low - slack || range.upperBound > high + slack else { return }
    let kind = scale.kind == .depth ? "depths" : "disparities"
    var values = (range.lowerBound, range.upperBound)
    if scale.kind == .depth { values = (1 / values.1, 1 / values.0) }
    throw CinematicError(
      .invalidParameter,
      "\(self.map ?? input) holds floats, which keep their values, and its \(kind) from \(values.0) to"
        + " \(values.1) are not all within --disparity-range \(scale.low),\(scale.high)",
      remedy: "leave it out, or give the range that they have")
  }

  /// - Throws: `malformed` for the map of a picture that is to be blurred, if it has no valid disparity.
  func checkHoldsDisparity(_ map: PixelBuffer, of source: SourceProperties) throws(CinematicError) {
    guard source.kind == .still, script != nil || fNumber.isFinite,
      try DisparityMapInfo(of: map).range == nil
    else { return }
    throw CinematicError(
      .malformed, "\(self.map ?? input) has no valid disparity",
      remedy: "check the map, or its kind")
  }

  /// Later frames are looked at as they are read.
  ///
  /// - Parameter number: of the first frame.
  /// - Throws: `invalidParameter` for alpha that the output or the before-and-after picture cannot hold.
  func checkAlpha(
    of pictures: FrameReader?, _ number: Int, _ format: OutputFormat
  ) async throws(CinematicError) {
    let before = try beforeAfter.map { path throws(CinematicError) in
      (PipePath.outputName(path), try OutputFormat(path: path))
    }
    // Views are opaque.
    let opaque = [legend == nil ? (outputName, format) : nil, before].compactMap(\.self).first {
      $0.1.stillKind?.refusesAlpha == true
    }
    guard let pictures, let opaque, pictures.properties.codedPixels?.hasAlpha != false,
      try await pictures.frame(number: number).pixelBuffer.isTranslucent
    else { return }
    throw .cannotHoldAlpha(opaque.0)
  }

  /// - Throws: `invalidParameter` for highlights of light that was not clipped at white.
  func checkHighlights(of source: SourceProperties) throws(CinematicError) {
    let isClipped =
      source.tags.transfer.isStandardRange || source.pictureMetadata.profile != nil
    guard attributes.highlights > 0, !isClipped else { return }
    let light = source.logCoding.map { "light of \($0.curve.title)" } ?? "\(source.tags.transfer)"
    throw CinematicError(
      .invalidParameter,
      "\(input) is \(light) and has its highlights: none are to be lifted",
      remedy: "render it without --highlights")
  }

  /// The checks that need the input's size and number of frames.
  ///
  /// - Throws: `incompatible` for a size of another shape, `invalidParameter` for many frames to one
  ///   picture.
  func check(_ source: SourceProperties, _ format: OutputFormat) throws(CinematicError) {
    try PictureQualityOptions.check(pictureQuality, format, output)
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
    if case .stream(let stream) = format, !stream.holdsSeveral, count > 1 {
      throw CinematicError(
        .invalidParameter,
        "\(outputName) takes one \(stream.name) picture, and \(inputName) has \(count) frames",
        remedy: "choose one with --frames, or a --format of y4m, nut, png or jpeg")
    }
    if case .still = format, count > 1 {
      throw CinematicError(
        .invalidParameter, "\(output) holds one picture, and \(inputName) has \(count) frames",
        remedy: "choose one with --frames, or name a movie or a pattern such as frames/%04d.png")
    }
  }
}
