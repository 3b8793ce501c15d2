// SPDX-License-Identifier: Apache-2.0

import CFFmpeg

/// A clip of moving gradients in any container and codec that FFmpeg writes.
public enum ForeignClip {
  public struct Options: Sendable {
    public var width = 96
    public var height = 64
    public var frames = 90
    public var rate: Int32 = 30
    /// Pictures of which one is coded alone.
    public var groupSize: Int32 = 12
    /// Pictures in a row that may refer to later ones.
    public var bidirectional: Int32 = 2
    /// Of the codec.
    public var settings: [(String, String)] = []
    /// Of the stream.
    public var language: String?
    /// Of the container.
    public var title: String?

    public init() {}
  }

  public static func canEncode(_ codec: String) -> Bool {
    avcodec_find_encoder_by_name(codec) != nil
  }

  /// The bytes of a clip.
  public static func bytes(
    format: String, codec: String, options: Options = Options()
  ) throws -> [UInt8] {
    var file = ClipFile(
      format: format, codec: codec, width: options.width, height: options.height,
      pixelFormat: AV_PIX_FMT_YUV420P, timeBase: AVRational(num: 1, den: options.rate),
      options: options.settings)
    file.prepare = { encoder, output in
      encoder.pointee.framerate = AVRational(num: options.rate, den: 1)
      encoder.pointee.gop_size = options.groupSize
      if !["flv", "ffv1"].contains(codec) { encoder.pointee.max_b_frames = options.bidirectional }
      encoder.pointee.bit_rate = 400_000
      encoder.pointee.thread_count = 1
      encoder.pointee.color_primaries = AVCOL_PRI_BT709
      encoder.pointee.color_trc = AVCOL_TRC_BT709
      encoder.pointee.colorspace = AVCOL_SPC_BT709
      if output.pointee.oformat.pointee.flags & AVFMT_GLOBALHEADER != 0 {
        encoder.pointee.flags |= AV_CODEC_FLAG_GLOBAL_HEADER
      }
    }
    file.describe = { stream, encoder, output in
      stream.pointee.avg_frame_rate = encoder.pointee.framerate
      if let language = options.language {
        av_dict_set(&stream.pointee.metadata, "language", language, 0)
      }
      if let title = options.title { av_dict_set(&output.pointee.metadata, "title", title, 0) }
    }
    return try file.bytes(frames: options.frames) { picture, number in
      ClipFile.forEachElement(of: picture, width: options.width, height: options.height, size: 1) {
        plane, place, x, y in
        // A gradient that moves, and steps that tell every frame from the one before.
        let value = plane == 0 ? 40 + (number * 3 + x + 2 * y) % 180 : 90 + (number + x) % 70
        place.storeBytes(of: UInt8(value), as: UInt8.self)
      }
      return Int64(number)
    }
  }
}
