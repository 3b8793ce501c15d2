// SPDX-License-Identifier: Apache-2.0

import FocalCore

/// The kinds of picture files.
public enum StillKind: String, Hashable, Sendable, CaseIterable {
  case png
  case jpeg
  case tiff
  case pfm
  case openEXR = "exr"
  case heic
  case avif
  case dpx

  /// How many bytes of a file tell its kind.
  static let magicByteCount = 12

  /// The kind of a file by its first bytes.
  init?(magic bytes: [UInt8]) {
    func begins(_ magic: [UInt8]) -> Bool { bytes.starts(with: magic) }
    if begins([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) {
      self = .png
    } else if begins([0xFF, 0xD8, 0xFF]) {
      self = .jpeg
    } else if begins([0x49, 0x49, 42, 0]) || begins([0x4D, 0x4D, 0, 42])
      || Self.isBigTIFF(bytes)
    {
      self = .tiff
    } else if begins(Array("PF\n".utf8)) || begins(Array("Pf\n".utf8))
      || begins(Array("PF\r\n".utf8)) || begins(Array("Pf\r\n".utf8))
      || begins(Array("PF ".utf8)) || begins(Array("Pf ".utf8))
    {
      self = .pfm
    } else if begins([0x76, 0x2F, 0x31, 0x01]) {
      self = .openEXR
    } else if begins(Array("SDPX".utf8)) || begins(Array("XPDS".utf8)) {
      self = .dpx
    } else if bytes.count >= 12, bytes[4..<8].elementsEqual("ftyp".utf8) {
      switch String(decoding: bytes[8..<12], as: UTF8.self) {
      case "heic", "heix", "heim", "heis", "mif1": self = .heic
      case "avif": self = .avif
      default: return nil
      }
    } else {
      return nil
    }
  }

  /// Whether a TIFF file counts its bytes in 64 bits.
  static func isBigTIFF(_ bytes: [UInt8]) -> Bool {
    bytes.starts(with: [0x49, 0x49, 43, 0]) || bytes.starts(with: [0x4D, 0x4D, 0, 43])
  }

  /// The kind of a whole file.
  init?(file bytes: [UInt8]) { self.init(magic: Array(bytes.prefix(Self.magicByteCount))) }

  /// The kind that a file name's ending asks for, in either case.
  init?(ending: String) {
    switch ending.lowercased() {
    case "png": self = .png
    case "jpg", "jpeg": self = .jpeg
    case "tif", "tiff": self = .tiff
    case "pfm": self = .pfm
    case "exr": self = .openEXR
    case "heic", "heif": self = .heic
    case "avif": self = .avif
    case "dpx": self = .dpx
    default: return nil
    }
  }

  /// The endings of all kinds, for messages.
  public static let endings = ".png, .jpg, .heic, .avif, .tif, .dpx, .pfm or .exr"

  /// The names of all kinds, for messages.
  static let names = "PNG, JPEG, HEIC, AVIF, TIFF, DPX, PFM or OpenEXR"

  /// The kind's name in messages.
  public var name: String {
    switch self {
    case .png: "PNG"
    case .jpeg: "JPEG"
    case .tiff: "TIFF"
    case .pfm: "PFM"
    case .openEXR: "OpenEXR"
    case .heic: "HEIC"
    case .avif: "AVIF"
    case .dpx: "DPX"
    }
  }

  /// How files of the kind are read and written.
  var format: any StillFormat.Type {
    switch self {
    case .png: PNGFormat.self
    case .jpeg: JPEGFormat.self
    case .tiff: TIFFFormat.self
    case .pfm: PFMFormat.self
    case .openEXR: OpenEXRFormat.self
    case .heic: HEICFormat.self
    case .avif: AVIFFormat.self
    case .dpx: DPXFormat.self
    }
  }

  /// Whether files can say by an ICC profile what their codes mean.
  public var holdsProfiles: Bool { self != .pfm && self != .openEXR && self != .dpx }
  /// Whether files can have one component, gray. Codes of three are by other profiles.
  public var holdsGray: Bool { self != .heic && self != .avif && self != .dpx }
  /// Whether files of the kind can hold a profile.
  func holds(_ profile: ColorProfile) -> Bool {
    holdsProfiles && (!profile.isGray || holdsGray)
  }
  /// Whether files of the kind can say such primaries. Colours of others become BT.709's in them.
  package func holds(_ primaries: ColorTags.Primaries) -> Bool {
    switch self {
    case .png, .jpeg, .tiff, .heic, .avif, .openEXR: true
    case .pfm: primaries == .bt709
    case .dpx: DPXFormat.colorimetric(primaries) != nil
    }
  }
  /// Whether pictures with alpha are refused, which is found out before they are rendered.
  package var refusesAlpha: Bool { self == .jpeg }
  /// Whether something is lost, more or less by a quality.
  public var isLossy: Bool { self == .jpeg || self == .heic || self == .avif }
  /// The qualities of kinds that are ``isLossy``.
  public static let qualities = 1...100

  /// - Throws: `invalidParameter` for a quality outside ``qualities``.
  static func check(quality: Int?) throws(CinematicError) {
    guard let quality, !qualities.contains(quality) else { return }
    throw CinematicError(
      .invalidParameter, "a picture cannot have a quality of \(quality)",
      remedy: "give \(qualities.lowerBound) to \(qualities.upperBound)")
  }

  /// Whether colours of files are multiplied by alpha.
  public var holdsPremultipliedAlpha: Bool { self == .openEXR }
}
