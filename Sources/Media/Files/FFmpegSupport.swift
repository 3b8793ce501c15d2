// SPDX-License-Identifier: Apache-2.0

import CFFmpeg
import FocalCore

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// FFmpeg's libraries as every file of this module needs them.
enum FFmpeg {
  /// Silences the libraries' own log, once: a library prints nothing, and every failure comes back
  /// as a ``CinematicError`` that quotes the reason.
  static let prepared: Void = focal_silence_log()

  static let again = focal_averror_again()
  static let endOfFile = focal_averror_end_of_file()
  static let invalidData = focal_averror_invalid_data()
  static let outOfMemory = focal_averror_out_of_memory()
  static let interrupted = focal_averror_exit()
  static let noTimestamp = focal_no_timestamp()

  /// The library's words for an error code, and the code.
  static func text(_ code: Int32) -> String {
    let text = withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer in
      focal_error_text(code, buffer.baseAddress!, buffer.count)
      return String(cString: buffer.baseAddress!)
    }
    return text.isEmpty ? "error \(code)" : text
  }

  /// The library's words for the damage of a file. Demuxers lend the system's numbers for damage, whose words are
  /// about something else: of them, nothing is said.
  static func damage(_ code: Int32) -> String? { code > -4096 ? nil : text(code) }
}

/// The system's words for an error number.
func systemErrorText(_ number: Int32) -> String { String(cString: strerror(number)) }

extension CinematicError {
  static func outOfMemory(for path: String) -> CinematicError {
    CinematicError(.outOfMemory, "no memory left for \(path)", remedy: "use a smaller picture")
  }
}

/// Owns an `AVFrame`.
final class PictureFrame {
  let pointer: UnsafeMutablePointer<AVFrame>
  /// The metadata of a picture file.
  var metadata = PictureMetadata()
  /// Of the interlaced picture that this one was made of.
  var interlacedOrder: FieldOrder?

  init?() {
    guard let frame = av_frame_alloc() else { return nil }
    pointer = frame
  }

  /// A frame with room for pixels.
  convenience init?(_ format: AVPixelFormat, _ dimensions: Dimensions) {
    guard let width = Int32(exactly: dimensions.width),
      let height = Int32(exactly: dimensions.height)
    else { return nil }
    self.init()
    pointer.pointee.format = format.rawValue
    pointer.pointee.width = width
    pointer.pointee.height = height
    guard av_frame_get_buffer(pointer, 0) == 0 else { return nil }
  }

  deinit {
    var frame: UnsafeMutablePointer<AVFrame>? = pointer
    av_frame_free(&frame)
  }

  var pixelFormat: AVPixelFormat { AVPixelFormat(rawValue: pointer.pointee.format) }
  var dimensions: Dimensions {
    Dimensions(width: Int(pointer.pointee.width), height: Int(pointer.pointee.height))
  }

  /// First byte of a row of plane `index`; rows may run upwards in memory.
  func row(_ y: Int, ofPlane index: Int) -> UnsafeMutableRawPointer {
    let data = pointer.pointee.data
    let strides = pointer.pointee.linesize
    let (base, stride) =
      switch index {
      case 0: (data.0, strides.0)
      case 1: (data.1, strides.1)
      case 2: (data.2, strides.2)
      default: (data.3, strides.3)
      }
    return UnsafeMutableRawPointer(base!) + y * Int(stride)
  }
}

/// Owns an `AVPacket`.
final class Packet {
  let pointer: UnsafeMutablePointer<AVPacket>

  init?() {
    guard let packet = av_packet_alloc() else { return nil }
    pointer = packet
  }

  deinit {
    var packet: UnsafeMutablePointer<AVPacket>? = pointer
    av_packet_free(&packet)
  }
}

/// Owns an `AVCodecContext`.
final class CodecContext {
  let pointer: UnsafeMutablePointer<AVCodecContext>

  init?(_ codec: UnsafePointer<AVCodec>) {
    guard let context = avcodec_alloc_context3(codec) else { return nil }
    pointer = context
  }

  deinit {
    var context: UnsafeMutablePointer<AVCodecContext>? = pointer
    avcodec_free_context(&context)
  }
}

extension CodecContext {
  /// Sends a frame to an encoder, `nil` after the last one, and takes the packets that are ready then.
  ///
  /// - Parameters:
  ///   - packet: holds each of them while it is taken.
  ///   - failed: the error for a code of FFmpeg.
  func encode(
    _ frame: UnsafeMutablePointer<AVFrame>?, _ packet: Packet, failed: (Int32) -> CinematicError,
    take: (Packet) throws(CinematicError) -> Void
  ) throws(CinematicError) {
    let sent = avcodec_send_frame(pointer, frame)
    guard sent >= 0 || (frame == nil && sent == FFmpeg.endOfFile) else { throw failed(sent) }
    while true {
      let code = avcodec_receive_packet(pointer, packet.pointer)
      if code == FFmpeg.again || code == FFmpeg.endOfFile { return }
      guard code >= 0 else { throw failed(code) }
      defer { av_packet_unref(packet.pointer) }
      try take(packet)
    }
  }

