// SPDX-License-Identifier: Apache-2.0

/// The meaning of a picture's numbers as colour: which primaries, through which transfer function,
/// and for luma and chroma through which matrix. Whether codes use the video or the full range is
/// part of the ``PixelFormat``.
public struct ColorTags: Hashable, Sendable {
  /// The chromaticities of red, green, blue and white. The renderer carries them along: a lens
  /// blurs any linear primaries alike.
  public enum Primaries: String, Hashable, Sendable, CaseIterable {
    case bt709
    case displayP3
    case bt2020
    /// BT.601, 525 lines (SMPTE 170M).
    case smpte170m
    /// BT.601, 625 lines (BT.470 BG).
    case bt470bg
  }

  /// The function between a stored value and linear light. Raw values are those of the kernels.
  public enum Transfer: Int32, Hashable, Sendable, CaseIterable, CustomStringConvertible {
    /// Stored values are linear light, display white at 1.
    case linear = 0
    /// IEC 61966-2-1.
    case srgb = 1
    /// The inverse of BT.709's camera curve, so that encoding and decoding are inverse and mid
    /// tones blur as the camera saw them.
    case bt709 = 2
    /// BT.2100 hybrid log-gamma, scene light, reference white (a signal of 0.75) at 1.
    case hlg = 3
    /// BT.2100 perceptual quantiser, display light, 203 cd/m² at 1.
    case pq = 4

    public var description: String {
      switch self {
      case .linear: "linear"
      case .srgb: "srgb"
      case .bt709: "bt709"
      case .hlg: "hlg"
      case .pq: "pq"
      }
    }

    /// Whether light above display white (1) has codes.
    public var isHighDynamicRange: Bool { self == .linear || self == .hlg || self == .pq }
    /// Whether codes are of standard dynamic range, for any screen: the same code looks the same in a
    /// picture (``srgb``) and in a movie (``bt709``), so that codes pass between them as they are.
    public var isStandardRange: Bool { self == .srgb || self == .bt709 }
  }

  /// The weights between RGB and luma and chroma. Raw values are those of the kernels.
  public enum Matrix: Int32, Hashable, Sendable, CaseIterable {
    case bt601 = 0
    case bt709 = 1
    case bt2020 = 2
  }

  /// Which colours red, green and blue stand for.
  public var primaries: Primaries
  /// How codes become light.
  public var transfer: Transfer
  /// How red, green and blue become luma and chroma.
  public var matrix: Matrix

  /// Tags of these three properties.
  public init(primaries: Primaries, transfer: Transfer, matrix: Matrix) {
    self.primaries = primaries
    self.transfer = transfer
    self.matrix = matrix
  }

  /// How a picture or a movie of standard dynamic range shows the same: codes that are of it already
  /// stay, linear light gets sRGB's curve, and high dynamic range goes through ``ToneMapping``.
  public var standardRange: ColorTags {
    switch transfer {
    case .srgb, .bt709: self
    case .linear: ColorTags(primaries: primaries, transfer: .srgb, matrix: matrix)
    case .hlg, .pq: .sRGB
    }
  }

  /// sRGB, as in pictures.
  public static let sRGB = ColorTags(primaries: .bt709, transfer: .srgb, matrix: .bt709)
  /// BT.709, as in movies of standard range.
  public static let bt709 = ColorTags(primaries: .bt709, transfer: .bt709, matrix: .bt709)
  /// Linear light with the primaries of BT.709.
  public static let linearBT709 = ColorTags(primaries: .bt709, transfer: .linear, matrix: .bt709)
  /// BT.2100 with hybrid log-gamma.
  public static let hlg = ColorTags(primaries: .bt2020, transfer: .hlg, matrix: .bt2020)
  /// BT.2100 with the perceptual quantizer.
  public static let pq = ColorTags(primaries: .bt2020, transfer: .pq, matrix: .bt2020)
}
