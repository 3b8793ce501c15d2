// SPDX-License-Identifier: Apache-2.0

import CFFmpeg
import FocalBoxes
import FocalCore

extension SampleEntry {
  /// The codec of a sample entry's pictures.
  private static let codecs: [FourCC: AVCodecID] = [
    "hvc1": AV_CODEC_ID_HEVC, "hev1": AV_CODEC_ID_HEVC, "dvh1": AV_CODEC_ID_HEVC,
    "dvhe": AV_CODEC_ID_HEVC, "dish": AV_CODEC_ID_HEVC, "deph": AV_CODEC_ID_HEVC,
    "avc1": AV_CODEC_ID_H264, "avc3": AV_CODEC_ID_H264, "av01": AV_CODEC_ID_AV1,
    "vp08": AV_CODEC_ID_VP8, "vp09": AV_CODEC_ID_VP9, "mp4v": AV_CODEC_ID_MPEG4,
    "jpeg": AV_CODEC_ID_MJPEG, "mjpa": AV_CODEC_ID_MJPEG, "png ": AV_CODEC_ID_PNG,
    "apco": AV_CODEC_ID_PRORES, "apcs": AV_CODEC_ID_PRORES, "apcn": AV_CODEC_ID_PRORES,
    "apch": AV_CODEC_ID_PRORES, "ap4h": AV_CODEC_ID_PRORES, "ap4x": AV_CODEC_ID_PRORES,
    "FFV1": AV_CODEC_ID_FFV1,
  ]

  /// The extensions whose contents a decoder is configured with.
  private static let configurations: Set<FourCC> = ["hvcC", "avcC", "av1C", "glbl"]

  /// The pictures' codec and size in words: `hvc1 (hevc)`.
  var codecDescription: String {
    guard let id = Self.codecs[format] else { return "\(format)" }
    return "\(format) (\(String(cString: avcodec_get_name(id))))"
  }

  /// Whether ``makeDecoder(name:timescale:delay:damage:)`` knows the pictures and how their decoder is
  /// configured.
  var isDecodable: Bool { Self.codecs[format] != nil && format != "mp4v" }

  /// - Throws: `unsupported` for pictures of Dolby Vision without a compatible base, which would be shown in wrong colours.
  func checkBase(name: String) throws(CinematicError) {
    guard let dolbyVision, !dolbyVision.hasCompatibleBase else { return }
    throw CinematicError(
      .unsupported,
      "\(name) has pictures of Dolby Vision profile \(dolbyVision), whose colours only a decoder of Dolby Vision"
        + " knows",
      remedy: "convert it to HDR10, HLG or SDR with a program that reads Dolby Vision")
  }

  /// A decoder of the entry's pictures.
  ///
  /// - Parameter delay: by how many pictures the order of the screen lags behind that of decoding.
  /// - Throws: `unsupported` for a codec that is not known or that this FFmpeg lacks, `malformed`
  ///   where it refuses the configuration.
  func makeDecoder(
    name: String, timescale: Int32, delay: Int, damage: DamageResponse = .standard
  ) throws(CinematicError) -> CodecContext {
    _ = FFmpeg.prepared
    guard let id = Self.codecs[format], let codec = avcodec_find_decoder(id) else {
      throw CinematicError(
        .unsupported, "\(name): pictures of the kind '\(format)' cannot be decoded",
        remedy: "convert it to H.264 or HEVC")
    }
    guard let decoder = CodecContext(codec) else { throw .outOfMemory(for: name) }
    let context = decoder.pointer
    context.pointee.codec_tag = format.rawValue.byteSwapped
    context.pointee.pkt_timebase = AVRational(num: 1, den: timescale)
    context.pointee.thread_count = 0
    // Streams that do not say how many pictures are held back for the order of the screen.
    if id == AV_CODEC_ID_H264 { context.pointee.has_b_frames = Int32(min(delay, 16)) }
    decoder.answer(damage)
    decoder.cropExactly()
    if let size = dimensions {
      context.pointee.width = Int32(size.width)
      context.pointee.height = Int32(size.height)
    }
    if let box = extensions.first(where: { Self.configurations.contains($0.type) }) {
      // The decoder frees it; the padding is what its bit readers may look at.
      let padding = Int(AV_INPUT_BUFFER_PADDING_SIZE)
      guard let memory = av_mallocz(box.data.count + padding) else { throw .outOfMemory(for: name) }
      box.data.withUnsafeBytes { bytes in
        if let base = bytes.baseAddress { memory.copyMemory(from: base, byteCount: bytes.count) }
      }
      context.pointee.extradata = memory.assumingMemoryBound(to: UInt8.self)
      context.pointee.extradata_size = Int32(box.data.count)
    }
    let code = avcodec_open2(context, codec, nil)
    guard code >= 0 else {
      throw CinematicError(
        .malformed,
        "\(name): the description of its pictures ('\(format)') is damaged:"
          + " \(FFmpeg.text(code))", remedy: "copy or download the file again")
    }
    return decoder
  }

  /// The container's statement about colours.
  var containerColor: ContainerColor? {
    guard let color else { return nil }
    var parameters = AVCodecParameters()
    parameters.color_primaries = AVColorPrimaries(rawValue: UInt32(color.primaries))
    parameters.color_trc = AVColorTransferCharacteristic(rawValue: UInt32(color.transfer))
    parameters.color_space = AVColorSpace(rawValue: UInt32(color.matrix))
    parameters.color_range =
      switch color.isFullRange {
      case true: AVCOL_RANGE_JPEG
      case false: AVCOL_RANGE_MPEG
      case nil: AVCOL_RANGE_UNSPECIFIED
      }
    return ContainerColor(parameters)
  }
}
