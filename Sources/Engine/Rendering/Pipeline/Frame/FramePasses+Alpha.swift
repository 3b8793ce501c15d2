// SPDX-License-Identifier: Apache-2.0

import FocalCore
import ShaderTypes

/// Pictures with alpha.
///
/// A lens blurs what reaches it: light, which is colour times alpha, and coverage alike. The passes blur
/// three colours, so that such a picture is two: its light, and its alpha as gray. Both go the whole way
/// side by side, strip by strip, and are put together before they are packed. Opaque pictures are one
/// part, and pass as they are.
extension FramePasses {
  /// How alpha is stored at both ends.
  struct Alpha {
    var source: AlphaMode
    var destination: AlphaMode
  }

  /// The part of the source that is blurred.
  enum Part {
    /// They stay as they are.
    case colors
    case light
    case coverage
  }

  /// The parts that are rendered, the one that is packed first.
  var parts: [Part] { frame.alpha == nil ? [.colors] : [.light, .coverage] }

  /// Whether stored light becomes the colours of surfaces before it is rendered: highlights are lifted as surfaces have
  /// them, and a surface of which half is seen is as bright as the whole one.
  var dividesBeforeLifting: Bool {
    frame.highlights != nil && frame.alpha?.source == .premultiplied
  }

  /// Divides rows of stored light by their alpha.
  ///
  /// - Parameter coverage: the same rows once more, which become their alpha.
  mutating func divide(
    _ light: PassList.Buffer, byAlphaIn coverage: PassList.Buffer, width: Int, rows: Int
  ) {
    split(coverage, width: width, firstRow: 0, rows: rows, as: Int32(FocalAlphaCoverage))
    join(coverage, to: light, width: width, firstRow: 0, rows: rows, divides: true)
  }

  /// Makes rows of linear light the part that is being rendered.
  mutating func split(_ pixels: PassList.Buffer, width: Int, rows: Int) {
    guard part != .colors, let alpha = frame.alpha else { return }
    let kind =
      part == .coverage
      ? FocalAlphaCoverage
      : alpha.source == .straight || dividesBeforeLifting
        ? FocalAlphaLight : FocalAlphaStoredLight
    split(pixels, width: width, firstRow: 0, rows: rows, as: Int32(kind))
  }

  private mutating func split(
    _ pixels: PassList.Buffer, width: Int, firstRow: Int, rows: Int, as kind: Int32
  ) {
    list.add(
      Kernel.SplitAlpha(picture: .buffer(pixels)),
      FocalSplitAlphaParameters(
        width: Int32(width), firstRow: Int32(firstRow), rows: Int32(rows), part: kind),
      over: Dimensions(width: width, height: rows))
  }

  /// Puts light and coverage together, in the place of the light.
  ///
  /// - Parameter divides: whether colours are those of surfaces afterwards.
  private mutating func join(
    _ coverage: PassList.Buffer, to light: PassList.Buffer, width: Int, firstRow: Int, rows: Int,
    divides: Bool
  ) {
    list.add(
      Kernel.JoinAlpha(coverage: .buffer(coverage), light: .buffer(light)),
      FocalJoinAlphaParameters(
        width: Int32(width), firstRow: Int32(firstRow), rows: Int32(rows),
        divides: divides ? 1 : 0),
      over: Dimensions(width: width, height: rows))
  }

  /// Puts the rendered parts together, brings them to the destination's range, and packs rows of them.
  ///
  /// - Parameters:
  ///   - pictures: windows of the same rows, in the order of ``parts``.
  ///   - written: the rows of them that were written.
  mutating func finish(_ pictures: [Window], written: Range<Int>, packing rows: Range<Int>) {
    let picture = pictures[0]
    let first = written.lowerBound - picture.rows.lowerBound
    let width = frame.fullSize.width
    if pictures.count > 1, let alpha = frame.alpha {
      // Tones are those of surfaces.
      let isMapped = frame.toneMapping != nil || frame.highlights != nil
      join(
        pictures[1].buffer, to: picture.buffer, width: width, firstRow: first,
        rows: written.count, divides: alpha.destination == .straight || isMapped)
      mapHighlights(
        picture.buffer, width: width, firstRow: first, rows: written.count, lifts: false)
      mapTones(of: picture, rows: written)
      if isMapped, alpha.destination == .premultiplied {
        split(
          picture.buffer, width: width, firstRow: first, rows: written.count,
          as: Int32(FocalAlphaMultiplication))
      }
    } else {
      mapHighlights(
        picture.buffer, width: width, firstRow: first, rows: written.count, lifts: false)
      mapTones(of: picture, rows: written)
    }
    pack(picture, rows: rows)
  }
}
