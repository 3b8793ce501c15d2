// SPDX-License-Identifier: Apache-2.0

/// Rows of words under a header, in columns as wide as their widest word.
struct TextTable {
  var header: [String]
  var rows: [[String]]
  /// Columns that end at their right edge: numbers.
  var rightAligned: Set<Int> = []

  /// The header, then a line a row.
  var lines: [String] {
    let all = [header] + rows
    let widths = header.indices.map { column in all.map { $0[column].count }.max() ?? 0 }
    return all.map { row in
      var line = ""
      for (column, word) in row.enumerated() {
        let space = String(repeating: " ", count: widths[column] - word.count)
        line += (column > 0 ? "  " : "")
        line += rightAligned.contains(column) ? space + word : word + space
      }
      while line.last == " " { line.removeLast() }
      return line
    }
  }
}
