// SPDX-License-Identifier: Apache-2.0

import FocalCinematic
import FocalCommands
import FocalCore
import FocalMedia
import FocalRendering
import FocalScript
import Foundation

/// Makes a Cinematic movie from a clip, its disparity and a focus script.
struct ImportJob: Sendable {
  var video: String
  var map: String
  var output: String
  var overwrite: Bool
  /// Decides the focus of every frame, instead of `focus`.
  var script: ScriptedFocus?
  var focus: FocusChoice
  var fNumber: Float
  /// For the movie to carry.
  var look: Look
  /// What was given of it, each part of which must have an effect.
  var lookOptions: LookOptions
  /// How the clip is read; interlaced pictures as the caller wants them.
  var inputOptions: ReadOptions
  var mapOptions: ReadOptions
  /// Whether disparities must be 1/m, for a real lens.
  var needsMetricMap = false
  /// Whether the caller said which disparities the map's codes stand for.
  var statesDisparityRange = false
  /// The span of the movie's codes if the maps are floats; by default that of the maps.
  var codedRange: ClosedRange<Float>?
  var stretchesMap: Bool
  /// Whether a rate was given, which only numbered pictures have.
  var givesFrameRate = false
  /// How pictures are compressed where they are; `automatic` is HEVC.
  var coding = FilmCoding()
  var rateFactor: Double?
  /// The option about interlaced pictures that was given.
  var fieldOption: String?
  /// Pictures are compressed even where they could be copied.
  var encodes: Bool
  var copiesSound: Bool
  /// Captions beside those of the clip; times count from its start.
  var captions: [FilmCompanions.TextTrack] = []
  var progress: Progress.Style

  /// The plan before the first frame is written.
  private struct Plan {
    var maps: DisparityMatcher
    var writer: MovieWriter
    var progress: Progress
    /// Where no script decides: what is sharp.
    var chosen: (disparity: Float, origin: String?)
    var coding: DisparityCoding
    var mapDimensions: Dimensions
    var frames: [TimeRange] = []
  }

