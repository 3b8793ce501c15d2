// SPDX-License-Identifier: Apache-2.0

import CFFmpeg
import FocalCore

/// Decodes picture files: one file, one packet, one frame.
enum StillDecoder {
  /// The picture of a file.
  ///
  /// - Parameters:
  ///   - bytes: the whole file.
  ///   - path: the file's name, for messages.
  /// - Throws: `malformed` for a damaged or truncated file or one of another kind.
  static func decode(_ bytes: [UInt8], path: String) throws(CinematicError) -> PictureFrame {
    guard let kind = StillKind(magic: Array(bytes.prefix(8))) else {
      throw CinematicError(
        .malformed, "\(path) is not a picture",
        remedy: "numbered files are PNG, JPEG, TIFF, PFM or OpenEXR pictures")
    }
    return try decode(bytes, kind, path)
  }

  private static func decode(
    _ file: [UInt8], _ kind: StillKind, _ path: String
  ) throws(CinematicError) -> PictureFrame {
    _ = FFmpeg.prepared
    guard let count = Int32(exactly: file.count), count <= Int32.max - 4096 else {
      throw CinematicError(.unsupported, "\(path) is too large for a picture (\(file.count) bytes)")
    }
    guard let packet = Packet(), av_new_packet(packet.pointer, count) == 0 else {
      throw .outOfMemory(for: path)
    }
    let bytes = UnsafeRawBufferPointer(
      start: packet.pointer.pointee.data, count: Int(packet.pointer.pointee.size))
    file.withUnsafeBytes {
      UnsafeMutableRawBufferPointer(mutating: bytes).copyMemory(from: $0)
    }
    switch kind {
    case .png where !FileShape.isWholePNG(bytes), .jpeg where !FileShape.isWholeJPEG(bytes),
      .openEXR where !OpenEXRShape.isWhole(bytes):
      throw truncated(path, kind)
    case .png: try checkSize(path, bytes)
    default: break
    }
    guard let codec = avcodec_find_decoder(kind.codec), let context = CodecContext(codec) else {
      throw CinematicError(
        .unsupported,
        "this build of FFmpeg has no decoder for \(kind.name), which \(path) needs")
    }
    // One picture: only slices can be decoded side by side.
    context.pointer.pointee.thread_count = 0
    context.pointer.pointee.thread_type = FF_THREAD_SLICE
    // Half a picture is an error. (The TIFF decoder would also fail on tags that it does not know.)
    context.pointer.pointee.err_recognition =
      AV_EF_CRCCHECK | AV_EF_BITSTREAM | AV_EF_BUFFER | (kind == .tiff ? 0 : AV_EF_EXPLODE)
    packet.pointer.pointee.flags |= AV_PKT_FLAG_KEY
    guard let frame = PictureFrame() else { throw .outOfMemory(for: path) }
    // Only their pointers are used below; the owners must live as long.
    defer { withExtendedLifetime((packet, context)) {} }
    var code = avcodec_open2(context.pointer, codec, nil)
    if code >= 0 { code = avcodec_send_packet(context.pointer, packet.pointer) }
    if code >= 0 { code = avcodec_send_packet(context.pointer, nil) }
    if code >= 0 || code == FFmpeg.endOfFile {
      code = avcodec_receive_frame(context.pointer, frame.pointer)
    }
    guard code >= 0 else { throw damaged(path, kind, code) }
    guard focal_frame_is_damaged(frame.pointer) == 0 else { throw truncated(path, kind) }
    if kind == .pfm, PortableFloatMap.isTurnedByFFmpeg { focal_frame_flip(frame.pointer) }
    return frame
  }

  /// A PNG says its size first: a better message than the decoder's for none or too much.
  private static func checkSize(
    _ path: String, _ bytes: UnsafeRawBufferPointer
  ) throws(CinematicError) {
    guard bytes.count >= 24 else { return }
    let width = UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: 16, as: UInt32.self))
    let height = UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: 20, as: UInt32.self))
    if width == 0 || height == 0 {
      throw CinematicError(
        .malformed, "\(path) is a picture of \(width)x\(height) pixels",
        remedy: "give a picture of at least one pixel")
    }
  }

  private static func truncated(_ path: String, _ kind: StillKind) -> CinematicError {
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
