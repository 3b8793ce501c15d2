// SPDX-License-Identifier: Apache-2.0

import FocalCore
import Synchronization

/// Pixel buffers of one size and format whose memory goes round: a buffer that is no longer
/// referenced gives it back for the next one.
///
/// Once as many buffers have been made as are held at the same time, none is allocated.
final class PixelBufferPool: Sendable {
  // @unchecked Sendable: unused memory, handed from one owner to the next under the lock.
  private struct Block: @unchecked Sendable {
    let pointer: UnsafeMutableRawPointer
  }

  private struct State {
    var free: [Block] = []
    var allocationCount = 0
  }

  let dimensions: Dimensions
  let format: PixelFormat
  let tags: ColorTags
  private let state = Mutex(State())
  private let byteCount: Int
  private let planes: [(offset: Int, bytesPerRow: Int)]

  /// How often memory was allocated.
  var allocationCount: Int { state.withLock { $0.allocationCount } }

  /// - Throws: `invalidParameter` for a size that no picture has, `outOfMemory`.
  init(dimensions: Dimensions, format: PixelFormat, tags: ColorTags) throws(CinematicError) {
    self.dimensions = dimensions
    self.format = format
    self.tags = tags
    // Laid out as any other buffer of this kind.
    let model = try PixelBuffer(dimensions: dimensions, format: format, tags: tags)
    planes = model.planes.map { ($0.offset, $0.bytesPerRow) }
    // The slack lets vector code read whole registers at the end of the last row.
    byteCount = (model.planes.map { $0.offset + $0.byteCount }.max() ?? 0) + 64
  }

  deinit {
    for block in state.withLock({ $0.free }) { deallocateZeroed(block.pointer) }
  }

  /// A buffer with whatever the memory holds.
  ///
  /// - Throws: `outOfMemory`.
  func makeBuffer() throws(CinematicError) -> PixelBuffer {
    let kept = state.withLock { $0.free.popLast() }
    let alignment = PixelBuffer.planeAlignment(of: dimensions)
    guard
      let pointer = kept?.pointer ?? allocateZeroed(byteCount: byteCount, alignment: alignment)
    else {
      throw CinematicError(
        .outOfMemory, "no memory for a \(dimensions) picture of format \(format)",
        remedy: "render at a smaller size")
    }
    if kept == nil { state.withLock { $0.allocationCount += 1 } }
    do throws(CinematicError) {
      return try PixelBuffer(
        dimensions: dimensions, format: format, tags: tags, baseAddress: pointer,
        byteCount: byteCount, planes: planes, release: { [self] in take($0) })
    } catch {
      deallocateZeroed(pointer)
      throw error
    }
  }

  private func take(_ pointer: UnsafeMutableRawPointer) {
    let block = Block(pointer: pointer)
    state.withLock { $0.free.append(block) }
  }
}
