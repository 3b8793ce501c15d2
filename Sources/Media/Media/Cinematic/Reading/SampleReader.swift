// SPDX-License-Identifier: Apache-2.0

import FocalBoxes
import FocalCore

/// Gives the bytes of a track's samples to one decoder, on a thread that may wait.
protocol SampleReader: Sendable {
  /// The bytes of a sample by its number in the track's ``FocalBoxes/SampleIndex``.
  ///
  /// - Throws: `malformed` where the file ends in it, what the source throws.
  func sample(_ number: Int) throws(CinematicError) -> [UInt8]
}

/// Samples that are stretches of the file.
struct RangeSampleReader: SampleReader {
  let reader: BlockingReader
  let index: SampleIndex

  func sample(_ number: Int) throws(CinematicError) -> [UInt8] { try reader.sample(index[number]) }
}
