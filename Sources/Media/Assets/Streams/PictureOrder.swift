// SPDX-License-Identifier: Apache-2.0

import CFFmpeg
import FocalCore

/// Finds the order in which pictures are shown where the container has no times for that, as AVI and
/// bare streams: by what the pictures say themselves.
final class PictureOrder {
  private let parser: UnsafeMutablePointer<AVCodecParserContext>
  private let context: UnsafeMutablePointer<AVCodecContext>
  /// For each picture in decoding order: a group that is shown before the next one, and the place in
  /// the group.
  private var keys: [(group: Int32, place: Int32)] = []
  private var isBidirectional: [Bool] = []
  private var group: Int32 = 0
  private let hasCounts: Bool

  /// - Returns: `nil` for codecs that show pictures as they are decoded.
  init?(_ parameters: UnsafeMutablePointer<AVCodecParameters>) {
    let id = parameters.pointee.codec_id
    guard let properties = avcodec_descriptor_get(id)?.pointee.props,
      properties & AV_CODEC_PROP_REORDER != 0, let parser = av_parser_init(Int32(id.rawValue))
    else { return nil }
    guard let context = avcodec_alloc_context3(nil) else {
      av_parser_close(parser)
      return nil
    }
    avcodec_parameters_to_context(context, parameters)
    // Packets are whole pictures; nothing is to be put together.
    parser.pointee.flags |= PARSER_FLAG_COMPLETE_FRAMES
    (self.parser, self.context) = (parser, context)
    // The others tell the kind of a picture only.
    hasCounts = id == AV_CODEC_ID_H264 || id == AV_CODEC_ID_HEVC
  }

  deinit {
    av_parser_close(parser)
    var context: UnsafeMutablePointer<AVCodecContext>? = context
    avcodec_free_context(&context)
  }

  /// Takes note of the next picture in decoding order.
  func append(_ packet: UnsafeMutablePointer<AVPacket>) {
    var data: UnsafeMutablePointer<UInt8>?
    var size: Int32 = 0
    av_parser_parse2(
      parser, context, &data, &size, packet.pointee.data, packet.pointee.size,
      FFmpeg.noTimestamp, FFmpeg.noTimestamp, -1)
    let count = parser.pointee.output_picture_number
    // The count begins again at pictures that nothing reaches across.
    if hasCounts, packet.pointee.flags & AV_PKT_FLAG_KEY != 0, count == 0 { group += 1 }
    keys.append((group, count))
    isBidirectional.append(parser.pointee.pict_type == AV_PICTURE_TYPE_B.rawValue)
  }

  /// For each picture in decoding order, how many are shown before it.
  var ranks: [Int] {
    let places = hasCounts ? keys : keysByKind
    let order = places.indices.sorted {
      (places[$0].group, places[$0].place, $0) < (places[$1].group, places[$1].place, $1)
    }
    var ranks = [Int](repeating: 0, count: order.count)
    for (rank, picture) in order.enumerated() { ranks[picture] = rank }
    return ranks
  }

  /// Bidirectional pictures are shown at once, the others when the next one of them is decoded.
  private var keysByKind: [(group: Int32, place: Int32)] {
    var result = keys
    var reference: Int32 = 0
    for index in result.indices {
      if isBidirectional[index] {
        result[index] = (reference - 1, 1)
      } else {
        reference += 1
        result[index] = (reference - 1, 2)
      }
    }
    return result
  }
}
