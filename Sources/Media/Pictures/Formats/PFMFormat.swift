// SPDX-License-Identifier: Apache-2.0

import CFFmpeg
import FocalCore

/// PFM: floats, through FFmpeg.
enum PFMFormat: PlainRowFormat {
  static func picture(
    in bytes: [UInt8], _ request: StillRequest
  ) throws(CinematicError) -> PictureFrame {
    try check(bytes, request)
    let frame = try FFmpegPictures.decode(bytes, .pfm, AV_CODEC_ID_PFM, request)
    if PortableFloatMap.isTurnedByFFmpeg { focal_frame_flip(frame.pointer) }
    frame.metadata.valueDivisor = divisor(bytes)
    return frame
  }

  /// The amount of the scale, whose sign is the order of bytes; `nil` for 1.
  private static func divisor(_ bytes: [UInt8]) -> Float? {
    // Behind remarks, of which a few may be long.
    let lines = bytes.prefix(4096).split(separator: newLine, maxSplits: 64)
    let words = lines.filter { $0.first != UInt8(ascii: "#") }.prefix(4).flatMap {
      $0.split { $0 <= UInt8(ascii: " ") }
    }
    guard words.count > 3,
      let scale = Float(String(decoding: words[3], as: UTF8.self)), scale.isFinite,
      abs(scale) != 1
    else { return nil }
    return abs(scale)
  }

  /// A file's first words: a mark, the width and the height.
  ///
  /// - Throws: `malformed` for more pixels than the file has bytes for, `outOfMemory`.
  private static func check(_ bytes: [UInt8], _ request: StillRequest) throws(CinematicError) {
    let words = bytes.prefix(200).split(maxSplits: 3) { $0 <= UInt8(ascii: " ") }
    guard words.count > 2, let width = Int(String(decoding: words[1], as: UTF8.self)),
      let height = Int(String(decoding: words[2], as: UTF8.self)), width > 0, height > 0
    else { return }
    let components = words[0].elementsEqual("PF".utf8) ? 3 : 1
    let claim = PictureClaim(
      Dimensions(width: width, height: height), bytesPerPixel: 4 * components, isDeep: true,
      request)
    try claim.check(bytes.count / (4 * components), mostPixelsPerByte: 1)
    try claim.checkMemory()
  }

  private static let newLine = UInt8(ascii: "\n")

  /// The bottom row comes first, behind a mark, the size and a scale.
  static func rows(in head: [UInt8], byteCount: Int) -> PlainRowPlaces? {
    // A remark, or another end of a line, is FFmpeg's work.
    let lines = head.split(separator: newLine, maxSplits: 3, omittingEmptySubsequences: false)
    guard lines.count == 4, !head[..<lines[3].startIndex].contains(UInt8(ascii: "#")) else {
      return nil
    }
    let size = lines[1].split(separator: UInt8(ascii: " ")).map {
      Int(String(decoding: $0, as: UTF8.self))
    }
    guard size.count == 2, let width = size[0], let height = size[1], width > 0, height > 0,
      width <= PixelBuffer.maximumDimension, height <= PixelBuffer.maximumDimension
    else { return nil }
    let components: Int
    switch String(decoding: lines[0], as: UTF8.self) {
    case "PF": components = 3
    case "Pf": components = 1
    default: return nil
    }
    let places = PlainRowPlaces(
      dimensions: Dimensions(width: width, height: height),
      head: Array(head[..<lines[3].startIndex]), rowByteCount: 4 * components * width,
      isUpsideDown: true)
    return places.end <= byteCount ? places : nil
  }

  static func head(_ head: [UInt8], height: Int, byteCount: Int) -> [UInt8] {
    var lines = head.split(separator: newLine, omittingEmptySubsequences: false).map { Array($0) }
    guard lines.count > 2, let space = lines[1].firstIndex(of: UInt8(ascii: " ")) else {
      return head
    }
    lines[1].replaceSubrange((space + 1)..., with: Array("\(height)".utf8))
    return Array(lines.joined(separator: [newLine]))
  }

  static func part(
    _ picture: StillPicture, _ layout: RowLayout
  ) throws(CinematicError) -> [UInt8] {
    try FFmpegPictures.encode(
      picture, .pfm, AV_CODEC_ID_PFM,
      layout.isGray ? AV_PIX_FMT_GRAYF32LE : AV_PIX_FMT_GBRPF32LE,
      flips: PortableFloatMap.isTurnedByFFmpeg)
  }
}
