// SPDX-License-Identifier: Apache-2.0

/// CEA-608 captions, two bytes a frame of line 21: codes, characters, cells of the screen.
///
/// Sources: 47 CFR 79.101 (the decoder's rules), ANSI/CTA-608-E (the extended characters and background
/// attributes). Codes are of 7 bits a byte, first byte high, as channel 1 has them.
public enum CEA608 {
  public static let rowCount = 15
  public static let columnCount = 32
  /// Rows of a pop-on caption or a roll-up window at most.
  public static let maximumRowsShown = 4

  /// Colours of text and boxes, in the order of their codes.
  public enum Color: UInt8, Hashable, Sendable, CaseIterable {
    case white, green, blue, cyan, red, yellow, magenta, black

    public var color: Caption.Color {
      switch self {
      case .white: .white
      case .green: .green
      case .blue: .blue
      case .cyan: .cyan
      case .red: .red
      case .yellow: .yellow
      case .magenta: .magenta
      case .black: .black
      }
    }

    /// The colour nearest to another one, whose channels are on from one half.
    init(nearest color: Caption.Color) {
      switch (color.red >= 128, color.green >= 128, color.blue >= 128) {
      case (true, true, true): self = .white
      case (false, true, false): self = .green
      case (false, false, true): self = .blue
      case (false, true, true): self = .cyan
      case (true, false, false): self = .red
      case (true, true, false): self = .yellow
      case (true, false, true): self = .magenta
      case (false, false, false): self = .black
      }
    }
  }

  /// How much of the picture a box hides.
  public enum Opacity: UInt8, Hashable, Sendable, CaseIterable {
    case opaque, semitransparent, transparent

    package var alpha: UInt8 {
      switch self {
      case .opaque: 255
      case .semitransparent: 128
      case .transparent: 0
      }
    }

    init(nearest alpha: UInt8) {
      self = alpha < 64 ? .transparent : alpha < 192 ? .semitransparent : .opaque
    }
  }

  /// The attributes that characters are written with.
  public struct Pen: Hashable, Sendable {
    public var color = Color.white
    public var isItalic = false
    public var isUnderlined = false
    public var flashes = false
    public var background = Color.black
    public var opacity = Opacity.opaque

    public init() {}

    /// White on an opaque black box.
    public static let plain = Pen()
    var hasPlainBox: Bool { background == .black && opacity == .opaque }
  }

  /// A character in its place, or the box of a space. A cell through which the picture is seen is none.
  ///
  /// Attributes that cannot be seen are plain: those of a space without underline, but for its box.
  public struct Cell: Hashable, Sendable {
    /// Character, colour, italics, underline, flash, box: all 32 bits; 0 is no cell.
    let rawValue: UInt32
    /// The bits of any character of Unicode.
    private static let characterBits: UInt32 = 0x1F_FFFF

    init(rawValue: UInt32) { self.rawValue = rawValue }

    public init(_ character: Unicode.Scalar, _ pen: Pen = .plain) {
      var pen = pen
      if character == " " {
        pen.isItalic = false
        if !pen.isUnderlined { (pen.color, pen.flashes) = (.white, false) }
      }
      if pen.opacity == .transparent { pen.background = .black }
      rawValue =
        character.value | UInt32(pen.color.rawValue) << 21
        | (pen.isItalic ? 1 << 24 : 0) | (pen.isUnderlined ? 1 << 25 : 0)
        | (pen.flashes ? 1 << 26 : 0) | UInt32(pen.background.rawValue) << 27
        | UInt32(pen.opacity.rawValue) << 30
    }

    public var character: Unicode.Scalar { Unicode.Scalar(rawValue & Self.characterBits) ?? " " }

    public var pen: Pen {
      var pen = Pen()
      pen.color = Color(rawValue: UInt8(rawValue >> 21 & 7)) ?? .white
      pen.isItalic = rawValue & 1 << 24 != 0
      pen.isUnderlined = rawValue & 1 << 25 != 0
      pen.flashes = rawValue & 1 << 26 != 0
      pen.background = Color(rawValue: UInt8(rawValue >> 27 & 7)) ?? .black
      pen.opacity = Opacity(rawValue: UInt8(rawValue >> 30 & 3)) ?? .opaque
      return pen
    }

    /// A space whose only mark is its box.
    package var isBlank: Bool { rawValue & (Self.characterBits | 1 << 25) == 0x20 }
  }

  /// 15 rows of 32 cells.
  public struct Screen: Hashable, Sendable {
    private var cells = ContiguousArray<UInt32>(repeating: 0, count: rowCount * columnCount)
    /// A bit a row that has cells.
    private(set) var filledRows: UInt16 = 0

    public init() {}

    public var isEmpty: Bool { filledRows == 0 }

    /// Row and column count from 0.
    public subscript(row: Int, column: Int) -> Cell? {
      get {
        let value = cells[row * columnCount + column]
        return value == 0 ? nil : Cell(rawValue: value)
      }
      set {
        cells[row * columnCount + column] = newValue?.rawValue ?? 0
        if newValue != nil {
          filledRows |= 1 << UInt16(row)
        } else if !hasCells(row) {
          filledRows &= ~(1 << UInt16(row))
        }
      }
    }

    private func hasCells(_ row: Int) -> Bool {
      cells[row * columnCount..<(row + 1) * columnCount].contains { $0 != 0 }
    }

    func isFilled(_ row: Int) -> Bool { filledRows >> UInt16(row) & 1 != 0 }

    mutating func clear() {
      guard filledRows != 0 else { return }
      for row in 0..<rowCount where isFilled(row) { clear(row: row) }
    }

    mutating func clear(row: Int) {
      guard isFilled(row) else { return }
      for column in 0..<columnCount { cells[row * columnCount + column] = 0 }
      filledRows &= ~(1 << UInt16(row))
    }

    mutating func copy(row source: Int, to row: Int) {
      guard isFilled(source) else { return clear(row: row) }
      for column in 0..<columnCount {
        cells[row * columnCount + column] = cells[source * columnCount + column]
      }
      filledRows |= 1 << UInt16(row)
    }

    /// A row's text, `nil` for an empty one; columns without a cell are spaces, those at the end left out.
    public func text(row: Int) -> String? {
      guard isFilled(row) else { return nil }
      var text = String.UnicodeScalarView()
      for column in 0..<columnCount { text.append(self[row, column]?.character ?? " ") }
      while text.last == " " { text.removeLast() }
      return String(text)
    }

    /// Stretches of neighbouring cells of a row.
    func segments(row: Int) -> [(column: Int, cells: [Cell])] {
      guard isFilled(row) else { return [] }
      var segments: [(column: Int, cells: [Cell])] = []
      var isOpen = false
      for column in 0..<columnCount {
        let value = cells[row * columnCount + column]
        guard value != 0 else {
          isOpen = false
          continue
        }
        if !isOpen { segments.append((column, [])) }
        isOpen = true
        segments[segments.count - 1].cells.append(Cell(rawValue: value))
      }
      return segments
    }
  }
}
