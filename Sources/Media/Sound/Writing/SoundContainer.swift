// SPDX-License-Identifier: Apache-2.0

import FocalBoxes

/// The kind of movie that sound is written to: which codings it holds.
struct SoundContainer {
  var format: MovieFormat
  /// Whether it is only to have what Apple's players know; other players read some more from QuickTime
  /// movies.
  var isForApple = false
  /// Whether it is a WebM file: Opus and Vorbis alone, and no edit that hides a packet's part. Sample entries, which such
  /// a file does not get, are MP4's.
  var isWebM = false

  init(format: MovieFormat, isForApple: Bool = false) {
    (self.format, self.isForApple) = (format, isForApple)
  }

  static var webM: SoundContainer {
    var container = SoundContainer(format: .mp4)
    container.isWebM = true
    return container
  }

  /// The coding of sound that loses something anyway.
  var usualCoding: SoundCompressor.Coding { isWebM ? .opus : .aac }
}
