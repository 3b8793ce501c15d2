// SPDX-License-Identifier: Apache-2.0

import FocalCore

/// How a frame is cut so that its working buffers fit into its device.
///
/// A *strip* is worked on at the picture's resolution at once, and a *band* of one or more strips at
/// that of the layers. Both have an apron of what their passes reach, and tiles, cells and dither keep
/// their places, so that a cut frame is bit-identical to an uncut one.
struct FrameCut: Hashable {
  /// Rows of the picture in a band, a multiple of ``unit``; `nil` for all of them.
  var bandRows: Int?
  /// Rows of the picture in a strip, a multiple of ``unit``; `nil` for the whole band.
  var stripRows: Int?
  /// Most tiles of the layers that are in work at once.
  var tilesAtOnce: Int
  /// Most bytes that the slices of these tiles take on a graphics device.
  var poolByteCount = BlurSettings.leastPoolByteCount

  /// Rows of a composite's tile: strips begin at its multiples.
  static let unit = 16
  /// The lowest strips and bands: lower ones would be all apron.
  private static let leastStrip = 32
  private static let leastBand = 64

  /// The whole frame, then the cuts for a picture of `height` rows, from the fastest on. On a device with much memory
  /// the whole frame comes twice: with all that its tiles may take, and with what they take elsewhere.
  static func candidates(
    height: Int, on backend: any DeviceBackend, isBlurred: Bool
  ) -> [FrameCut] {
    let tilesAtOnce = backend.tilesAtOnce
    guard isBlurred else {
      return [FrameCut(tilesAtOnce: tilesAtOnce)]
        + heights(below: height, least: unit).map {
          FrameCut(stripRows: $0, tilesAtOnce: tilesAtOnce)
        }
    }
    var cuts: [FrameCut] = []
    let pool = BlurSettings.poolByteCount(ofMemory: backend.memoryByteCount)
    if !backend.fusesTiles, pool > BlurSettings.leastPoolByteCount {
      cuts.append(FrameCut(tilesAtOnce: tilesAtOnce, poolByteCount: pool))
    }
    for count in Set([tilesAtOnce, max(tilesAtOnce / 4, 1), 1]).sorted(by: >) {
      cuts.append(FrameCut(tilesAtOnce: count))
      for strip in heights(below: height, least: leastStrip) {
        cuts.append(FrameCut(stripRows: strip, tilesAtOnce: count))
      }
      for band in heights(below: height, least: leastBand) {
        cuts.append(FrameCut(bandRows: band, tilesAtOnce: count))
        for strip in heights(below: band, least: leastStrip) {
          cuts.append(FrameCut(bandRows: band, stripRows: strip, tilesAtOnce: count))
        }
      }
    }
    return cuts
  }

  /// Halves, quarters and so on of `rows`.
  private static func heights(below rows: Int, least: Int) -> [Int] {
    var heights: [Int] = []
    var next = rows
    while next > least {
      next = max((next / 2 + unit - 1) / unit * unit, least)
      guard next < rows, next != heights.last else { break }
      heights.append(next)
    }
    return heights
  }

  /// `rows` in pieces of `step`; the first of a picture is longer by `phase`.
  static func pieces(of rows: Range<Int>, step: Int?, phase: Int = 0) -> [Range<Int>] {
    // Of a device without limits, a step may be the largest number there is.
    guard let step = step.map({ min($0, rows.upperBound) }) else { return [rows] }
    var pieces: [Range<Int>] = []
    var first = rows.lowerBound
    while first < rows.upperBound {
      let end = min(first + step + (first == 0 ? phase : 0), rows.upperBound)
      pieces.append(first..<end)
      first = end
    }
    return pieces
  }

  /// `rows` and `margin` more on both sides within a picture of `height` rows, at multiples of
  /// `unit`.
  static func widened(
    _ rows: Range<Int>, by margin: Int, unit: Int = unit, height: Int
  ) -> Range<Int> {
    let first = max(rows.lowerBound - margin, 0) / unit * unit
    let end = min((rows.upperBound + margin + unit - 1) / unit * unit, height)
    return first..<max(first, end)
  }
}