  func run() async throws -> ImportReport {
    let start = ContinuousClock.now
    let usage = ProcessUsage.current
    try lookOptions.check(look)
    try RenderingSession.Attributes().with(look).validate()
    try LocalInputs.check([video, map])
    let pictures = try await FrameReader.open(video, options: inputOptions)
    try checkFields(fieldOption, pictures.properties, of: video)
    guard pictures.properties.kind != .still else {
      throw CinematicError(
        .invalidParameter, "\(video) is one picture, and a movie has more",
        remedy: "give a movie or numbered pictures")
    }
    let clip =
      encodes || pictures.properties.kind != .clip ? nil : try await CodedClip(pictures)
    let maps = try await FrameReader.open(map, options: mapOptions)
    try PictureRateOptions.check(
      isGiven: givesFrameRate, hasSequence: pictures.isNumbered || maps.isNumbered, video)
    if needsMetricMap {
      try ThinLensOptions.checkMetric(
        maps.properties, mapOptions, statesRange: statesDisparityRange, map: map, of: video)
    }
    let matcher = try DisparityMatcher(maps, for: pictures, stretches: stretchesMap)
    for number in pictures.frameNumbers {
      try matcher.check(
        FramePlace(index: number, timeRange: pictures.timeRange(ofFrame: number)))
    }
    let coding = try await coding(of: maps)
    let turn = pictures.properties.preferredTransform

    // The first map decides the focus where nothing else does.
    let first: (place: FramePlace, picture: PixelBuffer?)
    if let clip {
      first = (FramePlace(index: 0, timeRange: clip.timeRange(ofFrame: 0)), nil)
    } else {
      guard let frame = try await pictures.next() else {
        throw CinematicError(.malformed, "\(video) holds no frame")
      }
      first = (frame.place, frame.pixelBuffer)
    }
    let firstMap = try await matcher.map(for: first.place)
    let chosen =
      script == nil
      ? (disparity: try focus.resolve(in: firstMap, turn: turn), origin: focus.origin)
      : (disparity: 0, origin: nil)
    let frameCount = clip?.frameCount ?? pictures.properties.frameCount
    tellOfSurplus(frameCount, duration: pictures.properties.duration, maps)

    let target = try target(pictures)
    var settings = MovieWriter.Settings(
      video: clip.map { .copied($0) } ?? .encoded(target.settings),
      disparityDimensions: firstMap.dimensions, disparityCoding: coding)
    if copiesSound, pictures.properties.kind == .clip {
      settings.sound = try await AssetSound(pictures.asset).map { .asset($0) }
    }
    if pictures.properties.kind == .clip {
      settings.companions = try await FilmCompanions(
        pictures.asset, frameDuration: pictures.properties.nominalFrameDuration)
      if clip == nil { settings.companions.leaveOut(pictures.properties.unkeptExtras) }
    }
    settings.companions.addCaptions(captions)
    settings.overwrite = overwrite
    let writer = try MovieWriter(output, settings: settings)
    // If anything fails from here on, nothing half-written stays.
    defer { writer.cancel() }
    if let origin = chosen.origin { note("focus \(chosen.disparity): \(origin)") }
    var notes = OutputNotes(
      source: video, output: output, settings: target.settings, writtenSound: writer.sound)
    (notes.settings.sound, notes.settings.companions) = (settings.sound, settings.companions)
    // What is copied loses nothing.
    if clip == nil {
      notes.codingLoss = target.codingLoss
      notes.isToneMapped = target.toneMapping != nil
      notes.clipsLight = pictures.properties.clipsLight(as: target.settings.tags)
    }
    try notes.tell()
    await pictures.asset.tellDoubtfulEnd()
    var plan = Plan(
      maps: matcher, writer: writer,
      progress: Progress(
        total: frameCount, start: start, self.progress), chosen: chosen, coding: coding,
      mapDimensions: firstMap.dimensions)
    if let clip {
      for index in 0..<clip.frameCount {
        try await add(
          FramePlace(index: index, timeRange: clip.timeRange(ofFrame: index)), nil, to: &plan)
      }
    } else {
      var next: (place: FramePlace, picture: PixelBuffer?)? = first
      while let (place, picture) = next {
        let stored = try picture.map { picture throws(CinematicError) in
          try target.stored(picture)
        }
        try await add(place, stored, to: &plan)
        next = try await pictures.next().map { ($0.place, $0.pixelBuffer) }
      }
    }
    plan.progress.finish()
    // Also a movie of one focus can be decided anew.
    let carried =
      try script?.script.flattened().with(look: look)
      ?? .steady(
        focusDisparity: plan.chosen.disparity, fNumber: fNumber, frames: plan.frames, look: look)
    try writer.finish(script: [UInt8](try carried.jsonRepresentation()))
    return ImportReport(
      output: output, width: pictures.properties.dimensions.width,
      height: pictures.properties.dimensions.height, frames: plan.progress.done,
      video: clip == nil ? .encoded : .copied,
      disparity: .init(
        width: plan.mapDimensions.width, height: plan.mapDimensions.height, low: coding.low,
        high: coding.high, hasHoles: coding.hasHoles), sound: writer.sound, script: script?.name,
      seconds: (ContinuousClock.now - start) / .seconds(1),
      cpuSeconds: ProcessUsage.current.cpuSeconds - usage.cpuSeconds)
  }

  /// Says what of the script and of the maps is not for this clip.
  private func tellOfSurplus(_ frameCount: Int, duration: Time, _ maps: FrameReader) {
    if let script {
      let recording = script.script.recording
      let span = recording.timeRange.duration
      if recording.frameTimes.count != frameCount || abs((duration - span).seconds) > 0.5 {
        note(
          "\(script.name) is a script of \(counted(recording.frameTimes.count, "frame"))"
            + String(format: " over %.3f s, and ", span.seconds)
            + "\(video) has \(counted(frameCount, "frame"))"
            + String(format: " over %.3f s: is it the script of this clip?", duration.seconds))
      }
    }
    if maps.properties.kind != .clip, maps.properties.frameCount > frameCount {
      note(
        "\(map) has \(counted(maps.properties.frameCount, "map")) for"
          + " \(counted(frameCount, "frame")); the rest is not used")
    }
  }

  private func add(
    _ place: FramePlace, _ picture: PixelBuffer?, to plan: inout Plan
  ) async throws(CinematicError) {
    if let picture {
      try plan.writer.append(video: picture, time: place.time, duration: place.duration)
    }
    try plan.writer.append(
      disparity: try await plan.maps.map(for: place), time: place.time, duration: place.duration)
    let attributes = try script?.attributes(at: place.time)
    try plan.writer.append(
      focusDisparity: attributes?.focusDisparity ?? plan.chosen.disparity,
      fNumber: attributes?.fNumber ?? fNumber, time: place.time, duration: place.duration)
    plan.frames.append(TimeRange(start: place.time, duration: place.duration))
    plan.progress.advance()
  }

