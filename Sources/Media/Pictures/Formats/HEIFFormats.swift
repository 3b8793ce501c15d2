// SPDX-License-Identifier: Apache-2.0

import FocalCore

/// HEIC: HEVC pictures, as phones take them.
enum HEICFormat: StillFormat {
  static func picture(
    in bytes: [UInt8], _ request: StillRequest
  ) throws(CinematicError) -> PictureFrame {
    try HEIFFile(bytes, .heic, path: request.path).picture()
  }

  static func embeddedMap(
    in bytes: [UInt8], _ request: StillRequest
  ) throws(CinematicError) -> PictureFrame? {
    try HEIFFile(bytes, .heic, path: request.path).map()
  }

  static func file(_ picture: StillPicture) throws(CinematicError) -> [UInt8] {
    try HEIFRowSink.file(picture, .heic)
  }
}

/// AVIF: AV1 pictures.
enum AVIFFormat: StillFormat {
  static func picture(
    in bytes: [UInt8], _ request: StillRequest
  ) throws(CinematicError) -> PictureFrame {
    try HEIFFile(bytes, .avif, path: request.path).picture()
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
