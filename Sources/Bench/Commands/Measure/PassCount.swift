// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalRendering

/// The passes of a frame, counted: a line a kernel.
struct PassCount: Encodable {
  struct Row: Encodable {
    var kernel: String
    var dispatches: Int
    /// Millions of invocations of a graphics device.
    var millions: Double
    /// Bytes of the buffers that are bound, whole.
    var bytesRead: Int
    var bytesWritten: Int
  }

  var device: String
  var quality: String
  var width: Int
  var height: Int
  var radius: Float
  /// In the order of their first passes.
  var kernels: [Row] = []
  var total: Row

  init(_ passes: [PassWork], device: Device, _ quality: RenderingQuality, _ test: SpeedTest) {
    self.device = device.identifier
    self.quality = quality.description
    width = test.dimensions.width
    height = test.dimensions.height
    radius = test.radius
    total = Row(kernel: "all", dispatches: 0, millions: 0, bytesRead: 0, bytesWritten: 0)
    for pass in passes {
      let grid = pass.grid
      let row = Row(
        kernel: pass.kernel.name, dispatches: 1, millions: Double(grid.x * grid.y * grid.z) / 1e6,
        bytesRead: pass.bytesRead, bytesWritten: pass.bytesWritten)
      total.add(row)
      if let index = kernels.firstIndex(where: { $0.kernel == row.kernel }) {
        kernels[index].add(row)
      } else {
        kernels.append(row)
      }
    }
  }

  /// A table under a line that says of which frame.
  var lines: [String] {
    let rows = (kernels + [total]).map { row in
      [
        row.kernel, "\(row.dispatches)", formatted("%.2f", row.millions),
        formatted("%.1f", Double(row.bytesRead) / 1e6),
        formatted("%.1f", Double(row.bytesWritten) / 1e6),
      ]
    }
    let table = TextTable(
      header: ["kernel", "dispatches", "M invocations", "MB read", "MB written"], rows: rows,
      rightAligned: [1, 2, 3, 4])
    let title = "\(device) \(quality) \(width)x\(height), radius "
    return [title + formatted("%.1f", Double(radius))] + table.lines.map { "  " + $0 }
  }
}

extension PassCount.Row {
  fileprivate mutating func add(_ other: Self) {
    dispatches += other.dispatches
    millions += other.millions
    bytesRead += other.bytesRead
    bytesWritten += other.bytesWritten
  }
}
