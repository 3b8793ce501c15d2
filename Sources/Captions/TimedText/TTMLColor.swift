// SPDX-License-Identifier: Apache-2.0

/// Colours as TTML, WebVTT and SubRip write them.
package enum ColorText {
  private static let named: [String: Caption.Color] = [
    "transparent": .transparent, "black": .black, "white": .white, "red": .red, "yellow": .yellow,
    "blue": .blue, "fuchsia": .magenta, "magenta": .magenta, "aqua": .cyan, "cyan": .cyan,
    "lime": .green, "silver": Caption.Color(red: 192, green: 192, blue: 192),
    "gray": Caption.Color(red: 128, green: 128, blue: 128),
    "grey": Caption.Color(red: 128, green: 128, blue: 128),
    "maroon": Caption.Color(red: 128, green: 0, blue: 0),
    "purple": Caption.Color(red: 128, green: 0, blue: 128),
    "green": Caption.Color(red: 0, green: 128, blue: 0),
    "olive": Caption.Color(red: 128, green: 128, blue: 0),
    "navy": Caption.Color(red: 0, green: 0, blue: 128),
    "teal": Caption.Color(red: 0, green: 128, blue: 128),
    "orange": Caption.Color(red: 255, green: 165, blue: 0),
  ]

  /// `#rgb`, `#rrggbb`, `#rrggbbaa`, `rgb(r,g,b)`, `rgba(r,g,b,a)`, a name.
  package static func color(_ text: String) -> Caption.Color? {
    let text = text.trimmed.lowercased()
    if let color = named[text] { return color }
    if text.first == "#" {
      var digits = text.dropFirst().compactMap(\.hexDigitValue)
      guard digits.count == text.count - 1 else { return nil }
      if digits.count == 3 || digits.count == 4 { digits = digits.flatMap { [$0, $0] } }
      guard digits.count == 6 || digits.count == 8 else { return nil }
      func byte(_ index: Int) -> UInt8 { UInt8(digits[index] * 16 + digits[index + 1]) }
      return Caption.Color(
        red: byte(0), green: byte(2), blue: byte(4), alpha: digits.count == 8 ? byte(6) : 255)
    }
    for (prefix, count) in [("rgba(", 4), ("rgb(", 3)] where text.hasPrefix(prefix) {
      guard text.hasSuffix(")") else { return nil }
      let parts = text.dropFirst(prefix.count).dropLast()
        .split(separator: ",", omittingEmptySubsequences: false).map { Int($0.trimmed) }
      guard parts.count == count else { return nil }
      let values = parts.compactMap { $0.map { UInt8(clamping: $0) } }
      guard values.count == count else { return nil }
      return Caption.Color(
        red: values[0], green: values[1], blue: values[2], alpha: count == 4 ? values[3] : 255)
    }
    return nil
  }

  package static func text(_ color: Caption.Color) -> String {
    func hex(_ byte: UInt8) -> String {
      (byte < 16 ? "0" : "") + String(byte, radix: 16)
    }
    let base = "#\(hex(color.red))\(hex(color.green))\(hex(color.blue))"
    return color.alpha == 255 ? base : base + hex(color.alpha)
  }
}
