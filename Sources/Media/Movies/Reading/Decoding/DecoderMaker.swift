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
  /// What decoders are told on the way, in the order of the samples.
  let changes: [DecoderChange]
  /// A decoder, opened, for the samples of a sample entry by its number, from 0.
  ///
  /// `delay` is by how many pictures the order of the screen lags behind that of decoding.
  let make: Make

  typealias Make =
    @Sendable (
      _ description: Int, _ delay: Int, _ damage: DamageResponse
    ) throws(CinematicError) -> CodecContext

  init(pictures: Pictures, changes: [DecoderChange] = [], make: @escaping Make) {
    self.pictures = pictures
    self.changes = changes
    self.make = make
  }
}

extension CodecContext {
  /// Makes damage an error, or the most of it.
  ///
  /// Of a codec whose every frame stands alone all of it. HEVC's decoder takes missing references of sound files, as
  /// after a cut, and says what it cannot read, and whether the sums are right that pictures may carry; codes
  /// that mean another picture it does not know. Other codecs say themselves what they made up.
  func answer(_ damage: DamageResponse) {
    guard damage.stops else {
      pointer.pointee.flags |= AV_CODEC_FLAG_OUTPUT_CORRUPT
      return
    }
    guard let properties = avcodec_descriptor_get(pointer.pointee.codec_id)?.pointee.props,
      properties & AV_CODEC_PROP_INTRA_ONLY != 0 || properties & AV_CODEC_PROP_LOSSY == 0
        || pointer.pointee.codec_id == AV_CODEC_ID_HEVC
    else { return }
    pointer.pointee.err_recognition = AV_EF_CRCCHECK | AV_EF_EXPLODE
  }

  /// Lets pictures begin at the column that the stream says, although their rows may then begin at addresses that do
  /// not suit a processor's vectors. Decoders else keep columns at the left that are not to be shown.
  func cropExactly() { pointer.pointee.flags |= AV_CODEC_FLAG_UNALIGNED }

  /// How many packets were handed over since the one that a decoder answers.
  var lag: Int {
    pointer.pointee.active_thread_type & FF_THREAD_FRAME != 0
      ? max(0, Int(pointer.pointee.thread_count) - 1) : 0
  }
}
