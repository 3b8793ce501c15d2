// SPDX-License-Identifier: Apache-2.0

import CFFmpeg
import FocalCore

/// PNG: pixels through FFmpeg, what is said about them in chunks of our own.
enum PNGFormat: StillFormat {
  private static let signatureByteCount = 8

  static func picture(
    in bytes: [UInt8], _ request: StillRequest
  ) throws(CinematicError) -> PictureFrame {
    guard bytes.withUnsafeBytes({ FileShape.isWholePNG($0) }) else {
      throw FFmpegPictures.truncated(request.path, .png)
    }
    try checkSize(request.path, bytes)
    let frame = try FFmpegPictures.decode(bytes, .png, AV_CODEC_ID_PNG, path: request.path)
    var metadata = PictureMetadata()
    var offset = signatureByteCount
    while offset + 12 <= bytes.count {
      let length = Int(bigEndian(bytes, offset))
      guard offset + 12 + length <= bytes.count else { break }
      let content = bytes[(offset + 8)..<(offset + 8 + length)]
      switch String(decoding: bytes[(offset + 4)..<(offset + 8)], as: UTF8.self) {
      case "eXIf": metadata.exif = Array(content)
      case "pHYs" where length == 9 && content.last == 1:
        metadata.resolution = .init(
          horizontal: Double(bigEndian(bytes, offset + 8)),
          vertical: Double(bigEndian(bytes, offset + 12)))
      case "iTXt": metadata.xmp = xmp(content) ?? metadata.xmp
      default: break
      }
      offset += 12 + length
    }
    if let data = av_frame_get_side_data(frame.pointer, AV_FRAME_DATA_ICC_PROFILE) {
      metadata.profile = ColorProfile(
        Array(UnsafeBufferPointer(start: data.pointee.data, count: Int(data.pointee.size))))
    }
    metadata.storedDepth = PixelLayout(frame.pixelFormat)?.depth
    frame.metadata = metadata
    return frame
  }

  static func file(_ picture: StillPicture) throws(CinematicError) -> [UInt8] {
    let format = PixelRows(picture.buffer).codeFormat(isBigEndian: true)
    // A fourth of the default level's time, for files that are 4 to 7 % larger.
    let bytes = try FFmpegPictures.encode(
      picture, .png, AV_CODEC_ID_PNG, format,
      options: ["pred": "paeth", "compression_level": "4"])
    let chunks = chunks(picture)
    guard !chunks.isEmpty else { return bytes }
    // Behind the header, before the pixels, and in the place of what the encoder says of the same.
    let header = signatureByteCount + 25
    var kept: [UInt8] = []
    var offset = header
    while offset + 12 <= bytes.count {
      let end = offset + 12 + Int(bigEndian(bytes, offset))
      let type = Array(bytes[(offset + 4)..<(offset + 8)])
      guard end <= bytes.count, !type.elementsEqual("IDAT".utf8) else { break }
      if !type.elementsEqual("pHYs".utf8) || picture.metadata.resolution == nil {
        kept += bytes[offset..<end]
      }
      offset = end
    }
    return Array(bytes[..<header]) + chunks + kept + bytes[offset...]
  }

  // MARK: - Chunks

  private static func chunks(_ picture: StillPicture) -> [UInt8] {
    var chunks: [UInt8] = []
    if let profile = picture.storedProfile {
      chunks += chunk("iCCP", Array("ICC profile".utf8) + [0, 0] + stored(profile.bytes))
    }
    if let resolution = picture.metadata.resolution {
      let numbers = [resolution.horizontal, resolution.vertical]
      chunks += chunk(
        "pHYs", numbers.flatMap { bytes(UInt32(min($0.rounded(), 0x7FFF_FFFF))) } + [1])
    }
    if let xmp = picture.metadata.xmp {
      chunks += chunk("iTXt", Array(xmpKeyword.utf8) + [0, 0, 0, 0, 0] + xmp)
    }
    if let exif = picture.metadata.exif { chunks += chunk("eXIf", exif) }
    return chunks
  }

  private static let xmpKeyword = "XML:com.adobe.xmp"

  private static func xmp(_ content: ArraySlice<UInt8>) -> [UInt8]? {
    let keyword = Array(xmpKeyword.utf8) + [0]
    guard content.starts(with: keyword) else { return nil }
    var rest = content.dropFirst(keyword.count)
    // Compressed text would have to be inflated; XMP is stored plain by everybody.
    guard rest.count >= 2, rest.removeFirst() == 0 else { return nil }
    rest.removeFirst()
    for _ in 0..<2 {
      guard let end = rest.firstIndex(of: 0) else { return nil }
      rest = rest[rest.index(after: end)...]
    }
    return Array(rest)
  }

  private static func chunk(_ type: String, _ content: [UInt8]) -> [UInt8] {
    let body = Array(type.utf8) + content
    let table = av_crc_get_table(AV_CRC_32_IEEE_LE)
    let sum = ~av_crc(table, 0xFFFF_FFFF, body, body.count)
    return bytes(UInt32(content.count)) + body + bytes(sum)
  }

  /// Bytes as a zlib stream of stored blocks: profiles are small.
  private static func stored(_ content: [UInt8]) -> [UInt8] {
    var stream: [UInt8] = [0x78, 0x01]
    var rest = content[...]
    repeat {
      let block = rest.prefix(65535)
      rest = rest.dropFirst(block.count)
      let count = UInt16(block.count)
      stream.append(rest.isEmpty ? 1 : 0)
      for word in [count, ~count] { stream += [UInt8(word & 255), UInt8(word >> 8)] }
      stream += block
    } while !rest.isEmpty
    var (low, high): (UInt32, UInt32) = (1, 0)
    for byte in content {
      low = (low + UInt32(byte)) % 65521
      high = (high + low) % 65521
    }
    return stream + bytes(high << 16 | low)
  }

  private static func bytes(_ value: UInt32) -> [UInt8] {
    withUnsafeBytes(of: value.bigEndian) { Array($0) }
  }

  private static func bigEndian(_ bytes: [UInt8], _ offset: Int) -> UInt32 {
    bytes[offset..<(offset + 4)].reduce(0) { $0 << 8 | UInt32($1) }
  }

  /// A PNG says its size first: a better message than the decoder's for none or too much.
  private static func checkSize(_ path: String, _ bytes: [UInt8]) throws(CinematicError) {
    guard bytes.count >= 24 else { return }
    let (width, height) = (bigEndian(bytes, 16), bigEndian(bytes, 20))
    if width == 0 || height == 0 {
      throw CinematicError(
        .malformed, "\(path) is a picture of \(width)x\(height) pixels",
        remedy: "give a picture of at least one pixel")
    }
  }
}
