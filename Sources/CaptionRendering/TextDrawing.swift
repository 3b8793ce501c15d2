// SPDX-License-Identifier: Apache-2.0

import CPango
import FocalCaptions
import FocalCore

/// A set text on its way into an overlay.
struct TextDrawing {
  /// The result.
  private(set) var piece = CaptionOverlay.Piece()

  private let text: SetText
  private let frame: TextPainter.Frame
  private let pixelAspectRatio: Double
  private let dimensions: Dimensions

  /// A run of glyphs in its place.
  private struct Mark {
    var content: Content
    var color: Caption.Color
    /// Along the line, at the run's beginning.
    var x: Double
    /// Across the lines.
    var baseline: Double
    var width: Double
    var isOutlined: Bool

    enum Content {
      case run(UnsafeMutablePointer<PangoGlyphItem>, isItalic: Bool)
      case line(TextLayout)
      /// Characters side by side in a column, an em in size.
      case combined(TextLayout)
      /// From the baseline down, so thick.
      case rule(thickness: Double)
    }
  }

  private static let slant = 0.2
  private static let outline = 0.14

  /// - Parameter start: where the text begins, across its lines.
  init(
    _ text: SetText, frame: TextPainter.Frame, start: Double, alignment: Caption.TextAlignment,
    box: Caption.Color?, pixelAspectRatio: Double, dimensions: Dimensions, _ engine: TextEngine
  ) {
    self.text = text
    self.frame = frame
    self.pixelAspectRatio = pixelAspectRatio
    self.dimensions = dimensions
    var marks: [Mark] = []
    var position = start
    var done: Set<Int> = []
    for (number, line) in text.lines.enumerated() {
      let inline = Self.inline(line, alignment, frame)
      let baseline = position + line.before + line.ascent
      var x = inline
      var spans: [(from: Double, to: Double, ruby: Int)] = []
      var boxes: [(from: Double, to: Double, color: Caption.Color)] = []
      for run in line.line.runs {
        guard let glyphs = run.pointee.glyphs else { continue }
        let width = Double(pango_glyph_string_get_width(glyphs)) / Double(PANGO_SCALE)
        defer { x += width }
        guard let segment = text.segment(of: run), segment.isRevealed else { continue }
        let style = segment.style
        let color = style.textColor ?? .white
        let background = style.backgroundColor ?? box
        if let background, background.alpha > 0 {
          if let last = boxes.last, last.color == background, abs(last.to - x) < 0.01 {
            boxes[boxes.count - 1].to = x + width
          } else {
            boxes.append((x, x + width, background))
          }
        }
        let isOutlined = background?.alpha ?? 0 == 0
        if let combined = segment.combined {
          let layout = engine.layout(combined, text.families, em: text.em)
          marks.append(
            Mark(
              content: .combined(layout), color: color, x: x, baseline: baseline, width: width,
              isOutlined: isOutlined))
        } else {
          marks.append(
            Mark(
              content: .run(run, isItalic: style.fontStyle == .italic), color: color, x: x,
              baseline: baseline, width: width, isOutlined: isOutlined))
        }
        if let part = segment.ruby {
          if let last = spans.last, last.ruby == part {
            spans[spans.count - 1].to = x + width
          } else {
            spans.append((x, x + width, part))
          }
        }
        let thickness = max(1, text.em / 16)
        for place in Self.rules(style.decoration ?? [], line, text.em, text.isVertical, thickness) {
          marks.append(
            Mark(
              content: .rule(thickness: thickness), color: color, x: x, baseline: baseline + place,
              width: width, isOutlined: isOutlined))
        }
      }
      for span in spans where done.insert(span.ruby).inserted {
        guard let ruby = text.rubies[span.ruby], let extents = ruby.layout.lines.first?.extents
        else { continue }
        let room = span.to - span.from - ruby.width
        let offset = ruby.ruby.alignment == .start ? 0 : room / 2
        let gap = text.gap(number, extents)
        let edge =
          ruby.ruby.position == .before
          ? baseline - line.ascent - extents.descent + gap
          : baseline + line.descent + extents.ascent - gap
        let color = text.segments.first { $0.ruby == span.ruby }?.style.textColor ?? .white
        marks.append(
          Mark(
            content: .line(ruby.layout), color: color, x: span.from + offset, baseline: edge,
            width: ruby.width, isOutlined: boxes.isEmpty))
      }
      appendBoxes(boxes, position..<position + line.height)
      position += line.height
    }
    appendGlyphs(marks, start..<position, alignment)
  }

