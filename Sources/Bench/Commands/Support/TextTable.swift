// SPDX-License-Identifier: Apache-2.0

/// Rows of words under a header, in columns as wide as their widest word.
package struct TextTable {
  package var header: [String]
  package var rows: [[String]]
  /// Columns that end at their right edge: numbers.
  package var rightAligned: Set<Int> = []

  package init(header: [String], rows: [[String]], rightAligned: Set<Int> = []) {
    self.header = header
    self.rows = rows
    self.rightAligned = rightAligned
  }

  /// The header, then a line a row.
  package var lines: [String] {
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
