// SPDX-License-Identifier: Apache-2.0

import FocalBoxes
import FocalCore

/// A track of sound on its way into a movie.
protocol SoundLane: AnyObject {
  /// Ticks a second of the samples' times.
  var timescale: Int32 { get }
  /// How the samples are stored.
  var entry: SoundEntry { get }
  /// Hands over what is heard before a time of the movie; everything for `nil`.
  func write(until limit: Time?, sink: SoundSink) throws(CinematicError)
  /// Hands over what is left, cut at a time of the movie; everything for `nil`.
  func finish(at end: Time?, sink: SoundSink) throws(CinematicError)
}

typealias SoundSink = (MediaSample) throws(CinematicError) -> Void
