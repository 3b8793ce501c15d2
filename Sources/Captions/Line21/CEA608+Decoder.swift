// SPDX-License-Identifier: Apache-2.0

extension CEA608 {
  /// One of the two caption channels of a field.
  public enum Channel: Int, Hashable, Sendable, CaseIterable {
    case one = 1
    case two = 2
  }

  /// A caption decoder as 47 CFR 79.101 asks for it: takes a pair a frame, and has a screen.
  public struct Decoder: Sendable {
    public enum Mode: Hashable, Sendable {
      /// Before the first command.
      case none
      case popOn
      case paintOn
      case rollUp(depth: Int)
      /// Text service: its characters go nowhere.
      case text
    }

    /// The effect of the last pair, as a reader of captions needs to know it.
    struct Effects: OptionSet {
      let rawValue: Int
      /// The memories were swapped.
      static let swapped = Effects(rawValue: 1)
      /// The window was rolled up by a row.
      static let rolled = Effects(rawValue: 2)
      /// The displayed memory was erased.
      static let erased = Effects(rawValue: 4)
      /// The roll-up window was moved or changed its depth.
      static let moved = Effects(rawValue: 8)
      /// The last character was replaced by an extended one.
      static let replaced = Effects(rawValue: 16)
      /// Cells of the displayed memory were written or erased, one by one.
      static let wrote = Effects(rawValue: 32)
      /// A character was written that the model has no attribute for.
      static let flashed = Effects(rawValue: 64)
    }

    public let channel: Channel
    public private(set) var mode = Mode.none
    /// The displayed memory.
    public private(set) var screen = Screen()
    /// The memory that is being loaded.
    public private(set) var nondisplayed = Screen()
    private(set) var effects: Effects = []
    /// From 0; the column after a full row is 32.
    private(set) var row = 14
    private(set) var column = 0
    /// The window's last row, from 0.
    private(set) var baseRow = 14
    private var pen = Pen()
    /// Whether the characters that come are of this channel.
    private var isSelected = false
    private var lastControl: (code: UInt16, frame: Int)?

    public init(channel: Channel = .one) { self.channel = channel }

    /// Takes the pair of a frame, two bytes of 7 bits.
    public mutating func receive(_ pair: UInt16, frame: Int) {
      effects = []
      let first = UInt8(pair >> 8 & 0x7F)
      let second = UInt8(pair & 0x7F)
      guard first >= 0x10, first < 0x20 else {
        lastControl = nil
        // 0x01 to 0x0F begin other services' data.
        guard isSelected, first >= 0x20 || first == 0 else { return }
        if first >= 0x20 { write(basicCharacters[Int(first) - 0x20]) }
        if second >= 0x20 { write(basicCharacters[Int(second) - 0x20]) }
        return
      }
      // Controls are sent twice; the second one, if it comes in the next frame, is not obeyed again.
      if let last = lastControl, last.code == pair, last.frame == frame - 1 {
        lastControl = nil
        return
      }
      lastControl = (pair, frame)
      guard second >= 0x20 else { return }
      isSelected = (first & 8 == 0) == (channel == .one)
      guard isSelected else { return }
      control(UInt16(first & ~8) << 8 | UInt16(second))
    }

    private mutating func control(_ code: UInt16) {
      switch code {
      case 0x1420...0x142F, 0x1520...0x152F:
        if let command = Command(rawValue: UInt8(code & 0x7F)) { obey(command) }
      case 0x1721...0x1723:
        column = min(columnCount - 1, column + Int(code & 3))
      case 0x1120...0x112F:
        let attribute = UInt8(code & 0x0F)
        writeAttribute { pen in
          pen.isUnderlined = attribute & 1 != 0
          pen.flashes = false
          if attribute >= 0x0E {
            pen.isItalic = true
          } else {
            pen.isItalic = false
            pen.color = Color(rawValue: attribute >> 1) ?? .white
          }
        }
      case 0x1020...0x102F:
        let attribute = UInt8(code & 0x0F)
        moveBack()
        writeAttribute { pen in
          pen.background = Color(rawValue: attribute >> 1) ?? .black
          pen.opacity = attribute & 1 != 0 ? .semitransparent : .opaque
        }
      case 0x172D:
        moveBack()
        writeAttribute { $0.opacity = .transparent }
      case 0x172E, 0x172F:
        moveBack()
        writeAttribute { pen in
          pen.color = .black
          pen.isItalic = false
          pen.isUnderlined = code & 1 != 0
        }
      case transparentSpace: write(nil)
      case 0x1130...0x113F: write(specialCharacters[Int(code & 0x0F)])
      default:
        if let character = extendedCharacter(code) {
          moveBack()
          write(character)
          effects.insert(.replaced)
        } else if let preamble = Preamble(code: code) {
          address(preamble)
        }
      }
    }