  /// The configuration that a decoder needs before the first packet.
  var extradata: [UInt8] {
    guard let data = pointer.pointee.extradata else { return [] }
    return [UInt8](UnsafeBufferPointer(start: data, count: Int(pointer.pointee.extradata_size)))
  }
}

extension Packet {
  var bytes: [UInt8] {
    guard let data = pointer.pointee.data else { return [] }
    return [UInt8](UnsafeBufferPointer(start: data, count: Int(pointer.pointee.size)))
  }

  /// What it carries beside its bytes; `nil` if it has nothing of the kind.
  func sideData(_ type: AVPacketSideDataType) -> [UInt8]? {
    var size = 0
    guard let data = av_packet_get_side_data(pointer, type, &size), size > 0 else { return nil }
    return [UInt8](UnsafeBufferPointer(start: data, count: size))
  }

  /// Fills it with bytes.
  ///
  /// - Returns: whether there was memory.
  func fill(_ bytes: [UInt8]) -> Bool {
    guard let count = Int32(exactly: bytes.count), av_new_packet(pointer, count) == 0 else {
      return false
    }
    bytes.withUnsafeBytes { bytes in
      if let base = bytes.baseAddress {
        UnsafeMutableRawPointer(pointer.pointee.data).copyMemory(
          from: base, byteCount: bytes.count)
      }
    }
    return true
  }

  /// Puts bytes beside its own.
  ///
  /// - Returns: whether there was memory.
  func add(_ bytes: [UInt8], as type: AVPacketSideDataType) -> Bool {
    guard let data = av_packet_new_side_data(pointer, type, bytes.count) else { return false }
    for (place, byte) in bytes.enumerated() { data[place] = byte }
    return true
  }
}

/// Owns an opened `AVFormatContext` for reading.
final class InputContext {
  let pointer: UnsafeMutablePointer<AVFormatContext>
  /// The context's input; freed after it.
  let io: SourceIO

  /// Opens a container that is read through `io`, told by its content alone, and nothing else,
  /// whatever it refers to. Its streams are not looked at yet.
  ///
  /// - Throws: `unsupported` for what libavformat does not know, and for pictures, playlists and texts.
  init(_ io: SourceIO) throws(CinematicError) {
    _ = FFmpeg.prepared
    var probed: UnsafePointer<AVInputFormat>?
    let score = av_probe_input_buffer2(io.context, &probed, nil, nil, 0, 0)
    guard score >= 0, var format = probed else {
      try Self.refuseRadiance(io)
      throw io.error(score)
    }
    // A PNG that comes here moves, and the probe misses it where that stands far behind the beginning.
    if String(cString: format.pointee.name) == "png_pipe",
      let moving = av_find_input_format("apng")
    {
      format = moving
    }
    let names = String(cString: format.pointee.name)
    guard !names.hasSuffix("_pipe") else {
      throw .isPictureOfOtherKind(io.name, String(names.dropLast("_pipe".count)).uppercased())
    }
    guard Demuxers.readsOneFile(names) else {
      try Self.refuseRadiance(io)
      throw CinematicError(
        .unsupported, "\(io.name) is no movie: FFmpeg takes it for '\(names)'",
        remedy: "give a movie file")
    }
    guard let allocated = avformat_alloc_context() else { throw .outOfMemory(for: io.name) }
    allocated.pointee.pb = io.context
    allocated.pointee.interrupt_callback = io.interruptCallback
    focal_refuse_other_files(allocated)
    // Demuxers that reach the network themselves do not ask to open another file.
    allocated.pointee.protocol_whitelist = av_strdup("none")
    var context: UnsafeMutablePointer<AVFormatContext>? = allocated
    let opened = avformat_open_input(&context, nil, format, nil)
    guard opened == 0, let context else { throw io.error(opened) }
    pointer = context
    self.io = io
  }

  deinit {
    var context: UnsafeMutablePointer<AVFormatContext>? = pointer
    avformat_close_input(&context)
  }

  /// FFmpeg has no probe for pictures of Radiance, and takes their text for another one.
  ///
  /// - Throws: `unsupported` for such a picture.
  private static func refuseRadiance(_ io: SourceIO) throws(CinematicError) {
    let heads = ["#?RADIANCE", "#?RGBE"].map { Array($0.utf8) }
    var bytes = [UInt8](repeating: 0, count: heads[0].count)
    _ = avio_read(io.context, &bytes, Int32(bytes.count))
    guard heads.contains(where: { bytes.starts(with: $0) }) else { return }
    throw .isPictureOfOtherKind(io.name, "Radiance HDR")
  }

  var streams: UnsafeBufferPointer<UnsafeMutablePointer<AVStream>?> {
    UnsafeBufferPointer(start: pointer.pointee.streams, count: Int(pointer.pointee.nb_streams))
  }

  /// The demuxer's short names, such as `mov,mp4,m4a,3gp,3g2,mj2`.
  var formatName: String { String(cString: pointer.pointee.iformat.pointee.name) }
}
