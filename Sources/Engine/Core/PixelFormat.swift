// SPDX-License-Identifier: Apache-2.0

/// How a pixel buffer's bytes are laid out. Raw values are the four-character codes of Core Video.
public enum PixelFormat: UInt32, Hashable, Sendable, CaseIterable, CustomStringConvertible {
  /// 8-bit luma and interleaved half-size Cb Cr, video range (16...235, 16...240). `420v`, NV12.
  case yuv420Video8 = 0x3432_3076
  /// The same in full range (0...255). `420f`.
  case yuv420Full8 = 0x3432_3066
  /// 10-bit luma and interleaved half-size Cb Cr in the high bits of 16, video range
  /// (64...940, 64...960). `x420`, P010.
  case yuv420Video10 = 0x7834_3230
  /// The same in full range (0...1023). `xf20`.
  case yuv420Full10 = 0x7866_3230
  /// 8 bits each of red, green, blue, alpha (straight).
  case rgba8 = 0x5247_4241
  /// 16-bit floats.
  case rgbaHalf = 0x5247_6841
  /// 32-bit floats.
  case rgbaFloat = 0x5247_6641
  /// One 8-bit component.
  case gray8 = 0x4C30_3038
  /// One 16-bit component, little endian.
  case gray16 = 0x4C30_3136
  /// Relative disparity as 16-bit floats. `hdis`.
  case disparityHalf = 0x6864_6973
  /// Relative disparity as 32-bit floats. `fdis`.
  case disparityFloat = 0x6664_6973

  /// One plane of a format.
  public struct Plane: Hashable, Sendable {
    /// Bytes from one element to the next in a row.
    public let bytesPerElement: Int
    /// Pixels of the picture that an element covers, in x and in y.
    public let subsampling: Int

    /// Columns and rows of the plane of a picture of `size`; odd sizes round up.
    public func dimensions(of size: Dimensions) -> Dimensions {
      Dimensions(
        width: (size.width + subsampling - 1) / subsampling,
        height: (size.height + subsampling - 1) / subsampling)
    }
  }

  /// The planes, in order.
  public var planes: [Plane] {
    switch self {
    case .yuv420Video8, .yuv420Full8:
      [Plane(bytesPerElement: 1, subsampling: 1), Plane(bytesPerElement: 2, subsampling: 2)]
    case .yuv420Video10, .yuv420Full10:
      [Plane(bytesPerElement: 2, subsampling: 1), Plane(bytesPerElement: 4, subsampling: 2)]
    case .rgba8: [Plane(bytesPerElement: 4, subsampling: 1)]
    case .rgbaHalf: [Plane(bytesPerElement: 8, subsampling: 1)]
    case .rgbaFloat: [Plane(bytesPerElement: 16, subsampling: 1)]
    case .gray8: [Plane(bytesPerElement: 1, subsampling: 1)]
    case .gray16, .disparityHalf: [Plane(bytesPerElement: 2, subsampling: 1)]
    case .disparityFloat: [Plane(bytesPerElement: 4, subsampling: 1)]
    }
  }

  /// Whether the buffer holds a disparity map, not a picture.
  public var isDisparity: Bool { self == .disparityHalf || self == .disparityFloat }
  /// Whether the buffer holds luma and chroma planes.
  public var isBiPlanar: Bool { planes.count == 2 }
  /// Whether values are floats, which also hold light above display white.
  public var isFloatingPoint: Bool {
    switch self {
    case .rgbaHalf, .rgbaFloat, .disparityHalf, .disparityFloat: true
    default: false
    }
  }
  /// Significant bits of a component.
  public var bitsPerComponent: Int {
    switch self {
    case .yuv420Video8, .yuv420Full8, .rgba8, .gray8: 8
    case .yuv420Video10, .yuv420Full10: 10
    case .gray16, .rgbaHalf, .disparityHalf: 16
    case .rgbaFloat, .disparityFloat: 32
    }
  }

  /// Bytes of a component in memory, which the start of every row must be a multiple of.
  public var bytesPerComponent: Int { (bitsPerComponent + 7) / 8 }

  /// The four-character code.
  public var description: String {
    String(
      decoding: [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: rawValue >> $0) }, as: UTF8.self)
  }
}
