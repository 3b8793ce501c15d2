// SPDX-License-Identifier: Apache-2.0

import CFFmpeg

/// The order of rows in PFM files, which store the bottom row first.
enum PortableFloatMap {
  /// Whether this build of FFmpeg takes the file's first row for the top one, in reading and in
  /// writing: pictures must then be turned over. Found out by reading two pixels, since it is
  /// documented nowhere.
  static let isTurnedByFFmpeg: Bool = {
    // One column: the bottom row is 1, the top row is 2.
    var file = Array("Pf\n1 2\n-1.0\n".utf8)
    for value: Float in [1, 2] {
      withUnsafeBytes(of: value.bitPattern.littleEndian) { file.append(contentsOf: $0) }
    }
    guard let codec = avcodec_find_decoder(AV_CODEC_ID_PFM), let context = CodecContext(codec),
      let packet = Packet(), let frame = PictureFrame(),
      av_new_packet(packet.pointer, Int32(file.count)) >= 0
    else { return false }
    defer { withExtendedLifetime((context, packet)) {} }
    file.withUnsafeBytes { bytes in
      UnsafeMutableRawPointer(packet.pointer.pointee.data)
        .copyMemory(from: bytes.baseAddress!, byteCount: bytes.count)
    }
    guard avcodec_open2(context.pointer, codec, nil) >= 0,
      avcodec_send_packet(context.pointer, packet.pointer) >= 0,
      avcodec_receive_frame(context.pointer, frame.pointer) >= 0,
      let top = frame.pointer.pointee.data.0
    else { return false }
    return UnsafeRawPointer(top).loadUnaligned(as: Float.self) == 1
  }()
}
