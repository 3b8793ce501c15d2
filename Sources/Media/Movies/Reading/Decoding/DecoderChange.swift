// SPDX-License-Identifier: Apache-2.0

import CFFmpeg
import FocalCore

/// What a container tells the decoder of a track's pictures amid them, in force from a sample on.
struct DecoderChange: Sendable {
  enum Kind: CaseIterable, Sendable {
    /// The colours that the codes of pictures stand for.
    case palette
    /// What stands in the container's head for the first pictures.
    case configuration

    /// Its kind beside a packet.
    var type: AVPacketSideDataType {
      self == .palette ? AV_PKT_DATA_PALETTE : AV_PKT_DATA_NEW_EXTRADATA
    }
  }

  var kind: Kind
  /// The first sample that it is for.
  var firstSample: Int
  var bytes: [UInt8]
}

extension PictureFrame {
  /// Whether its codes stand for colours that nobody told the decoder, which all come out black: not even opaque, as
  /// told ones are.
  var lacksPalette: Bool {
    guard pixelFormat == AV_PIX_FMT_PAL8, let colors = pointer.pointee.data.1 else { return false }
    return UnsafeRawBufferPointer(start: colors, count: Int(AVPALETTE_SIZE)).allSatisfy { $0 == 0 }
  }
}

extension CinematicError {
  static func lacksPalette(_ path: String) -> CinematicError {
    CinematicError(
      .malformed, "the pictures of \(path) have their colours from a palette, which it lacks",
      remedy: "make the file again with its palette, or convert it to one without")
  }
}
