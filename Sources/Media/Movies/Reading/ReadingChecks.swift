// SPDX-License-Identifier: Apache-2.0

import FocalCore

extension FrameReader {
  /// - Throws: `invalidParameter` for a Cinematic movie, whose pictures are no map.
  package func checkIsMap() async throws(CinematicError) {
    guard try await asset.holdsDisparity else { return }
    throw CinematicError(
      .invalidParameter,
      "\(asset.name) is a Cinematic movie: the pictures that it shows are no map",
      remedy: "take its maps out with \(parameter: .movieMaps)")
  }
}

extension Asset {
  /// Whether there is a track of disparity, as Cinematic movies have it.
  package var holdsDisparity: Bool {
    get async throws(CinematicError) {
      try await !loadTracks(withMediaType: .auxiliaryPicture).isEmpty
    }
  }
}

/// Refuses a rate that nothing is for.
///
/// - Parameter other: another file that the rate may be meant for.
/// - Throws: `invalidParameter` for a rate where no pictures are numbered.
package func checkPictureRate(
  isGiven: Bool, hasSequence: Bool, _ name: String, _ other: String? = nil
) throws(CinematicError) {
  guard isGiven, !hasSequence else { return }
  let none = other.map { "neither \(name) nor \($0) is any" } ?? "\(name) is none"
  throw CinematicError(
    .invalidParameter,
    worded: "\(parameter: .stillDuration) is for numbered pictures, and \(none)",
    remedy: "leave it out")
}

/// Refuses a map that is not metric, for a real lens.
///
/// - Parameters:
///   - statesRange: whether the caller said which disparities the map's codes stand for.
///   - map: its name; `nil` for the one in the input.
/// - Throws: `invalidParameter` for a map that is not metric.
package func checkIsMetric(
  _ maps: SourceProperties, _ options: ReadOptions, statesRange: Bool, map: String?,
  of input: String
) throws(CinematicError) {
  guard case .disparity(let scale) = options.content, !statesRange else { return }
  // Floats of depth are metres; codes stand for whatever they are said to.
  guard scale.kind == .disparity || maps.bitDepth < 32 && !maps.holdsFloats else { return }
  guard map != nil else {
    throw CinematicError(
      .invalidParameter,
      worded: "\(parameter: .lens) needs a map in metres, and the one in \(input) is relative",
      remedy: "give a map in metres with \(parameter: .maps)")
  }
  throw CinematicError(
    .invalidParameter,
    worded: "\(parameter: .lens) needs a map in metres, and \(map ?? input) is relative",
    remedy: """
      give depth in metres as floats with \(parameter: .mapKind, to: "depth"), or say by \
      \(parameter: .mapScale) which metres, or disparities in 1/m, its codes are
      """)
}
