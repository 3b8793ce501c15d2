// SPDX-License-Identifier: Apache-2.0

import CFFmpeg
import FocalCore

/// A stream's colour description in the code points of ITU-T H.273, which movie files store.
///
/// ``FocalCore/ColorTags`` name what the renderer tells apart; several code points share a name
/// there (BT.601's and BT.709's transfer functions are one function). A reader hands on the codes,
/// so that a writer can store exactly those.
public struct ColorCodes: Hashable, Sendable {
  /// ColourPrimaries: 0 to 255, 2 where nothing is said.
  public var primaries: UInt32
  /// TransferCharacteristics: likewise.
  public var transfer: UInt32
  /// MatrixCoefficients: likewise.
  public var matrix: UInt32

  public init(primaries: UInt32, transfer: UInt32, matrix: UInt32) {
    self.primaries = primaries
    self.transfer = transfer
    self.matrix = matrix
  }

  /// The codes of `tags`.
  public init(_ tags: ColorTags) {
    primaries =
      switch tags.primaries {
      case .bt709: AVCOL_PRI_BT709.rawValue
      case .displayP3: AVCOL_PRI_SMPTE432.rawValue
      case .bt2020: AVCOL_PRI_BT2020.rawValue
      case .smpte170m: AVCOL_PRI_SMPTE170M.rawValue
      case .bt470bg: AVCOL_PRI_BT470BG.rawValue
      }
    transfer =
      switch tags.transfer {
      case .linear: AVCOL_TRC_LINEAR.rawValue
      case .srgb: AVCOL_TRC_IEC61966_2_1.rawValue
      case .bt709: AVCOL_TRC_BT709.rawValue
      case .hlg: AVCOL_TRC_ARIB_STD_B67.rawValue
      case .pq: AVCOL_TRC_SMPTE2084.rawValue
      }
    matrix =
      switch tags.matrix {
      case .bt601:
        tags.primaries == .bt470bg ? AVCOL_SPC_BT470BG.rawValue : AVCOL_SPC_SMPTE170M.rawValue
      case .bt709: AVCOL_SPC_BT709.rawValue
      case .bt2020: AVCOL_SPC_BT2020_NCL.rawValue
      }
  }
}

/// The colours of a decoded frame, with defaults for unspecified ones.
struct FrameColor {
  var tags: ColorTags
  var codes: ColorCodes
  /// Parts of its colours that the stream does not say, of those that its pixels have.
  var assumed: [Part]
  private let partCount: Int
  /// Whether luma and chroma use all codes.
  var isFullRange: Bool

  /// A part of what a stream says of its colours.
  enum Part: CaseIterable { case primaries, transfer, matrix }

  /// In words for messages that begin with a film's name, the parts that are taken for something; `nil` if all are said.
  var assumption: String? {
    guard !assumed.isEmpty else { return nil }
    guard assumed.count < partCount else {
      return "does not say its colours, which are taken for \(tags.primaries) with \(tags.transfer)"
    }
    let taken = assumed.map { part in
      switch part {
      case .primaries: "the primaries of \(tags.primaries)"
      case .transfer: "the transfer of \(tags.transfer)"
      case .matrix: "the matrix of \(tags.matrix)"
      }
    }
    return "does not say all of its colours, of which \(taken.joined(separator: " and "))"
      + (taken.count > 1 || assumed == [.primaries] ? " are assumed" : " is assumed")
  }

  /// - Parameters:
  ///   - container: what the container says, which goes before what the codec says: VP8 claims
  ///     BT.601 always, and players follow the container.
  ///   - isStill: a picture file is sRGB unless it says otherwise, a movie BT.709.
  init(
    _ frame: PictureFrame, container: ContainerColor? = nil, isStill: Bool, isFloatingPoint: Bool,
    isRGB: Bool
  ) {
    var stored = frame.pointer.pointee
    container?.override(&stored)
    let matrix = Self.matrix(stored, isRGB: isRGB)
    let primaries = Self.primaries(stored, matrix: matrix, isStill: isStill)
    let transfer = Self.transfer(
      stored, isStill: isStill, isFloatingPoint: isFloatingPoint, isRGB: isRGB)
    tags = ColorTags(primaries: primaries, transfer: transfer, matrix: matrix)
    let layout = PixelLayout(frame.pixelFormat)
    codes = ColorCodes(tags)
    // Players take red, green and blue of which nothing is said for BT.709, and so it is stored.
    if !isStill, tags.transfer == .srgb { codes.transfer = AVCOL_TRC_BT709.rawValue }
    // Keep what the stream says where it says something.
    func isSaid(_ code: UInt32) -> Bool { code != 0 && code != 2 && code != 3 && code < 256 }
    let hasMatrix = !isRGB && layout?.isGray != true
    partCount = hasMatrix ? 3 : 2
    assumed = Part.allCases.filter { part in
      switch part {
      case .primaries: !isSaid(stored.color_primaries.rawValue)
      case .transfer: !isSaid(stored.color_trc.rawValue)
      case .matrix: hasMatrix && !isSaid(stored.colorspace.rawValue)
      }
    }
    isFullRange = Self.isFullRange(frame, container: container)
    // Digital cinema's X'Y'Z' become other codes when they are read.
    guard layout?.isXYZ != true else { return }
    if isSaid(stored.color_primaries.rawValue) { codes.primaries = stored.color_primaries.rawValue }
    if isSaid(stored.color_trc.rawValue) { codes.transfer = stored.color_trc.rawValue }
    if !isRGB, isSaid(stored.colorspace.rawValue) { codes.matrix = stored.colorspace.rawValue }
  }

