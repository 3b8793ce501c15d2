// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Memory on a 64-byte boundary, or `nil` where there is none; freed with `deallocate()`.
///
/// `UnsafeMutableRawPointer.allocate` traps when memory runs out; a renderer must not.
///
/// - Parameter zeroed: whether the bytes are zero. Where they are not, pages that are never touched
///   cost nothing.
package func allocateAligned(byteCount: Int, zeroed: Bool) -> UnsafeMutableRawPointer? {
  var pointer: UnsafeMutableRawPointer?
  guard byteCount >= 0, posix_memalign(&pointer, 64, max(byteCount, 64)) == 0, let pointer else {
    return nil
  }
  if zeroed { memset(pointer, 0, byteCount) }
  return pointer
}
