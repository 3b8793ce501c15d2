// SPDX-License-Identifier: Apache-2.0

import CFFmpeg
import FocalCore

/// Picture files that FFmpeg's libraries decode and encode: one file, one packet, one frame.
enum FFmpegPictures {
  /// The picture of a file.
  ///
  /// - Parameter repaired: the file without what the library takes for no picture at all.
  /// - Throws: `malformed` for a damaged one, unless the request is to go on and a picture comes of it.
  static func decode(
    _ file: [UInt8], _ kind: StillKind, _ codec: AVCodecID, _ request: StillRequest,
    repaired: () -> [UInt8]? = { nil }
  ) throws(CinematicError) -> PictureFrame {
    do throws(CinematicError) {
      return try decode(file, kind, codec, path: request.path, refusesDamage: true)
    } catch {
      guard error.code == .malformed, !request.damage.stops else { throw error }
      let frame = try tolerantly(file, kind, codec, request, repaired)
      try request.damage.meet(error)
      return frame
    }
  }

  private static func tolerantly(
    _ file: [UInt8], _ kind: StillKind, _ codec: AVCodecID, _ request: StillRequest,
    _ repaired: () -> [UInt8]?
  ) throws(CinematicError) -> PictureFrame {
    do throws(CinematicError) {
      return try decode(file, kind, codec, path: request.path, refusesDamage: false)
    } catch {
      guard error.code == .malformed, let repaired = repaired() else { throw error }
      return try decode(repaired, kind, codec, path: request.path, refusesDamage: false)
    }
  }

  private static func decode(
    _ file: [UInt8], _ kind: StillKind, _ codec: AVCodecID, path: String, refusesDamage: Bool
  ) throws(CinematicError) -> PictureFrame {
    _ = FFmpeg.prepared
    guard let count = Int32(exactly: file.count), count <= Int32.max - 4096 else {
      throw CinematicError(.unsupported, "\(path) is too large for a picture (\(file.count) bytes)")
    }
    guard let packet = Packet(), av_new_packet(packet.pointer, count) == 0 else {
      throw .outOfMemory(for: path)
    }
    file.withUnsafeBytes {
      UnsafeMutableRawBufferPointer(
        start: packet.pointer.pointee.data, count: Int(packet.pointer.pointee.size)
      ).copyMemory(from: $0)
    }
    guard let decoder = avcodec_find_decoder(codec), let context = CodecContext(decoder) else {
      throw CinematicError(
        .unsupported,
        "this build of FFmpeg has no decoder for \(kind.name), which \(path) needs")
    }
    // One picture: only slices can be decoded side by side.
    context.pointer.pointee.thread_count = 0
    context.pointer.pointee.thread_type = FF_THREAD_SLICE
    if refusesDamage {
      // Half a picture is an error.
      context.pointer.pointee.err_recognition =
        AV_EF_CRCCHECK | AV_EF_BITSTREAM | AV_EF_BUFFER | AV_EF_EXPLODE
    } else {
      context.pointer.pointee.flags |= AV_CODEC_FLAG_OUTPUT_CORRUPT
    }
    packet.pointer.pointee.flags |= AV_PKT_FLAG_KEY
    guard let frame = PictureFrame() else { throw .outOfMemory(for: path) }
    // Only their pointers are used below; the owners must live as long.
    defer { withExtendedLifetime((packet, context)) {} }
    var code = avcodec_open2(context.pointer, decoder, nil)
    if code >= 0 { code = avcodec_send_packet(context.pointer, packet.pointer) }
    if code >= 0 { code = avcodec_send_packet(context.pointer, nil) }
    if code >= 0 || code == FFmpeg.endOfFile {
      code = avcodec_receive_frame(context.pointer, frame.pointer)
    }
    guard code >= 0 else { throw damaged(path, kind, code) }
    guard !refusesDamage || focal_frame_is_damaged(frame.pointer) == 0 else {
      throw truncated(path, kind)
    }
    return frame
  }

