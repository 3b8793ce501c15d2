// SPDX-License-Identifier: Apache-2.0

import CFFmpeg
import FocalBoxes
import FocalCore

/// Owns a copy of a stream's codec parameters.
// @unchecked Sendable: nothing changes them once they are copied.
final class CodecParameters: @unchecked Sendable {
  let pointer: UnsafeMutablePointer<AVCodecParameters>

  var values: AVCodecParameters { pointer.pointee }
  /// The decoder's configuration by the container.
  var extradata: [UInt8] { pointer.extradata }

  /// - Throws: `outOfMemory`.
  init(_ stream: UnsafeMutablePointer<AVStream>, name: String) throws(CinematicError) {
    guard let copy = avcodec_parameters_alloc() else { throw .outOfMemory(for: name) }
    guard avcodec_parameters_copy(copy, stream.pointee.codecpar) >= 0 else {
      var copy: UnsafeMutablePointer<AVCodecParameters>? = copy
      avcodec_parameters_free(&copy)
      throw .outOfMemory(for: name)
    }
    pointer = copy
  }

  deinit {
    var parameters: UnsafeMutablePointer<AVCodecParameters>? = pointer
    avcodec_parameters_free(&parameters)
  }

  /// The decoder that reads alpha beside the pictures, too: libvpx, where FFmpeg was built with it. FFmpeg's
  /// own leave it aside.
  var alphaDecoder: UnsafePointer<AVCodec>? {
    switch values.codec_id {
    case AV_CODEC_ID_VP8: avcodec_find_decoder_by_name("libvpx")
    case AV_CODEC_ID_VP9: avcodec_find_decoder_by_name("libvpx-vp9")
    default: nil
    }
  }

  /// A decoder, opened.
  ///
  /// - Parameters:
  ///   - hasAlphaApart: whether alpha lies beside the pictures.
  ///   - isLive: whether each picture is wanted as soon as its packet has come.
  /// - Throws: `unsupported` for a codec that this FFmpeg lacks, `malformed` for parameters that it
  ///   refuses.
  func makeDecoder(
    name: String, base: AVRational, hasAlphaApart: Bool = false, isLive: Bool = false,
    damage: DamageResponse = .standard
  ) throws(CinematicError) -> CodecContext {
    let best = hasAlphaApart ? alphaDecoder : nil
    guard let codec = best ?? avcodec_find_decoder(values.codec_id) else {
      throw .lacksDecoder(values.codec_id, name)
    }
    guard let decoder = CodecContext(codec) else { throw .outOfMemory(for: name) }
    var code = avcodec_parameters_to_context(decoder.pointer, pointer)
    decoder.pointer.pointee.pkt_timebase = base
    decoder.pointer.pointee.thread_count = 0
    if isLive {
      // Threads that each take a picture would hold as many back.
      decoder.pointer.pointee.thread_type = FF_THREAD_SLICE
      decoder.pointer.pointee.flags |= AV_CODEC_FLAG_LOW_DELAY
    }
    decoder.answer(damage)
    decoder.cropExactly()
    if code >= 0 { code = avcodec_open2(decoder.pointer, codec, nil) }
    guard code >= 0 else {
      throw CinematicError(
        .malformed, "\(name): the description of its pictures is damaged: \(FFmpeg.text(code))",
        remedy: "copy or download the file again")
    }
    return decoder
  }
}

extension UnsafeMutablePointer<AVCodecParameters> {
  var extradata: [UInt8] {
    guard let data = pointee.extradata else { return [] }
    return [UInt8](UnsafeBufferPointer(start: data, count: Int(pointee.extradata_size)))
  }
}

extension CodecParameters {
  /// The parameters as a sample entry: colours, pixel shape and the decoder's configuration in the
  /// boxes that a movie file has for them.
  ///
  /// - Parameters:
  ///   - aspect: of a pixel; 0 over something if it is unknown.
  ///   - hdrMetadata: what the container says about high dynamic range.
  ///   - dolbyVision: and about Dolby Vision; `nil` for other pictures.
  func sampleEntry(
    aspect: AVRational, hdrMetadata: HDRMetadata, dolbyVision: AVDOVIDecoderConfigurationRecord?
  ) throws(CinematicError) -> SampleEntry {
    switch values.codec_type {
    case AVMEDIA_TYPE_VIDEO:
      return try SampleEntry(
        visualBox(aspect, hdrMetadata.boxes + (dolbyVision.map { [$0.box] } ?? [])),
        handler: "vide")
    case AVMEDIA_TYPE_AUDIO:
      var entry = try SampleEntry(soundBox, handler: "soun")
      // The entry's own field ends at 65535.
      if case .audio(var audio) = entry.details {
        audio.sampleRate = Double(max(values.sample_rate, 0))
        audio.channelCount = Int(focal_channel_count(pointer))
        entry.details = .audio(audio)
      }
      return entry
    default: return try SampleEntry(Box(format, data: [0, 0, 0, 0, 0, 0, 0, 1]), handler: "data")
    }
  }

