// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import FocalCore
import FocalMedia

/// The flicker of a clip's maps.
struct SteadinessOptions: ParsableArguments {
  @Flag(
    inversion: .prefixedNo,
    help: "Take the flicker out of a clip's maps: noise, and a scale that changes from map to map.")
  var steadyMaps = true

  /// - Throws: `invalidParameter` for maps that are to be left as they are where there is one picture.
  static func check(
    steadies: Bool, _ source: SourceProperties, _ input: String
  ) throws(CinematicError) {
    guard !steadies, source.kind == .still else { return }
    throw CinematicError(
      .invalidParameter, "--no-steady-maps is for clips, and \(input) is one picture",
      remedy: "leave it out")
  }
}
