// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalEyes
import FocalRendering

/// A picture as subjects are looked for in it: upright, small for the analysis, larger for the outline.
struct SubjectView: Sendable {
  /// Of the picture, as shown.
  let shown: Dimensions
  /// From stored to shown.
  let turn: QuarterTurn
  /// The size of the analysis.
  let analysis: Dimensions
  /// Red, green and blue, 0 to 1, as an sRGB screen has them; at the size of the analysis.
  let codes: [Float]
  /// Of a picture with alpha: whether nothing is to be seen at each pixel of the analysis, whatever colour it has. Empty of
  /// an opaque one.
  let isClear: [Bool]
  /// The size at which outlines are worked out.
  let outline: Dimensions
  /// Whether outlines are worked out twice, as there is time for in photographs.
  let isFine: Bool
  /// Linear red, green and blue at the size of outlines.
  let light: [Float]

  /// Outlines are worked out at this longer side, and brought to the picture's size by its own pixels. At half of it hair
  /// of two pixels in a picture of 12 megapixels is lost, at twice of it the time is four times as long.
  static let outlineSide = 1024

  /// Less alpha shows nothing.
  private static let leastAlpha: Float = 0.02

  init(
    _ picture: PixelBuffer, turn: QuarterTurn, analysisSize: Int, outlineSide: Int
  ) throws(CinematicError) {
    shown = turn.applied(to: picture.dimensions)
    self.turn = turn
    analysis = shown.fitting(longerSide: analysisSize)
    outline = shown.fitting(longerSide: outlineSide)
    isFine = outlineSide == Self.outlineSide
    let small = try EyePicture.seenLight(of: picture, at: turn.inverse.applied(to: outline))
    light = EyePicture.values(ofLight: small, turn: turn)
    // Of high dynamic range the picture itself says how it is mapped.
    let isHigh = picture.tags.transfer == .hlg || picture.tags.transfer == .pq
    codes = try EyePicture(isHigh ? picture : small, turn: turn, dimensions: analysis).codes
    if picture.isTranslucent {
      let alpha = try PixelBuffer.map(small.alphas, small.dimensions).turnedDisparity(by: turn)
      isClear = try alpha.resizedMap(to: analysis).cells.map { !($0 >= Self.leastAlpha) }
    } else {
      isClear = []
    }
  }
}

extension PixelBuffer {
  /// The alpha of `rgbaFloat`, row by row.
  var alphas: [Float] {
    let stride = planes[0].bytesPerRow
    return withUnsafeBytes { bytes in
      var alphas = [Float](repeating: 0, count: dimensions.count)
      for y in 0..<height {
        for x in 0..<width {
          alphas[y * width + x] = bytes.load(
            fromByteOffset: y * stride + 16 * x + 12, as: Float.self)
        }
      }
      return alphas
    }
  }
}

extension PixelBuffer {
  /// The values of a mask at another size, not a number and what is out of range as the nearest of 0 to 1.
  ///
  /// - Throws: `unsupported` for a picture's format, `outOfMemory`.
  func unitValues(at size: Dimensions) throws(CinematicError) -> [Float] {
    guard format.isDisparity else {
      throw CinematicError(
        .unsupported, "a mask of the format \(format) cannot be read",
        remedy: "give it as disparityFloat")
    }
    let values = disparityValues.map { $0.isNaN ? 0 : max(0, min(1, $0)) }
    return try PixelBuffer.map(values, dimensions).resizedMap(to: size).cells
  }
}