  /// Whether codes use the full range. FFmpeg's gray formats always do, whatever a codec's header
  /// claims (HEVC marks untagged gray as video range); the rest do where the stream says so.
  static func isFullRange(_ frame: PictureFrame, container: ContainerColor? = nil) -> Bool {
    var stored = frame.pointer.pointee
    container?.override(&stored)
    return switch frame.pixelFormat {
    case AV_PIX_FMT_YUVJ420P, AV_PIX_FMT_YUVJ422P, AV_PIX_FMT_YUVJ444P, AV_PIX_FMT_YUVJ440P,
      AV_PIX_FMT_YUVJ411P:
      true
    default:
      PixelLayout(frame.pixelFormat)?.isGray == true
        || stored.color_range == AVCOL_RANGE_JPEG
    }
  }

  private static func matrix(_ frame: AVFrame, isRGB: Bool) -> ColorTags.Matrix {
    if isRGB { return frame.color_primaries == AVCOL_PRI_BT2020 ? .bt2020 : .bt709 }
    switch frame.colorspace {
    case AVCOL_SPC_BT709, AVCOL_SPC_SMPTE240M: return .bt709
    case AVCOL_SPC_BT470BG, AVCOL_SPC_SMPTE170M, AVCOL_SPC_FCC: return .bt601
    case AVCOL_SPC_BT2020_NCL, AVCOL_SPC_BT2020_CL: return .bt2020
    default:
      if frame.color_primaries == AVCOL_PRI_BT2020 { return .bt2020 }
      return untagged(width: Int(frame.width), height: Int(frame.height)).matrix
    }
  }

  /// The colours of video without tags: BT.601 up to 576 lines, BT.709 above, as players assume.
  static func untagged(width: Int, height: Int) -> ColorTags {
    guard width < 1280, height <= 576 else { return .bt709 }
    return ColorTags(primaries: primariesOfBT601(height), transfer: .bt709, matrix: .bt601)
  }

  /// Of both systems of BT.601 the one with so many lines.
  private static func primariesOfBT601(_ height: Int) -> ColorTags.Primaries {
    height == 576 || height == 288 ? .bt470bg : .smpte170m
  }

  private static func primaries(
    _ frame: AVFrame, matrix: ColorTags.Matrix, isStill: Bool
  ) -> ColorTags.Primaries {
    switch frame.color_primaries {
    case AVCOL_PRI_BT709: return .bt709
    case AVCOL_PRI_SMPTE431, AVCOL_PRI_SMPTE432: return .displayP3
    case AVCOL_PRI_BT2020: return .bt2020
    case AVCOL_PRI_SMPTE170M, AVCOL_PRI_SMPTE240M, AVCOL_PRI_BT470M: return .smpte170m
    case AVCOL_PRI_BT470BG: return .bt470bg
    default:
      if isStill { return .bt709 }
      switch matrix {
      case .bt709: return .bt709
      case .bt2020: return .bt2020
      case .bt601: return primariesOfBT601(Int(frame.height))
      }
    }
  }

  private static func transfer(
    _ frame: AVFrame, isStill: Bool, isFloatingPoint: Bool, isRGB: Bool
  ) -> ColorTags.Transfer {
    switch frame.color_trc {
    case AVCOL_TRC_LINEAR: return .linear
    case AVCOL_TRC_SMPTE2084: return .pq
    case AVCOL_TRC_ARIB_STD_B67: return .hlg
    case _ where isFloatingPoint: return .linear
    case _ where isStill: return .srgb
    // A pure power of 2.2 lies nearer to sRGB than to BT.709's camera curve.
    case AVCOL_TRC_IEC61966_2_1, AVCOL_TRC_GAMMA22: return .srgb
    case AVCOL_TRC_UNSPECIFIED where isRGB: return .srgb
    default: return .bt709
    }
  }
}

/// The colour description in a container's stream header.
struct ContainerColor: Equatable {
  var primaries: AVColorPrimaries
  var transfer: AVColorTransferCharacteristic
  var matrix: AVColorSpace
  var range: AVColorRange

  init(_ parameters: AVCodecParameters) {
    primaries = parameters.color_primaries
    transfer = parameters.color_trc
    matrix = parameters.color_space
    range = parameters.color_range
  }

  /// Puts what the container says in the place of what the codec says.
  func override(_ frame: inout AVFrame) {
    if primaries != AVCOL_PRI_UNSPECIFIED, primaries.rawValue != 0 {
      frame.color_primaries = primaries
    }
    if transfer != AVCOL_TRC_UNSPECIFIED, transfer.rawValue != 0 { frame.color_trc = transfer }
    // Zero is a code here: red, green and blue.
    if matrix != AVCOL_SPC_UNSPECIFIED, matrix != AVCOL_SPC_RGB { frame.colorspace = matrix }
    if range != AVCOL_RANGE_UNSPECIFIED { frame.color_range = range }
  }
}
