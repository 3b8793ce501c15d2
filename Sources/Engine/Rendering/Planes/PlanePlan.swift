// SPDX-License-Identifier: Apache-2.0

/// Which planes of pictures in host memory some dispatches use, in the order of their first use, and
/// which of them a device without access to that memory copies in before and out afterwards.
package struct PlanePlan: Sendable {
  package struct Use: Sendable {
    package let plane: HostPlane
    /// Whether the first dispatch that uses the plane reads it: its bytes must be there before. The
    /// bytes that a later dispatch reads were written on the device.
    package let startsWithRead: Bool
    package fileprivate(set) var isWritten: Bool
  }

  package private(set) var uses: [Use] = []
  private var indices: [HostPlane: Int] = [:]

  package init(_ dispatches: some Sequence<KernelDispatch>) {
    for dispatch in dispatches {
      for (plane, access) in dispatch.planes {
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

  /// The place of a plane in ``uses``; `nil` if no dispatch uses it.
  package func index(of plane: HostPlane) -> Int? { indices[plane] }

  /// Dispatches in the stages that can each be copied in, run and copied out as a whole. A stage ends
  /// before a dispatch that uses some bytes that an earlier one wrote as another piece of memory: on
  /// the device the two pieces lie apart. It ends as well before its planes would take more than
  /// `limit` bytes, if no later dispatch uses what it wrote: of a plane that is written in parts, the
  /// parts come back together.
  ///
  /// - Returns: at least one stage, which is empty if there are no dispatches: a submission has its
  ///   place in the order all the same.
  package static func stages(
    of dispatches: [KernelDispatch], limit: Int = .max
  ) -> [ArraySlice<KernelDispatch>] {
    var stages: [ArraySlice<KernelDispatch>] = []
    var written: [HostPlane] = []
    var start = 0
    var used: Set<HostPlane> = []
    var byteCount = 0
    var lastUse: [HostPlane: Int] = [:]
    for (index, dispatch) in dispatches.enumerated() {
      for used in dispatch.planes { lastUse[used.plane] = index }
    }
    for (index, dispatch) in dispatches.enumerated() {
      let planes = dispatch.planes
      let collides = planes.contains { used in
        written.contains { $0 != used.plane && $0.overlaps(used.plane) }
      }
      var new = Set(planes.map(\.plane)).subtracting(used)
      let exceeds =
        index > start && !new.isEmpty && byteCount + bytes(of: new) > limit
        && written.allSatisfy { lastUse[$0, default: 0] < index }
      if collides || exceeds {
        stages.append(dispatches[start..<index])
        start = index
        written = []
        used = []
        byteCount = 0
        new = Set(planes.map(\.plane))
      }
      used.formUnion(new)
      byteCount += bytes(of: new)
      written += planes.filter { $0.access == .write }.map(\.plane)
    }
    return stages + [dispatches[start...]]
  }

  private static func bytes(of planes: Set<HostPlane>) -> Int {
    planes.reduce(0) { $0 + $1.byteCount }
  }
}

extension KernelDispatch {
  /// The planes of pictures in host memory among the bindings.
  fileprivate var planes: [(plane: HostPlane, access: Binding.Access)] {
    bindings.compactMap { binding in
      guard case .pixels(let buffer, let plane, let access) = binding else { return nil }
      return (HostPlane(buffer, plane: plane), access)
    }
  }
}
