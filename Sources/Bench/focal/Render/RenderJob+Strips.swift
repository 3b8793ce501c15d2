// SPDX-License-Identifier: Apache-2.0

import FocalCinematic
import FocalCommands
import FocalCore
import FocalMedia
import FocalRendering

/// Photographs that are too large to be held: from file to file, strip by strip.
extension RenderJob {
  /// Renders a large photograph.
  ///
  /// - Returns: `nil` for what has to be held whole: other files, and smaller pictures.
  /// - Throws: what reading, rendering and writing throw.
  func renderStrips(
    since start: ContinuousClock.Instant, _ usage: ProcessUsage
  ) async throws(CinematicError) -> RenderReport? {
    guard ![input, map ?? input, output].contains(where: PipePath.isPipe),
      case .still = try OutputFormat(path: output),
      // Drawn detections lie over more than a strip.
      script?.drawsDetections != true, fieldOption == nil,
      !resumes, !givesFrameRate, inputOptions.missing == .fail, legend == nil,
      inputOptions.frames == nil, inputOptions.half == nil, !masksMaps,
      let reader = try PictureStripReader.open(
        input, leastPixelCount: largePixelCount, options: inputOptions)
    else { return nil }
    let source = reader.properties
    let output = try OutputFormat(path: self.output)
    try check(source, output)
    try SteadinessOptions.check(steadies: steadiesMaps, source, inputName)
    try checkFields(fieldOption, source, of: inputName)
    guard map != nil || source.pictureMetadata.companions.contains(.disparity) else {
      throw lacksMap
    }
    if let map {
      try await DisparityMatcher.checkStatedShape(
        of: map, for: source, named: input, stretches: stretchesMap)
    }
    let maps = try await FrameReader.open(map ?? input, options: mapOptions)
    if map != nil { try await maps.checkIsMap() }
    try checkEffects(source, isNumbered: false, .files(maps))
    try checkMetric(maps.properties)
    try checkHighlights(of: source)
    let disparity = try await DisparityMatcher.map(
      maps, for: source, named: input, stretches: stretchesMap || map == nil)
    try checkStatedRange(of: disparity, maps.properties)
    try checkHoldsDisparity(disparity, of: source)
    let scripted = try script?.attributes(at: .zero)
    let origin = scripted == nil ? focus.origin?.told : nil
    let chosen =
      if let scripted {
        scripted.focusDisparity
      } else {
        try focus.resolve(in: disparity, turn: source.preferredTransform)
      }
    let pixels = try output.pixelFormat(for: source)
    let (format, tags) = (pixels.format, pixels.tags)
    let isLogCoded = source.logCoding != nil && !output.holdsLight
    let toneMapping = ToneMapping(from: source.tags, to: isLogCoded ? source.tags : tags)
    let frame = RenderingSession.FrameAttributes(
      focusDisparity: chosen, fNumber: scripted?.fNumber ?? fNumber, toneMapping: toneMapping)
    try frame.validate()
    let shown = size ?? source.shownDimensions.fitting(within: film.maximumSize)
    var settings = WriterSettings(
      keeping: source, dimensions: source.preferredTransform.inverse.applied(to: shown),
      pixelFormat: format, tags: tags)
    settings.overwrite = overwrite
    settings.pictureQuality = pictureQuality
    settings.codedPixels = pixels.coded
    let keepsGainMap = keepsGainMap(of: source, in: output)
    if keepsGainMap {
      settings.pictureMetadata.gainMap = try await gainMap(
        of: Asset.named(input), source, to: settings.dimensions, disparity: disparity, frame: frame
      ) { renderer throws(CinematicError) in
        let rows = 256
        for first in stride(from: 0, to: source.dimensions.height, by: rows) {
          let part = first..<min(first + rows, source.dimensions.height)
          try renderer.add(reader.strip(part), at: first)
        }
      }
    }
    if let origin { note("focus \(chosen): \(origin)") }
    try OutputNotes(
      source: inputName, output: self.output, settings: settings,
      codingLoss: pixels.loss(of: source.codedPixels), isToneMapped: toneMapping != nil,
      clipsLight: source.clipsLight(as: tags)
    ).tell()
    try tellDoubts(
      maps.properties, focus: chosen, in: disparity,
      width: settings.dimensions.width, fNumber: frame.fNumber)
    try tellOfBeforeAfter(source)
    sourceNotes.tellLosses(of: source, in: output, keepsGainMap: keepsGainMap)
    var attributes = attributes
    attributes.workingMemoryLimit = Self.workingMemoryOfLargePictures
    let comparison = beforeAfter.map {
      BeforeAfterStrips(
        path: $0, overwrite: overwrite, source: source, dimensions: settings.dimensions,
        format: output)
    }
    let strips = StripProgress(progress)
    let device = try await StripRenderer(
      devices: devices, sessionAttributes: attributes, quality: quality
    ).render(
      reader, disparity: disparity, frameAttributes: frame, to: self.output, settings: settings,
      companion: comparison, progress: strips.tell, deviceChanged: { $0.tell(json: json) })
    try comparison?.finish()
    if reader.exceedsLight, !source.pictureMetadata.exceedsLight { sourceNotes.tellOfBrightLight() }
    if reader.holdsNotANumber, !source.pictureMetadata.holdsNotANumber {
      sourceNotes.tellOfNoNumbers()
    }
    return RenderReport(
      outcome: RenderOutcome(
        self.output, shown, frames: 1, isToneMapped: toneMapping != nil, quality: quality,
        device: device.identifier, since: start, usage),
      focus: RenderReport.Focus(
        focusDisparity: chosen, focusOrigin: origin, script: script?.name, fNumber: frame.fNumber,
        blurScale: attributes.blurScale))
  }
}
