// SPDX-License-Identifier: Apache-2.0

import CPango
import FocalCaptions

/// A caption's text set in lines, in the lines' own direction: x along them, y from line to line. In vertical text
/// lines are columns, x runs down and y to the left.
final class SetText {
  /// A stretch of the layout's text.
  struct Segment {
    /// In bytes of UTF-8.
    var bytes: Range<Int>
    var style: Caption.Style
    /// Whether it is there yet.
    var isRevealed: Bool
    /// Characters side by side in one cell of a column, for which the layout has a place.
    var combined: String?
    /// The number of the text's part, where it has ruby.
    var ruby: Int?
  }

  struct Line {
    var line: TextLine
    var width: Double
    var ascent: Double
    var descent: Double
    /// Room for ruby before and after.
    var before = 0.0
    var after = 0.0
    var height: Double { before + ascent + descent + after }
  }

  let isVertical: Bool
  let em: Double
  let families: [String]
  let layout: TextLayout
  let segments: [Segment]
  private(set) var lines: [Line] = []
  /// Ruby by the number of its part.
  private(set) var rubies: [Int: (layout: TextLayout, ruby: Caption.Ruby, width: Double)] = [:]

  /// Whether the text, or ruby of it, is longer than what is set.
  private(set) var isCut: Bool

  /// Texts of more code points are cut: no screen of usual letters holds more.
  static let longestText = 4096
  /// Characters of more code points are cut: a letter has a few marks, and the time for setting those of one letter grows
  /// with their square.
  static let longestCharacter = 32
  /// Ruby of more code points is cut.
  static let longestRuby = 200
  /// Ruby is half as large as its base (JLREQ 3.3.3).
  static let rubyScale = 0.5

  var height: Double { lines.reduce(0) { $0 + $1.height } }

  /// - Parameters:
  ///   - revealed: how many bytes of the text (UTF-8) are there yet.
  ///   - length: of the lines at most.
  init(
    _ caption: Caption, revealed: Int, isVertical: Bool, em: Double, length: Double,
    _ engine: TextEngine
  ) {
    self.isVertical = isVertical
    self.em = em
    families = Self.families(engine.fonts.proportional, for: caption.text)
    var builder = Builder(revealed: revealed)
    for (number, piece) in caption.pieces.enumerated() {
      builder.append(piece.text, piece.style, number, isVertical: isVertical)
    }
    segments = builder.segments
    isCut = builder.room.isCut
    layout = engine.layout(builder.text, families, em: em, isVertical ? .vertical : .horizontal)
    let spacing = makeRubies(builder.text, engine)
    pango_layout_set_width(layout.pointer, Int32(max(1, min(length, 1e5)) * Double(PANGO_SCALE)))
    pango_layout_set_wrap(layout.pointer, PANGO_WRAP_WORD_CHAR)
    pango_layout_set_auto_dir(layout.pointer, 1)
    setAttributes(spacing)
    lines = layout.lines.map { line in
      let (width, ascent, descent) = line.extents
      return Line(line: line, width: width, ascent: ascent, descent: descent)
    }
    for index in lines.indices { makeRoom(index) }
  }

  /// The segment of a run.
  func segment(of run: UnsafeMutablePointer<PangoGlyphItem>) -> Segment? {
    guard let item = run.pointee.item else { return nil }
    let offset = Int(item.pointee.offset)
    let index = segments.partitionPoint { $0.bytes.upperBound <= offset }
    return index < segments.count ? segments[index] : nil
  }

  /// Ideographs come with their own punctuation, which Latin fonts have, too.
  private static func families(_ families: [String], for text: String) -> [String] {
    let hasIdeographs = text.unicodeScalars.contains { scalar in
      (0x2E80...0x9FFF).contains(scalar.value) || (0xAC00...0xD7AF).contains(scalar.value)
        || (0xFF00...0xFFEF).contains(scalar.value)
    }
    guard hasIdeographs else { return families }
    return families.filter { $0.contains("CJK") } + families.filter { !$0.contains("CJK") }
  }

  // MARK: Text

  /// What is left of the code points that are set.
  private struct Room {
    var left: Int
    var isCut = false

