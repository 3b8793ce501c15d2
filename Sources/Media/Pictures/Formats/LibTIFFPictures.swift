// SPDX-License-Identifier: Apache-2.0

import CFFmpeg
import FocalCore
import TIFFCoding

/// TIFF files that FFmpeg does not read, through libtiff: floats, and files of more than four gigabytes
/// (BigTIFF).
enum LibTIFFPictures {
  private static let sampleFormat: UInt16 = 339
  private static let floatingPoint = 3

  /// Whether a file is one of them.
  static func reads(_ bytes: [UInt8], _ directory: TIFFDirectory?) -> Bool {
    StillKind.isBigTIFF(bytes) || directory?.integer(sampleFormat) == floatingPoint
  }

  /// - Throws: `malformed` for a damaged file, `unsupported` for samples of another kind.
  static func decode(_ bytes: [UInt8], path: String) throws(CinematicError) -> PictureFrame {
    var picture = FocalTIFFPicture()
    var message = [CChar](repeating: 0, count: Int(FOCAL_TIFF_MESSAGE_SIZE))
    let status = focal_tiff_read(
      bytes, bytes.count, Int32(PixelBuffer.maximumDimension), &picture, &message)
    let text = message.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
    let reason = text.isEmpty ? "pixels are missing" : text
    guard status != FocalTIFFUnsupported else {
      throw CinematicError(
        .unsupported, "\(path) cannot be read (TIFF of \(reason))",
        remedy: "save it as 8 or 16 bits a sample, or as floats, in gray or RGB")
    }
    guard status == FocalTIFFRead, let samples = picture.samples else {
      throw CinematicError(
        .malformed, "\(path) is damaged or cut short (TIFF: \(reason))",
        remedy: "make or copy the file again")
    }
    defer { focal_tiff_free(&picture) }
    let size = Dimensions(width: Int(picture.width), height: Int(picture.height))
    let components = Int(picture.components)
    let format: AVPixelFormat
    switch (picture.sampleSize, components) {
    case (1, 1): format = AV_PIX_FMT_GRAY8
    case (1, 2): format = AV_PIX_FMT_YA8
    case (1, 3): format = AV_PIX_FMT_RGB24
    case (1, _): format = AV_PIX_FMT_RGBA
    case (2, 1): format = AV_PIX_FMT_GRAY16LE
    case (2, 2): format = AV_PIX_FMT_YA16LE
    case (2, 3): format = AV_PIX_FMT_RGB48LE
    case (2, _): format = AV_PIX_FMT_RGBA64LE
    case (_, 1), (_, 2): format = AV_PIX_FMT_GRAYF32LE
    case (_, 3): format = AV_PIX_FMT_GBRPF32LE
    default: format = AV_PIX_FMT_GBRAPF32LE
    }
    guard let frame = PictureFrame(format, size) else { throw .outOfMemory(for: path) }
    let rowBytes = size.width * components * Int(picture.sampleSize)
    for y in 0..<size.height {
      let row = samples + y * rowBytes
      guard picture.isFloatingPoint != 0 else {
        frame.row(y, ofPlane: 0).copyMemory(from: row, byteCount: rowBytes)
        continue
      }
      let values = row.assumingMemoryBound(to: Float.self)
      // Planes of a frame are green, blue, red, alpha; of gray with alpha, the gray is taken.
      let places = components < 3 ? [0] : [2, 0, 1, 3]
      for (component, place) in places.prefix(components).enumerated() {
        let out = frame.row(y, ofPlane: place).assumingMemoryBound(to: Float.self)
        for x in 0..<size.width { out[x] = values[components * x + component] }
      }
    }
    return frame
  }
}
