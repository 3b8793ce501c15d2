// SPDX-License-Identifier: Apache-2.0

import FocalCore

/// Properties as the model has them; the style sheet has dropped values that are not understood.
extension TTMLReader {
  mutating func style(_ properties: [String: String], _ line: Int) -> Caption.Style {
    var style = Caption.Style()
    for (key, value) in properties {
      switch key {
      case "color": style.textColor = ColorText.color(value)
      case "backgroundColor":
        let color = ColorText.color(value)
        // However it is written: text without a box.
        style.backgroundColor = color?.alpha == 0 ? .transparent : color
      case "fontStyle":
        style.fontStyle = value == "italic" || value == "oblique" ? .italic : .normal
      case "fontWeight": style.fontWeight = value == "bold" ? .bold : .normal
      case "textDecoration":
        var decoration: Caption.Decoration = []
        for word in value.words {
          if let lines = TTMLStyleSheet.decorations[word] {
            decoration.formUnion(lines)
          } else {
            tell(
              line: line, "of \(key)=\"\(value.prefix(40))\", '\(word.prefix(40))' was skipped")
          }
        }
        style.decoration = decoration
      case "vt:combine", "textCombine": style.textCombine = TTMLStyleSheet.combine(value)
      default: break
      }
    }
    return style
  }
}
