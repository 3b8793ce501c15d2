// SPDX-License-Identifier: Apache-2.0

/// Which maps a command needs beside those of the frames that it was asked for, so that these come out as in the whole clip.
struct EstimationSurroundings: Sendable {
  /// Whether the clip's first frame settles something, as the disparity of a point.
  var beginsWithClip = false
  /// How many maps before and behind each one count in it.
  var reach = 0

  /// The numbers of the maps, rising.
  ///
  /// - Parameters:
  ///   - chosen: the frames that were asked for.
  ///   - clip: all that there are.
  func parts(around chosen: Range<Int>, of clip: Range<Int>) -> [Range<Int>] {
    let wide = ((chosen.lowerBound - reach)..<(chosen.upperBound + reach)).clamped(to: clip)
    guard beginsWithClip else { return [wide] }
    let head = clip.lowerBound..<min(clip.lowerBound + reach + 1, clip.upperBound)
    guard head.upperBound < wide.lowerBound else { return [clip.lowerBound..<wide.upperBound] }
    return [head, wide]
  }
}