    /// As much of a character as there is room for.
    mutating func take(_ character: Character) -> [Unicode.Scalar] {
      let most = min(longestCharacter, left)
      let scalars = Array(character.unicodeScalars.prefix(most + 1))
      guard scalars.count > most else {
        left -= scalars.count
        return scalars
      }
      isCut = true
      left -= most
      return Array(scalars.prefix(most))
    }

    /// As much of a text as there is room for.
    mutating func take(_ text: String) -> String {
      var taken = String.UnicodeScalarView()
      for character in text {
        guard left > 0 else {
          isCut = true
          break
        }
        taken.append(contentsOf: take(character))
      }
      return String(taken)
    }
  }

  private struct Builder {
    var text = ""
    var segments: [Segment] = []
    /// Bytes of the caption's text so far: characters of its parts may be parts of one.
    var count = 0
    var room = Room(left: longestText)
    let revealed: Int

    init(revealed: Int) { self.revealed = revealed }

    mutating func append(
      _ part: String, _ style: Caption.Style, _ number: Int, isVertical: Bool
    ) {
      let ruby = style.ruby == nil ? nil : number
      guard isVertical, let combine = style.textCombine, combine != .none else {
        return append(part, style, ruby)
      }
      if combine == .all {
        guard !part.contains(where: \.isNewline) else { return append(part, style, ruby) }
        return appendCombined(part, style, ruby)
      }
      var rest = part[...]
      while !rest.isEmpty {
        let isDigits = rest.first?.isASCIIDigit == true
        let run = rest.prefix { $0.isASCIIDigit == isDigits }
        if isDigits, run.count <= combine.rawValue, run.count > 1 {
          appendCombined(String(run), style, ruby)
        } else {
          append(String(run), style, ruby)
        }
        rest = rest[run.endIndex...]
      }
    }

    private mutating func append(_ part: String, _ style: Caption.Style, _ ruby: Int?) {
      var rest = part[...]
      // The characters that are there, and those that come later.
      for isRevealed in [true, false] {
        let start = text.utf8.count
        while !isRevealed || count < revealed, room.left > 0, let character = rest.popFirst() {
          count += character.utf8.count
          let scalars = room.take(character)
          if character.isNewline {
            text.append("\n")
          } else {
            text.unicodeScalars.append(contentsOf: scalars.lazy.map { $0 == "\0" ? " " : $0 })
          }
        }
        guard text.utf8.count > start else { continue }
        segments.append(
          Segment(
            bytes: start..<text.utf8.count, style: style, isRevealed: isRevealed, combined: nil,
            ruby: ruby))
      }
      if !rest.isEmpty { room.isCut = true }
    }

    private mutating func appendCombined(_ part: String, _ style: Caption.Style, _ ruby: Int?) {
      let combined = room.take(part)
      guard !combined.isEmpty else { return }
      count += part.utf8.count
      let start = text.utf8.count
      text += "\u{FFFC}"
      segments.append(
        Segment(
          bytes: start..<text.utf8.count, style: style, isRevealed: count <= revealed,
          combined: combined, ruby: ruby))
    }
  }

  private func setAttributes(_ spacing: [Int: Double]) {
    guard let list = pango_attr_list_new() else { return }
    func add(_ attribute: UnsafeMutablePointer<PangoAttribute>?, _ segment: Segment) {
      guard let attribute else { return }
      attribute.pointee.start_index = guint(segment.bytes.lowerBound)
      attribute.pointee.end_index = guint(segment.bytes.upperBound)
      pango_attr_list_insert(list, attribute)
    }
    for (index, segment) in segments.enumerated() {
      // Runs never go over the end of a segment: each has a colour of its own, which is not used.
      add(
        pango_attr_foreground_new(UInt16(index & 0xFFFF), UInt16(index >> 16 & 0xFFFF), 0), segment)
      if segment.style.fontWeight == .bold {
        add(pango_attr_weight_new(PANGO_WEIGHT_BOLD), segment)
      }
      if segment.combined != nil {
        let side = Self.pangoUnits(em)
        var place = PangoRectangle(x: 0, y: -side / 2, width: side, height: side)
        add(pango_attr_shape_new(&place, &place), segment)
      }
      if let number = segment.ruby, let space = spacing[number] {
        add(pango_attr_letter_spacing_new(Self.pangoUnits(space)), segment)
      }
    }
    pango_layout_set_attributes(layout.pointer, list)
    pango_attr_list_unref(list)
  }

