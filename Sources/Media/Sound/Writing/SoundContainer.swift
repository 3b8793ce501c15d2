// SPDX-License-Identifier: Apache-2.0

import FocalBoxes

/// The kind of movie that sound is written to: which codings it holds.
struct SoundContainer {
  var format: MovieFormat
  /// Whether it is only to have what Apple's players know; other players read some more from QuickTime
  /// movies.
  var isForApple = false
}
