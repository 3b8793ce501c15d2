// SPDX-License-Identifier: Apache-2.0

import CPango
import FocalCore

/// Pango's fonts and contexts, and glyphs of cells that were drawn before. For one thread at a time.
final class TextEngine {
  enum Direction {
    case horizontal
    /// Lines are columns, from right to left.
    case vertical
  }

  let fonts: CaptionFonts
  private let map: UnsafeMutablePointer<PangoFontMap>
  private let horizontal: OpaquePointer
  private let vertical: OpaquePointer
  /// Glyphs of cells, by character and slant.
  var cellMasks: [CellGlyph: CellMask] = [:]

  /// - Throws: as ``CaptionFonts``.
  init(_ fonts: CaptionFonts, language: String?) throws(CinematicError) {
    self.fonts = fonts
    map = try fonts.makeMap()
    horizontal = pango_font_map_create_context(map)
    vertical = pango_font_map_create_context(map)
    let options = cairo_font_options_create()
    // Hints depend on the size in pixels, and gray coverage alone can be mixed in any light.
    cairo_font_options_set_antialias(options, CAIRO_ANTIALIAS_GRAY)
    cairo_font_options_set_hint_style(options, CAIRO_HINT_STYLE_NONE)
    cairo_font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_OFF)
    for context in [horizontal, vertical] {
      pango_cairo_context_set_font_options(context, options)
      pango_context_set_round_glyph_positions(context, 0)
      if let language { pango_context_set_language(context, pango_language_from_string(language)) }
    }
    cairo_font_options_destroy(options)
    pango_context_set_base_gravity(vertical, PANGO_GRAVITY_EAST)
    pango_context_set_gravity_hint(vertical, PANGO_GRAVITY_HINT_NATURAL)
  }

  deinit {
    g_object_unref(UnsafeMutableRawPointer(horizontal))
    g_object_unref(UnsafeMutableRawPointer(vertical))
    g_object_unref(UnsafeMutableRawPointer(map))
  }

  /// A layout of a text in a font, an em so many pixels large.
  func layout(
    _ text: String, _ families: [String], em: Double, _ direction: Direction = .horizontal
  ) -> TextLayout {
    let layout = pango_layout_new(direction == .vertical ? vertical : horizontal)!
    let font = pango_font_description_new()
    pango_font_description_set_family(font, families.joined(separator: ","))
    pango_font_description_set_absolute_size(font, em * Double(PANGO_SCALE))
    pango_layout_set_font_description(layout, font)
    pango_font_description_free(font)
    pango_layout_set_text(layout, text, Int32(text.utf8.count))
    return TextLayout(layout)
  }
}

/// A text set in lines.
final class TextLayout {
  let pointer: OpaquePointer

  fileprivate init(_ pointer: OpaquePointer) { self.pointer = pointer }
  deinit { g_object_unref(UnsafeMutableRawPointer(pointer)) }

  /// The lines, as long as the layout is unchanged.
  var lines: [TextLine] {
    var lines: [TextLine] = []
    withExtendedLifetime(self) {
      var next = pango_layout_get_lines_readonly(pointer)
      while let item = next {
        if let data = item.pointee.data {
          lines.append(TextLine(self, data.assumingMemoryBound(to: PangoLayoutLine.self)))
        }
        next = item.pointee.next
      }
    }
    return lines
  }

  /// Characters without a shape in any font.
  var missingCharacters: Set<Unicode.Scalar> {
    guard pango_layout_get_unknown_glyphs_count(pointer) > 0 else { return [] }
    var missing: Set<Unicode.Scalar> = []
    for line in lines {
      for run in line.runs {
        guard let glyphs = run.pointee.glyphs else { continue }
        for index in 0..<Int(glyphs.pointee.num_glyphs) {
          let glyph = glyphs.pointee.glyphs[index].glyph
          // Pango marks them by this bit, and keeps the character below it.
          guard glyph & 0x1000_0000 != 0, glyph != 0x0FFF_FFFF else { continue }
          if let scalar = Unicode.Scalar(glyph & 0x0FFF_FFFF) { missing.insert(scalar) }
        }
      }
    }
    return missing
  }
}

