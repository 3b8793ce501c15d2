// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalSample

/// Two pictures of one size as they are compared: some rows at a time, since the floats that are compared take many times
/// the memory of the codes that are read.
struct ComparedPair {
  /// As shown.
  let size: Dimensions
  /// Some rows of both as shown, RGBA floats.
  let rows: (Range<Int>) throws(CinematicError) -> (PixelBuffer, PixelBuffer)

  /// Bytes of a picture's floats that are made at once.
  private static let bandByteCount = 32 << 20

  private var bands: [Range<Int>] {
    let step = max(64, Self.bandByteCount / (16 * size.width) / 64 * 64)
    return stride(from: 0, to: size.height, by: step).map {
      $0..<min(size.height, $0 + step)
    }
  }

  func comparison(border: Int) throws(CinematicError) -> PictureComparison {
    var result = try PictureComparison.Rows(of: size, border: border)
    let apron = PictureComparison.Rows.apron
    for band in bands {
      let read = max(0, band.lowerBound - apron)..<min(size.height, band.upperBound + apron)
      let (actual, reference) = try rows(read)
      try result.add(band, actual, reference: reference, from: read.lowerBound)
    }
    return try result.comparison()
  }

  /// The amplified difference as a picture.
  func difference(amplification: Double) throws(CinematicError) -> PixelBuffer {
    let picture = try PixelBuffer(dimensions: size, format: .rgbaFloat)
    for band in bands {
      let (actual, reference) = try rows(band)
      try PictureComparison.writeDifference(
        actual, reference: reference, amplification: amplification,
        to: picture.part(columns: 0..<size.width, rows: band))
    }
    return picture
  }
}

extension PixelBuffer {
  /// Rows or columns around those that are taken from a stored picture: chroma that is brought to luma's pixels looks at
  /// its neighbours.
  private static let chromaMargin = 4

  /// The part of a stored picture that is shown as some rows, with a margin.
  ///
  /// - Returns: the part as it is stored, and where the rows lie in it as it is shown.
  func stored(
    shownAs rows: Range<Int>, _ turn: QuarterTurn
  ) -> (part: PixelBuffer, rows: Range<Int>) {
    let isAcross = turn == .clockwise90 || turn == .clockwise270
    let isReversed = turn == .clockwise180 || turn == .clockwise270
    let length = isAcross ? width : height
    let lines =
      isReversed ? length - rows.upperBound..<length - rows.lowerBound : rows
    let first = max(0, lines.lowerBound - Self.chromaMargin) / 2 * 2
    let end = min(length, lines.upperBound + Self.chromaMargin)
    let part =
      isAcross
      ? self.part(columns: first..<end, rows: 0..<height)
      : self.part(columns: 0..<width, rows: first..<end)
    let top = isReversed ? end - lines.upperBound : lines.lowerBound - first
    return (part, top..<top + rows.count)
  }

  /// Some rows of a picture.
  func part(rows: Range<Int>) -> PixelBuffer { part(columns: 0..<width, rows: rows) }
}