  /// Where a line begins.
  private static func inline(
    _ line: SetText.Line, _ alignment: Caption.TextAlignment, _ frame: TextPainter.Frame
  ) -> Double {
    let room = frame.length - line.width
    let isRightToLeft =
      !frame.isVertical
      && line.line.isRightToLeft
    switch alignment {
    case .left: return 0
    case .right: return room
    case .center: return room / 2
    case .start: return isRightToLeft ? room : 0
    case .end: return isRightToLeft ? 0 : room
    }
  }

  /// Lines along the text, from its baseline.
  private static func rules(
    _ decoration: Caption.Decoration, _ line: SetText.Line, _ em: Double, _ isVertical: Bool,
    _ thickness: Double
  ) -> [Double] {
    var rules: [Double] = []
    // The baseline of columns is their middle.
    if decoration.contains(.underline) {
      rules.append(isVertical ? line.descent - thickness : em * 0.12)
    }
    if decoration.contains(.lineThrough) { rules.append(isVertical ? 0 : -em * 0.28) }
    if decoration.contains(.overline) { rules.append(-line.ascent) }
    return rules
  }

  // MARK: Places

  /// From the lines' direction to the picture's pixels.
  private func pixels(_ x: ClosedRange<Double>, _ y: ClosedRange<Double>) -> PixelRect? {
    let across: ClosedRange<Double>
    let down: ClosedRange<Double>
    if text.isVertical {
      let right = frame.x + frame.width
      across = (right - y.upperBound)...(right - y.lowerBound)
      down = (frame.y + x.lowerBound)...(frame.y + x.upperBound)
    } else {
      across = (frame.x + x.lowerBound)...(frame.x + x.upperBound)
      down = (frame.y + y.lowerBound)...(frame.y + y.upperBound)
    }
    func whole(_ value: Double) -> Int { Int(max(-1e6, min(1e6, value.rounded()))) }
    let columns =
      whole(across.lowerBound / pixelAspectRatio)..<whole(across.upperBound / pixelAspectRatio)
    let rows = whole(down.lowerBound)..<whole(down.upperBound)
    return CaptionOverlay.clipped(PixelRect(columns: columns, rows: rows), dimensions)
  }

  private mutating func appendBoxes(
    _ boxes: [(from: Double, to: Double, color: Caption.Color)], _ block: Range<Double>
  ) {
    let pad = text.em * 0.25
    for (index, box) in boxes.enumerated() where box.to > box.from {
      let isFirst = index == 0 || abs(boxes[index - 1].to - box.from) > 0.01
      let isLast = index + 1 == boxes.count || abs(boxes[index + 1].from - box.to) > 0.01
      let from = box.from - (isFirst ? pad : 0)
      let to = box.to + (isLast ? pad : 0)
      guard let area = pixels(from...to, block.lowerBound...block.upperBound) else { continue }
      piece.layers.append(.init(area: area, color: box.color))
    }
  }

  // MARK: Glyphs

