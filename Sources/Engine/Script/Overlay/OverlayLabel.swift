// SPDX-License-Identifier: Apache-2.0

/// A detection's label as the overlay draws it, in capitals of five by seven dots: what it is, its id, and
/// its group after a G.
struct OverlayLabel {
  /// Rows of dots from the top, true where one is drawn; all equally long.
  let rows: [[Bool]]

  static let height = 7
  private static let width = 5

  init(_ detection: Detection) {
    var text = Detection.accessibilityLabel(for: detection.detectionType).uppercased()
    if let id = detection.detectionID { text += " \(id)" }
    if let group = detection.detectionGroupID { text += " G\(group)" }
    self.init(text)
  }

  /// - Parameter text: of the characters that labels have; others are blank.
  init(_ text: String) {
    let glyphs = text.map { Self.glyphs[$0] ?? [UInt8](repeating: 0, count: Self.height) }
    rows = (0..<Self.height).map { row in
      var dots: [Bool] = []
      for (index, glyph) in glyphs.enumerated() {
        if index > 0 { dots.append(false) }
        for column in 0..<Self.width {
          dots.append(glyph[row] >> UInt8(Self.width - 1 - column) & 1 == 1)
        }
      }
      return dots
    }
  }

  /// The runs of dots of each row: columns from and to, and the row.
  var runs: [(columns: Range<Int>, row: Int)] {
    var result: [(columns: Range<Int>, row: Int)] = []
    for (number, row) in rows.enumerated() {
      var start: Int?
      for column in 0...row.count {
        let isDrawn = column < row.count && row[column]
        if isDrawn, start == nil { start = column }
        if !isDrawn, let first = start {
          result.append((first..<column, number))
          start = nil
        }
      }
    }
    return result
  }

  private static let glyphs: [Character: [UInt8]] = [
    "0": [0b01110, 0b10001, 0b10011, 0b10101, 0b11001, 0b10001, 0b01110],
    "1": [0b00100, 0b01100, 0b00100, 0b00100, 0b00100, 0b00100, 0b01110],
    "2": [0b01110, 0b10001, 0b00001, 0b00110, 0b01000, 0b10000, 0b11111],
    "3": [0b11110, 0b00001, 0b00001, 0b01110, 0b00001, 0b00001, 0b11110],
    "4": [0b00010, 0b00110, 0b01010, 0b10010, 0b11111, 0b00010, 0b00010],
    "5": [0b11111, 0b10000, 0b11110, 0b00001, 0b00001, 0b10001, 0b01110],
    "6": [0b00110, 0b01000, 0b10000, 0b11110, 0b10001, 0b10001, 0b01110],
    "7": [0b11111, 0b00001, 0b00010, 0b00100, 0b01000, 0b01000, 0b01000],
    "8": [0b01110, 0b10001, 0b10001, 0b01110, 0b10001, 0b10001, 0b01110],
    "9": [0b01110, 0b10001, 0b10001, 0b01111, 0b00001, 0b00010, 0b01100],
    "A": [0b01110, 0b10001, 0b10001, 0b11111, 0b10001, 0b10001, 0b10001],
    "B": [0b11110, 0b10001, 0b10001, 0b11110, 0b10001, 0b10001, 0b11110],
    "C": [0b01110, 0b10001, 0b10000, 0b10000, 0b10000, 0b10001, 0b01110],
    "D": [0b11110, 0b10001, 0b10001, 0b10001, 0b10001, 0b10001, 0b11110],
    "E": [0b11111, 0b10000, 0b10000, 0b11110, 0b10000, 0b10000, 0b11111],
    "F": [0b11111, 0b10000, 0b10000, 0b11110, 0b10000, 0b10000, 0b10000],
    "G": [0b01110, 0b10001, 0b10000, 0b10111, 0b10001, 0b10001, 0b01111],
    "I": [0b01110, 0b00100, 0b00100, 0b00100, 0b00100, 0b00100, 0b01110],
    "J": [0b00111, 0b00010, 0b00010, 0b00010, 0b00010, 0b10010, 0b01100],
    "L": [0b10000, 0b10000, 0b10000, 0b10000, 0b10000, 0b10000, 0b11111],
    "N": [0b10001, 0b11001, 0b10101, 0b10101, 0b10101, 0b10011, 0b10001],
    "O": [0b01110, 0b10001, 0b10001, 0b10001, 0b10001, 0b10001, 0b01110],
    "P": [0b11110, 0b10001, 0b10001, 0b11110, 0b10000, 0b10000, 0b10000],
    "R": [0b11110, 0b10001, 0b10001, 0b11110, 0b10100, 0b10010, 0b10001],
    "S": [0b01111, 0b10000, 0b10000, 0b01110, 0b00001, 0b00001, 0b11110],
    "T": [0b11111, 0b00100, 0b00100, 0b00100, 0b00100, 0b00100, 0b00100],
    "U": [0b10001, 0b10001, 0b10001, 0b10001, 0b10001, 0b10001, 0b01110],
    "X": [0b10001, 0b10001, 0b01010, 0b00100, 0b01010, 0b10001, 0b10001],
  ]
}
