// SPDX-License-Identifier: Apache-2.0

/// Dispatches in jobs that a graphics device is handed one after the other.
///
/// Drivers end a job that takes too long, and the device is lost with it: amdgpu after two seconds, others
/// after five to twenty. A photograph's frame at the highest quality, or ten frames that a caller puts into
/// one command buffer, would be such a job on a small device. Between jobs a desktop gets its turn, too.
package enum DeviceJobs {
  /// Most work of a job, in invocations of a plain kernel, unless one dispatch alone has more. Half a frame
  /// of 4K at export quality: 2 ms of a large GPU, and by estimate 100 to 200 of one in a processor.
  package static let largest = 256_000_000

  /// The places of the dispatches of each job, in order; at least one, which may be empty.
  package static func jobs(
    of dispatches: ArraySlice<KernelDispatch>, largest: Int = largest
  ) -> [Range<Int>] {
    var jobs: [Range<Int>] = []
    var start = dispatches.startIndex
    var work = 0
    for (index, dispatch) in zip(dispatches.indices, dispatches) {
      let own = dispatch.work
      if index > start, work + own > largest {
        jobs.append(start..<index)
        start = index
        work = 0
      }
      work += own
    }
    return jobs + [start..<dispatches.endIndex]
  }
}

extension KernelDispatch {
  /// How much a device has to do, in invocations of a plain kernel: one that passes over a pixel.
  fileprivate var work: Int {
    let each =
      switch kernel.name {
      // Every slice of a tile for every lens point.
      case "lensViews", "weightedViews": 64
      // The pixels around, or the lights.
      case "decideSides", "matte", "prefilterSlices", "compose", "drawLights", "drawShapes": 8
      default: 1
      }
    return each * grid.x * grid.y * grid.z
  }
}