  private mutating func appendGlyphs(
    _ marks: [Mark], _ block: Range<Double>, _ alignment: Caption.TextAlignment
  ) {
    guard let first = marks.map(\.x).min(), let last = marks.map({ $0.x + $0.width }).max() else {
      return
    }
    let margin = text.em * 0.5
    guard
      let area = pixels(
        (first - margin)...(max(first, last) + margin),
        (block.lowerBound - margin)...(max(block.lowerBound, block.upperBound) + margin))
    else { return }
    let outlined = marks.filter(\.isOutlined)
    if !outlined.isEmpty { append(outlined, .black, area, strokes: true) }
    var colors: [Caption.Color] = []
    for mark in marks where !colors.contains(mark.color) { colors.append(mark.color) }
    for color in colors where color.alpha > 0 {
      append(marks.filter { $0.color == color }, color, area, strokes: false)
    }
  }

  private mutating func append(
    _ marks: [Mark], _ color: Caption.Color, _ area: PixelRect, strokes: Bool
  ) {
    guard let canvas = MaskCanvas(area) else { return }
    let cairo = canvas.cairo
    cairo_scale(cairo, 1 / pixelAspectRatio, 1)
    if text.isVertical {
      cairo_translate(cairo, frame.x + frame.width, frame.y)
      cairo_rotate(cairo, Double.pi / 2)
    } else {
      cairo_translate(cairo, frame.x, frame.y)
    }
    cairo_set_line_join(cairo, CAIRO_LINE_JOIN_ROUND)
    cairo_set_line_width(cairo, text.em * Self.outline)
    for mark in marks {
      cairo_save(cairo)
      cairo_translate(cairo, mark.x, mark.baseline)
      draw(mark, cairo, strokes: strokes)
      cairo_restore(cairo)
    }
    piece.layers.append(.init(area: area, color: color, mask: canvas.finish()))
  }

  private func draw(_ mark: Mark, _ cairo: OpaquePointer, strokes: Bool) {
    switch mark.content {
    case .run(let run, let isItalic):
      guard let item = run.pointee.item, let font = item.pointee.analysis.font else { return }
      if isItalic {
        var slanted = cairo_matrix_t()
        cairo_matrix_init(&slanted, 1, 0, -Self.slant, 1, 0, 0)
        cairo_transform(cairo, &slanted)
      }
      let scale = Double(PANGO_SCALE)
      var rise = Double(run.pointee.y_offset) / scale
      // In columns the middle of every run stands on the middle of the line, as Pango measures it.
      if item.pointee.analysis.flags & UInt8(PANGO_ANALYSIS_FLAG_CENTERED_BASELINE) != 0 {
        var logical = PangoRectangle()
        pango_glyph_string_extents(run.pointee.glyphs, font, nil, &logical)
        rise += (Double(logical.y) + Double(logical.height) / 2) / scale
      }
      cairo_move_to(cairo, Double(run.pointee.start_x_offset) / scale, -rise)
      if strokes {
        pango_cairo_glyph_string_path(cairo, font, run.pointee.glyphs)
        cairo_stroke(cairo)
      } else {
        pango_cairo_show_glyph_string(cairo, font, run.pointee.glyphs)
      }
    case .line(let layout): show(layout, cairo, strokes)
    case .combined(let layout):
      guard let extents = layout.lines.first?.extents else { return }
      // The cell's middle, upright.
      cairo_translate(cairo, mark.width / 2, 0)
      cairo_rotate(cairo, -Double.pi / 2)
      let fit = min(1, text.em / max(extents.width, 1))
      cairo_scale(cairo, fit, 1)
      cairo_translate(cairo, -extents.width / 2, (extents.ascent - extents.descent) / 2)
      show(layout, cairo, strokes)
    case .rule(let thickness):
      cairo_rectangle(cairo, 0, 0, mark.width, thickness)
      if strokes { cairo_stroke(cairo) } else { cairo_fill(cairo) }
    }
  }

  private func show(_ layout: TextLayout, _ cairo: OpaquePointer, _ strokes: Bool) {
    guard let line = layout.lines.first else { return }
    cairo_move_to(cairo, 0, 0)
    if strokes {
      line.addPath(cairo)
      cairo_stroke(cairo)
    } else {
      line.show(cairo)
    }
  }
}
