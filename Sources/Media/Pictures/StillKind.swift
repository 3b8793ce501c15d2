// SPDX-License-Identifier: Apache-2.0

import CFFmpeg
import FocalCore

/// The kinds of picture files.
public enum StillKind: String, Hashable, Sendable, CaseIterable {
  case png
  case jpeg
  case tiff
  case pfm
  case openEXR = "exr"

  /// The kind of a file by its first bytes.
  init?(magic bytes: [UInt8]) {
    func begins(_ magic: [UInt8]) -> Bool { bytes.starts(with: magic) }
    if begins([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) {
      self = .png
    } else if begins([0xFF, 0xD8, 0xFF]) {
      self = .jpeg
    } else if begins([0x49, 0x49, 42, 0]) || begins([0x4D, 0x4D, 0, 42]) {
      self = .tiff
    } else if begins(Array("PF\n".utf8)) || begins(Array("Pf\n".utf8))
      || begins(Array("PF\r\n".utf8)) || begins(Array("Pf\r\n".utf8))
      || begins(Array("PF ".utf8)) || begins(Array("Pf ".utf8))
    {
      self = .pfm
    } else if begins([0x76, 0x2F, 0x31, 0x01]) {
      self = .openEXR
    } else {
      return nil
    }
  }

  /// The kind that a file name's ending asks for, in either case.
  init?(ending: String) {
    switch ending.lowercased() {
    case "png": self = .png
    case "jpg", "jpeg": self = .jpeg
    case "tif", "tiff": self = .tiff
    case "pfm": self = .pfm
    case "exr": self = .openEXR
    default: return nil
    }
  }

  /// The kind's name in messages.
  public var name: String {
    switch self {
    case .png: "PNG"
    case .jpeg: "JPEG"
    case .tiff: "TIFF"
    case .pfm: "PFM"
    case .openEXR: "OpenEXR"
    }
  }

  var codec: AVCodecID {
    switch self {
    case .png: AV_CODEC_ID_PNG
    case .jpeg: AV_CODEC_ID_MJPEG
    case .tiff: AV_CODEC_ID_TIFF
    case .pfm: AV_CODEC_ID_PFM
    case .openEXR: AV_CODEC_ID_EXR
    }
  }
}
