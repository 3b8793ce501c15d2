// SPDX-License-Identifier: Apache-2.0

import CFFmpeg
import FocalBoxes
import FocalCore

/// How sound is coded: what decoders and containers must know.
// @unchecked Sendable: nothing changes what the pointer points to after the initialiser.
final class SoundParameters: @unchecked Sendable {
  let pointer: UnsafeMutablePointer<AVCodecParameters>

  deinit {
    var parameters: UnsafeMutablePointer<AVCodecParameters>? = pointer
    avcodec_parameters_free(&parameters)
  }

  /// - Throws: `outOfMemory`.
  init(_ other: CodecParameters, name: String) throws(CinematicError) {
    guard let made = avcodec_parameters_alloc() else { throw .outOfMemory(for: name) }
    pointer = made
    guard avcodec_parameters_copy(made, other.pointer) >= 0 else { throw .outOfMemory(for: name) }
    // The tag of one container may mean something else in another.
    made.pointee.codec_tag = 0
    settle()
  }

  /// `nil` where no memory is left.
  ///
  /// - Parameters:
  ///   - extradata: the decoder's configuration in FFmpeg's form.
  ///   - packetLength: samples of a packet; 0 where that varies.
  init?(
    _ codec: AVCodecID, sampleRate: Int32, channelCount: Int32, extradata: [UInt8],
    packetLength: Int32
  ) {
    guard let made = avcodec_parameters_alloc() else { return nil }
    pointer = made
    made.pointee.codec_type = AVMEDIA_TYPE_AUDIO
    made.pointee.codec_id = codec
    made.pointee.sample_rate = sampleRate
    made.pointee.frame_size = packetLength
    // Where they are heard, the decoder or the container may say.
    made.pointee.ch_layout.nb_channels = max(channelCount, 1)
    if !extradata.isEmpty {
      let padding = Int(AV_INPUT_BUFFER_PADDING_SIZE)
      guard let memory = av_mallocz(extradata.count + padding) else { return nil }
      extradata.withUnsafeBytes { memory.copyMemory(from: $0.baseAddress!, byteCount: $0.count) }
      made.pointee.extradata = memory.assumingMemoryBound(to: UInt8.self)
      made.pointee.extradata_size = Int32(extradata.count)
    }
    settle()
  }

  /// The same coding, with its channels where other parameters of the same sound say that they are heard.
  ///
  /// - Throws: `outOfMemory`.
  init(
    _ other: SoundParameters, layoutOf said: CodecParameters, name: String
  ) throws(CinematicError) {
    guard let made = avcodec_parameters_alloc() else { throw .outOfMemory(for: name) }
    pointer = made
    guard avcodec_parameters_copy(made, other.pointer) >= 0,
      focal_channel_count(said.pointer) != other.channelCount
        || av_channel_layout_copy(&made.pointee.ch_layout, &said.pointer.pointee.ch_layout) >= 0
    else { throw .outOfMemory(for: name) }
  }

  /// The same coding as its first packet tells of it: entries of MPEG audio in MP4 say two channels for one, too.
  ///
  /// - Returns: `nil` for codings of another kind, packets without such a head, and where both say the same.
  /// - Throws: `outOfMemory`.
  init?(
    _ other: SoundParameters, toldBy firstPacket: [UInt8], name: String
  ) throws(CinematicError) {
    guard [AV_CODEC_ID_MP3, AV_CODEC_ID_MP2].contains(other.codec),
      let head = SoundFrameHeader.MPEGAudio(firstPacket),
      head.channelCount != other.channelCount || head.sampleRate != other.sampleRate
    else { return nil }
    guard let made = avcodec_parameters_alloc() else { throw .outOfMemory(for: name) }
    pointer = made
    guard avcodec_parameters_copy(made, other.pointer) >= 0 else { throw .outOfMemory(for: name) }
    made.pointee.sample_rate = Int32(head.sampleRate)
    made.pointee.frame_size = Int32(head.frameLength)
    av_channel_layout_uninit(&made.pointee.ch_layout)
    // One is heard in the middle, two at the sides: the decoder says so.
    made.pointee.ch_layout.nb_channels = Int32(head.channelCount)
  }

  /// The output of an opened encoder; `nil` if no memory is left.
  init?(context: UnsafeMutablePointer<AVCodecContext>) {
    guard let made = avcodec_parameters_alloc() else { return nil }
    pointer = made
    guard avcodec_parameters_from_context(made, context) >= 0 else { return nil }
    made.pointee.codec_tag = 0
  }

