// SPDX-License-Identifier: Apache-2.0

/// For each tile of a picture the solids that can be seen in it, nearest first.
struct TileLists {
  static let side = 16

  let columns: Int
  let rows: Int
  private(set) var starts: [Int32] = []
  private(set) var lists: [Int32] = []

  /// - Parameter solids: sorted by their nearest depth, so that every list is.
  init(_ solids: [Primitive], view: LensView) {
    columns = (Int(view.size.x) + Self.side - 1) / Self.side
    rows = (Int(view.size.y) + Self.side - 1) / Self.side
    let side = Float(Self.side)
    var counts = [Int32](repeating: 0, count: columns * rows)
    var ranges: [(Range<Int>, Range<Int>)] = []
    for solid in solids {
      let (a, b, radius) = solid.bounds
      guard let box = view.bounds(a, b, radius) else {
        ranges.append((0..<0, 0..<0))
        continue
      }
      // The picture clips the box, so the conversions below cannot overflow.
      let x0 = Int(max(0, box.x0) / side)
      let x1 = min(columns, Int(min(view.size.x, box.x1) / side) + 1)
      let y0 = Int(max(0, box.y0) / side)
      let y1 = min(rows, Int(min(view.size.y, box.y1) / side) + 1)
      ranges.append((x0..<max(x0, x1), y0..<max(y0, y1)))
      for y in y0..<max(y0, y1) {
        for x in x0..<max(x0, x1) { counts[y * columns + x] += 1 }
      }
    }
    var total: Int32 = 0
    var next: [Int32] = []
    for count in counts {
      starts.append(total)
      next.append(total)
      total += count
    }
    starts.append(total)
    lists = [Int32](repeating: 0, count: Int(total))
    for (index, (xs, ys)) in ranges.enumerated() {
      for y in ys {
        for x in xs {
          lists[Int(next[y * columns + x])] = Int32(index)
          next[y * columns + x] += 1
        }
      }
    }
  }
}
