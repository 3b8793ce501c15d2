// SPDX-License-Identifier: Apache-2.0

import FocalCinematic
import FocalCore
import FocalMedia
import FocalRendering

/// A picture that shows a frame sharp at the left and rendered at the right. It appears under its
/// name when the rendering it belongs to is done.
struct BeforeAfter: Sendable {
  private let writer: FrameWriter
  private let halves: Halves
  private let legend: ViewLegend?

  /// - Parameter legend: of the view that is shown instead of the rendering.
  /// - Throws: `unwritable` for an existing file or a folder that cannot be written.
  init(
    path: String, overwrite: Bool, source: SourceProperties, format: OutputFormat,
    legend: ViewLegend?
  ) throws(CinematicError) {
    halves = Halves(source, format)
    self.legend = legend
    // A single picture takes its size and format from what is appended.
    var settings = WriterSettings(
      dimensions: Dimensions(width: 1, height: 1), pixelFormat: .rgba8, tags: halves.tags)
    settings.overwrite = overwrite
    writer = try FrameWriter.create(path, settings: settings)
  }

  /// Draws the picture.
  ///
  /// - Parameter before: the source frame, as stored.
  func draw(_ before: PixelBuffer, _ after: PixelBuffer) throws(CinematicError) {
    let picture = try halves.drawn(
      before, at: 0, of: before.dimensions, after, at: PixelRect(after.dimensions),
      of: after.dimensions)
    // The one that the rendering has lies under the sharp half.
    let right = Halves.divider(in: picture.width).upperBound..<picture.width
    if let legend, !right.isEmpty {
      try legend.draw(over: picture.part(columns: right, rows: 0..<picture.height))
    }
    try writer.append(picture, time: .zero, duration: .zero)
  }

  func finish() throws(CinematicError) { try writer.finish() }

  func cancel() { writer.cancel() }
}

/// The same of a photograph that is rendered strip by strip.
final class BeforeAfterStrips: StripRenderer.Companion {
  private let path: String
  private let halves: Halves
  private let source: Dimensions
  private let settings: WriterSettings
  private var writer: PictureStripWriter?

  /// - Parameter dimensions: of the rendering before its turn.
  init(
    path: String, overwrite: Bool, source: SourceProperties, dimensions: Dimensions,
    format: OutputFormat
  ) {
    self.path = path
    self.source = source.dimensions
    halves = Halves(source, format)
    var settings = WriterSettings(dimensions: dimensions, pixelFormat: .rgba8, tags: halves.tags)
    settings.preferredTransform = source.preferredTransform
    settings.overwrite = overwrite
    self.settings = settings
  }

  func begin(hasAlpha: Bool) throws(CinematicError) {
    writer = nil
    writer = try PictureStripWriter(path, settings: settings, hasAlpha: hasAlpha)
  }

  func add(
    _ source: PixelBuffer, at firstRow: Int, _ result: PixelBuffer, at rect: PixelRect
  ) throws(CinematicError) {
    try writer?.append(
      halves.drawn(
        source, at: firstRow, of: self.source, result, at: rect,
        of: settings.preferredTransform.applied(to: settings.dimensions)))
  }

  func finish() throws(CinematicError) { try writer?.finish() }
}

/// Draws a source at the left and what was made of it at the right.
private struct Halves: Sendable {
  /// The picture's colours.
  let tags: ColorTags
  /// From the source as stored to the rendering as shown.
  private let turn: QuarterTurn
  /// How the source's high dynamic range comes into the picture; `nil` where nothing is mapped.
  private let toneMapping: ToneMapping?
  private let isSourcePremultiplied: Bool
  private let isResultPremultiplied: Bool

  /// Rows that are drawn together: conversions need their own room.
  private static let rowsAtOnce = 64

  init(_ source: SourceProperties, _ format: OutputFormat) {
    tags = source.tags.standardRange
    turn = source.preferredTransform
    toneMapping = ToneMapping(
      from: source.tags, to: tags, peakLuminance: source.hdrMetadata.peakLuminance)
    isSourcePremultiplied = source.pictureMetadata.hasPremultipliedAlpha
    isResultPremultiplied = format.stillKind?.holdsPremultipliedAlpha == true
  }

  /// The columns of the line between both halves.
  ///
  /// - Parameter width: the picture's.
  static func divider(in width: Int) -> Range<Int> {
    let first = width / 2
    return first..<min(first + max(1, width / 480), width)
  }

