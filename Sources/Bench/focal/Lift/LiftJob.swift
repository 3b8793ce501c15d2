// SPDX-License-Identifier: Apache-2.0

import FocalCinematic
import FocalCommands
import FocalCore
import FocalDevices
import FocalEyes
import FocalImport
import FocalMedia
import FocalRendering
import FocalSubjects
import Foundation

/// Takes subjects out of one input.
struct LiftJob: Sendable {
  var input: String
  /// `nil` to list the subjects only.
  var output: String?
  var overwrite: Bool
  /// `nil` for the map in the input, if there is one.
  var map: String?
  var options: ReadOptions
  var mapOptions: ReadOptions
  var stretchesMap: Bool
  /// Whether numbered maps have the numbers of a clip's frames, as estimated ones do.
  var mapsCountFrames = false
  var describesMap: Bool
  /// Best first: for effects.
  var devices: [Device]
  var givesFrameRate: Bool
  var fieldOption: String?
  var choice: SubjectOptions
  var effect: EffectOptions
  var film: FilmCoding
  var rateFactor: Double?
  var pictureQuality: Int?
  var copiesSound: Bool
  var json: Bool
  var progress: Progress.Style

  func run() async throws(CinematicError) -> LiftReport {
    let start = ContinuousClock.now
    let usage = ProcessUsage.current
    try LocalInputs.check([input, map ?? input])
    let pictures = try await FrameReader.open(input, options: options)
    let source = pictures.properties
    // They may be meant for the background, which is opened later.
    if effect.backgroundPath == nil {
      try checkFields(fieldOption, source, of: input)
      try checkPictureRate(
        isGiven: givesFrameRate, hasSequence: pictures.isNumbered, input)
    }
    if let output {
      try LiftedClip.check(
        output, of: source, content: content, isTransparent: effect.isTransparent, coding: film)
    }
    let maps = try await matcher(for: pictures)
    var request = GenerateForegroundInstanceMaskRequest()
    request.points = choice.at.map(\.point)
    request.boxes = choice.box.map(\.rect)
    // A photograph's own map covers its view, whatever its shape.
    request.stretchesDisparity = stretchesMap || map == nil
    if let path = choice.maskModel {
      let found = try FoundModel(path, giving: [.people], to: .program)
      let provider = try ModelMaskProvider(found.path, library: found.library)
      found.tell(provider.description, to: .program)
      request.maskProvider = provider
      if let interval = choice.maskEvery { request.maskInterval = interval }
    }
    if maps == nil, request.maskProvider == nil {
      note(
        "\(input) has no map of disparity: subjects are guessed from its colours; --estimate auto estimates a map"
      )
    }
    // Subjects that were asked for are all taken.
    let takesAll = choice.all || !choice.at.isEmpty || !choice.box.isEmpty || choice.script != nil
    var report = LiftReport(input: input, output: output)
    // The first frame says which subjects there are.
    let first = pictures.frameNumbers.lowerBound
    let frame = try await pictures.frame(number: first)
    if let maps { request.disparity = try await maps.map(for: frame.place) }
    try choice.add(
      to: &request, at: frame.time, turn: source.preferredTransform, hasMap: maps != nil)
    let found = try await request.perform(
      on: frame.pixelBuffer, turn: source.preferredTransform)
    report.subjects = found.map(LiftReport.subjects) ?? []
    for point in request.points where found?.instance(at: point) == nil {
      note("no subject is at \(point.x),\(point.y)")
    }
    for box in choice.box.map(\.rect) where found?.instances(in: box).isEmpty != false {
      note("no subject is in \(box.x),\(box.y),\(box.width),\(box.height)")
    }
    (report.width, report.height) = (source.shownDimensions.width, source.shownDimensions.height)
    if let output {
      try await write(output, pictures, maps, request, found, takesAll: takesAll, &report)
    }
    report.seconds = (ContinuousClock.now - start) / .seconds(1)
    report.cpuSeconds = ProcessUsage.current.cpuSeconds - usage.cpuSeconds
    return report
  }