  /// - Parameters:
  ///   - format: what is encoded.
  ///   - options: the encoder's.
  static func encode(
    _ picture: StillPicture, _ kind: StillKind, _ codec: AVCodecID, _ format: AVPixelFormat,
    options: [String: String] = [:], flips: Bool = false
  ) throws(CinematicError) -> [UInt8] {
    _ = FFmpeg.prepared
    let (buffer, path) = (picture.buffer, picture.path)
    guard let encoder = avcodec_find_encoder(codec), let context = CodecContext(encoder),
      let frame = PictureFrame(), let packet = Packet()
    else {
      throw CinematicError(
        .unsupported, "this build of FFmpeg has no encoder for \(kind.name), which \(path) needs")
    }
    defer { withExtendedLifetime((context, frame)) {} }
    frame.pointer.pointee.format = format.rawValue
    frame.pointer.pointee.width = Int32(buffer.width)
    frame.pointer.pointee.height = Int32(buffer.height)
    let settings = context.pointer
    settings.pointee.pix_fmt = format
    settings.pointee.width = Int32(buffer.width)
    settings.pointee.height = Int32(buffer.height)
    settings.pointee.time_base = AVRational(num: 1, den: 30)
    settings.pointee.thread_count = 1
    if !buffer.format.isDisparity, picture.metadata.profile?.isConverted != true {
      // PNG stores these as its gamma and chromaticities.
      let codes = storedColorCodes(buffer.tags)
      settings.pointee.color_primaries = AVColorPrimaries(codes.primaries)
      settings.pointee.color_trc = AVColorTransferCharacteristic(codes.transfer)
      frame.pointer.pointee.color_primaries = settings.pointee.color_primaries
      frame.pointer.pointee.color_trc = settings.pointee.color_trc
    }
    var dictionary: OpaquePointer?
    defer { av_dict_free(&dictionary) }
    for (name, value) in options { av_dict_set(&dictionary, name, value, 0) }
    var code = av_frame_get_buffer(frame.pointer, 0)
    guard code >= 0, let layout = PixelLayout(format) else { throw .outOfMemory(for: path) }
    PixelRows(buffer).fill(frame, layout)
    if flips { focal_frame_flip(frame.pointer) }
    code = avcodec_open2(context.pointer, encoder, &dictionary)
    if code >= 0 { code = avcodec_send_frame(context.pointer, frame.pointer) }
    if code >= 0 { code = avcodec_receive_packet(context.pointer, packet.pointer) }
    guard code >= 0 else {
      if code == FFmpeg.outOfMemory { throw .outOfMemory(for: path) }
      throw CinematicError(
        .unwritable, "cannot encode \(path) as \(kind.name): \(FFmpeg.text(code))")
    }
    return packet.bytes
  }

  /// Codes of a movie of standard range are a picture's, as they are, and a picture says sRGB: viewers
  /// that heed a file's gamma would show them by a camera's curve.
  private static func storedColorCodes(_ tags: ColorTags) -> ColorCodes {
    var tags = tags
    if tags.transfer == .bt709 { tags.transfer = .srgb }
    return ColorCodes(tags)
  }

  static func truncated(_ path: String, _ kind: StillKind) -> CinematicError {
    CinematicError(
      .malformed, "\(path) is cut short or damaged (\(kind.name))",
      remedy: "make or copy the file again")
  }

  private static func damaged(
    _ path: String, _ kind: StillKind, _ code: Int32
  ) -> CinematicError {
    if code == FFmpeg.outOfMemory { return .outOfMemory(for: path) }
    let reason =
      code == FFmpeg.endOfFile || code == FFmpeg.again ? "no picture in it" : FFmpeg.text(code)
    return CinematicError(
      .malformed, "\(path) is damaged or cut short (\(kind.name): \(reason))",
      remedy: "make or copy the file again")
  }
}
