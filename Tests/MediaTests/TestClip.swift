// SPDX-License-Identifier: Apache-2.0

import CFFmpeg
import FocalCore
import FocalMedia
import MovieKit

/// Encodes clips of kinds that the package itself never writes, for its reader to read.
///
/// Works on the codes of FFmpeg's planar formats: `value` gives the code of a plane's sample.
struct TestClip {
  var codec: String
  var format: AVPixelFormat
  var size: Dimensions
  var frameCount = 5
  var timeBase = AVRational(num: 1, den: 30)
  /// The time of a frame in ticks.
  var ticks: (Int) -> Int64 = { Int64($0) }
  var options: [String: String] = [:]
  var range = AVCOL_RANGE_UNSPECIFIED
  var matrix = AVCOL_SPC_UNSPECIFIED
  /// Of interlaced pictures.
  var fieldOrder: FieldOrder?
  /// Captions inside each picture, three bytes a pair of characters (CEA-708).
  var captions: [UInt8] = []
  /// Named texts of the pictures' stream.
  var streamTags: [String: String] = [:]
  /// Added to the container's clock, in millionths of a second.
  var clockOffset: Int64 = 0
  /// Takes the frame, plane, column and row.
  var value: (Int, Int, Int, Int) -> Int

  /// Whether this FFmpeg has the encoder.
  static func hasEncoder(_ name: String) -> Bool { avcodec_find_encoder_by_name(name) != nil }

  /// The offset that lets a transport stream begin some time before its clock wraps.
  ///
  /// - Parameters:
  ///   - rest: in seconds.
  ///   - startTime: of the stream without an offset.
  func offset(untilWrap rest: Double, startTime: Time) -> Int64 {
    let wrap = Double(Int64(1) << 33) / 90000
    return Int64((wrap - startTime.seconds - rest) * 1e6)
  }

  func write(to path: String) throws {
    var file = ClipFile(
      codec: codec, width: size.width, height: size.height, pixelFormat: format,
      timeBase: timeBase, options: options.map { ($0.key, $0.value) })
    file.prepare = { [range, matrix] encoder, output in
      encoder.pointee.colorspace = matrix
      encoder.pointee.framerate = AVRational(num: 30, den: 1)
      encoder.pointee.color_range = range
      if output.pointee.oformat.pointee.flags & AVFMT_GLOBALHEADER != 0 {
        encoder.pointee.flags |= AV_CODEC_FLAG_GLOBAL_HEADER
      }
    }
    file.describe = { [streamTags, clockOffset] stream, encoder, output in
      output.pointee.output_ts_offset = clockOffset
      stream.pointee.avg_frame_rate = encoder.pointee.framerate
      for (key, value) in streamTags { av_dict_set(&stream.pointee.metadata, key, value, 0) }
    }
    try file.write(to: path, frames: frameCount) { frame, index in
      frame.pointee.color_range = range
      if let fieldOrder { focal_frame_set_interlaced(frame, fieldOrder == .topFirst ? 1 : 0) }
      if !captions.isEmpty,
        let data = av_frame_new_side_data(frame, AV_FRAME_DATA_A53_CC, captions.count)
      {
        for (place, byte) in captions.enumerated() { data.pointee.data[place] = byte }
      }
      draw(frame, index)
      return ticks(index)
    }
  }

  private func draw(_ frame: ClipFile.Picture, _ index: Int) {
    let description = av_pix_fmt_desc_get(format)!.pointee
    let wide = description.comp.0.depth > 8
    let planes = [
      frame.pointee.data.0, frame.pointee.data.1, frame.pointee.data.2, frame.pointee.data.3,
    ]
    let strides = [
      frame.pointee.linesize.0, frame.pointee.linesize.1, frame.pointee.linesize.2,
      frame.pointee.linesize.3,
    ]
    for (plane, data) in planes.enumerated() {
      guard let data else { continue }
      let isChroma = plane == 1 || plane == 2
      let shiftX = isChroma ? Int(description.log2_chroma_w) : 0
      let shiftY = isChroma ? Int(description.log2_chroma_h) : 0
      for y in 0..<((size.height + (1 << shiftY) - 1) >> shiftY) {
        let row = UnsafeMutableRawPointer(data) + y * Int(strides[plane])
        for x in 0..<((size.width + (1 << shiftX) - 1) >> shiftX) {
          let code = value(index, plane, x, y)
          if wide {
            row.storeBytes(of: UInt16(code).littleEndian, toByteOffset: 2 * x, as: UInt16.self)
          } else {
            row.storeBytes(of: UInt8(code), toByteOffset: x, as: UInt8.self)
          }
        }
      }
    }
  }
}
