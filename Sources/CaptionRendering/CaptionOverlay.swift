// SPDX-License-Identifier: Apache-2.0

import FocalCaptions
import FocalCore

/// The captions drawn over a picture at a moment: parts of it, each of colours seen through masks, one over the
/// other.
///
/// Colours are kept apart from coverage, so that they can be mixed in the light of whatever they are drawn over.
public struct CaptionOverlay: Sendable {
  /// A colour where it covers.
  struct Layer: Sendable {
    var area: PixelRect
    var color: Caption.Color
    /// Coverage, a byte a pixel of the area, row by row; `nil` covers all of it.
    var mask: [UInt8]?
  }

  /// Layers that lie over each other.
  struct Piece: Sendable {
    var layers: [Layer] = []

    /// The least rectangle with all layers.
    var area: PixelRect? {
      guard let first = layers.first else { return nil }
      return layers.dropFirst().reduce(first.area) { area, layer in
        PixelRect(
          columns: min(
            area.columns.lowerBound, layer.area.columns.lowerBound)..<max(
              area.columns.upperBound, layer.area.columns.upperBound),
          rows: min(
            area.rows.lowerBound, layer.area.rows.lowerBound)..<max(
              area.rows.upperBound, layer.area.rows.upperBound))
      }
    }
  }

  /// The picture's.
  public let dimensions: Dimensions
  var pieces: [Piece] = []
  /// Characters that no font has a shape for.
  public internal(set) var missingCharacters: Set<Unicode.Scalar> = []
  /// Whether a text was cut: 4096 code points of a caption are set, 32 of one character, and 200 of a ruby.
  public internal(set) var isTextCut = false

  init(dimensions: Dimensions) { self.dimensions = dimensions }

  public var isEmpty: Bool { pieces.allSatisfy { $0.layers.isEmpty } }

  /// The parts of the picture that are drawn on.
  public var areas: [PixelRect] {
    pieces.compactMap { $0.area.flatMap { Self.clipped($0, dimensions) } }
  }

  static func clipped(_ area: PixelRect, _ size: Dimensions) -> PixelRect? {
    let columns = area.columns.clamped(to: 0..<size.width)
    let rows = area.rows.clamped(to: 0..<size.height)
    return columns.isEmpty || rows.isEmpty ? nil : PixelRect(columns: columns, rows: rows)
  }
}

extension CaptionOverlay.Layer {
  /// The part of the layer within an area; `nil` for none.
  func clipped(to bounds: PixelRect) -> CaptionOverlay.Layer? {
    let columns = area.columns.clamped(to: bounds.columns)
    let rows = area.rows.clamped(to: bounds.rows)
    guard !columns.isEmpty, !rows.isEmpty else { return nil }
    var layer = self
    layer.area = PixelRect(columns: columns, rows: rows)
    guard let mask, layer.area != area else { return layer }
    var cut: [UInt8] = []
    cut.reserveCapacity(columns.count * rows.count)
    for row in rows {
      let start = (row - area.y) * area.width + columns.lowerBound - area.x
      cut += mask[start..<start + columns.count]
    }
    layer.mask = cut
    return layer
  }

  func moved(down rows: Int) -> CaptionOverlay.Layer {
    var layer = self
    layer.area = PixelRect(
      columns: area.columns, rows: area.rows.lowerBound + rows..<area.rows.upperBound + rows)
    return layer
  }
}
