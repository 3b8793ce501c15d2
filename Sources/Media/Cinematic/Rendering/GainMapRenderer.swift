// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalMedia
import FocalRendering

/// Renders what a photograph's gain map adds, at the map's size.
///
/// Gains cannot be blurred like light: a lamp's would be averaged with that of the dark around it, and its disc
/// would have hardly any. So both renditions are blurred, and the map is taken between them anew.
package struct GainMapRenderer {
  private let map: GainMap
  private let source: Dimensions
  /// Of the photograph as screens of standard range show it, and with enough headroom.
  private let base: LightAverage
  private let bright: LightAverage

  /// - Parameters:
  ///   - source: the photograph's size as it is stored.
  ///   - tags: of the rows that are added.
  ///   - output: the rendered picture's size before its turn: the map has no more.
  /// - Throws: `outOfMemory`.
  package init(
    _ map: GainMap, of source: Dimensions, tags: ColorTags, to output: Dimensions
  ) throws(CinematicError) {
    self.map = map
    self.source = source
    let size = Dimensions(
      width: min(output.width, map.dimensions.width),
      height: min(output.height, map.dimensions.height))
    base = try LightAverage(from: source, to: size, tags: tags)
    bright = try LightAverage(from: source, to: size, tags: tags)
  }

  /// Adds rows of the sharp photograph, each once.
  package func add(_ rows: PixelBuffer, at firstRow: Int) throws(CinematicError) {
    // Light in floats needs its own room: a few rows at a time, of chroma's height.
    let portion = 64
    for first in stride(from: 0, to: rows.height, by: portion) {
      let end = min(first + portion, rows.height)
      let light = try rows.part(columns: 0..<rows.width, rows: first..<end).linearRGBA()
      try base.add(light, at: firstRow + first)
      try bright.add(
        map.light(of: light, at: firstRow + first, of: source), at: firstRow + first)
    }
  }

  /// The map of the rendered photograph, upright.
  ///
  /// - Parameters:
  ///   - attributes: of the session. Highlights are not lifted: the map has them.
  /// - Throws: what rendering throws.
  package func rendered(
    disparity: PixelBuffer, frameAttributes: RenderingSession.FrameAttributes, turn: QuarterTurn,
    devices: [Device], attributes: RenderingSession.Attributes, quality: RenderingQuality
  ) throws(CinematicError) -> GainMap {
    var attributes = attributes
    attributes.highlights = 0
    let renderer = try FrameRenderer(
      devices: devices, sessionAttributes: attributes, quality: quality)
    var frame = frameAttributes
    frame.toneMapping = nil
    func render(_ light: PixelBuffer) throws(CinematicError) -> PixelBuffer {
      let result = try PixelBuffer(
        dimensions: turn.applied(to: light.dimensions), format: .rgbaFloat, tags: light.tags,
        bytesPerRowAlignment: 16)
      try renderer.finish(
        renderer.commit(
          FrameRenderer.Frame(
            number: 0, sourceImage: light, sourceDisparity: disparity, attributes: frame,
            preferredTransform: turn, destination: result)))
      return result
    }
    return try map.mapping(render(base.light), to: render(bright.light))
  }
}
