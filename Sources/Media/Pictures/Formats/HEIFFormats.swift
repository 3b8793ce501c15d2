// SPDX-License-Identifier: Apache-2.0

import FocalCore

/// HEIC: HEVC pictures, as phones take them.
enum HEICFormat: StillFormat {
  /// Bits of pictures that have more than 8: HEVC of 10 bits is what devices decode.
  static let deepBits = 10

  static func picture(
    in bytes: [UInt8], _ request: StillRequest
  ) throws(CinematicError) -> PictureFrame {
    try HEIFFile(bytes, .heic, path: request.path).picture(request)
  }

  static func embeddedMap(
    in bytes: [UInt8], _ request: StillRequest
  ) throws(CinematicError) -> PictureFrame? {
    try HEIFFile(bytes, .heic, path: request.path).map()
  }

  static func gainMap(
    in bytes: [UInt8], _ request: StillRequest
  ) throws(CinematicError) -> GainMap? {
    try HEIFFile(bytes, .heic, path: request.path).gainMap()
  }

  static func file(_ picture: StillPicture) throws(CinematicError) -> [UInt8] {
    try HEIFRowSink.file(picture, .heic)
  }
}

/// AVIF: AV1 pictures.
enum AVIFFormat: StillFormat {
  /// Bits of pictures that have more than 8. libheif up to 1.16 gives AV1 of 10 bits a profile that its
  /// encoder ends the process over; 12 bits are coded by all versions.
  static let deepBits = 12

  static func picture(
    in bytes: [UInt8], _ request: StillRequest
  ) throws(CinematicError) -> PictureFrame {
    try HEIFFile(bytes, .avif, path: request.path).picture(request)
  }

  static func embeddedMap(
    in bytes: [UInt8], _ request: StillRequest
  ) throws(CinematicError) -> PictureFrame? {
    try HEIFFile(bytes, .avif, path: request.path).map()
  }

  static func file(_ picture: StillPicture) throws(CinematicError) -> [UInt8] {
    try HEIFRowSink.file(picture, .avif)
  }
}