  /// Pixels as Pango has them. Texts are longer than its numbers hold: half of these leaves room for sums.
  private static func pangoUnits(_ pixels: Double) -> Int32 {
    let limit = Double(Int32.max / 2)
    return Int32(max(-limit, min(limit, pixels * Double(PANGO_SCALE))))
  }

  // MARK: Ruby

  /// Sets the rubies' texts; returns by how much each character of a base is to be wider where the ruby is.
  private func makeRubies(_ text: String, _ engine: TextEngine) -> [Int: Double] {
    var spacing: [Int: Double] = [:]
    let utf8 = Array(text.utf8)
    let direction: TextEngine.Direction = isVertical ? .vertical : .horizontal
    // Of all rubies together.
    var left = Self.longestText
    var start = 0
    while start < segments.count {
      var end = start + 1
      guard let number = segments[start].ruby, let ruby = segments[start].style.ruby,
        !ruby.text.isEmpty
      else {
        start = end
        continue
      }
      while end < segments.count, segments[end].ruby == number { end += 1 }
      let bytes = segments[start].bytes.lowerBound..<segments[end - 1].bytes.upperBound
      let base = String(decoding: utf8[bytes], as: UTF8.self)
      start = end
      var room = Room(left: min(Self.longestRuby, left))
      left -= room.left
      let plain = String(room.take(ruby.text).map { $0.isNewline ? " " : $0 })
      left += room.left
      if room.isCut { isCut = true }
      guard !plain.isEmpty else { continue }
      let baseWidth =
        engine.layout(base, families, em: em, direction).lines.first?.extents.width ?? 0
      let layout = engine.layout(plain, families, em: em * Self.rubyScale, direction)
      let width = layout.lines.first?.extents.width ?? 0
      let space = baseWidth - width
      if space < 0 {
        spacing[number] = -space / Double(max(1, base.count))
      } else if ruby.alignment == .distributeSpaceAround
        || ruby.alignment == .distributeSpaceBetween
      {
        let parts = ruby.alignment == .distributeSpaceAround ? plain.count : plain.count - 1
        if parts > 0 { Self.space(layout, by: space / Double(parts)) }
      }
      rubies[number] = (layout, ruby, layout.lines.first?.extents.width ?? width)
    }
    return spacing
  }

  /// Widens every character of a text; Pango puts half of it on either side.
  private static func space(_ layout: TextLayout, by pixels: Double) {
    guard let list = pango_attr_list_new() else { return }
    pango_attr_list_insert(list, pango_attr_letter_spacing_new(pangoUnits(pixels)))
    pango_layout_set_attributes(layout.pointer, list)
    pango_attr_list_unref(list)
  }

  /// White between the glyphs of a line and those of its ruby that fonts leave above and below, and that is
  /// too much between the two.
  func gap(_ index: Int, _ ruby: (width: Double, ascent: Double, descent: Double)) -> Double {
    let line = lines[index]
    func white(_ height: Double, _ em: Double) -> Double { max(0, (height - 1.1 * em) / 2) }
    return white(line.ascent + line.descent, em)
      + white(ruby.ascent + ruby.descent, em * Self.rubyScale)
  }

  private func makeRoom(_ index: Int) {
    for run in lines[index].line.runs {
      guard let number = segment(of: run)?.ruby, let ruby = rubies[number],
        let extents = ruby.layout.lines.first?.extents
      else { continue }
      let height = max(0, extents.ascent + extents.descent - gap(index, extents))
      if ruby.ruby.position == .before {
        lines[index].before = max(lines[index].before, height)
      } else {
        lines[index].after = max(lines[index].after, height)
      }
    }
  }
}

extension Character {
  fileprivate var isASCIIDigit: Bool { isASCII && isNumber }
}