  /// Draws rows of the picture.
  ///
  /// - Parameters:
  ///   - before: rows of the source with all that is to be seen, from a row on.
  ///   - size: the source's.
  ///   - after: a part of the rendering, where it lies in it.
  ///   - shown: the rendering's size.
  func drawn(
    _ before: PixelBuffer, at firstRow: Int, of size: Dimensions, _ after: PixelBuffer,
    at rect: PixelRect, of shown: Dimensions
  ) throws(CinematicError) -> PixelBuffer {
    let result = try PixelBuffer(dimensions: after.dimensions, format: .rgba8, tags: tags)
    let divider = Self.divider(in: shown.width)
    /// The source's pixel at one of the rendering.
    func place(_ x: Int, _ y: Int) -> (x: Int, y: Int) {
      let point = NormalizedPoint(
        x: (Double(x) + 0.5) / Double(shown.width), y: (Double(y) + 0.5) / Double(shown.height))
      return turn.inverse.applied(to: point).pixel(in: size)
    }
    for first in stride(from: 0, to: after.height, by: Self.rowsAtOnce) {
      let rows = first..<min(first + Self.rowsAtOnce, after.height)
      let picture = try light(
        after.part(columns: 0..<after.width, rows: rows), isPremultiplied: isResultPremultiplied)
      // The columns of these rows that are the source's.
      let columns = rect.columns.clamped(to: 0..<divider.lowerBound)
      if !columns.isEmpty {
        let corners = (
          place(columns.lowerBound, rect.y + rows.lowerBound),
          place(columns.upperBound - 1, rect.y + rows.upperBound - 1)
        )
        // Planes of chroma are cut at even places.
        let (left, top) = (min(corners.0.x, corners.1.x) & ~1, min(corners.0.y, corners.1.y) & ~1)
        let right = max(corners.0.x, corners.1.x) + 1
        let bottom = max(corners.0.y, corners.1.y) + 1 - firstRow
        let start = max(top - firstRow, 0)
        let sharp = try light(
          before.part(columns: left..<right, rows: start..<bottom),
          isPremultiplied: isSourcePremultiplied)
        for y in rows {
          for x in columns {
            let source = place(x, rect.y + y)
            picture[x - rect.x, y - rows.lowerBound] =
              sharp[source.x - left, source.y - firstRow - start]
          }
        }
      }
      let white = divider.clamped(to: rect.columns)
      for y in 0..<rows.count {
        for x in white { picture[x - rect.x, y] = SIMD4(repeating: 1) }
      }
      try store(picture, in: result, rows, at: rect)
    }
    return result
  }

  /// A picture's light as the picture to write has it, straight.
  private func light(
    _ picture: PixelBuffer, isPremultiplied: Bool
  ) throws(CinematicError) -> PixelBuffer {
    let light = try picture.linearRGBA()
    if isPremultiplied {
      for y in 0..<light.height {
        for x in 0..<light.width {
          let pixel = light[x, y]
          guard pixel.w > 0, pixel.w < 1 else { continue }
          let straight = pixel / pixel.w
          light[x, y] = SIMD4(straight.x, straight.y, straight.z, pixel.w)
        }
      }
    }
    // A picture of standard range has been mapped already.
    guard let toneMapping, picture.tags.transfer.isHighDynamicRange else { return light }
    let mapped = try PixelBuffer(
      dimensions: picture.dimensions, format: .rgbaFloat, tags: tags, bytesPerRowAlignment: 16)
    try toneMapping.store(light, in: mapped)
    return try mapped.linearRGBA()
  }

  /// Stores light as codes, dithered by their place in the whole picture.
  private func store(
    _ light: PixelBuffer, in result: PixelBuffer, _ rows: Range<Int>, at rect: PixelRect
  ) throws(CinematicError) {
    let codes = try PixelBuffer(
      dimensions: light.dimensions, format: .rgbaFloat, tags: tags, bytesPerRowAlignment: 16)
    try codes.store(linearRGBA: light)
    codes.withUnsafeBytes { bytes in
      for y in rows {
        let row = bytes.baseAddress! + (y - rows.lowerBound) * codes.planes[0].bytesPerRow
        result.storeCodes(
          row.assumingMemoryBound(to: Float.self), row: y, left: rect.x, top: rect.y)
      }
    }
  }
}

extension PixelBuffer {
  /// A pixel of four floats.
  fileprivate subscript(x: Int, y: Int) -> SIMD4<Float> {
    get {
      withUnsafeBytes {
        $0.loadUnaligned(fromByteOffset: y * planes[0].bytesPerRow + 16 * x, as: SIMD4<Float>.self)
      }
    }
    set {
      withUnsafeMutableBytes {
        $0.storeBytes(
          of: newValue, toByteOffset: y * planes[0].bytesPerRow + 16 * x, as: SIMD4<Float>.self)
      }
    }
  }
}