/// A line of a layout, which it holds: Pango's line is nothing without it.
struct TextLine {
  private let layout: TextLayout
  private let pointer: UnsafeMutablePointer<PangoLayoutLine>

  fileprivate init(_ layout: TextLayout, _ pointer: UnsafeMutablePointer<PangoLayoutLine>) {
    self.layout = layout
    self.pointer = pointer
  }

  private func withLine<R>(_ body: (UnsafeMutablePointer<PangoLayoutLine>) -> R) -> R {
    withExtendedLifetime(layout) { body(pointer) }
  }

  /// In the order in which they are seen, from left to right; as long as the layout is there.
  var runs: [UnsafeMutablePointer<PangoGlyphItem>] {
    withLine { line in
      var runs: [UnsafeMutablePointer<PangoGlyphItem>] = []
      var next = line.pointee.runs
      while let item = next {
        if let data = item.pointee.data {
          runs.append(data.assumingMemoryBound(to: PangoGlyphItem.self))
        }
        next = item.pointee.next
      }
      return runs
    }
  }

  /// Width, and height above and below the baseline, in pixels.
  var extents: (width: Double, ascent: Double, descent: Double) {
    var logical = PangoRectangle()
    withLine { pango_layout_line_get_extents($0, nil, &logical) }
    let scale = Double(PANGO_SCALE)
    return (
      Double(logical.width) / scale, -Double(logical.y) / scale,
      Double(logical.y + logical.height) / scale
    )
  }

  /// How far what is drawn reaches above and below the baseline, in pixels.
  var inkExtents: (above: Double, below: Double) {
    var ink = PangoRectangle()
    withLine { pango_layout_line_get_extents($0, &ink, nil) }
    let scale = Double(PANGO_SCALE)
    return (-Double(ink.y) / scale, Double(ink.y + ink.height) / scale)
  }

  var isRightToLeft: Bool {
    withLine { pango_layout_line_get_resolved_direction($0) == PANGO_DIRECTION_RTL }
  }

  /// Draws the line from Cairo's current point on.
  func show(_ cairo: OpaquePointer) { withLine { pango_cairo_show_layout_line(cairo, $0) } }

  /// Adds the outlines of what is drawn to Cairo's path.
  func addPath(_ cairo: OpaquePointer) { withLine { pango_cairo_layout_line_path(cairo, $0) } }
}

/// Coverage that Cairo draws into, a byte a pixel.
struct MaskCanvas {
  let area: PixelRect
  let cairo: OpaquePointer
  private let surface: OpaquePointer

  /// - Returns: `nil` where there is no memory.
  init?(_ area: PixelRect) {
    self.area = area
    guard
      let surface = cairo_image_surface_create(
        CAIRO_FORMAT_A8, Int32(area.width), Int32(area.height)),
      cairo_surface_status(surface) == CAIRO_STATUS_SUCCESS, let cairo = cairo_create(surface)
    else { return nil }
    self.surface = surface
    self.cairo = cairo
    cairo_translate(cairo, -Double(area.x), -Double(area.y))
  }

  /// The coverage; the canvas is gone.
  func finish() -> [UInt8] {
    cairo_destroy(cairo)
    cairo_surface_flush(surface)
    defer { cairo_surface_destroy(surface) }
    let stride = Int(cairo_image_surface_get_stride(surface))
    guard let data = cairo_image_surface_get_data(surface) else {
      return [UInt8](repeating: 0, count: area.width * area.height)
    }
    return [UInt8](unsafeUninitializedCapacity: area.width * area.height) { bytes, count in
      for y in 0..<area.height {
        (bytes.baseAddress! + y * area.width).initialize(
          from: data + y * stride, count: area.width)
      }
      count = area.width * area.height
    }
  }
}