    private mutating func obey(_ command: Command) {
      switch command {
      case .resumeCaptionLoading: mode = .popOn
      case .resumeDirectCaptioning: mode = .paintOn
      case .rollUp2: resumeRollUp(depth: 2)
      case .rollUp3: resumeRollUp(depth: 3)
      case .rollUp4: resumeRollUp(depth: 4)
      case .textRestart, .resumeTextDisplay: mode = .text
      case .eraseDisplayedMemory:
        if !screen.isEmpty { effects.insert(.erased) }
        screen.clear()
      case .eraseNondisplayedMemory: nondisplayed.clear()
      case .endOfCaption:
        mode = .popOn
        swap(&screen, &nondisplayed)
        effects.insert(.swapped)
      case .carriageReturn: returnCarriage()
      case .backspace:
        guard column > 0 else { return }
        // There is no column behind the last one: before or after its character, the one before it goes, and it
        // goes, too (CTA-608-E, C.13).
        if column >= columnCount - 1 { put(nil, at: columnCount - 1) }
        column = min(column, columnCount - 1) - 1
        put(nil, at: column)
      case .deleteToEndOfRow:
        for column in min(column, columnCount - 1)..<columnCount { put(nil, at: column) }
      case .flashOn: writeAttribute { $0.flashes = true }
      case .alarmOn, .alarmOff: break
      }
    }

    private mutating func resumeRollUp(depth: Int) {
      if case .rollUp(let old) = mode {
        guard old != depth else { return }
        effects.insert(.moved)
        mode = .rollUp(depth: depth)
        // The window may have come to reach over the screen's top, and rows above it go.
        baseRow = max(baseRow, depth - 1)
        row = baseRow
        let top = baseRow - depth + 1
        for row in 0..<top { screen.clear(row: row) }
        return
      }
      if !screen.isEmpty { effects.insert(.erased) }
      screen.clear()
      nondisplayed.clear()
      mode = .rollUp(depth: depth)
      baseRow = 14
      (row, column, pen) = (baseRow, 0, .plain)
    }

    private mutating func returnCarriage() {
      guard case .rollUp(let depth) = mode else { return }
      let top = max(0, baseRow - depth + 1)
      for row in top..<baseRow { screen.copy(row: row + 1, to: row) }
      screen.clear(row: baseRow)
      (row, column, pen) = (baseRow, 0, .plain)
      effects.insert(.rolled)
    }

    private mutating func address(_ preamble: Preamble) {
      if case .rollUp(let depth) = mode {
        let base = max(preamble.row, depth - 1)
        if base != baseRow { moveWindow(to: base, depth: depth) }
        row = baseRow
      } else {
        row = preamble.row
      }
      column = preamble.column
      pen = preamble.pen
    }

    private mutating func moveWindow(to base: Int, depth: Int) {
      let top = max(0, baseRow - depth + 1)
      var moved = Screen()
      for row in top...baseRow where screen.isFilled(row) {
        for column in 0..<columnCount { moved[row - baseRow + base, column] = screen[row, column] }
      }
      if !screen.isEmpty { effects.insert(.moved) }
      screen = moved
      baseRow = base
    }

    // MARK: Cells

    private mutating func moveBack() { column = max(0, column - 1) }

    /// An attribute stands as a space in its place.
    private mutating func writeAttribute(_ change: (inout Pen) -> Void) {
      change(&pen)
      var space = pen
      space.isUnderlined = false
      write(Cell(" ", space))
    }

    private mutating func write(_ character: Unicode.Scalar) {
      if pen.flashes { effects.insert(.flashed) }
      write(Cell(character, pen))
    }

    private mutating func write(_ cell: Cell?) {
      put(cell, at: min(column, columnCount - 1))
      column = min(columnCount, column + 1)
    }

    private mutating func put(_ cell: Cell?, at column: Int) {
      switch mode {
      case .popOn: nondisplayed[row, column] = cell
      case .paintOn, .rollUp:
        screen[row, column] = cell
        effects.insert(.wrote)
      case .none, .text: break
      }
    }
  }
}
