// SPDX-License-Identifier: Apache-2.0

extension CEA608 {
  /// One of the two caption channels of a field.
  public enum Channel: Int, Hashable, Sendable, CaseIterable {
    case one = 1
    case two = 2
  }

  /// A field of line 21, with two caption channels: CC1 and CC2, or CC3 and CC4.
  public enum Field: Int, Hashable, Sendable, CaseIterable {
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
      /// A character was written over another one in the last column.
      static let overflowed = Effects(rawValue: 128)
      /// A code means nothing.
      static let unknown = Effects(rawValue: 256)
      /// A character came before the first command.
      static let homeless = Effects(rawValue: 512)
      /// A character was the Text service's.
      static let text = Effects(rawValue: 1024)
      /// Text was loaded, and erased before it was shown.
      static let unseen = Effects(rawValue: 2048)
      /// With what was loaded, cells of an older caption are shown.
      static let leftover = Effects(rawValue: 4096)
    }

    public let channel: Channel
    public internal(set) var mode = Mode.none
    /// The displayed memory.
    public internal(set) var screen = Screen()
    /// The memory that is being loaded.
    public internal(set) var nondisplayed = Screen()
    var effects: Effects = []
    /// From 0; the cursor does not leave the last column (CTA-608-E, C.13).
    var row = 14
    var column = 0
    /// The window's last row, from 0.
    var baseRow = 14
    var depth = 2
    /// Whether what is displayed, if anything, was rolled up.
    var showsWindow = false
    /// Whether the cursor is where the window was written last; one place is remembered (CTA-608-E, C.15).
    var isCursorInWindow = false
    var pen = Pen()
    /// The pen of the last preamble address code.
    var addressedPen = Pen()
    /// Whether the cursor was placed, and no character has come since.
    var isPlaced = false
    /// Whether the cursor has been held in the last column by a character that stands there.
    var isAtEnd = false
    /// Cells that were loaded since the last caption was shown or erased: a bit a column.
    var loaded = Array(repeating: UInt32(0), count: rowCount)
    /// Whether the characters that come are of this channel; `nil` before the first code.
    private(set) var isSelected: Bool?
    /// Whether the codes are those of field 2, which has other services' data, too.
    private var isFieldTwo = false
    private var lastControl: (code: UInt16, frame: Int)?

    public init(channel: Channel = .one) { self.channel = channel }

    /// Takes the pair of a frame, two bytes of 7 bits.
    public mutating func receive(_ pair: UInt16, frame: Int) {
      effects = []
      let first = UInt8(pair >> 8 & 0x7F)
      let second = UInt8(pair & 0x7F)
      guard first >= 0x10, first < 0x20 else {
        lastControl = nil
        // In field 2, 0x01 to 0x0F begin other services' data; in field 1 such a byte alone is ignored
        // (47 CFR 79.101(i)(1)).
        guard first >= 0x20 || first == 0 || !isFieldTwo, isSelected != false else { return }
        for byte in [first, second] where byte >= 0x20 {
          switch mode {
          case .none: effects.insert(.homeless)
          case .text: effects.insert(.text)
          default: write(basicCharacters[Int(byte) - 0x20])
          }
        }
        return
      }
      // Controls are sent twice; the second one, if it comes in the next frame, is not obeyed again.
      if let last = lastControl, last.code == pair, last.frame == frame - 1 {
        lastControl = nil
        return
      }
      lastControl = (pair, frame)
      guard second >= 0x20 else {
        effects.insert(.unknown)
        return
      }
      isSelected = (first & 8 == 0) == (channel == .one)
      guard isSelected == true else { return }
      control(UInt16(first & ~8) << 8 | UInt16(second))
    }

    private mutating func control(_ code: UInt16) {
      switch code {
      case 0x1420...0x142F, 0x1520...0x152F:
        isFieldTwo = code & 0x0100 != 0
        if let command = Command(rawValue: UInt8(code & 0x7F)) { obey(command) }
      // The Text service has a cursor of its own.
      case _ where !isCaptioning: break
      case 0x1721...0x1723:
        column = min(columnCount - 1, column + Int(code & 3))
        isPlaced = true
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
          // Black ends italics and flash (CTA-608-E, 6.2).
          pen.color = .black
          pen.isItalic = false
          pen.flashes = false
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
        } else {
          effects.insert(.unknown)
        }
      }
    }

    private mutating func obey(_ command: Command) {
      switch command {
      // The other styles' captions stay on the screen (CTA-608-E, C.10).
      case .resumeCaptionLoading: mode = .popOn
      case .resumeDirectCaptioning: mode = .paintOn
      case .rollUp2: resumeRollUp(depth: 2)
      case .rollUp3: resumeRollUp(depth: 3)
      case .rollUp4: resumeRollUp(depth: 4)
      case .textRestart, .resumeTextDisplay: mode = .text
      case .eraseDisplayedMemory:
        if !screen.isEmpty { effects.insert(.erased) }
        screen.clear()
      case .eraseNondisplayedMemory: eraseLoaded()
      case .endOfCaption:
        mode = .popOn
        if hasLoaded, hasLeftovers { effects.insert(.leftover) }
        forgetLoaded()
        swap(&screen, &nondisplayed)
        showsWindow = false
        effects.insert(.swapped)
      case .carriageReturn: returnCarriage()
      case .backspace: backspace()
      case .deleteToEndOfRow: deleteToEndOfRow()
      case .flashOn: if isCaptioning { writeAttribute { $0.flashes = true } }
      case .alarmOn, .alarmOff: break
      }
    }
  }
}
