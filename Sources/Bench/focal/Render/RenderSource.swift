// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalMedia

/// Where pictures or maps come from: something that can be read anywhere, or a pipe.
enum RenderSource: Sendable {
  case files(FrameReader)
  case pipe(PipedPictures)

  /// - Throws: as ``FocalMedia/FrameReader/open(_:options:)`` and
  ///   ``FocalMedia/PipedPictures/open(_:options:)``; `invalidParameter` for options that only files have.
  static func open(
    _ path: String, options: ReadOptions
  ) async throws(CinematicError) -> RenderSource {
    guard PipePath.isPipe(path) else {
      return .files(try await FrameReader.open(path, options: options))
    }
    switch try await PipedPictures.open(path, options: options) {
    case .picture(let asset): return .files(try await FrameReader(asset, options: options))
    case .stream(let pictures):
      let given =
        options.frames != nil ? "--frames" : options.missing == .skip ? "--on-missing skip" : nil
      if let given {
        throw CinematicError(
          .invalidParameter, "\(given) is for files, and \(pictures.name) is read as it comes",
          remedy: "leave it out, and send the frames that are wanted")
      }
      return .pipe(pictures)
    }
  }

  var properties: SourceProperties {
    switch self {
    case .files(let reader): reader.properties
    case .pipe(let pictures): pictures.properties
    }
  }

  /// `nil` of a pipe.
  var reader: FrameReader? {
    if case .files(let reader) = self { reader } else { nil }
  }

  /// Finds the maps of these pictures.
  ///
  /// - Parameters:
  ///   - holds: whether the map before stands for those that are missing.
  ///   - countsFrames: whether numbered maps have the numbers of a clip's frames.
  func matcher(
    _ maps: RenderSource, stretches: Bool, steadies: Bool, holds: Bool, countsFrames: Bool = false
  ) throws(CinematicError) -> DisparityMatcher {
    switch (self, maps) {
    case (.files(let pictures), .files(let maps)):
      try DisparityMatcher(
        maps, for: pictures, stretches: stretches, steadies: steadies, choosesFrames: true,
        choosesMissing: true,
        holdsOneMap: holds, countsFrames: countsFrames)
    case (.files(let pictures), .pipe(let maps)):
      try DisparityMatcher(maps, for: pictures, stretches: stretches, steadies: steadies)
    case (.pipe(let pictures), .files(let maps)):
      try DisparityMatcher(
        maps, for: pictures, stretches: stretches, steadies: steadies, holdsOneMap: holds)
    case (.pipe(let pictures), .pipe(let maps)):
      try DisparityMatcher(maps, for: pictures, stretches: stretches, steadies: steadies)
    }
  }

  /// The first frame that is rendered.
  ///
  /// - Parameter skips: whether frames without a map are left out.
  func first(_ maps: DisparityMatcher, skips: Bool) async throws(CinematicError) -> FramePlace {
    switch self {
    case .files(let reader):
      let places = reader.frameNumbers.lazy.map {
        FramePlace(index: $0, timeRange: reader.timeRange(ofFrame: $0))
      }
      return places.first { !skips || maps.hasMap(for: $0) }
        ?? places[reader.frameNumbers.lowerBound]
    case .pipe(let pictures):
      guard let frame = try await pictures.frame(number: 0) else {
        throw CinematicError(.malformed, "\(pictures.name) holds no picture")
      }
      return frame.place
    }
  }

  /// Whether the frames are shown equally long, as far as that is known.
  var isSteady: Bool { reader?.isSteady ?? true }
}
