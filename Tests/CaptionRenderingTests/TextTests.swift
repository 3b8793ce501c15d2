// SPDX-License-Identifier: Apache-2.0

import FocalCaptions
import FocalCore
import Testing

@testable import FocalCaptionRendering

/// Captions set in their regions.
struct TextTests {
  static let size = Dimensions(width: 1280, height: 720)

  static func overlay(_ caption: Caption, at time: Time = seconds(5)) throws -> CaptionOverlay {
    try CaptionRenderer([caption], dimensions: size).overlay(at: time)
  }

  static func caption(_ text: String, _ region: CaptionRegion? = nil) -> Caption {
    var caption = Caption(text, timeRange: span(0, 10))
    caption.region = region
    return caption
  }

  @Test func places() throws {
    let bottom = try #require(
      ink(Self.overlay(Self.caption("Hello", .appleITTBottom)), .white).first)
    #expect(bottom.rows.lowerBound > 612 && bottom.rows.upperBound <= 684)
    #expect(abs(bottom.columns.lowerBound + bottom.columns.upperBound - 1280) < 6)
    let top = try #require(ink(Self.overlay(Self.caption("Hello", .appleITTTop)), .white).first)
    #expect(top.rows.lowerBound >= 36 && top.rows.upperBound < 108)
    var left = Self.caption("Hello", .appleITTBottom)
    left.textAlignment = .left
    #expect(try #require(ink(Self.overlay(left), .white).first).columns.lowerBound < 70)
    left.textAlignment = .end
    #expect(try #require(ink(Self.overlay(left), .white).first).columns.upperBound > 1210)
    // No region: where SubRip's text stands.
    let plain = try #require(ink(Self.overlay(Self.caption("Hello")), .white).first)
    #expect(plain == bottom)
  }

  /// Regions that differ in nothing but the side that lines grow from are three places.
  @Test func sides() throws {
    let alignments: [CaptionRegion.DisplayAlignment] = [.after, .before, .center]
    let captions = alignments.map { alignment in
      Self.caption(
        "Hello",
        CaptionRegion(
          origin: .percent(0, 0), size: .percent(100, 100), displayAlignment: alignment,
          textAlignment: .center))
    }
    let overlay = try CaptionRenderer(captions, dimensions: Self.size).overlay(at: seconds(5))
    let rows = ink(overlay, .white).map(\.rows)
    try #require(rows.count == 3)
    #expect(rows[0].lowerBound > 612 && rows[1].upperBound < 108)
    #expect(rows[2].lowerBound > 300 && rows[2].upperBound < 420)
  }

  /// Captions whose regions lie over each other stand above each other, the first one in its place.
  @Test func overlappingRegions() throws {
    let narrow = CaptionRegion(
      origin: .percent(10, 85), size: .percent(80, 15), displayAlignment: .after,
      textAlignment: .center)
    let whole = CaptionRegion(
      origin: .percent(0, 0), size: .percent(100, 100), displayAlignment: .after,
      textAlignment: .center)
    let captions = [
      Self.caption("First"), Self.caption("Second", narrow), Self.caption("Third", whole),
    ]
    let overlay = try CaptionRenderer(captions, dimensions: Self.size).overlay(at: seconds(5))
    let rows = ink(overlay, .white).map(\.rows)
    try #require(rows.count == 3)
    #expect(rows[1].upperBound <= rows[0].lowerBound && rows[2].upperBound <= rows[1].lowerBound)
    let alone = try #require(ink(Self.overlay(Self.caption("First")), .white).first).rows
    #expect(rows[0] == alone)
  }

  /// Lines that do not fit grow away from the edge, and never leave the picture.
  @Test func longText() throws {
    let words = Array(repeating: "words", count: 60).joined(separator: " ")
    for region in [CaptionRegion.appleITTBottom, .appleITTTop] {
      let area = try #require(ink(Self.overlay(Self.caption(words, region)), .white).first)
      #expect(area.rows.lowerBound >= 30 && area.rows.upperBound <= 690)
      #expect(area.columns.lowerBound >= 64 && area.columns.upperBound <= 1216)
      #expect(area.height > 150)
    }
  }

  /// Hebrew runs from right to left: its first letter is the rightmost, and it starts at the right.
  @Test func rightToLeft() throws {
    var style = Caption.Style()
    style.textColor = .red
    var caption = Caption(pieces: [("ש", style), ("לום", .plain)], timeRange: span(0, 10))
    caption.region = .appleITTBottom
    caption.textAlignment = .start
    let overlay = try Self.overlay(caption)
    let first = try #require(ink(overlay, .red).first)
    let rest = try #require(ink(overlay, .white).first)
    #expect(first.columns.lowerBound >= rest.columns.upperBound - 2)
    #expect(first.columns.upperBound > 1200)
    #expect(overlay.missingCharacters.isEmpty)
  }

  /// Columns from right to left, characters from top to bottom.
  @Test func vertical() throws {
    var (first, second) = (Caption.Style(), Caption.Style())
    first.textColor = .red
    second.textColor = .green
    var caption = Caption(
      pieces: [("縦", first), ("書き\n", .plain), ("次", second)], timeRange: span(0, 10))
    caption.region = .appleITTRight
    let overlay = try Self.overlay(caption)
    let red = try #require(ink(overlay, .red).first)
    let white = try #require(ink(overlay, .white).first)
    let green = try #require(ink(overlay, .green).first)
    #expect(red.rows.upperBound <= white.rows.lowerBound)
    #expect(abs(red.columns.lowerBound - white.columns.lowerBound) < red.width / 2)
    #expect(green.columns.upperBound < white.columns.lowerBound)
    #expect(abs(green.rows.lowerBound - red.rows.lowerBound) < 6)
    #expect(overlay.missingCharacters.isEmpty)
  }

  /// Sideways letters stand on the middle of the column, as ideographs do.
  @Test func sideways() throws {
    var letters = Caption.Style()
    letters.textColor = .red
    var caption = Caption(pieces: [("国", .plain), ("HHH", letters)], timeRange: span(0, 10))
    caption.region = .appleITTRight
    let overlay = try Self.overlay(caption)
    let (ideograph, latin) = (
      try #require(ink(overlay, .white).first), try #require(ink(overlay, .red).first)
    )
    let middles = [ideograph, latin].map { $0.columns.lowerBound + $0.columns.upperBound }
    #expect(abs(middles[0] - middles[1]) < 10, "\(middles)")
  }

  /// Digits side by side in one cell take the room of one ideograph (TTML2 textCombine, JLREQ 3.2.5).
  @Test func combined() throws {
    func bottom(_ combine: Caption.TextCombine) throws -> Int {
      var (digits, end) = (Caption.Style(), Caption.Style())
      digits.textCombine = combine
      end.textColor = .green
      var caption = Caption(
        pieces: [("平", .plain), ("12", digits), ("年", end)], timeRange: span(0, 10))
      caption.region = .appleITTRight
      return try #require(ink(Self.overlay(caption), .green).first).rows.lowerBound
    }
    let (apart, together) = (try bottom(.none), try bottom(.twoDigits))
    #expect(together < apart)
    #expect(try bottom(.all) == together)
    // Longer numbers stay as they are.
    #expect(try bottom(.oneDigit) == apart)
  }

  @Test(arguments: [false, true]) func ruby(_ isVertical: Bool) throws {
    func inks(_ ruby: Caption.Ruby?) throws -> (base: PixelRect, all: PixelRect) {
      var (base, rest) = (Caption.Style(), Caption.Style())
      base.ruby = ruby
      base.textColor = .red
      rest.textColor = .green
      var caption = Caption(pieces: [("漢字", base), ("と", rest)], timeRange: span(0, 10))
      caption.region = isVertical ? .appleITTRight : .appleITTBottom
      let overlay = try Self.overlay(caption)
      return (
        try #require(ink(overlay, .green).first), try #require(ink(overlay, .red).first)
      )
    }
    let plain = try inks(nil)
    let before = try inks(Caption.Ruby(text: "かんじ"))
    let after = try inks(Caption.Ruby(text: "かんじ", position: .after))
    if isVertical {
      // Beside the column: right of it before, left of it after.
      #expect(before.all.width > plain.all.width + 8)
      #expect(before.all.columns.upperBound > before.base.columns.upperBound + 5)
      #expect(after.all.columns.lowerBound < after.base.columns.lowerBound - 5)
    } else {
      #expect(before.all.height > plain.all.height + 8)
      #expect(before.all.rows.lowerBound < before.base.rows.lowerBound - 5)
      #expect(after.all.rows.upperBound > after.base.rows.upperBound + 5)
    }
    // A reading that is longer than its base makes room for itself.
    let long = try inks(Caption.Ruby(text: "とてもながいよみかた"))
    let extent = isVertical ? long.all.height : long.all.width
    #expect(extent > 2 * (isVertical ? plain.all.height : plain.all.width))
  }

  @Test func styles() throws {
    func width(_ edit: (inout Caption.Style) -> Void) throws -> PixelRect {
      var style = Caption.Style()
      edit(&style)
      let caption = Caption(pieces: [("llll", style)], timeRange: span(0, 10))
      return try #require(ink(Self.overlay(caption), .white).first)
    }
    let plain = try width { _ in }
    #expect(try width { $0.fontWeight = .bold }.width > plain.width)
    #expect(try width { $0.fontStyle = .italic }.width > plain.width)
    #expect(try width { $0.decoration = .underline }.rows.upperBound > plain.rows.upperBound)
    #expect(try width { $0.decoration = .overline }.rows.lowerBound < plain.rows.lowerBound)
    #expect(
      try width { $0.decoration = .lineThrough }.columns.lowerBound < plain.columns.lowerBound)
  }

  /// Text without a box is outlined, whether the look has none or the caption's own is transparent.
  @Test func transparentBox() throws {
    var style = Caption.Style()
    style.backgroundColor = .transparent
    let overlay = try Self.overlay(Caption(pieces: [("ll", style)], timeRange: span(0, 10)))
    let layers = overlay.pieces.flatMap(\.layers)
    #expect(layers.allSatisfy { $0.mask != nil } && ink(overlay, .black).count == 1)
    var settings = CaptionRenderer.Settings()
    settings.textBox = nil
    let bare = try CaptionRenderer(
      [Self.caption("ll")], dimensions: Self.size, settings: settings
    ).overlay(at: seconds(5))
    #expect(ink(bare, .black) == ink(overlay, .black) && ink(bare, .white) == ink(overlay, .white))
  }

  @Test func reveal() throws {
    var caption = Self.caption("abcdefgh")
    caption.animation = .characterReveal
    caption.revealTimes = (0..<8).map { seconds($0) }
    var widths: [Int] = []
    for time in 0..<8 {
      widths.append(
        try #require(ink(Self.overlay(caption, at: seconds(Int64(time))), .white).first).width)
    }
    #expect(widths == widths.sorted() && Set(widths).count == 8)
  }

  /// A mark in a style of its own is a part of the letter before it: all that follows is there.
  @Test func styledMarks() throws {
    var (mark, last) = (Caption.Style(), Caption.Style())
    mark.fontStyle = .italic
    last.textColor = .red
    let caption = Caption(
      pieces: [("a", .plain), ("\u{301}", mark), ("b", .plain), ("c", last)],
      timeRange: span(0, 10))
    #expect(try ink(Self.overlay(caption), .red).count == 1)
  }

  /// A caption of centuries is all there at its end.
  @Test func revealOfCenturies() throws {
    var caption = Self.caption("abcdefgh")
    let whole = try #require(ink(Self.overlay(caption), .white).first).width
    caption.animation = .characterReveal
    caption.timeRange = TimeRange(start: .zero, duration: Time(value: .max, timescale: 1))
    let late: Int64 = 1 << 62
    for time in [5, late, Int64.max - 1] {
      let overlay = try Self.overlay(caption, at: Time(value: time, timescale: 1))
      #expect(ink(overlay, .white).first?.width == whole, "\(time)")
    }
  }

  /// Captions of one region stand one after another, none over the other.
  @Test func sharedRegion() throws {
    let captions = [
      Self.caption("First", .appleITTBottom), Self.caption("Second", .appleITTBottom),
    ]
    let overlay = try CaptionRenderer(captions, dimensions: Self.size).overlay(at: seconds(1))
    let inks = ink(overlay, .white)
    #expect(inks[0].rows.upperBound <= inks[1].rows.lowerBound)
  }

  @Test func unknownCharacters() throws {
    let overlay = try Self.overlay(Self.caption("a\u{F8FF}b"))
    #expect(overlay.missingCharacters == ["\u{F8FF}"])
  }

  /// Each kind of character has a way of its own to be drawn.
  @Test func remedies() {
    let cjk = CaptionFonts.remedies(for: ["漢", "か", "한", "。"])
    #expect(cjk == ["install fonts-noto-cjk"])
    #expect(CaptionFonts.remedies(for: ["क", "\u{1E900}"]) == ["install fonts-noto-core"])
    #expect(CaptionFonts.remedies(for: ["ꦄ", "ꀀ", "ꯀ"]) == ["install fonts-noto-core"])
    let emoji = CaptionFonts.remedies(for: ["🚀", "🏽", "🇫"])
    #expect(emoji.count == 1 && emoji[0].contains("Noto Emoji") && !emoji[0].contains("fonts-noto"))
    #expect(CaptionFonts.remedies(for: ["\u{F8FF}"]).allSatisfy { $0.contains("private use") })
    let all = CaptionFonts.remedies(for: ["漢", "क", "🚀", "\u{F8FF}"])
    #expect(all.count == 3 && all[0] == "install fonts-noto-cjk and fonts-noto-core")
    #expect(CaptionFonts.remedies(for: []).isEmpty)
  }

  @Test func missingFont() throws {
    var settings = CaptionRenderer.Settings()
    settings.fonts.proportional = ["No Such Font"]
    let error = #expect(throws: CinematicError.self) {
      try CaptionRenderer([], dimensions: Self.size, settings: settings)
    }
    #expect(error?.code == .incomplete && error?.message.contains("No Such Font") == true)
    #expect(throws: CinematicError.self) {
      try CaptionRenderer([], dimensions: Dimensions(width: 0, height: 4))
    }
  }

  /// Sizes at which nothing can be read draw nothing, and odd text does no harm.
  @Test func extremes() throws {
    let texts = [
      "", "\n\n", "\0", String(repeating: "\u{202E}a", count: 500),
      String(repeating: "م", count: 9000), "\r\n\u{85}\u{2028}x", "\u{FFFC}",
    ]
    for text in texts {
      for size in [(1, 1), (16, 9), (200, 2000), (333, 77)] {
        let dimensions = Dimensions(width: size.0, height: size.1)
        for region in [CaptionRegion.appleITTRight, .appleITTBottom] {
          let caption = Self.caption(text, region)
          let overlay = try CaptionRenderer([caption], dimensions: dimensions).overlay(at: .zero)
          for area in overlay.areas { #expect(PixelRect(dimensions).contains(area)) }
        }
      }
    }
  }

  /// Setting the marks of one letter takes a time that grows with their square: a character has so many, and a text that is
  /// cut is known.
  @Test func longCharacters() throws {
    let marks = String(repeating: "\u{301}", count: 200_000)
    let long = try Self.overlay(Self.caption("a\(marks)b"))
    #expect(long.isTextCut)
    #expect(ink(long, .white).count == 1)
    // Marks of a line's beginning, and of one letter in many styles.
    #expect(try Self.overlay(Self.caption("x\n\(marks)")).isTextCut)
    var pieces: [(text: String, style: Caption.Style)] = [("a", .plain)]
    for number in 0..<6000 {
      var style = Caption.Style()
      style.textColor = number % 2 == 0 ? .red : .green
      pieces.append(("\u{301}", style))
    }
    #expect(try Self.overlay(Caption(pieces: pieces, timeRange: span(0, 10))).isTextCut)
    var combined = Caption.Style()
    combined.textCombine = .all
    var vertical = Caption(pieces: [("1\(marks)", combined)], timeRange: span(0, 10))
    vertical.region = .appleITTRight
    #expect(try Self.overlay(vertical).isTextCut)
    var ruby = Caption.Style()
    ruby.ruby = Caption.Ruby(text: "a\(marks)")
    let base = Caption(pieces: [("漢", ruby)], timeRange: span(0, 10))
    #expect(try Self.overlay(base).isTextCut)
    // What writing has is whole: Zalgo of 31 marks, families of emoji, 4096 letters.
    let few = "a" + String(repeating: "\u{301}", count: 31)
    for text in [few, "👨‍👩‍👧‍👦", "नमस्ते", String(repeating: "a", count: 4096)] {
      #expect(try !Self.overlay(Self.caption(text)).isTextCut)
    }
    #expect(try Self.overlay(Self.caption(String(repeating: "a", count: 4097))).isTextCut)
  }

  /// Each parameter that is out of its range is named; none is trapped on.
  @Test func parametersAreRefused() throws {
    func refused(
      _ size: Dimensions, _ change: (inout CaptionRenderer.Settings) -> Void, _ word: String
    ) {
      var settings = CaptionRenderer.Settings()
      change(&settings)
      let error = #expect(throws: CinematicError.self) {
        _ = try CaptionRenderer([], dimensions: size, settings: settings)
      }
      #expect(error?.code == .invalidParameter)
      #expect(error?.message.contains(word) == true, "\(error?.message ?? "no error")")
    }
    for side in [0, -1, PixelBuffer.maximumDimension + 1, 10_000_000, Int.max] {
      refused(Dimensions(width: side, height: side), { _ in }, "pixels cannot be made")
    }
    for value in [0, -1, 20, .nan, .infinity] {
      refused(Self.size, { $0.textScale = value }, "usual size")
      refused(Self.size, { $0.pixelAspectRatio = value }, "as wide as high")
    }
  }

  @Test func deterministic() throws {
    let caption = Self.caption("Wörter, שלום, 漢字")
    let pictures = try (0..<2).map { _ in
      let picture = try plain([0.1, 0.3, 0.2], Self.size, .rgba8, .sRGB)
      try CaptionRenderer([caption], dimensions: Self.size).draw(at: .zero, over: picture)
      return picture.withUnsafeBytes { Array($0) }
    }
    #expect(pictures[0] == pictures[1])
  }
}
