// SPDX-License-Identifier: Apache-2.0

import CFFmpeg
import FocalCore

/// How the codes of a film's pictures are stored: which components, how fine, and how many bits.
public struct CodedPixels: Hashable, Sendable {
  /// The components, and how many chroma samples there are.
  public enum Chroma: String, Hashable, Sendable, CaseIterable {
    /// Luma alone.
    case gray
    /// A chroma sample for two columns and two rows.
    case yuv420 = "420"
    /// A chroma sample for two columns.
    case yuv422 = "422"
    /// A chroma sample for every pixel.
    case yuv444 = "444"
    /// Red, green and blue, without a matrix.
    case rgb

    /// For people.
    var title: String {
      switch self {
      case .gray: "gray"
      case .yuv420: "4:2:0"
      case .yuv422: "4:2:2"
      case .yuv444: "4:4:4"
      case .rgb: "RGB"
      }
    }

    /// Whether there is less of the colours than in another.
    func isCoarser(than other: Chroma) -> Bool {
      let all = Self.allCases
      return all.firstIndex(of: self)! < all.firstIndex(of: other)!
    }
  }

  public var chroma: Chroma
  /// Bits of a component, 8 to 16.
  public var bitDepth: Int
  /// Whether luma and chroma use all codes.
  public var isFullRange: Bool
  public var hasAlpha: Bool

  public init(_ chroma: Chroma, bitDepth: Int, isFullRange: Bool = false, hasAlpha: Bool = false) {
    self.chroma = chroma
    self.bitDepth = bitDepth
    self.isFullRange = isFullRange
    self.hasAlpha = hasAlpha
  }

  /// The codes of a film that is made of buffers of a format.
  init(_ format: PixelFormat) {
    self.init(
      .yuv420, bitDepth: format.bitsPerComponent > 8 ? 10 : 8,
      isFullRange: format == .yuv420Full8 || format == .yuv420Full10)
  }

  /// A decoder's codes; subsampling that has no name here is that of the next finer one.
  init(_ layout: PixelLayout, isFullRange: Bool) {
    let chroma: Chroma =
      if layout.isRGB || layout.isOpaque {
        .rgb
      } else if layout.isGray {
        .gray
      } else {
        switch (layout.chromaColumns, layout.chromaRows) {
        case (1, _): .yuv444
        case (_, 1): .yuv422
        default: .yuv420
        }
      }
    self.init(
      chroma, bitDepth: max(layout.components.map(\.depth).max() ?? 8, 8),
      isFullRange: isFullRange || chroma == .rgb || chroma == .gray, hasAlpha: layout.hasAlpha)
    if layout.isOpaque, !layout.isXYZ { bitDepth = 8 }
  }

  /// Whether they are luma and chroma.
  public var isLumaAndChroma: Bool { chroma != .rgb && chroma != .gray }

  /// The buffers that hold just this; `nil` if only floats do.
  var biPlanarFormat: PixelFormat? {
    guard chroma == .yuv420, !hasAlpha else { return nil }
    switch (bitDepth, isFullRange) {
    case (8, false): return .yuv420Video8
    case (8, true): return .yuv420Full8
    case (10, false): return .yuv420Video10
    case (10, true): return .yuv420Full10
    default: return nil
    }
  }

  /// The part of these codes that others do not hold, in words; `nil` if nothing is lost.
  public func loss(in other: CodedPixels) -> String? {
    var lost: [String] = []
    if other.bitDepth < bitDepth { lost.append("\(bitDepth) bits become \(other.bitDepth)") }
    // A bit more holds what the matrix makes of red, green and blue.
    let holdsMatrixed = chroma == .rgb && other.chroma == .yuv444 && other.bitDepth > bitDepth
    if other.chroma.isCoarser(than: chroma), !holdsMatrixed {
      lost.append("\(chroma.title) becomes \(other.chroma.title)")
    }
    if chroma == .gray, isFullRange, !other.isFullRange, other.bitDepth <= bitDepth {
      lost.append("gray of full range becomes \(other.chroma.title) of video range")
    }
    if hasAlpha, !other.hasAlpha { lost.append("alpha is left out") }
    return lost.isEmpty ? nil : lost.joined(separator: ", ")
  }

  /// The first of an encoder's formats that hold these codes; else the one with most of them.
  func format(among formats: [AVPixelFormat]) -> (AVPixelFormat, PixelLayout)? {
    let fitting = formats.compactMap { format -> (AVPixelFormat, PixelLayout)? in
      guard let layout = PixelLayout(format), !layout.isFloatingPoint, !layout.isOpaque,
        !layout.name.hasPrefix("yuvj"),
        // Packed and half-planar forms of the same come later, and are no better.
        CodedPixels(layout, isFullRange: isFullRange).chroma == chroma,
        layout.hasAlpha == hasAlpha, layout.chromaColumns <= 2,
        chroma != .yuv444 || layout.chromaRows == 1
      else { return nil }
      return (format, layout)
    }
    func depth(_ item: (AVPixelFormat, PixelLayout)) -> Int { item.1.depth }
    return fitting.filter { depth($0) >= bitDepth }.min { depth($0) < depth($1) }
      ?? fitting.max { depth($0) < depth($1) }
  }
}

extension CodedPixels: CustomStringConvertible {
  public var description: String {
    "\(chroma.title) of \(bitDepth) bits\(hasAlpha ? " with alpha" : "")"
  }
}
