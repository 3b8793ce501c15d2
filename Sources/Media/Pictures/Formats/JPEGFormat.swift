// SPDX-License-Identifier: Apache-2.0

import CFFmpeg
import FocalCore

/// JPEG, with the maps that phones put into it.
enum JPEGFormat: StillFormat {
  static let defaultQuality = 92
  /// From this quality on chroma has the picture's size: below, what it would keep is lost anyway.
  static let leastQualityOfFullChroma = 90

  static func picture(
    in bytes: [UInt8], _ request: StillRequest
  ) throws(CinematicError) -> PictureFrame {
    let segments = JPEGSegments(bytes)
    guard !segments.isJPEGLS else { throw .isPictureOfOtherKind(request.path, "JPEG-LS") }
    if let size = segments.dimensions {
      let claim = PictureClaim(size, bytesPerPixel: 3, isDeep: false, request)
      // A block of 8 x 8 takes a bit of the first scan at least.
      try claim.check(bytes.count, mostPixelsPerByte: 8 * 64)
      try claim.checkMemory()
    }
    if !bytes.withUnsafeBytes({ FileShape.isWholeJPEG($0) }) {
      try request.damage.meet(FFmpegPictures.truncated(request.path, .jpeg))
    }
    let frame = try FFmpegPictures.decode(bytes, .jpeg, AV_CODEC_ID_MJPEG, request)
    frame.metadata = segments.metadata
    if let other = segments.extendedXMP, let main = segments.metadata.xmp {
      frame.metadata.xmp = XMPPacket.merged(main, other)
    }
    if segments.componentCount == 4 {
      // The decoder multiplies by black, whatever the inks are.
      frame.metadata.assumption =
        "is CMYK: its codes become those of bt709\(request.statesTransfer ? "" : " with srgb") by a plain formula, "
        + (segments.metadata.profile == nil
          ? "without a profile" : "and its ICC profile is not used or kept")
      frame.metadata.profile = nil
      frame.dropAlpha()
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
        remedy: "give a map of its own with \(parameter: .maps)")
    }
    let picture = try kind.format.picture(in: map.bytes, StillRequest(request.path))
    let frame = try map.coding.map(picture, request.path)
    // The map lies as the picture beside it does.
    frame.turn(segments.metadata.orientation)
    return frame
  }

  static func gainMap(
    in bytes: [UInt8], _ request: StillRequest
  ) throws(CinematicError) -> GainMap? {
    let segments = JPEGSegments(bytes)
    let embedded = EmbeddedPictures(segments, in: bytes).pictures
    guard let map = embedded.first(where: { $0.kind == .gainMap }),
      StillKind(file: map.bytes) == .jpeg
    else { return nil }
    let said = JPEGSegments(map.bytes)
    let xmp = said.metadata.xmp.map { XMPPacket($0) }
    guard
      let coding = said.gainMapNumbers.flatMap({ GainMapCoding(iso: $0) })
        ?? xmp.flatMap({ GainMapCoding(xmp: $0) })
        ?? GainMapCoding(apple: xmp, exif: segments.metadata.exif)
    else { return nil }
    let frame = try picture(in: map.bytes, StillRequest(request.path))
    let rotation = DisplayRotation(orientation: segments.metadata.orientation)
    return try GainMap(
      frame, coding, isMirrored: rotation?.isMirrored ?? false, path: request.path)
  }

  static func file(_ picture: StillPicture) throws(CinematicError) -> [UInt8] {
    let rows = try JPEGRowSink(picture, RowLayout(picture), nil)
    try rows.write(picture.buffer)
    return try rows.whole()
  }
}

extension PictureFrame {
  /// Leaves out the fourth plane, which the decoder of four inks makes opaque throughout: JPEG has no alpha.
  fileprivate func dropAlpha() {
    let opaque: AVPixelFormat? =
      switch pixelFormat {
      case AV_PIX_FMT_GBRAP: AV_PIX_FMT_GBRP
      case AV_PIX_FMT_YUVA444P: AV_PIX_FMT_YUV444P
      case AV_PIX_FMT_YUVA420P: AV_PIX_FMT_YUV420P
      default: nil
      }
    if let opaque { pointer.pointee.format = opaque.rawValue }
  }
}
