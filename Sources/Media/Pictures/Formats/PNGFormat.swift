// SPDX-License-Identifier: Apache-2.0

import CFFmpeg
import FocalBoxes
import FocalCore

/// PNG: pixels are read through FFmpeg and written through libpng, what is said about them stands in chunks of
/// our own.
enum PNGFormat: StillFormat {
  private static let signatureByteCount = 8

  static func picture(
    in bytes: [UInt8], _ request: StillRequest
  ) throws(CinematicError) -> PictureFrame {
    if !bytes.withUnsafeBytes({ FileShape.isWholePNG($0) }) {
      try request.damage.meet(FFmpegPictures.truncated(request.path, .png))
    }
    try checkSize(bytes, request)
    let limited = PNGInput(limiting: bytes)
    var frame = try FFmpegPictures.decode(limited.bytes, .png, AV_CODEC_ID_PNG, request) {
      PNGRepair.repaired(limited.bytes)
    }
    var metadata = PictureMetadata()
    var colors: PNGColors?
    var gamma = PNGGamma()
    var isSRGB = false
    var header: ArraySlice<UInt8> = []
    var transparency: PNGTransparency?
    var profiles: [PNGProfileText] = []
    var offset = signatureByteCount
    while offset + 12 <= bytes.count {
      let length = Int(bigEndian(bytes, offset))
      guard offset + 12 + length <= bytes.count else { break }
      let content = bytes[(offset + 8)..<(offset + 8 + length)]
      let type = String(decoding: bytes[(offset + 4)..<(offset + 8)], as: UTF8.self)
      // What follows is no part of the picture.
      if type == "IEND" { break }
      switch type {
      case PNGColors.chunk: colors = colors ?? PNGColors(content)
      case "sRGB": isSRGB = true
      case "IHDR" where offset == signatureByteCount: header = content
      case PNGTransparency.chunk: transparency = PNGTransparency(content, header: header)
      case PNGGamma.chunk, PNGGamma.chromaticitiesChunk: gamma.read(type, content)
      case PNGAnimation.chunk where PNGAnimation.moves(content):
        metadata.companions.insert(.otherPictures)
      case "eXIf": metadata.exif = Array(content)
      case "pHYs" where length == 9 && content.last == 1:
        metadata.resolution = .init(
          horizontal: Double(bigEndian(bytes, offset + 8)),
          vertical: Double(bigEndian(bytes, offset + 12)))
      case _ where PNGText.chunks.contains(type):
        if let profile = PNGProfileText(type, content) {
          profiles.append(profile)
        } else if let text = PNGText(type, content) {
          metadata.texts.append(text)
        }
      default: break
      }
      offset += 12 + length
    }
    PNGProfileText.add(profiles, to: &metadata)
    if let data = av_frame_get_side_data(frame.pointer, AV_FRAME_DATA_ICC_PROFILE) {
      metadata.profile = ColorProfile(
        Array(UnsafeBufferPointer(start: data.pointee.data, count: Int(data.pointee.size))))
    }
    // A profile without bytes is a damaged one.
    if limited.leavesOutProfile { metadata.profile = ColorProfile([]) }
    if let transparency { frame = try transparency.applied(to: frame, path: request.path) }
    try colors?.describe(frame, &metadata, request)
    if colors == nil, metadata.profile == nil, !isSRGB { gamma.describe(frame, &metadata, request) }
    metadata.storedDepth = PixelLayout(frame.pixelFormat)?.depth
    frame.metadata = metadata
    return frame
  }

  static func file(_ picture: StillPicture) throws(CinematicError) -> [UInt8] {
    let rows = try PNGRowSink(picture, RowLayout(picture), nil)
    try rows.write(picture.buffer)
    return try rows.bytes()
  }

  // MARK: - Chunks

  /// The chunks about a picture, in front of its pixels.
  static func chunks(_ picture: StillPicture) -> [(type: String, content: [UInt8])] {
    var chunks: [(type: String, content: [UInt8])] = []
    if let profile = picture.storedProfile {
      chunks.append(("iCCP", Array("ICC profile".utf8) + [0, 0] + stored(profile.bytes)))
    } else if picture.buffer.tags.transfer == .linear {
      // Of gray, which alone is stored so: a gamma of 1.
      chunks.append((PNGGamma.chunk, bytes(PNGGamma.one)))
    } else if !picture.buffer.tags.transfer.isStandardRange {
      // No profile says it.
      chunks.append((PNGColors.chunk, PNGColors(picture.buffer.tags).bytes))
    }
    if let resolution = picture.metadata.resolution {
      let numbers = [resolution.horizontal, resolution.vertical]
      chunks.append(
        ("pHYs", numbers.flatMap { bytes(UInt32(min($0.rounded(), 0x7FFF_FFFF))) } + [1]))
    }
    if let xmp = picture.metadata.xmp { chunks.append(PNGProfileText.chunk(xmp: xmp)) }
    if let exif = picture.metadata.exif { chunks.append(("eXIf", exif)) }
    chunks += picture.metadata.texts.map { ($0.type, $0.content) }
    return chunks
  }

