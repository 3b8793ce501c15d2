// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// The flicker of a clip's maps.
struct SteadinessOptions: ParsableArguments {
  @Flag(
    inversion: .prefixedNo,
    help: "Take the flicker out of a clip's maps: noise, and a scale that changes from map to map.")
  var steadyMaps = true
}
