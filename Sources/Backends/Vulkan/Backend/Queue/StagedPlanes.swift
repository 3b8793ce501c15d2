// SPDX-License-Identifier: Apache-2.0

import FocalRendering

/// Where the planes of a submission's pictures lie in its device buffer: first those that are only
/// read, then those that are read and written, then those that are only written, so that one piece
/// goes up and one comes back.
struct StagedPlanes: Sendable {
  let plan: PlanePlan
  /// From the start of the device buffer, in the order of the plan's uses; multiples of 256.
  private var offsets: [Int]
  private(set) var byteCount = 0
  /// The bytes of the device buffer that the host's pictures go to, and come from.
  let upload: Range<Int>
  let download: Range<Int>

  init(_ plan: PlanePlan) {
    self.plan = plan
    offsets = Array(repeating: 0, count: plan.uses.count)
    var starts: [Int] = []
    for isMember: (PlanePlan.Use) -> Bool in [
      { $0.startsWithRead && !$0.isWritten }, { $0.startsWithRead && $0.isWritten },
      { !$0.startsWithRead },
    ] {
      starts.append(byteCount)
      for (index, use) in plan.uses.enumerated() where isMember(use) {
        offsets[index] = byteCount
        byteCount = (byteCount + use.plane.byteCount + 255) & ~255
      }
    }
    upload = 0..<starts[2]
    download = starts[1]..<byteCount
  }

  /// Where a plane's bytes begin; `nil` if the submission does not use it.
  func offset(of plane: HostPlane) -> Int? { plan.index(of: plane).map { offsets[$0] } }

  /// The planes that the submission will write in the host's memory.
  var writes: [WritesInFlight.Write] {
    plan.uses.filter(\.isWritten).map { WritesInFlight.Write(plane: $0.plane, isCopied: true) }
  }

  /// Copies what is read to `base`, where the device buffer starts as the host sees it.
  func copyIn(to base: UnsafeMutableRawPointer, isParallel: Bool) {
    for (use, offset) in zip(plan.uses, offsets) where use.startsWithRead {
      use.plane.copy(to: base + offset, isParallel: isParallel)
    }
  }

  /// Copies what was written from `base` to the pictures.
  func copyOut(from base: UnsafeMutableRawPointer, isParallel: Bool) {
    for (use, offset) in zip(plan.uses, offsets) where use.isWritten {
      use.plane.copy(from: base + offset, isParallel: isParallel)
    }
  }
}