  /// - Parameter further: boxes about the light of the pictures.
  private func visualBox(_ aspect: AVRational, _ further: [Box]) -> Box {
    var extensions: [Box] = []
    if let configuration { extensions.append(configuration) }
    if let color = SampleEntry.ColorDescription(values) { extensions.append(color.box) }
    if aspect.num > 0, aspect.den > 0, aspect.num != aspect.den {
      extensions.append(SampleEntry.pixelAspect(UInt32(aspect.num), UInt32(aspect.den)))
    }
    extensions += further
    if let fields = SampleEntry.fields(values.field_order) { extensions.append(fields) }
    return SampleEntry.visual(
      format, dimensions: Dimensions(width: Int(values.width), height: Int(values.height)),
      name: String(cString: avcodec_get_name(values.codec_id)), extensions: extensions)
  }

  private var soundBox: Box {
    let parameters = extradata
    return SampleEntry.sound(
      format, channelCount: Int(focal_channel_count(pointer)),
      sampleRate: Int(max(values.sample_rate, 0)), samplesPerPacket: Int(max(values.frame_size, 0)),
      extensions: parameters.isEmpty ? [] : [Box("glbl", data: parameters)])
  }

  /// Parameter sets in the box of their own codec; anything else in QuickTime's general one.
  private var configuration: Box? {
    let bytes = extradata
    guard !bytes.isEmpty else { return nil }
    let isRecord = bytes[0] == 1 && !NetworkUnits.hasStartCode(bytes)
    return switch values.codec_id {
    case AV_CODEC_ID_HEVC where isRecord: Box("hvcC", data: bytes)
    case AV_CODEC_ID_H264 where isRecord: Box("avcC", data: bytes)
    case AV_CODEC_ID_AV1: Box("av1C", data: bytes)
    default: Box("glbl", data: bytes)
    }
  }

  /// The code of the sample entry: QuickTime's for the codec, else the container's own tag.
  private var format: FourCC {
    let hasRecord = configuration.map { $0.type == "hvcC" || $0.type == "avcC" } ?? false
    switch values.codec_id {
    case AV_CODEC_ID_HEVC: return hasRecord ? "hvc1" : "hev1"
    case AV_CODEC_ID_H264: return hasRecord ? "avc1" : "avc3"
    case AV_CODEC_ID_VP8: return "vp08"
    default: break
    }
    var tables = [avformat_get_mov_video_tags(), avformat_get_mov_audio_tags(), nil]
    let known = tables.withUnsafeMutableBufferPointer {
      av_codec_get_tag($0.baseAddress!, values.codec_id)
    }
    let tag = known != 0 ? known : values.codec_tag
    guard tag == 0 else { return FourCC(rawValue: tag.byteSwapped) }
    // A codec that no container gives a code is called by its name.
    let letters = Array(String(cString: avcodec_get_name(values.codec_id)).utf8.prefix(4))
    let padded = letters + [UInt8](repeating: 0x20, count: 4 - letters.count)
    return FourCC(rawValue: padded.reduce(0) { $0 << 8 | UInt32($1) })
  }
}

extension SampleEntry.ColorDescription {
  /// A stream's statement about its colours; `nil` if it makes none.
  init?(_ parameters: AVCodecParameters) {
    let isFull = parameters.color_range == AVCOL_RANGE_JPEG
    let codes = [
      parameters.color_primaries.rawValue, parameters.color_trc.rawValue,
      parameters.color_space.rawValue,
    ]
    guard isFull || codes.contains(where: { $0 != 2 && $0 != 0 }) else { return nil }
    self.init(
      primaries: UInt16(truncatingIfNeeded: codes[0]),
      transfer: UInt16(truncatingIfNeeded: codes[1]), matrix: UInt16(truncatingIfNeeded: codes[2]),
      isFullRange: isFull)
  }
}

extension AVDOVIDecoderConfigurationRecord {
  /// The record as a movie file has it.
  var box: Box {
    let type: FourCC = dv_profile > 10 ? "dvwC" : dv_profile > 7 ? "dvvC" : "dvcC"
    let (profile, level) = (UInt16(dv_profile & 0x7F), UInt16(dv_level & 0x3F))
    var parts: UInt16 = rpu_present_flag != 0 ? 4 : 0
    if el_present_flag != 0 { parts |= 2 }
    if bl_present_flag != 0 { parts |= 1 }
    return Box(type) { writer in
      writer.u8(dv_version_major)
      writer.u8(dv_version_minor)
      writer.u16(profile << 9 | level << 3 | parts)
      writer.u8(dv_bl_signal_compatibility_id << 4)
      writer.zeros(19)
    }
  }
}
