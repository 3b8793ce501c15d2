// SPDX-License-Identifier: Apache-2.0

import FocalCinematic
import FocalCore
import FocalMedia
import FocalRendering
import FocalScript

/// What is found out before maps are made, and before the first frame is written.
extension ImportJob {
  /// The clip, and its coded pictures where they can be copied; `nil` if they are to be encoded.
  ///
  /// - Throws: `invalidParameter` for options that do not fit, and for a source that is no clip; what opening throws.
  func opened() async throws(CinematicError) -> (pictures: FrameReader, coded: CodedClip.Search?) {
    try RenderingSession.Attributes().with(look).validate()
    try LocalInputs.check([video] + (map.isEmpty ? [] : [map]))
    let pictures = try await FrameReader.open(video, options: inputOptions)
    try checkFields(fieldOption, pictures.properties, of: video, to: note)
    guard pictures.properties.kind != .still else {
      throw CinematicError(
        .invalidParameter, "\(video) is one picture, and a movie has more",
        remedy: "give a movie or numbered pictures")
    }
    if let script, !scriptIsChecked {
      try script.check(against: pictures, isWhole: true, named: video, to: note)
    }
    let isCopied = !encodes && pictures.properties.kind == .clip
    return (pictures, isCopied ? try await CodedClip.search(pictures) : nil)
  }

  /// Finds what would be refused later, before maps are estimated: options, names, and a movie that cannot be begun.
  ///
  /// - Throws: what ``run()`` would.
  func check() async throws(CinematicError) {
    let (pictures, coded) = try await opened()
    guard !needsMetricMap else {
      throw CinematicError(
        .invalidParameter,
        worded: "\(parameter: .lens) needs a map in metres, and an estimated one is relative",
        remedy: "give a map in metres with \(parameter: .givenMap)")
    }
    try checkPictureRate(
      isGiven: givesFrameRate, hasSequence: pictures.isNumbered, video)
    // The movie is begun and given up: maps of another size and range make no difference to what it takes.
    let settings = try await settings(
      pictures, coded?.clip, target(pictures), mapDimensions: Dimensions(width: 64, height: 64),
      DisparityCoding(0...1))
    try MovieWriter(output, settings: settings).cancel()
  }

  /// The map that settles one focus for the clip: the first one, or, where that shows one disparity everywhere as a
  /// black picture's does, the first that shows more.
  func deciding(
    _ first: PixelBuffer, _ maps: DisparityMatcher, _ pictures: FrameReader
  ) async throws(CinematicError) -> PixelBuffer {
    guard focus == .subject, !maps.isOneMap, !Self.showsMore(first) else { return first }
    for number in pictures.frameNumbers.dropFirst() {
      try checkCancellation(of: video)
      let map = try await maps.map(
        for: FramePlace(index: number, timeRange: pictures.timeRange(ofFrame: number)))
      if Self.showsMore(map) { return map }
    }
    return first
  }

  private static func showsMore(_ map: PixelBuffer) -> Bool {
    map.mapSubject.map { $0.range.lowerBound < $0.range.upperBound } ?? false
  }
}

extension CodedClip.Search {
  /// The pictures that are copied.
  var clip: CodedClip? { if case .found(let clip) = self { clip } else { nil } }
  /// Why they are not, in words.
  var obstacle: String? { if case .unfit(let reason) = self { reason } else { nil } }
}
