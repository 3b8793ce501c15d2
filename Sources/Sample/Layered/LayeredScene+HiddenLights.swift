// SPDX-License-Identifier: Apache-2.0

import FocalCore

extension LayeredScene {
  /// The scene without the lights that its sharp picture does not show, behind something nearer or beyond the border.
  ///
  /// A lens sees some of them past the edges of what is near. A renderer that has the sharp picture and its map cannot
  /// know of them, so that its picture is to be held against this scene's truth, and its distance to the whole scene's
  /// truth has a limit: this scene's. Both scenes have the same sharp picture, except for lights that are cut by an edge,
  /// and the same map.
  public func withoutHiddenLights() -> LayeredScene {
    var seen = self
    let dark = LayeredArtist(
      seed: seed, dimensions: dimensions, lights: .none, threads: threads
    ).planes()[0]
    let margin = dark.margin
    for y in 0..<dark.height {
      for x in 0..<dark.width where !shows(x - margin, y - margin) {
        seen.planes[0].pixels[y * dark.width + x] = dark.pixels[y * dark.width + x]
      }
    }
    return seen
  }

  /// Whether the sharp picture shows more than half of the farthest plane at a place.
  private func shows(_ x: Int, _ y: Int) -> Bool {
    guard x >= 0, y >= 0, x < dimensions.width, y < dimensions.height else { return false }
    return planes.dropFirst().reduce(Float(1)) { $0 * (1 - $1.coverage(x, y)) } > 0.5
  }
}
