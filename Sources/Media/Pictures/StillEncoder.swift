// SPDX-License-Identifier: Apache-2.0

import CFFmpeg
import FocalCore

/// Encodes picture files: one frame, one packet, one file.
enum StillEncoder {
  /// Writes a picture into a temporary file.
  ///
  /// - Throws: `invalidParameter` for a format or transfer function that the kind of file cannot
  ///   hold, `unwritable`.
  static func write(
    _ buffer: PixelBuffer, kind: StillKind, to file: OutputFile
  ) throws(CinematicError) {
    let packet = try encode(buffer, kind: kind, path: file.path)
    // Only its pointer is used below.
    defer { withExtendedLifetime(packet) {} }
    try file.write(
      UnsafeRawBufferPointer(
        start: packet.pointer.pointee.data, count: Int(packet.pointer.pointee.size)))
  }

  private static func encode(
    _ buffer: PixelBuffer, kind: StillKind, path: String
  ) throws(CinematicError) -> Packet {
    _ = FFmpeg.prepared
    try check(buffer, kind, path)
    guard let codec = avcodec_find_encoder(kind.codec), let context = CodecContext(codec),
      let frame = PictureFrame(), let packet = Packet()
    else {
      throw CinematicError(
        .unsupported, "this build of FFmpeg has no encoder for \(kind.name), which \(path) needs")
    }
    defer { withExtendedLifetime((context, frame)) {} }
    let rows = PixelRows(buffer)
    let format = pixelFormat(of: rows, kind: kind)
    frame.pointer.pointee.format = format.rawValue
    frame.pointer.pointee.width = Int32(buffer.width)
    frame.pointer.pointee.height = Int32(buffer.height)
    let codes = Self.storedColorCodes(buffer.tags)
    let options = context.pointer
    options.pointee.pix_fmt = format
    options.pointee.width = Int32(buffer.width)
    options.pointee.height = Int32(buffer.height)
    options.pointee.time_base = AVRational(num: 1, den: 30)
    options.pointee.thread_count = 1
    if !buffer.format.isDisparity {
      // PNG stores these as its gamma and chromaticities.
      options.pointee.color_primaries = AVColorPrimaries(codes.primaries)
      options.pointee.color_trc = AVColorTransferCharacteristic(codes.transfer)
      frame.pointer.pointee.color_primaries = options.pointee.color_primaries
      frame.pointer.pointee.color_trc = options.pointee.color_trc
    }
    var dictionary: OpaquePointer?
    defer { av_dict_free(&dictionary) }
    switch kind {
    case .png: av_dict_set(&dictionary, "pred", "paeth", 0)
    case .tiff: av_dict_set(&dictionary, "compression_algo", "deflate", 0)
    case .openEXR:
      av_dict_set(&dictionary, "compression", "zip16", 0)
      let isHalf = buffer.format == .rgbaHalf || buffer.format == .disparityHalf
      av_dict_set(&dictionary, "format", isHalf ? "half" : "float", 0)
    case .jpeg, .pfm: break
    }
    var code = av_frame_get_buffer(frame.pointer, 0)
    guard code >= 0, let layout = PixelLayout(format) else { throw .outOfMemory(for: path) }
    rows.fill(frame, layout)
    if kind == .pfm, PortableFloatMap.isTurnedByFFmpeg { focal_frame_flip(frame.pointer) }
    code = avcodec_open2(context.pointer, codec, &dictionary)
    if code >= 0 { code = avcodec_send_frame(context.pointer, frame.pointer) }
    if code >= 0 { code = avcodec_receive_packet(context.pointer, packet.pointer) }
    guard code >= 0 else {
      if code == FFmpeg.outOfMemory { throw .outOfMemory(for: path) }
      throw CinematicError(
        .unwritable, "cannot encode \(path) as \(kind.name): \(FFmpeg.text(code))")
    }
    return packet
  }

  /// Codes of a movie of standard range are a picture's, as they are, and a picture says sRGB: viewers
  /// that heed a file's gamma would show them by a camera's curve.
  private static func storedColorCodes(_ tags: ColorTags) -> ColorCodes {
    var tags = tags
    if tags.transfer == .bt709 { tags.transfer = .srgb }
    return ColorCodes(tags)
  }

  /// Refuses what a reader of the file would misunderstand.
  private static func check(
    _ buffer: PixelBuffer, _ kind: StillKind, _ path: String
  ) throws(CinematicError) {
    if buffer.format.isBiPlanar {
      throw CinematicError(
        .invalidParameter, "\(path) cannot hold luma and chroma planes (\(buffer.format))",
        remedy: "render to RGBA")
    }
    if buffer.format.isDisparity { return }
    let isGray = buffer.format == .gray8 || buffer.format == .gray16
    switch (kind, buffer.tags.transfer) {
    case (.png, .linear) where !isGray, (.tiff, .linear) where !isGray:
      throw CinematicError(
        .invalidParameter,
        "\(path) would hold linear light, which \(kind.name) viewers take for sRGB",
        remedy: "encode it with the sRGB transfer function, or write .exr or .pfm")
    case (.openEXR, let transfer) where transfer != .linear && !isGray:
      throw CinematicError(
        .invalidParameter, "OpenEXR holds linear light, and the picture for \(path) is \(transfer)",
        remedy: "render to linear light, or write .png")
    default: return
    }
  }

  private static func pixelFormat(of rows: PixelRows, kind: StillKind) -> AVPixelFormat {
    let isGray = rows.channels == 1
    let alpha = rows.hasAlpha
    switch kind {
    case .pfm: return isGray ? AV_PIX_FMT_GRAYF32LE : AV_PIX_FMT_GBRPF32LE
    case .openEXR:
      return isGray
        ? AV_PIX_FMT_GRAYF32LE : alpha ? AV_PIX_FMT_GBRAPF32LE : AV_PIX_FMT_GBRPF32LE
    case .png, .jpeg:
      if rows.isDeep {
        return isGray ? AV_PIX_FMT_GRAY16BE : alpha ? AV_PIX_FMT_RGBA64BE : AV_PIX_FMT_RGB48BE
      }
    case .tiff:
      if rows.isDeep {
        return isGray ? AV_PIX_FMT_GRAY16LE : alpha ? AV_PIX_FMT_RGBA64LE : AV_PIX_FMT_RGB48LE
      }
    }
    return isGray ? AV_PIX_FMT_GRAY8 : alpha ? AV_PIX_FMT_RGBA : AV_PIX_FMT_RGB24
  }
}