  /// A file of one pixel that says what another one does, of which nothing else is read.
  ///
  /// - Throws: `unreadable`, `malformed` for a file without a header.
  static func sample(of path: String) throws(CinematicError) -> [UInt8] {
    let file = FileByteSource(path: path)
    let end = Int(try file.fileSize())
    func read(_ place: Int, _ count: Int) throws(CinematicError) -> [UInt8] {
      try file.bytes(Int64(place)..<Int64(place + count))
    }
    var result = try read(0, signatureByteCount)
    var pixel: [UInt8]?
    var place = signatureByteCount
    while place + 12 <= end {
      let head = try read(place, 8)
      let length = Int(bigEndian(head, 0))
      guard length <= end - place - 12 else {
        // Cut short among the pixels: all that is said stands before them.
        if let row = pixel, head[4..<8].elementsEqual("IDAT".utf8) {
          result += chunk("IDAT", stored(row)) + chunk("IEND", [])
        }
        break
      }
      let type = String(decoding: head[4..<8], as: UTF8.self)
      switch type {
      case "IHDR" where length == 13:
        let said = try read(place + 8, length)
        let channels = [0: 1, 2: 3, 3: 1, 4: 2, 6: 4][Int(said[9])] ?? 1
        // A row is led by its filter.
        pixel = [UInt8](repeating: 0, count: 1 + (channels * Int(said[8]) + 7) / 8)
        result += chunk("IHDR", bytes(1) + bytes(1) + said[8..<12] + [0])
      case "IDAT":
        if let row = pixel { result += chunk("IDAT", stored(row)) }
        pixel = nil
      default: result += try read(place, 12 + length)
      }
      if type == "IEND" { break }
      place += 12 + length
    }
    return result
  }

  static func chunk(_ type: String, _ content: [UInt8]) -> [UInt8] {
    let body = Array(type.utf8) + content
    let table = av_crc_get_table(AV_CRC_32_IEEE_LE)
    let sum = ~av_crc(table, 0xFFFF_FFFF, body, body.count)
    return bytes(UInt32(content.count)) + body + bytes(sum)
  }

  /// Bytes as a zlib stream of stored blocks: profiles are small.
  static func stored(_ content: [UInt8]) -> [UInt8] {
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

  static func bigEndian(_ bytes: [UInt8], _ offset: Int) -> UInt32 {
    bytes[offset..<(offset + 4)].reduce(0) { $0 << 8 | UInt32($1) }
  }

  /// The size that a file says; `nil` for one that is cut short, or cannot hold as much.
  static func statedSize(_ bytes: [UInt8], path: String) -> Dimensions? {
    guard bytes.count >= 26, bytes.withUnsafeBytes({ FileShape.isWholePNG($0) }) else {
      return nil
    }
    let (width, height) = (Int(bigEndian(bytes, 16)), Int(bigEndian(bytes, 20)))
    let sides = 1...PixelBuffer.maximumDimension
    guard sides.contains(width), sides.contains(height) else { return nil }
    let (claim, most) = Self.claim(bytes, StillRequest(path))
    do throws(CinematicError) {
      try claim.check(bytes.count, mostPixelsPerByte: most)
    } catch {
      return nil
    }
    return claim.dimensions
  }

  /// What a header says, and how many pixels a byte can stand for at most.
  private static func claim(
    _ bytes: [UInt8], _ request: StillRequest
  ) -> (PictureClaim, mostPixelsPerByte: Int) {
    let (width, height) = (Int(bigEndian(bytes, 16)), Int(bigEndian(bytes, 20)))
    let bits = Int(bytes[24]) * ([0: 1, 2: 3, 3: 1, 4: 2, 6: 4][Int(bytes[25])] ?? 1)
    let claim = PictureClaim(
      Dimensions(width: width, height: height), bytesPerPixel: max(1, (bits + 7) / 8),
      isDeep: bytes[24] > 8, request)
    return (claim, PNGInput.mostBytesPerByte * 8 / max(bits, 1))
  }

  /// A PNG says its size first: a better message than the decoder's for none or too much.
  private static func checkSize(_ bytes: [UInt8], _ request: StillRequest) throws(CinematicError) {
    guard bytes.count >= 26 else { return }
    let (width, height) = (Int(bigEndian(bytes, 16)), Int(bigEndian(bytes, 20)))
    if width == 0 || height == 0 {
      throw CinematicError(
        .malformed, "\(request.path) is a picture of \(width)x\(height) pixels",
        remedy: "give a picture of at least one pixel")
    }
    let (claim, most) = Self.claim(bytes, request)
    try claim.check(bytes.count, mostPixelsPerByte: most)
    try claim.checkMemory()
  }
}
