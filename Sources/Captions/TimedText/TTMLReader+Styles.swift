// SPDX-License-Identifier: Apache-2.0

import FocalCore

/// Properties as the model has them.
extension TTMLReader {
  mutating func style(_ properties: [String: String], _ line: Int) -> Caption.Style {
    var style = Caption.Style()
    for (key, value) in properties {
      var isUnderstood = true
      switch key {
      case "color":
        style.textColor = ColorText.color(value)
        isUnderstood = style.textColor != nil
      case "backgroundColor":
        let color = ColorText.color(value)
        // However it is written: text without a box.
        style.backgroundColor = color?.alpha == 0 ? .transparent : color
        isUnderstood = color != nil
      case "fontStyle":
        style.fontStyle = value == "italic" || value == "oblique" ? .italic : .normal
        isUnderstood = ["normal", "italic", "oblique"].contains(value)
      case "fontWeight":
        style.fontWeight = value == "bold" ? .bold : .normal
        isUnderstood = value == "bold" || value == "normal"
      case "textDecoration":
        var decoration: Caption.Decoration = []
        for word in value.words {
          switch word {
          case "underline": decoration.insert(.underline)
          case "lineThrough": decoration.insert(.lineThrough)
          case "overline": decoration.insert(.overline)
          case "none", "noUnderline", "noLineThrough", "noOverline": break
          default: isUnderstood = false
          }
        }
        style.decoration = decoration
      case "vt:combine", "textCombine":
        let digits = value.words.last.flatMap { Int($0) }
        switch value {
        case "all": style.textCombine = .all
        case "none": style.textCombine = Caption.TextCombine.none
        default:
          style.textCombine = digits.flatMap { (1...4).contains($0) ? .init(rawValue: $0) : nil }
          if value == "digits" { style.textCombine = .twoDigits }
          isUnderstood = style.textCombine != nil
        }
      default: break
      }
      if !isUnderstood {
        tell(line: line, "\(key)=\"\(value.prefix(40))\" is not understood, and was skipped")
      }
    }
    return style
  }
}
