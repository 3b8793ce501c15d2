// SPDX-License-Identifier: Apache-2.0

/// Which occluders can darken a point: lists by the cell of the ground that it stands above.
struct ShadowGrid {
  private static let cell: Float = 0.25
  private static let originX: Float = -5.5
  private static let originZ: Float = 0.5
  private static let columns = 44
  private static let rows = 48

  private var starts: [Int32] = []
  private var lists: [Int16] = []

  init(_ occluders: [Stage.Occluder]) {
    var cells: [[Int16]] = Array(repeating: [], count: Self.columns * Self.rows)
    let l = Lighting.keyDirection
    for (index, occluder) in occluders.enumerated() {
      // The shadow reaches from each end away from the lamp down to the ground; the contact shade
      // and the penumbra a little around it.
      let margin = occluder.radius * 2.2 + 0.12
      var x0 = Float.infinity
      var x1 = -Float.infinity
      var z0 = Float.infinity
      var z1 = -Float.infinity
      for p in [occluder.start, occluder.end] {
        let fall = (p.y + occluder.radius) / l.y
        for q in [p, p - l * fall] {
          let spread = margin + (q.y < p.y ? fall * Lighting.keySpread : 0)
          x0 = min(x0, q.x - spread)
          x1 = max(x1, q.x + spread)
          z0 = min(z0, q.z - spread)
          z1 = max(z1, q.z + spread)
        }
      }
      let columnRange = Self.range(x0 - Self.originX, x1 - Self.originX, Self.columns)
      let rowRange = Self.range(z0 - Self.originZ, z1 - Self.originZ, Self.rows)
      for row in rowRange {
        for column in columnRange { cells[row * Self.columns + column].append(Int16(index)) }
      }
    }
    starts.reserveCapacity(cells.count + 1)
    for list in cells {
      starts.append(Int32(lists.count))
      lists += list
    }
    starts.append(Int32(lists.count))
  }

  private static func range(_ low: Float, _ high: Float, _ count: Int) -> Range<Int> {
    let a = max(0, min(count, Int(low / cell)))
    let b = max(a, min(count, Int(high / cell) + 1))
    return a..<b
  }

  /// The lists by unsafe pointers, for the tracer's inner loop.
  struct View {
    let starts: UnsafePointer<Int32>
    let lists: UnsafePointer<Int16>

    @inline(__always)
    func list(_ p: Vector) -> UnsafeBufferPointer<Int16> {
      let x = (p.x - ShadowGrid.originX) / ShadowGrid.cell
      let z = (p.z - ShadowGrid.originZ) / ShadowGrid.cell
      guard x >= 0, z >= 0, x < Float(ShadowGrid.columns), z < Float(ShadowGrid.rows) else {
        return UnsafeBufferPointer(start: nil, count: 0)
      }
      let cell = Int(z) * ShadowGrid.columns + Int(x)
      let start = Int(starts[cell])
      return UnsafeBufferPointer(start: lists + start, count: Int(starts[cell + 1]) - start)
    }
  }

  func withView<Result>(_ body: (View) -> Result) -> Result {
    starts.withUnsafeBufferPointer { starts in
      lists.withUnsafeBufferPointer { lists in
        // An empty list has no address; nothing is read through this one.
        let address = lists.baseAddress ?? UnsafePointer(bitPattern: 64)!
        return body(View(starts: starts.baseAddress!, lists: address))
      }
    }
  }
}
