// SPDX-License-Identifier: Apache-2.0

import FocalCinematic
import FocalCore
import FocalMedia
import FocalRendering
import FocalScript

/// What is wanted, checked and made into work.
extension MovieImport {
  /// `nil` where it is estimated.
  var givenMap: GivenMap? { if case .given(let map) = map { map } else { nil } }

  /// - Throws: `invalidParameter` for values that do not go together.
  func validate() throws(CinematicError) {
    var inputs: [String?] = [clip, givenMap?.path]
    if case .estimated(let estimation) = map {
      try estimation.validate()
      inputs += estimation.inputs
    }
    if case .directed(let detection) = focus {
      try detection.validate()
      guard givenMap == nil else {
        throw CinematicError(
          .invalidParameter, "people are looked for where the map is estimated, and one is given",
          remedy: "give a focus or a script")
      }
      inputs += detection.models
    }
    try KeptInputs.check(output, inputs: inputs)
    try OutputFormat.checkFile(output, endings: ".mov")
    if case .movie(let container) = try OutputFormat(path: output) {
      try coding.codec.check(container, of: output)
      if let rateFactor {
        try coding.codec.resolved(in: container).check(rateFactor: rateFactor)
      }
    }
    guard fNumber.isFinite, fNumber >= 0.1 else {
      throw CinematicError(
        .invalidParameter, "a movie cannot carry the f-number \(fNumber)",
        remedy: "give a finite one of at least 0.1")
    }
    try givenMap?.scale.validate()
    guard reading.frames == nil else {
      throw CinematicError(
        .invalidParameter, "frames of \(clip) are chosen, and the whole clip is imported",
        remedy: "leave them out, or cut the clip first")
    }
  }

  /// The work, with a map to be named.
  func job(_ events: ImportEvents) throws(CinematicError) -> ImportJob {
    var inputOptions = reading
    if case .estimated(let estimation) = map { inputOptions.half = estimation.half }
    let scale = givenMap?.scale ?? .unit
    var mapOptions = ReadOptions(content: .disparity(scale))
    mapOptions.channel = givenMap?.channel
    mapOptions.shaping = shaping
    if let frameDuration {
      (inputOptions.stillDuration, mapOptions.stillDuration) = (frameDuration, frameDuration)
    }
    var choice = FocusChoice.subject
    var script: ScriptedFocus?
    var lens: ThinLens?
    switch focus {
    case .script(let given): script = given
    case .choice(let given): choice = given
    case .lens(let given): (lens, choice) = (given, .disparity(given.focusDisparity))
    case .directed, nil: break
    }
    try script?.checkFNumber()
    script?.tellIfItDecidesNothing(to: events.note)
    var look = self.look ?? script?.script.look ?? Look()
    if let lens { look.blurScale = lens.blurScale }
    var codedRange: ClosedRange<Float>?
    if givenMap?.codes != nil, scale.kind == .disparity {
      codedRange = min(scale.low, scale.high)...max(scale.low, scale.high)
    }
    return ImportJob(
      video: clip, map: givenMap?.path ?? "", output: output, overwrite: overwrites,
      script: script, focus: choice, fNumber: fNumber, look: look, inputOptions: inputOptions,
      mapOptions: mapOptions, needsMetricMap: lens != nil,
      statesDisparityRange: givenMap?.codes != nil, codedRange: codedRange,
      stretchesMap: givenMap?.stretches ?? false, givesFrameRate: frameDuration != nil,
      coding: coding, rateFactor: rateFactor, fieldOption: fieldOption,
      encodes: encodesPictures || coding != FilmCoding() || rateFactor != nil
        || inputOptions.changesPictures, copiesSound: copiesSound,
      captions: try captions.tracks(for: output, inMP4: false, to: events.note),
      givenCaptions: captions, events: events)
  }
}

extension ReadOptions {
  /// Whether pictures are others than those that are coded, so that these cannot be copied.
  fileprivate var changesPictures: Bool {
    guard transfer == nil, half == nil, interlacing != .deinterlace else { return true }
    if case .table = workingSpace { return true }
    return false
  }
}
