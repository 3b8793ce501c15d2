// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalMedia

/// The way of a picture in a camera's curve: its codes become light before the blur, and what is rendered
/// becomes codes of the same curve behind it.
package struct LightPass {
  private let curve: LogCurve
  /// Whether the source's codes use the whole range.
  private let isFullRange: Bool
  /// Where the rendered light goes.
  package let light: PixelBuffer
  private let destination: PixelBuffer

  /// - Throws: `outOfMemory`.
  package init(
    _ curve: LogCurve, isFullRange: Bool, to destination: PixelBuffer
  ) throws(CinematicError) {
    self.curve = curve
    self.isFullRange = isFullRange
    self.destination = destination
    let holdsLight =
      destination.format == .rgbaFloat && destination.tags.transfer == .linear
    light =
      holdsLight
      ? destination
      : try PixelBuffer(
        dimensions: destination.dimensions, format: .rgbaFloat, tags: destination.tags.linear,
        bytesPerRowAlignment: 16)
  }

  /// The light of a picture.
  ///
  /// - Throws: `outOfMemory`.
  package func light(of source: PixelBuffer) throws(CinematicError) -> PixelBuffer {
    // Codes of no curve are light already, so that only the matrix is taken back.
    let codes = try source.tagged(source.tags.linear).linearRGBA()
    codes.decodeLog(curve, isFullRange: isFullRange)
    return codes
  }

  /// Writes what was rendered: as light into a picture of light, as codes into others.
  ///
  /// - Throws: what ``FocalCore/PixelBuffer/store(linearRGBA:)`` throws.
  package func finish() throws(CinematicError) {
    guard light !== destination else { return }
    light.encodeLog(curve, isFullRange: isFullRange)
    try destination.tagged(destination.tags.linear).store(linearRGBA: light)
  }
}

extension ColorTags {
  /// The same primaries and matrix, without a curve.
  fileprivate var linear: ColorTags {
    ColorTags(primaries: primaries, transfer: .linear, matrix: matrix)
  }
}
