// SPDX-License-Identifier: Apache-2.0

import FocalCore

/// Makes the decoders of a track.
struct DecoderMaker: Sendable {
  /// What comes out of a decoder that was given every sample.
  enum Pictures: Sendable {
    /// A picture a sample.
    case complete
    /// Sometimes none: containers differ in what they call a sample.
    case mayBeMissing
    /// Damage before the first picture, too: recorded broadcasts begin anywhere.
    case mayBeginBroken
  }

  let pictures: Pictures
  /// A decoder, opened, for the samples of a sample entry by its number, from 0.
  let make: @Sendable (_ description: Int) throws(CinematicError) -> CodecContext

  init(
    pictures: Pictures,
    make: @escaping @Sendable (_ description: Int) throws(CinematicError) -> CodecContext
  ) {
    self.pictures = pictures
    self.make = make
  }
}
