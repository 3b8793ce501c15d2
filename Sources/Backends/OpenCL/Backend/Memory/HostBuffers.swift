// SPDX-License-Identifier: Apache-2.0

import COpenCL
import FocalCore
import Synchronization

/// Buffers over pictures in host memory, for devices that work there: nothing is copied.
///
/// Two buffers over the same bytes are undefined in OpenCL. So who needs a plane that is in use shares
/// its buffer, and who needs some of its bytes gets none and copies.
final class HostBuffers: Sendable {
  final class Buffer: Sendable {
    let handle: OpenCLHandle<MemoryObject>
    init(_ handle: OpenCLHandle<MemoryObject>) { self.handle = handle }
  }

  private struct Entry {
    let plane: PixelPlane
    weak var buffer: Buffer?
  }

  private let entries = Mutex<[Entry]>([])

  /// A buffer over `plane`, valid as long as the picture lives; `nil` where the plane has to be
  /// copied.
  ///
  /// - Throws: `outOfMemory`, `deviceLost`.
  func buffer(
    over plane: PixelPlane, isWritten: Bool, on context: OpenCLContext
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
    _ plane: PixelPlane, isWritten: Bool, by info: OpenCLDeviceInfo
  ) -> Bool {
    guard info.isUnified, plane.byteCount <= info.largestAllocation else { return false }
    // A processor's driver computes at the address it is given. One of a graphics device maps whole
    // pages, and where it cannot, copies behind the scenes: padding included, which is not ours.
    guard !info.isProcessor else { return plane.isAligned(to: 16) }
    return plane.isAligned(to: 4096) && !(isWritten && plane.isPadded)
  }
}
