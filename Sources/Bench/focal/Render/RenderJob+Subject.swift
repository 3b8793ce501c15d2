// SPDX-License-Identifier: Apache-2.0

import FocalCinematic
import FocalCommands
import FocalCore
import FocalMedia
import FocalRendering
import FocalSubjects

/// A subject whose outline the map gets, and that is held in focus.
extension RenderJob {
  /// Whether maps get the outline of a subject.
  var masksMaps: Bool { subject != nil || matte != nil }

  /// The object that finds or reads the subject's masks; `nil` if none is asked for.
  ///
  /// - Parameter attributes: of the session that refines the maps.
  /// - Throws: what opening the masks throws.
  func maskedMaps(
    of pictures: RenderSource, _ attributes: RenderingSession.Attributes
  ) async throws(CinematicError) -> MaskedMaps? {
    guard masksMaps else { return nil }
    let turn = pictures.properties.preferredTransform
    let holder = DisparityHolder(
      renderer: try FrameRenderer(
        devices: devices, sessionAttributes: attributes, quality: quality,
        deviceChanged: { [json] change in change.tell(json: json) }))
    if let subject {
      var request = GenerateForegroundInstanceMaskRequest()
      request.points = [subject]
      // A photograph's own map covers its view, whatever its shape.
      request.stretchesDisparity = stretchesMap || map == nil
      return MaskedMaps(
        .followed(SubjectFollower(request, choice: .all, turn: turn, isStill: isStill(pictures))),
        holder: holder, turn: turn, holdsFocus: true)
    }
    guard let matte else { return nil }
    try await DisparityMatcher.checkStatedShape(
      of: matte, for: pictures.properties, named: inputName, stretches: stretchesMatte,
      content: .mask)
    let options = ReadOptions(content: .mask, stillDuration: mapOptions.stillDuration)
    let source = try await RenderSource.open(matte, options: options)
    OutputNotes.tellDoubts(of: source.properties.pictureMetadata, options, map: matte)
    let matcher = try pictures.matcher(
      source, stretches: stretchesMatte, steadies: false, holds: inputOptions.missing == .hold)
    return MaskedMaps(.given(matcher), holder: holder, turn: turn, holdsFocus: holdsMatte)
  }

  private func isStill(_ pictures: RenderSource) -> Bool {
    pictures.reader.map { $0.frameNumbers.count == 1 } ?? false
  }

  /// The first map with the subject's outline.
  ///
  /// - Throws: `incomplete` if there is no subject to focus on, and what finding it throws.
  func firstMasked(
    _ masked: MaskedMaps, _ pictures: RenderSource, _ place: FramePlace, _ map: PixelBuffer
  ) async throws(CinematicError) -> HeldDisparity {
    let frame: MediaFrame?
    switch pictures {
    case .files(let reader): frame = try await reader.frame(number: place.index)
    case .pipe(let pipe): frame = try await pipe.frame(number: place.index)
    }
    guard let frame else {
      throw CinematicError(.malformed, "\(inputName) holds no picture")
    }
    let held = try await masked.map(of: frame, map)
    guard !masked.holdsFocus || held.subjectDisparity != nil else {
      if let subject {
        throw CinematicError(
          .incomplete, "no subject was found at \(subject.x),\(subject.y)",
          remedy: "choose another point, or give a mask with --matte")
      }
      throw CinematicError(
        .incomplete, "\(matte ?? "the mask") shows no subject in the first frame",
        remedy: "give a focus with --focus or --focus-at, or another mask")
    }
    return held
  }

  /// Says where a clip's first cut is, behind which there is no subject.
  func tellCuts(of masked: MaskedMaps, _ reader: FrameReader?) {
    guard let subject, let first = masked.cuts.first else { return }
    let number = reader?.fileNumber(ofFrame: first) ?? first
    let others = masked.cuts.count > 1 ? ", and \(masked.cuts.count - 1) more" : ""
    note(
      "a cut at frame \(number)\(others): the subject at \(subject.x),\(subject.y) belongs to the scene before, and focus stays"
        + " where that was until it comes back")
  }

  /// In words where the focus comes from.
  var maskedFocusOrigin: String {
    if let subject { return "the subject at \(subject.x),\(subject.y), as a whole" }
    return "the subject of \(matte ?? "the mask"), as a whole"
  }
}
