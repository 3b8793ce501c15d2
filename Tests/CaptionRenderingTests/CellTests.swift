// SPDX-License-Identifier: Apache-2.0

import FocalCaptions
import FocalCore
import Testing

@testable import FocalCaptionRendering

/// CEA-608's screen as a decoder draws it.
struct CellTests {
  static let size = Dimensions(width: 640, height: 480)

  /// 47 CFR 79.101(d): 15 rows of equal height and 32 columns of equal width, in the safe caption area of (n)(12).
  @Test func grid() throws {
    let captions = [
      cells([("\u{2588}", .plain)], row: 0, column: 0, span(10, 20)),
      cells([("\u{2588}", .plain)], row: 14, column: 31, span(10, 20)),
      cells([("\u{2588}\u{2588}", .plain)], row: 7, column: 4, span(10, 20)),
    ]
    let overlay = try CaptionRenderer(captions, dimensions: Self.size).overlay(at: seconds(15))
    let boxes = overlay.pieces.flatMap(\.layers).filter { $0.mask == nil }.map(\.area)
    // 512 by 384 pixels from (64, 48) on: 16 by 25.6 a cell.
    #expect(
      boxes == [
        PixelRect(columns: 64..<80, rows: 48..<74), PixelRect(columns: 560..<576, rows: 406..<432),
        PixelRect(columns: 128..<160, rows: 227..<253),
      ])
    #expect(ink(overlay, .white).map(\.columns) == [64..<80, 560..<576, 128..<160])
  }

  /// Accents of capitals are whole, and do not touch the edge of their box.
  @Test(arguments: [Dimensions(width: 640, height: 480), Dimensions(width: 1920, height: 1080)])
  func accents(size: Dimensions) throws {
    let letters = "ÁÉÍÓÚÀÂÈÊËÎÏÔÙÛÜÃÑÌÒÕÄÖÅ"
    let rows = [letters, letters].enumerated().map { number, text in
      cells(
        [(number == 0 ? text : text.map { _ in "H" }.joined(), .plain)], row: 4 * number, column: 0,
        span(0, 10))
    }
    let overlay = try CaptionRenderer(rows, dimensions: size).overlay(at: seconds(5))
    let inks = ink(overlay, .white)
    let boxes = overlay.pieces.flatMap(\.layers).filter { $0.mask == nil }.map(\.area)
    try #require(inks.count == 2 && boxes.count == 2)
    let height = size.height * 4 / 5 / 15
    #expect(inks[0].y - boxes[0].y >= height / 16)
    // A capital with its accent is taller than one without.
    #expect(inks[0].y - boxes[0].y < inks[1].y - boxes[1].y)
  }

  @Test func colors() throws {
    var styles: [(String, Caption.Style)] = []
    for color in CEA608.Color.allCases {
      var style = Caption.Style()
      style.textColor = color.color
      style.backgroundColor = color == .black ? .white : .black
      styles.append(("M", style))
    }
    let caption = cells(styles, row: 10, column: 8, span(0, 10))
    let picture = try plain([0.2, 0.2, 0.2], Self.size, .rgba8, .sRGB)
    let renderer = try CaptionRenderer([caption], dimensions: Self.size)
    try renderer.draw(at: seconds(5), over: picture)
    let pixels = try light(picture)
    for (index, color) in CEA608.Color.allCases.enumerated() {
      let columns = 64 + 16 * (8 + index)..<64 + 16 * (9 + index)
      var (inside, box) = (0, 0)
      for y in 304..<329 {
        for x in columns {
          let pixel = pixels[y * Self.size.width + x]
          let own = SIMD3(
            Float(color.color.red) / 255, Float(color.color.green) / 255,
            Float(color.color.blue) / 255)
          let ground = SIMD3<Float>(repeating: color == .black ? 1 : 0)
          let seen = SIMD3(pixel.x, pixel.y, pixel.z)
          if (seen - own).max() < 0.02, (own - seen).max() < 0.02 { inside += 1 }
          if (seen - ground).max() < 0.02, (ground - seen).max() < 0.02 { box += 1 }
        }
      }
      #expect(inside > 20 && box > 80, "\(color)")
    }
  }

  /// Nothing of the picture is seen through an opaque box, half of its light through a semi-transparent one
  /// (CTA-608-E, background attributes), and all where there is none.
  @Test func boxes() throws {
    let captions = [(0, 255), (1, 128), (2, 0)].map { row, alpha in
      var style = Caption.Style()
      if alpha < 255 { style.backgroundColor = Caption.Color.black.withAlpha(UInt8(alpha)) }
      return cells([("  ", style)], row: row, column: 0, span(0, 10))
    }
    let picture = try plain([0.5, 0.5, 0.5], Self.size, .rgbaFloat, .linearBT709)
    try CaptionRenderer(captions, dimensions: Self.size).draw(at: seconds(5), over: picture)
    let pixels = try light(picture)
    let seen = [0, 1, 2].map { pixels[(60 + 26 * $0) * Self.size.width + 70].x }
    #expect(abs(seen[0]) < 1e-6)
    #expect(abs(seen[1] - 0.5 * 127 / 255) < 1e-4)
    #expect(abs(seen[2] - 0.5) < 1e-6)
  }

  @Test func underlineAndItalics() throws {
    var underlined = Caption.Style()
    underlined.decoration = .underline
    var italic = Caption.Style()
    italic.fontStyle = .italic
    let captions = [
      cells([("II", underlined)], row: 3, column: 3, span(0, 10)),
      cells([("I", italic)], row: 5, column: 3, span(0, 10)),
      cells([("I", .plain)], row: 7, column: 3, span(0, 10)),
    ]
    let overlay = try CaptionRenderer(captions, dimensions: Self.size).overlay(at: seconds(5))
    let rule = try #require(
      overlay.pieces[0].layers.first { $0.mask == nil && $0.color == .white })
    #expect(rule.area.columns == 112..<144 && rule.area.height < 3)
    let inks = ink(overlay, .white)
    // The slanted letter is wider than the upright one.
    #expect(inks[1].width > inks[2].width)
  }

  /// 79.101(f)(1)(iii): rows roll up when a line is added; here a window of two rows, from 1 s on with its second
  /// line, from 2 s on with its third.
  @Test func rollUp() throws {
    func line(_ text: String, _ start: Int64, _ end: Int64) -> Caption {
      var caption = Caption(text, timeRange: span(start, end))
      caption.region = CaptionRegion(
        origin: .cell(column: 0, row: 13), size: .cells(text.count, 2), scroll: .rollUp,
        displayAlignment: .after)
      return caption
    }
    let captions = [line("A", 0, 20), line("B", 10, 30), line("C", 20, 30)]
    let renderer = try CaptionRenderer(captions, dimensions: Self.size)
    func tops(_ time: Time) -> [Int] {
      renderer.overlay(at: time).pieces.flatMap(\.layers).filter { $0.mask == nil }.map(\.area.y)
        .sorted()
    }
    #expect(tops(seconds(5)) == [406])
    #expect(tops(seconds(19)) == [381, 406])
    #expect(tops(seconds(29)) == [381, 406])
    // Half-way: 6.5 of 13 frames.
    let half = seconds(20) + Time(value: 13 * 1001, timescale: 60000)
    let areas = renderer.overlay(at: half).pieces.flatMap(\.layers).filter { $0.mask == nil }
      .map(\.area).sorted { $0.y < $1.y }
    // The first line leaves at the top, the third comes at the bottom; nothing is outside of the window.
    #expect(areas.count == 3)
    #expect(areas.first?.y == 381 && areas.last?.rows.upperBound == 432)
    #expect(areas.first.map { $0.height < 15 } == true && areas.last.map { $0.height < 15 } == true)
    let scenes = renderer.sceneChanges(in: span(0, 40))
    #expect(scenes.map { $0.timeRange.start.seconds.rounded(.down) } == [0, 0, 1, 1, 2, 2, 3])
    #expect(scenes.map(\.needsPeriodicRefresh) == [true, false, true, false, true, false, false])
    #expect(scenes.map(\.hasActiveCaptions) == [true, true, true, true, true, true, false])
  }

  /// Painted on, two characters a frame or as the caption says.
  @Test func reveal() throws {
    var caption = cells([("ABCD", .plain)], row: 2, column: 0, span(0, 50))
    caption.animation = .characterReveal
    caption.revealTimes = [0, 10, 20, 30].map { TimeCodeRate.ntsc.time(ofFrame: $0) }
    let renderer = try CaptionRenderer([caption], dimensions: Self.size)
    for (frame, width) in [(0, 16), (10, 32), (19, 32), (20, 48), (30, 64), (60, 64)] {
      let overlay = renderer.overlay(at: TimeCodeRate.ntsc.time(ofFrame: frame))
      #expect(overlay.pieces.flatMap(\.layers).first?.area.width == width, "\(frame)")
    }
    let scenes = renderer.sceneChanges(in: span(0, 60))
    #expect(scenes.map(\.needsPeriodicRefresh) == [true, false, false])
    #expect(scenes[0].timeRange.end == TimeCodeRate.ntsc.time(ofFrame: 30))
    caption.revealTimes = []
    let paced = try CaptionRenderer([caption], dimensions: Self.size)
    #expect(paced.overlay(at: .zero).pieces.first?.layers.first?.area.width == 32)
    #expect(
      paced.overlay(at: TimeCodeRate.ntsc.time(ofFrame: 1)).pieces.first?.layers.first?.area.width
        == 64)
  }

  @Test func everyCharacterHasAGlyph() throws {
    let size = Dimensions(width: 320, height: 240)
    let characters = CEA608.repertoire.subtracting([" "]).sorted()
    for start in stride(from: 0, to: characters.count, by: 30) {
      var text = String.UnicodeScalarView()
      text.append(contentsOf: characters[start..<min(start + 30, characters.count)])
      let caption = cells([(String(text), .plain)], row: 4, column: 0, span(0, 10))
      let overlay = try CaptionRenderer([caption], dimensions: size).overlay(at: .zero)
      #expect(overlay.missingCharacters.isEmpty, "\(overlay.missingCharacters)")
    }
  }
}
