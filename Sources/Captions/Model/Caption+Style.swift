// SPDX-License-Identifier: Apache-2.0

extension Caption {
  /// How heavy glyphs are.
  public enum FontWeight: Int, Hashable, Sendable, CaseIterable {
    case unknown = 0
    case normal = 1
    case bold = 2
  }

  /// Whether glyphs slant.
  public enum FontStyle: Int, Hashable, Sendable, CaseIterable {
    case unknown = 0
    case normal = 1
    case italic = 2
  }

  /// Lines along the text.
  public struct Decoration: OptionSet, Hashable, Sendable {
    public let rawValue: Int
    public init(rawValue: Int) { self.rawValue = rawValue }

    public static let underline = Decoration(rawValue: 1)
    public static let lineThrough = Decoration(rawValue: 2)
    public static let overline = Decoration(rawValue: 4)
  }

  /// Characters of vertical text that stand side by side in one cell: all of a range, or numbers of up
  /// to so many digits.
  public enum TextCombine: Int, Hashable, Sendable, CaseIterable {
    case all = -1
    case none = 0
    case oneDigit = 1
    case twoDigits = 2
    case threeDigits = 3
    case fourDigits = 4
  }

  /// A colour of captions: sRGB codes, alpha 255 is opaque.
  public struct Color: Hashable, Sendable {
    public var red: UInt8
    public var green: UInt8
    public var blue: UInt8
    public var alpha: UInt8

    public init(red: UInt8, green: UInt8, blue: UInt8, alpha: UInt8 = 255) {
      self.red = red
      self.green = green
      self.blue = blue
      self.alpha = alpha
    }

    public static let white = Color(red: 255, green: 255, blue: 255)
    public static let green = Color(red: 0, green: 255, blue: 0)
    public static let blue = Color(red: 0, green: 0, blue: 255)
    public static let cyan = Color(red: 0, green: 255, blue: 255)
    public static let red = Color(red: 255, green: 0, blue: 0)
    public static let yellow = Color(red: 255, green: 255, blue: 0)
    public static let magenta = Color(red: 255, green: 0, blue: 255)
    public static let black = Color(red: 0, green: 0, blue: 0)
    public static let transparent = Color(red: 0, green: 0, blue: 0, alpha: 0)

    /// The same colour with another alpha.
    public func withAlpha(_ alpha: UInt8) -> Color {
      Color(red: red, green: green, blue: blue, alpha: alpha)
    }
  }

  /// Small text beside a range, as Japanese has it for readings.
  public struct Ruby: Hashable, Sendable {
    /// On which side of the base text: above or below lines, right or left of columns.
    public enum Position: Int, Hashable, Sendable {
      case before = 0
      case after = 1
    }

    /// How the shorter of both texts is set over the longer.
    public enum Alignment: Int, Hashable, Sendable {
      case start = 0
      case center = 1
      case distributeSpaceBetween = 2
      case distributeSpaceAround = 3
    }

    public var text: String
    public var position: Position
    public var alignment: Alignment

    public init(
      text: String, position: Position = .before, alignment: Alignment = .distributeSpaceBetween
    ) {
      self.text = text
      self.position = position
      self.alignment = alignment
    }
  }

  /// The look of a range of the text; `nil` is the screen's default.
  public struct Style: Hashable, Sendable {
    public var fontWeight: FontWeight?
    public var fontStyle: FontStyle?
    public var decoration: Decoration?
    public var textColor: Color?
    public var backgroundColor: Color?
    public var textCombine: TextCombine?
    public var ruby: Ruby?

    public init() {}

    /// Nothing but what the screen does by itself.
    public static let plain = Style()
    public var isPlain: Bool { self == .plain }
  }

  /// A stretch of the text in one style.
  public struct StyledRange: Hashable, Sendable {
    public let range: Range<String.Index>
    public let style: Style
  }
}
