// SPDX-License-Identifier: Apache-2.0

import CFFmpeg
import FocalCore
import JPEGCoding

/// JPEG, with the maps that phones put into it.
enum JPEGFormat: StillFormat {
  static let defaultQuality = 92
  /// From this quality on chroma has the picture's size: below, what it would keep is lost anyway.
  private static let leastQualityOfFullChroma = 90

  static func picture(
    in bytes: [UInt8], _ request: StillRequest
  ) throws(CinematicError) -> PictureFrame {
    guard bytes.withUnsafeBytes({ FileShape.isWholeJPEG($0) }) else {
      throw FFmpegPictures.truncated(request.path, .jpeg)
    }
    let frame = try FFmpegPictures.decode(bytes, .jpeg, AV_CODEC_ID_MJPEG, path: request.path)
    let segments = JPEGSegments(bytes)
    frame.metadata = segments.metadata
    if let other = segments.extendedXMP, let main = segments.metadata.xmp {
      frame.metadata.xmp = XMPPacket.merged(main, other)
    }
    frame.metadata.storedDepth = 8
    frame.metadata.companions = Set(EmbeddedPictures(segments, in: bytes).pictures.map(\.kind))
    return frame
  }

  static func embeddedMap(
    in bytes: [UInt8], _ request: StillRequest
  ) throws(CinematicError) -> PictureFrame? {
    let segments = JPEGSegments(bytes)
    let embedded = EmbeddedPictures(segments, in: bytes).pictures
    guard let map = embedded.first(where: { $0.kind == .disparity }) else { return nil }
    guard let kind = StillKind(file: map.bytes) else {
      throw CinematicError(
        .malformed, "the disparity in \(request.path) is no picture",
        remedy: "give a map of its own with --disparity")
    }
    let picture = try kind.format.picture(in: map.bytes, StillRequest(request.path))
    let frame = try map.coding.map(picture, request.path)
    // The map lies as the picture beside it does.
    frame.turn(segments.metadata.orientation)
    return frame
  }

  static func file(_ picture: StillPicture) throws(CinematicError) -> [UInt8] {
    let (buffer, path) = (picture.buffer, picture.path)
    let rows = PixelRows(buffer)
    guard !rows.hasAlpha else {
      throw CinematicError(
        .invalidParameter, "\(path) cannot hold alpha, and the picture has it",
        remedy: "write .png, .tif or .exr")
    }
    let quality = picture.quality ?? defaultQuality
    let components = rows.channels == 1 ? 1 : 3
    let density = picture.metadata.resolution?.dotsPerInch
    var settings = FocalJPEGSettings()
    settings.width = Int32(buffer.width)
    settings.height = Int32(buffer.height)
    settings.components = Int32(components)
    settings.quality = Int32(quality)
    settings.halvesChroma = quality < leastQualityOfFullChroma ? 1 : 0
    settings.densityX = Int32(min(density?.horizontal.rounded() ?? 0, 65535))
    settings.densityY = Int32(min(density?.vertical.rounded() ?? 0, 65535))
    guard let writer = focal_jpeg_begin(&settings) else { throw .outOfMemory(for: path) }
    defer { focal_jpeg_free(writer) }
    var isWritten = true
    let segments = JPEGSegments.segments(picture.metadata, profile: picture.storedProfile)
    for (marker, content) in segments {
      isWritten =
        isWritten && focal_jpeg_write_segment(writer, marker, content, content.count) != 0
    }
    withUnsafeTemporaryAllocation(of: Float.self, capacity: buffer.width) { values in
      withUnsafeTemporaryAllocation(of: UInt8.self, capacity: components * buffer.width) { row in
        for y in 0..<buffer.height where isWritten {
          for component in 0..<components {
            PixelRows.read(
              buffer, channel: component, of: rows.channels, row: y, into: values.baseAddress!)
            for x in 0..<buffer.width {
              let value = values[x]
              row[components * x + component] =
                value > 0 ? UInt8(min(value, 1) * 255 + 0.5) : 0
            }
          }
          isWritten = focal_jpeg_write_row(writer, row.baseAddress) != 0
        }
      }
    }
    var count = 0
    guard isWritten, let bytes = focal_jpeg_finish(writer, &count) else {
      throw CinematicError(
        .unwritable,
        "cannot encode \(path) as JPEG: \(String(cString: focal_jpeg_message(writer)))")
    }
    return Array(UnsafeBufferPointer(start: bytes, count: count))
  }
}
