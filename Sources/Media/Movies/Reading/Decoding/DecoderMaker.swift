// SPDX-License-Identifier: Apache-2.0

import CFFmpeg
import FocalCore

/// Makes the decoders of a track.
struct DecoderMaker: Sendable {
  /// The pictures that a decoder gives if it gets every sample.
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
  ///
  /// `delay` is by how many pictures the order of the screen lags behind that of decoding.
  let make: @Sendable (_ description: Int, _ delay: Int) throws(CinematicError) -> CodecContext

  init(
    pictures: Pictures,
    make:
      @escaping @Sendable (_ description: Int, _ delay: Int) throws(CinematicError) -> CodecContext
  ) {
    self.pictures = pictures
    self.make = make
  }
}

extension CodecContext {
  /// Makes damage an error if every frame stands alone. Other codecs meet missing references in sound
  /// files, after a cut, and say themselves what they made up.
  func refuseDamage() {
    guard let properties = avcodec_descriptor_get(pointer.pointee.codec_id)?.pointee.props,
      properties & AV_CODEC_PROP_INTRA_ONLY != 0 || properties & AV_CODEC_PROP_LOSSY == 0
    else { return }
    pointer.pointee.err_recognition = AV_EF_CRCCHECK | AV_EF_EXPLODE
  }
}
