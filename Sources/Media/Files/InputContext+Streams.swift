// SPDX-License-Identifier: Apache-2.0

import CFFmpeg
import FocalCore

extension InputContext {
  /// When the container's pictures and sound start, if that is after zero. Sound that starts before
  /// zero is a codec's priming and moves nothing.
  ///
  /// A broadcast's clock has no zero: it begins anywhere and starts again from zero after 26.5 hours.
  /// For one that does so soon after the first picture, libavformat counts back from there, below zero.
  var startTime: Time {
    var earliest: Time?
    var wraps = false
    for stream in streams {
      let kind = stream!.pointee.codecpar.pointee.codec_type
      guard kind == AVMEDIA_TYPE_VIDEO || kind == AVMEDIA_TYPE_AUDIO,
        stream!.pointee.start_time != FFmpeg.noTimestamp
      else { continue }
      let start = Time(stream!.pointee.start_time, base: stream!.pointee.time_base)
      earliest = min(earliest ?? start, start)
      wraps = wraps || stream!.pointee.pts_wrap_bits == Self.broadcastClockBits
    }
    return wraps && Self.broadcasts.contains(formatName)
      ? earliest ?? .zero : max(earliest ?? .zero, .zero)
  }

  /// Transport and program streams. Other containers that say nothing of their clock have the same bits.
  private static let broadcasts: Set = ["mpegts", "mpeg"]
  /// Of the times in transport and program streams of MPEG, at 90 kHz.
  private static let broadcastClockBits: Int32 = 33

  /// Leaves out the packets of all other streams.
  func keepOnly(_ stream: Int32) {
    for (number, other) in streams.enumerated() where number != Int(stream) {
      other!.pointee.discard = AVDISCARD_ALL
    }
  }

  /// Whether a Y4M, which is frames to its last byte, ends within one: libavformat takes that for its end.
  ///
  /// - Parameter lastPacketEnd: where the last packet ends; `nil` if there was none.
  func endsWithinFrame(lastPacketEnd: Int64?) -> Bool {
    guard formatName == "yuv4mpegpipe", let lastPacketEnd else { return false }
    return avio_tell(io.context) != lastPacketEnd
  }

  /// Whether a stream is not the cover of a music file or text art, which FFmpeg also calls video.
  /// Streams that are no video stay what they are.
  static func isPicture(_ stream: UnsafeMutablePointer<AVStream>) -> Bool {
    let isText = [
      AV_CODEC_ID_ANSI, AV_CODEC_ID_BINTEXT, AV_CODEC_ID_XBIN, AV_CODEC_ID_IDF,
    ].contains(stream.pointee.codecpar.pointee.codec_id)
    return !isText && stream.pointee.disposition & AV_DISPOSITION_ATTACHED_PIC == 0
  }
}

extension CinematicError {
  static func holdsNoPictures(_ path: String) -> CinematicError {
    CinematicError(
      .unsupported, "\(path) holds no pictures",
      remedy: "give a movie, or a picture (\(StillKind.names))")
  }

  /// - Parameter kind: its name.
  static func isPictureOfOtherKind(_ path: String, _ kind: String) -> CinematicError {
    CinematicError(
      .unsupported, "\(path) is a picture of a kind that is not read (\(kind))",
      remedy: "convert it to one of \(StillKind.names); PNG and TIFF lose nothing")
  }

  static func lacksDecoder(_ codec: AVCodecID, _ path: String) -> CinematicError {
    CinematicError(
      .unsupported,
      "this build of FFmpeg has no decoder for the pictures of \(path)"
        + " (\(String(cString: avcodec_get_name(codec))))",
      remedy: "convert it to H.264 or HEVC in MP4")
  }
}
