// SPDX-License-Identifier: Apache-2.0

import FocalCinematic
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
  /// Whether the script was compared with the clip before maps were made.
  var scriptIsChecked = false
  var focus: FocusChoice
  var fNumber: Float
  /// For the movie to carry.
  var look: Look
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
  /// The same as they were read, for what is said of them.
  var givenCaptions: [GivenCaptions] = []
  var events: ImportEvents

  var note: Notes { events.note }

  /// The plan before the first frame is written.
  private struct Plan {
    var maps: DisparityMatcher
    var writer: MovieWriter
    var progress: StageCounter
    /// Where no script decides: what is sharp.
    var chosen: (disparity: Float, origin: CinematicError.Wording?)
    var coding: DisparityCoding
    var mapDimensions: Dimensions
    var frames: [TimeRange] = []
  }

  /// Writes the movie. Its result has no notes yet.
  ///
  /// - Throws: what reading, the maps and writing throw, `cancelled`.
  func run() async throws(CinematicError) -> MovieImport.Result {
    let start = ContinuousClock.now
    var progress = events.begin(.movie)
    let (pictures, coded) = try await opened()
    let clip = coded?.clip
    try await DisparityMatcher.checkStatedShape(
      of: map, for: pictures.properties, named: pictures.name, stretches: stretchesMap)
    let maps = try await FrameReader.open(map, options: mapOptions)
    try await maps.checkIsMap()
    try checkPictureRate(
      isGiven: givesFrameRate, hasSequence: pictures.isNumbered, video)
    if needsMetricMap {
      try checkIsMetric(
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
    var chosen: (disparity: Float, origin: CinematicError.Wording?) = (0, nil)
    var measure: ClosedRange<Float>?
    if script == nil {
      let map = try await deciding(firstMap, matcher, pictures)
      chosen = (try focus.resolve(in: map, turn: turn), focus.origin)
      measure = map.measureOfRacks
    }
    let frameCount = clip?.frameCount ?? pictures.properties.frameCount
    OutputNotes.tellDoubts(of: maps.properties.pictureMetadata, mapOptions, map: map, to: note)
    SourceNotes(input: video, output: output, options: inputOptions, to: note)
      .tellOfSurplus(matcher, of: map, frames: frameCount)

    let target = try target(pictures)
    let settings = try await settings(
      pictures, clip, target, mapDimensions: firstMap.dimensions, coding)
    let writer = try MovieWriter(output, settings: settings)
    // If anything fails from here on, nothing half-written stays.
    defer { writer.cancel() }
    if let origin = chosen.origin { note(worded: "focus \(chosen.disparity): \(origin)") }
    var notes = OutputNotes(
      source: video, output: output, settings: target.settings, writtenSound: writer.sound)
    (notes.settings.sound, notes.settings.companions) = (settings.sound, settings.companions)
    // Copied pictures lose nothing.
    if clip == nil {
      notes.codingLoss = target.codingLoss
      notes.isToneMapped = target.toneMapping != nil
      notes.clipsLight = pictures.properties.clipsLight(as: target.settings.tags)
      notes.codesLight = pictures.properties.codesLight(as: target.settings.tags)
    }
    try notes.tell(to: note)
    SourceNotes(input: video, output: output, options: inputOptions, to: note)
      .tellAssumption(of: pictures.properties, in: .movie(.mov))
    await pictures.asset.tellDoubtfulEnd(to: note)
    let end = pictures.timeRange(ofFrame: pictures.frameNumbers.upperBound - 1).end
    for given in givenCaptions { given.tellOfEnd(end, of: video, to: note) }
    progress.expect(frameCount)
    var plan = Plan(
      maps: matcher, writer: writer, progress: progress, chosen: chosen, coding: coding,
      mapDimensions: firstMap.dimensions)
    if let clip {
      for index in 0..<clip.frameCount {
        try await add(
          FramePlace(index: index, timeRange: clip.timeRange(ofFrame: index)), nil, to: &plan)
      }
    } else {
      let isOpaque = OutputFormat.movie(.mov).settlesAlpha(by: pictures.properties)
      var next: (place: FramePlace, picture: PixelBuffer?)? = first
      while let (place, picture) = next {
        let stored = try picture.map { picture throws(CinematicError) in
          try target.stored(picture)
        }
        try await add(place, stored, to: &plan)
        let frame = try await pictures.next()
        if isOpaque, let frame {
          try frame.checkIsOpaque(named: pictures.name(ofFrame: frame.index))
        }
        next = frame.map { ($0.place, $0.pixelBuffer) }
      }
    }
    // Also a movie of one focus can be decided anew.
    let carried: Recording
    if let script {
      carried = try script.script.flattened().with(look: look)
    } else {
      carried = try .steady(
        focusDisparity: plan.chosen.disparity, fNumber: fNumber, frames: plan.frames,
        disparityRange: measure, look: look)
    }
    try writer.finish(script: [UInt8](try carried.jsonRepresentation()))
    plan.progress.finish()
    return MovieImport.Result(
      output: output, dimensions: pictures.properties.dimensions, frameCount: plan.progress.done,
      copiesPictures: clip != nil, encodedBecause: coded?.obstacle,
      disparity: MovieImport.Result.Disparity(
        dimensions: plan.mapDimensions, low: coding.low, high: coding.high,
        hasHoles: coding.hasHoles),
      sound: writer.sound, script: script?.name,
      seconds: (ContinuousClock.now - start) / .seconds(1), notes: [])
  }

  private func add(
    _ place: FramePlace, _ picture: PixelBuffer?, to plan: inout Plan
  ) async throws(CinematicError) {
    try checkCancellation(of: video)
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
}