  private func write(
    _ output: String, _ pictures: FrameReader, _ maps: DisparityMatcher?,
    _ request: GenerateForegroundInstanceMaskRequest, _ found: InstanceMaskObservation?,
    takesAll: Bool, _ report: inout LiftReport
  ) async throws(CinematicError) {
    let source = pictures.properties
    let isStill = pictures.frameNumbers.count == 1
    guard isStill || !effect.tight else {
      throw CinematicError(
        .invalidParameter, "--tight is for one picture, and \(input) has more",
        remedy: "leave it out, or choose one frame with --frames")
    }
    // A clip's subject may appear later.
    guard found != nil || !isStill else {
      throw noSubject(in: input, hasMap: maps != nil)
    }
    let instances = found.map { takesAll ? $0.allInstances : IndexSet(integer: 1) } ?? []
    let (look, background) = try await effect.effect(before: source.tags.primaries, options)
    var part: PixelRect?
    if effect.tight, let found {
      part = try found.extent(of: instances, in: source.shownDimensions, with: look.accent)
    }
    let follower = SubjectFollower(
      request, choice: takesAll ? .all : .foremost, turn: source.preferredTransform,
      first: isStill ? found : nil)
    let backdrop = background.flatMap { $0.frameNumbers.count > 1 ? $0 : nil }
    // A frame of a clip has what a part of the clip that begins with it has.
    if source.kind == .still, backdrop != nil, let path = effect.backgroundPath {
      throw CinematicError(
        .invalidParameter, "\(path) is a clip, and \(input) is one picture",
        remedy: "give one picture behind it")
    }
    if let background, let path = effect.backgroundPath {
      try checkFieldOption(source, background.properties)
      try checkPictureRate(
        isGiven: givesFrameRate, hasSequence: pictures.isNumbered || background.isNumbered, input,
        path)
    }
    let renderer = try FrameRenderer(
      devices: devices, quality: .export, deviceChanged: { [json] in $0.tell(json: json) })
    let clip = try await LiftedClip(
      pictures, maps: maps, follower: follower, content: content,
      effect: look, backdrop: backdrop, renderer: renderer, part: part, output: output,
      coding: film,
      copiesSound: copiesSound)
    var settings = clip.settings
    settings.overwrite = overwrite
    settings.publishesTogether = true
    settings.constantRateFactor = rateFactor
    settings.pictureQuality = pictureQuality
    let isPlaced = !choice.at.isEmpty || !choice.box.isEmpty
    let frames = SubjectFrames(
      clip: clip,
      failure: noSubject(
        in: "any frame of \(input)\(isPlaced ? " where it was pointed at" : "")",
        hasMap: maps != nil))
    let rendering = ClipRenderer(frames, to: output, settings: settings)
    try rendering.open()
    try OutputNotes(
      source: input, output: output, settings: settings, writtenSound: rendering.writtenSound,
      hasSound: source.hasAudio, isSteady: pictures.isSteady, codingLoss: clip.codingLoss,
      otherCodingLosses: backgroundLosses(of: clip), hasColors: !effect.mask,
      isToneMapped: clip.toneMapping != nil,
      clipsLight: !effect.mask && source.clipsLight(as: settings.tags),
      codesLight: !effect.mask && source.codesLight(as: settings.tags)
    ).tell()
    let notes = SourceNotes(input: input, output: output, options: options)
    notes.tellLosses(of: source, in: try OutputFormat(path: output), keepsGainMap: false)
    // Within half a frame, both are as long.
    let slack = source.nominalFrameDuration.seconds / 2
    if let backdrop, let path = effect.backgroundPath,
      backdrop.shownSeconds + slack < pictures.shownSeconds
    {
      note("\(path) is shorter than \(input), and begins again at its end")
    }
    if source.kind == .clip { await pictures.asset.tellDoubtfulEnd() }
    let start = ContinuousClock.now
    try await reporting(rendering.progress, rendering.frameCount, since: start, progress) {
      () async throws(CinematicError) in try await rendering.render()
    }
    notes.tellOfMissingFrames(pictures)
    tellCuts(of: clip, isPointedAt: !request.points.isEmpty || !request.boxes.isEmpty)
    report.output = rendering.writtenPath
    report.frames = rendering.completedFrames
    (report.width, report.height) = (settings.dimensions.width, settings.dimensions.height)
    report.part = part.map { LiftReport.Part($0, of: source.shownDimensions) }
    report.taken = Array(clip.drawnSubjects)
  }

