// SPDX-License-Identifier: Apache-2.0

import FocalRendering

/// The planes of pictures that dispatches use, in the order of their first use.
struct PlaneUses {
  struct Use {
    let plane: PixelPlane
    /// Whether the first dispatch that uses it reads it: its bytes have to be there before.
    let startsWithRead: Bool
    var isWritten: Bool
  }

  private(set) var uses: [Use] = []

  init(_ dispatches: some Sequence<KernelDispatch>) {
    var indices: [PixelPlane: Int] = [:]
    for dispatch in dispatches {
      for case .pixels(let buffer, let index, let access) in dispatch.bindings {
        let plane = PixelPlane(buffer, plane: index)
        if let known = indices[plane] {
          if access == .write { uses[known].isWritten = true }
        } else {
          indices[plane] = uses.count
          uses.append(
            Use(plane: plane, startsWithRead: access == .read, isWritten: access == .write))
        }
      }
    }
  }
}

/// A submission's dispatches as flights: pictures come in before a flight's first dispatch and go
/// out after its last, so a dispatch that needs some of the bytes that an earlier one writes into
/// another piece of the same memory begins a new flight.
func flights(of dispatches: [KernelDispatch]) -> [ArraySlice<KernelDispatch>] {
  var flights: [ArraySlice<KernelDispatch>] = []
  var written: [PixelPlane] = []
  var start = 0
  for (index, dispatch) in dispatches.enumerated() {
    var planes: [(plane: PixelPlane, access: Binding.Access)] = []
    for case .pixels(let buffer, let plane, let access) in dispatch.bindings {
      planes.append((PixelPlane(buffer, plane: plane), access))
    }
    let collides = planes.contains { used in
      written.contains { $0 != used.plane && $0.overlaps(used.plane) }
    }
    if collides {
      flights.append(dispatches[start..<index])
      start = index
      written = []
    }
    written += planes.filter { $0.access == .write }.map(\.plane)
  }
  // Also where there are none: the submission has its place in the order.
  return flights + [dispatches[start...]]
}
