// SPDX-License-Identifier: Apache-2.0

import COpenCL
import FocalCore
import Synchronization

/// Buffers for the planes of pictures, used again from frame to frame: once warm, none is allocated.
final class BufferPool: Sendable {
  /// A buffer. The flight that has taken it out of the pool owns its contents.
  // @unchecked Sendable: nothing changes but the bytes, and these are reached by the one flight that
  // has taken the piece.
  final class Piece: @unchecked Sendable {
    let handle: OpenCLHandle<MemoryObject>
    let byteCount: Int
    /// Of a mapped piece, its bytes for the host.
    let address: UnsafeMutableRawPointer?
    private let context: OpenCLContext

    /// - Throws: `outOfMemory`, `deviceLost`.
    fileprivate init(
      _ context: OpenCLContext, byteCount: Int, isMapped: Bool
    ) throws(CinematicError) {
      self.context = context
      self.byteCount = byteCount
      handle = try context.makeBuffer(
        byteCount: byteCount,
        flags: isMapped ? CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR : CL_MEM_READ_WRITE)
      if isMapped {
        address = try context.map(handle, byteCount: byteCount)
      } else {
        address = nil
        try context.materialise(handle, byteCount: byteCount)
      }
    }

    deinit {
      if let address { context.unmap(handle, address) }
    }
  }

  /// As many as the planes of the flights that a queue lets be under way, and some.
  private static let capacity = 16

  private let context: OpenCLContext
  private let isMapped: Bool
  private let free = Mutex<[Piece]>([])

  /// - Parameter isMapped: whether the host reaches the pieces' bytes: memory that the device copies
  ///   to and from by itself, beside its other work.
  init(_ context: OpenCLContext, isMapped: Bool) {
    self.context = context
    self.isMapped = isMapped
  }

  /// - Throws: `outOfMemory`, `deviceLost`.
  func take(byteCount: Int) throws(CinematicError) -> Piece {
    let size = (byteCount + 0xFFFF) & ~0xFFFF
    let found: Piece? = free.withLock { free in
      let fitting = free.indices.filter { free[$0].byteCount >= size }
      guard let best = fitting.min(by: { free[$0].byteCount < free[$1].byteCount }) else {
        return nil
      }
      return free.remove(at: best)
    }
    if let found { return found }
    do throws(CinematicError) {
      return try Piece(context, byteCount: size, isMapped: isMapped)
    } catch {
      // Pieces of other sizes may be what takes the memory.
      guard error.code == .outOfMemory, free.withLock({ !$0.isEmpty }) else { throw error }
      removeAll()
      return try Piece(context, byteCount: size, isMapped: isMapped)
    }
  }

  func giveBack(_ pieces: [Piece]) {
    let surplus = free.withLock { free in
      free += pieces
      let surplus = free.prefix(max(0, free.count - Self.capacity))
      free.removeFirst(surplus.count)
      return Array(surplus)
    }
    // Freed here, outside the lock.
    withExtendedLifetime(surplus) {}
  }

  func removeAll() {
    let all = free.withLock { free in
      let all = free
      free = []
      return all
    }
    withExtendedLifetime(all) {}
  }
}
