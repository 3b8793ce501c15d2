// SPDX-License-Identifier: Apache-2.0

import COpenCL
import FocalCore
import FocalRendering
import Synchronization

/// Buffers over pictures in host memory, for devices that work there: nothing is copied.
///
/// OpenCL leaves undefined what two buffers over the same bytes hold. A plane that is in use already
/// is therefore used through the same buffer, and a plane that shares only some of its bytes is
/// copied.
final class HostBuffers: Sendable {
  final class Buffer: Sendable {
    let handle: OpenCLHandle<MemoryObject>
    init(_ handle: OpenCLHandle<MemoryObject>) { self.handle = handle }
  }

  private struct Entry {
    let plane: HostPlane
    weak var buffer: Buffer?
  }

  private let entries = Mutex<[Entry]>([])

  /// A buffer over `plane`, valid as long as the picture lives; `nil` where the plane has to be
  /// copied.
  ///
  /// - Throws: `outOfMemory`, `deviceLost`.
  func buffer(
    over plane: HostPlane, isWritten: Bool, on context: OpenCLContext
  ) throws(CinematicError) -> Buffer? {
    guard Self.isReachable(plane, isWritten: isWritten, by: context.info) else { return nil }
    return try entries.withLock { entries throws(CinematicError) in
      entries.removeAll { $0.buffer == nil }
      for entry in entries where entry.plane.overlaps(plane) {
        return entry.plane == plane ? entry.buffer : nil
      }
      let buffer = Buffer(
        try context.makeBuffer(
          byteCount: plane.byteCount, flags: CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR,
          host: plane.base))
      entries.append(Entry(plane: plane, buffer: buffer))
      return buffer
    }
  }

  private static func isReachable(
    _ plane: HostPlane, isWritten: Bool, by info: OpenCLDeviceInfo
  ) -> Bool {
    guard info.isUnified, plane.byteCount <= info.largestAllocation else { return false }
    // A processor's driver computes at the address that it is given. A graphics device's driver maps
    // whole pages; if it cannot, it copies the rows with their padding, which may be in use elsewhere.
    guard !info.isProcessor else { return plane.isAligned(to: 16) }
    return plane.isAligned(to: 4096) && !(isWritten && plane.isPadded)
  }
}
