// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Memory on a boundary of 64 bytes, or `nil` where there is none; freed with `deallocate()`. Pages that are never touched
/// cost nothing.
///
/// `UnsafeMutableRawPointer.allocate` traps when memory runs out; a renderer must not.
package func allocateAligned(byteCount: Int) -> UnsafeMutableRawPointer? {
  var pointer: UnsafeMutableRawPointer?
  guard byteCount >= 0, posix_memalign(&pointer, 64, max(byteCount, 64)) == 0 else { return nil }
  return pointer
}

/// Memory of zero bytes on a boundary, or `nil` where there is none; freed with ``deallocateZeroed(_:)``. Large blocks come
/// from the system as zeros, so that pages that are only read, or never touched, cost next to nothing.
///
/// - Parameter alignment: a power of two, at least 64.
package func allocateZeroed(byteCount: Int, alignment: Int) -> UnsafeMutableRawPointer? {
  let (size, isTooLarge) = byteCount.addingReportingOverflow(alignment + addressSize)
  guard byteCount >= 0, !isTooLarge, let block = calloc(1, size) else { return nil }
  let pointer = (block + addressSize).alignedUp(toMultipleOf: alignment)
  // Where the block begins stands before its first byte.
  (pointer - addressSize).storeBytes(of: block, as: UnsafeMutableRawPointer.self)
  return pointer
}

/// Frees memory from ``allocateZeroed(byteCount:alignment:)``.
package func deallocateZeroed(_ pointer: UnsafeMutableRawPointer) {
  free((pointer - addressSize).load(as: UnsafeMutableRawPointer.self))
}

private let addressSize = MemoryLayout<UnsafeMutableRawPointer>.size
