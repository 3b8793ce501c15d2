// SPDX-License-Identifier: Apache-2.0

import PNGCoding

/// A damaged PNG file as a whole one: the rows in front of the damage, and black ones.
enum PNGRepair {
  /// - Returns: `nil` where no row can be had.
  static func repaired(_ bytes: [UInt8]) -> [UInt8]? {
    guard bytes.count > 33 else { return nil }
    var result = Array(bytes[..<8])
    var header: [UInt8] = []
    var stream: [UInt8] = []
    var place = 8
    while place + 8 <= bytes.count {
      let length = Int(PNGFormat.bigEndian(bytes, place))
      let content = bytes[(place + 8)..<min(place + 8 + length, bytes.count)]
      let type = String(decoding: bytes[(place + 4)..<(place + 8)], as: UTF8.self)
      if type == "IEND" { break }
      if type == "IDAT" {
        stream += content
      } else if content.count == length, stream.isEmpty {
        if type == "IHDR" { header = Array(content) }
        result += PNGFormat.chunk(type, Array(content))
      }
      place += 12 + length
    }
    guard let rows = RowLengths(header) else { return nil }
    var content = [UInt8](repeating: 0, count: rows.byteCount)
    guard focal_png_inflate(stream, stream.count, &content, content.count) > 0 else { return nil }
    rows.clearBehindDamage(&content)
    return result + PNGFormat.chunk("IDAT", PNGFormat.stored(content)) + PNGFormat.chunk("IEND", [])
  }

  /// The rows of all passes, each led by its filter.
  private struct RowLengths {
    private var passes: [(rowCount: Int, byteCount: Int)] = []

    var byteCount: Int { passes.reduce(0) { $0 + $1.rowCount * $1.byteCount } }

    /// - Parameter header: width, height, depth, kind of colour, compression, filters, interlacing.
    init?(_ header: [UInt8]) {
      guard header.count == 13, let channels = [0: 1, 2: 3, 3: 1, 4: 2, 6: 4][Int(header[9])] else {
        return nil
      }
      let width = Int(PNGFormat.bigEndian(header, 0))
      let height = Int(PNGFormat.bigEndian(header, 4))
      // Where each pass begins, and its steps.
      let grids =
        header[12] == 0
        ? [(0, 0, 1, 1)]
        : [
          (0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2),
          (0, 1, 1, 2),
        ]
      for (x, y, dx, dy) in grids where width > x && height > y {
        let columns = (width - x + dx - 1) / dx
        let bits = columns.multipliedReportingOverflow(by: channels * Int(header[8]))
        guard !bits.overflow else { return nil }
        passes.append(((height - y + dy - 1) / dy, 1 + (bits.partialValue + 7) / 8))
      }
      // Chunks say their lengths in 31 bits, with room for the marks of stored blocks.
      let total = passes.reduce(0.0) { $0 + Double($1.rowCount) * Double($1.byteCount) }
      guard total > 0, total < 2e9 else { return nil }
    }

    /// Clears what follows the first row whose filter means nothing: codes that changed give anything.
    func clearBehindDamage(_ content: inout [UInt8]) {
      var place = 0
      for pass in passes {
        for _ in 0..<pass.rowCount {
          guard content[place] <= 4 else {
            for index in place..<content.count { content[index] = 0 }
            return
          }
          place += pass.byteCount
        }
      }
    }
  }
}