  /// The disparities that the movie's codes stand for: what integer codes say, else what the maps
  /// hold, for which all are read once.
  private func coding(of maps: FrameReader) async throws(CinematicError) -> DisparityCoding {
    if case .disparity(let mapScale) = mapOptions.content, mapScale.kind == .disparity,
      maps.properties.bitDepth <= 16, !maps.properties.holdsFloats
    {
      return try DisparityCoding(
        min(mapScale.low, mapScale.high)...max(mapScale.low, mapScale.high))
    }
    var range: ClosedRange<Float>?
    var hasHoles = false
    for number in maps.frameNumbers {
      let info = try DisparityMapInfo(of: try await maps.frame(number: number).pixelBuffer)
      hasHoles = hasHoles || info.hasHoles
      guard let found = info.range else { continue }
      let known = range ?? found
      range =
        min(known.lowerBound, found.lowerBound)...max(known.upperBound, found.upperBound)
    }
    guard var range else {
      throw CinematicError(
        .malformed, "\(map) has no valid disparity", remedy: "check the map, or its kind")
    }
    if let codedRange {
      guard codedRange.contains(range.lowerBound), codedRange.contains(range.upperBound) else {
        throw CinematicError(
          .invalidParameter,
          "\(map) has disparities from \(range.lowerBound) to \(range.upperBound), beyond"
            + " --disparity-range \(codedRange.lowerBound),\(codedRange.upperBound)",
          remedy: "give a range that holds them, or none")
      }
      range = codedRange
    }
    // One disparity everywhere still needs a scale.
    if range.lowerBound == range.upperBound {
      let margin = max(abs(range.lowerBound) / 2, 0.5)
      range = (range.lowerBound - margin)...(range.upperBound + margin)
    }
    return try DisparityCoding(range, hasHoles: hasHoles)
  }

  /// How pictures are compressed where they cannot be copied.
  private struct Target {
    var settings: WriterSettings
    /// How high dynamic range becomes standard, if it does.
    var toneMapping: ToneMapping?
    /// The part of chroma, depth and alpha that is not held, in words.
    var codingLoss: String?

    /// A picture as it is compressed.
    func stored(_ picture: PixelBuffer) throws(CinematicError) -> PixelBuffer {
      if picture.format == settings.pixelFormat, picture.tags == settings.tags { return picture }
      let result = try PixelBuffer(
        dimensions: picture.dimensions, format: settings.pixelFormat, tags: settings.tags)
      let light = try picture.linearRGBA()
      if let toneMapping {
        try toneMapping.store(light, in: result)
      } else {
        try result.store(linearRGBA: light)
      }
      return result
    }
  }

  private func target(_ pictures: FrameReader) throws(CinematicError) -> Target {
    let source = pictures.properties
    var coding = coding
    if coding.codec == .automatic { coding.codec = .hevc }
    let pixels = try OutputFormat(path: output).pixelFormat(for: source, coding: coding)
    var settings = WriterSettings(
      keeping: source, dimensions: source.dimensions, pixelFormat: pixels.format,
      tags: pixels.tags)
    settings.timelineStart = .zero
    settings.codec = coding.codec
    settings.codedPixels = pixels.coded
    settings.constantRateFactor = rateFactor
    return Target(
      settings: settings,
      toneMapping: ToneMapping(
        from: source.tags, to: pixels.tags, peakLuminance: source.hdrMetadata.peakLuminance),
      codingLoss: pixels.loss(of: source.codedPixels))
  }
}

/// The report of an import, for people and for programs.
struct ImportReport: Encodable {
  enum Video: String, Encodable {
    case copied, encoded
  }

  struct Disparity: Encodable {
    var width: Int
    var height: Int
    /// The disparities of the smallest and the largest code.
    var low: Float
    var high: Float
    var hasHoles: Bool
  }

  var event = "done"
  var output: String
  var width: Int
  var height: Int
  var frames: Int
  var video: Video
  var disparity: Disparity
  var sound: [WrittenSound]
  var script: String?
  var seconds: Double
  var cpuSeconds: Double

  var summary: String {
    "\(output): \(counted(frames, "frame")) of \(width)x\(height), \(video.rawValue), disparity of "
      + "\(disparity.width)x\(disparity.height) from \(disparity.low) to \(disparity.high), "
      + String(format: "%.2f s (%.2f CPU s)", seconds, cpuSeconds)
  }
}
