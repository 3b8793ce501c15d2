// SPDX-License-Identifier: Apache-2.0

/// Which maps work needs beside those of the frames that it was asked for, so that these come out as in the whole clip.
package struct EstimationSurroundings: Sendable {
  /// Whether the clip's first frame settles something, as the disparity of a point.
  package var beginsWithClip: Bool
  /// How many maps before and behind each one count in it.
  package var reach: Int

  package init(beginsWithClip: Bool = false, reach: Int = 0) {
    (self.beginsWithClip, self.reach) = (beginsWithClip, reach)
  }

  /// The numbers of the maps, rising.
  ///
  /// - Parameters:
  ///   - chosen: the frames that were asked for.
  ///   - clip: all that there are.
  package func parts(around chosen: Range<Int>, of clip: Range<Int>) -> [Range<Int>] {
    let wide = ((chosen.lowerBound - reach)..<(chosen.upperBound + reach)).clamped(to: clip)
    guard beginsWithClip else { return [wide] }
    let head = clip.lowerBound..<min(clip.lowerBound + reach + 1, clip.upperBound)
    guard head.upperBound < wide.lowerBound else { return [clip.lowerBound..<wide.upperBound] }
    return [head, wide]
  }
}