  /// Plain samples have a size, and packets of ALAC a length, which containers do not always say.
  private func settle() {
    let cookie = extradata
    if codec == AV_CODEC_ID_ALAC, packetLength <= 0, cookie.count == 36 {
      // Behind the box's head, version and flags.
      let length = cookie[12..<16].reduce(0) { $0 << 8 | Int64($1) }
      pointer.pointee.frame_size = Int32(clamping: length)
    }
    guard bytesPerFrame > 0 else { return }
    pointer.pointee.bits_per_coded_sample = bitsPerPlainSample
    pointer.pointee.block_align = Int32(bytesPerFrame)
    pointer.pointee.frame_size = 0
  }

  var codec: AVCodecID { pointer.pointee.codec_id }
  /// The decoder's configuration in FFmpeg's form.
  var extradata: [UInt8] { pointer.extradata }
  var codecName: String { String(cString: avcodec_get_name(codec)) }
  var sampleRate: Int32 { max(pointer.pointee.sample_rate, 1) }
  var channelCount: Int32 { pointer.pointee.ch_layout.nb_channels }
  /// Samples of a packet; 0 where that varies.
  var packetLength: Int64 { Int64(pointer.pointee.frame_size) }

  private var bitsPerPlainSample: Int32 { av_get_exact_bits_per_sample(codec) }

  /// Bytes of one sample of all channels where samples are plain numbers, which can be cut anywhere;
  /// else 0.
  var bytesPerFrame: Int {
    let bits = bitsPerPlainSample
    return bits > 0 && bits % 8 == 0 ? Int(bits) / 8 * Int(channelCount) : 0
  }

  /// How many packets before the wanted one a decoder must see: what overlapping transforms need.
  var prerollCount: Int64 {
    if bytesPerFrame > 0 { return 0 }
    // Opus settles within 80 ms.
    return codec == AV_CODEC_ID_OPUS ? 4 : 1
  }

  /// Samples at the beginning of a stream that its decoder leaves out, whatever the container says: of
  /// Opus, by the head of its configuration (RFC 7845 §5.1).
  var preSkip: Int64 {
    let head = extradata
    return codec == AV_CODEC_ID_OPUS && head.count >= 12
      ? Int64(head[10]) | Int64(head[11]) << 8 : 0
  }

  /// Whether the head of a packet says of the coding what its description may not.
  var isToldByPackets: Bool {
    switch codec {
    case AV_CODEC_ID_AAC: extradata.count < 2
    case AV_CODEC_ID_MP3, AV_CODEC_ID_MP2, AV_CODEC_ID_AC3, AV_CODEC_ID_EAC3: true
    default: false
    }
  }

  /// Whether packets of both can follow each other in one track.
  func isSameCoding(as other: SoundParameters) -> Bool {
    codec == other.codec && sampleRate == other.sampleRate && channelCount == other.channelCount
      && extradata == other.extradata && hasPlaces(of: other)
  }

  /// Of plain samples, the description alone says where more than two channels are heard.
  private func hasPlaces(of other: SoundParameters) -> Bool {
    guard bytesPerFrame > 0, channelCount > 2 else { return true }
    return SoundLayout(pointer.pointee.ch_layout) == SoundLayout(other.pointer.pointee.ch_layout)
  }

  /// An opened decoder that leaves out nothing by itself.
  ///
  /// - Throws: `unsupported` where this FFmpeg has none, `malformed` where it refuses the
  ///   configuration.
  func makeDecoder(name: String) throws(CinematicError) -> CodecContext {
    guard let codec = avcodec_find_decoder(codec) else {
      throw CinematicError(
        .unsupported, "this build of FFmpeg cannot decode the sound of \(name) (\(codecName))",
        remedy: "convert its sound to AAC, or leave the sound out")
    }
    guard let decoder = CodecContext(codec) else { throw .outOfMemory(for: name) }
    guard avcodec_parameters_to_context(decoder.pointer, pointer) >= 0 else {
      throw .outOfMemory(for: name)
    }
    decoder.pointer.pointee.flags2 |= AV_CODEC_FLAG2_SKIP_MANUAL
    let code = avcodec_open2(decoder.pointer, codec, nil)
    guard code >= 0 else {
      throw CinematicError(
        .malformed,
        "the description of the sound of \(name) (\(codecName)) is damaged: \(FFmpeg.text(code))",
        remedy: "copy or download the file again, or leave the sound out")
    }
    return decoder
  }
}
