// SPDX-License-Identifier: Apache-2.0

/// Text that may hold what files say, as a terminal can show it: control characters, and those that turn the
/// direction of writing, stand as `\u{1B}`. Tabs and ends of lines stay.
package func printable(_ text: String) -> String {
  guard text.unicodeScalars.contains(where: isControl) else { return text }
  var shown = ""
  for scalar in text.unicodeScalars {
    if isControl(scalar) {
      shown += "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
    } else {
      shown.unicodeScalars.append(scalar)
    }
  }
  return shown
}

private func isControl(_ scalar: Unicode.Scalar) -> Bool {
  switch scalar.value {
  case 0x09, 0x0A: false
  case 0...0x1F, 0x7F...0x9F, 0x200E...0x200F, 0x202A...0x202E, 0x2066...0x2069: true
  default: false
  }
}