  /// Says where a clip's first cut is, and which subjects other scenes have.
  private func tellCuts(of clip: LiftedClip, isPointedAt: Bool) {
    guard let first = clip.cuts.first else { return }
    let others = clip.cuts.count > 1 ? ", and \(clip.cuts.count - 1) more" : ""
    let taken =
      isPointedAt
      ? "points and boxes belong to the scene before, and nothing is taken until that comes back"
      : choice.all
        ? "the subjects of each scene are taken"
        : "the subject that stands out most is taken in each scene"
    note("a cut at frame \(clip.fileNumber(ofFrame: first))\(others): \(taken)")
  }

  /// The part of the background that the output does not hold.
  private func backgroundLosses(of clip: LiftedClip) -> [CodingLoss] {
    guard let loss = clip.backgroundLoss else { return [] }
    return [CodingLoss(movie: effect.backgroundPath ?? "the background", loss: loss)]
  }

  /// The error of an input without a subject, with what may help.
  private func noSubject(in place: String, hasMap: Bool) -> CinematicError {
    let point =
      choice.at.isEmpty && choice.box.isEmpty
      ? "point at one with --at" + (choice.script == nil ? "" : " in the script's place")
      : "point at something else"
    return CinematicError(
      .incomplete, "no subject was found in \(place)",
      remedy: point + (hasMap ? "" : ", or give a map with --disparity"))
  }

  /// Says if there seems to be nothing to do for an option about interlaced pictures, neither in the input nor in the
  /// file behind its subjects.
  ///
  /// - Throws: `invalidParameter` where both are pictures, which are never interlaced.
  private func checkFieldOption(
    _ source: SourceProperties, _ background: SourceProperties
  ) throws(CinematicError) {
    guard let option = fieldOption, let path = effect.backgroundPath,
      source.fieldOrder == nil, background.fieldOrder == nil
    else { return }
    guard source.kind == .clip, background.kind == .clip else {
      return try background.kind == .clip
        ? checkFields(option, background, of: path) : checkFields(option, source, of: input)
    }
    note(
      "\(input) and \(path) begin progressive: \(option) is for pictures that are marked as interlaced"
    )
  }

  /// The part of the pictures that is written.
  private var content: LiftedClip.Content { effect.mask ? .masks : .subjects }

  /// The frames that a map is needed for: to list the subjects, the first one.
  ///
  /// - Parameter options: how the input is read.
  func lookedAt(_ options: ReadOptions) async throws(CinematicError) -> ReadOptions {
    guard output == nil else { return options }
    let pictures = try await FrameReader.open(input, options: options)
    guard pictures.properties.kind != .still else { return options }
    let first = pictures.fileNumber(ofFrame: pictures.frameNumbers.lowerBound)
    var options = options
    options.frames = first...first
    return options
  }

  /// The maps that are given, or the one in a photograph; `nil` where there is none.
  private func matcher(
    for pictures: FrameReader
  ) async throws(CinematicError) -> DisparityMatcher? {
    var maps: FrameReader?
    if let map {
      try await DisparityMatcher.checkStatedShape(
        of: map, for: pictures.properties, named: pictures.name, stretches: stretchesMap)
      let reader = try await FrameReader.open(map, options: mapOptions)
      try await reader.checkIsMap()
      maps = reader
    } else if pictures.properties.pictureMetadata.companions.contains(.disparity) {
      maps = try await FrameReader(pictures.asset, options: mapOptions)
    }
    guard let maps else {
      guard !describesMap else {
        throw CinematicError(
          .invalidParameter,
          "--disparity-range, -kind, -channel and -fit describe a map, and none is given",
          remedy: "give the map with --disparity, or leave them out")
      }
      return nil
    }
    OutputNotes.tellDoubts(of: maps.properties.pictureMetadata, mapOptions, map: map ?? input)
    let matcher = try DisparityMatcher(
      maps, for: pictures, stretches: stretchesMap || map == nil, choosesFrames: true,
      countsFrames: mapsCountFrames)
    if let map, let output {
      SourceNotes(input: input, output: output, options: options)
        .tellOfSurplus(matcher, of: map, frames: pictures.frameNumbers.count)
    }
    return matcher
  }
}

extension FrameReader {
  /// How long the frames that were chosen are shown.
  fileprivate var shownSeconds: Double {
    let end = timeRange(ofFrame: frameNumbers.upperBound - 1).end
    return (end - timeRange(ofFrame: frameNumbers.lowerBound).start).seconds
  }
}
